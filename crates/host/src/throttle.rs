//! For how long the kernel has stopped this container because it had used up its time (CFS bandwidth control).

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::bounds;
use crate::facts::count;

/// Returns for how long the kernel has stopped this process's container since it was started, because it had used up its CPU time, as a sum over its
/// cores and over the groups that it is in; `None` if its time has no bound.
pub fn throttled() -> Option<Duration> {
    sum(&bounds::folders("cpu"))
}

/// A group within another one is stopped by the bound of either, and each counts its own stops.
fn sum(folders: &[PathBuf]) -> Option<Duration> {
    // A group's folder may have two names.
    let folders = folders
        .iter()
        .filter_map(|folder| folder.canonicalize().ok());
    let folders: BTreeSet<PathBuf> = folders.collect();
    let bounds = folders.iter().filter_map(|folder| read(folder));
    bounds.reduce(|all, one| all + one)
}

fn read(folder: &Path) -> Option<Duration> {
    bounds::quota(folder)?;
    of(&fs::read_to_string(folder.join("cpu.stat")).ok()?)
}

/// From `cpu.stat`: microseconds of version 2, nanoseconds of version 1.
fn of(text: &str) -> Option<Duration> {
    let newer = count(text, "throttled_usec").map(Duration::from_micros);
    newer.or_else(|| count(text, "throttled_time").map(Duration::from_nanos))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_versions_are_read() {
        let second =
            "usage_usec 9\nnr_periods 40\nnr_throttled 3\nthrottled_usec 250000\nnr_bursts 0\n";
        assert_eq!(of(second), Some(Duration::from_millis(250)));
        let first = "nr_periods 40\nnr_throttled 3\nthrottled_time 250000000\n";
        assert_eq!(of(first), Some(Duration::from_millis(250)));
        assert_eq!(of("usage_usec 9\n"), None);
    }

    #[test]
    fn without_a_bound_there_is_nothing() {
        let folder = tempfile::tempdir().expect("a folder");
        let write = |name: &str, text: &str| {
            fs::write(folder.path().join(name), text).expect("a file");
        };
        write("cpu.stat", "throttled_usec 7\n");
        assert_eq!(read(folder.path()), None);
        write("cpu.max", "max 100000\n");
        assert_eq!(read(folder.path()), None);
        write("cpu.max", "50000 100000\n");
        assert_eq!(read(folder.path()), Some(Duration::from_micros(7)));
        // One within it, whose own bound never stopped it.
        let inner = folder.path().join("inner");
        fs::create_dir(&inner).expect("a folder");
        fs::write(inner.join("cpu.stat"), "throttled_usec 0\n").expect("a file");
        fs::write(inner.join("cpu.max"), "90000 100000\n").expect("a file");
        let again = inner.join("..");
        let both = [inner, folder.path().to_owned(), again];
        assert_eq!(sum(&both), Some(Duration::from_micros(7)));
    }
}
