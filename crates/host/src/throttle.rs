//! For how long the kernel has stopped this container because it had used up its time (CFS bandwidth control).

use std::fs;
use std::path::Path;
use std::time::Duration;

use crate::bounds;
use crate::facts::count;

/// Returns for how long the kernel has stopped this process's container since it was started, because it had used up its CPU time, as a sum over its
/// cores; `None` if its time has no bound.
pub fn throttled() -> Option<Duration> {
    (bounds::folders("cpu").iter()).find_map(|folder| read(folder))
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
    }
}
