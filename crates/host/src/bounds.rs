//! What control groups allow this process at most: CPU time and memory, by either version of the kernel's interface.
//!
//! A bound on any group above holds too, and in a container its own group is where the others are mounted.

use std::fs;
use std::path::{Path, PathBuf};

use crate::facts::count;

const CGROUP_ROOT: &str = "/sys/fs/cgroup";

/// What a group's memory is bound to, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Memory {
    /// What may be used at most.
    pub limit: u64,
    /// What of that is left, where cached files make room.
    pub available: u64,
}

/// The cores' worth of CPU time that may be used; `None` if there is no bound.
pub fn cores() -> Option<f64> {
    let bounds = folders("cpu").into_iter().filter_map(|group| quota(&group));
    bounds.min_by(f64::total_cmp)
}

/// The bound on memory that leaves the least; `None` if there is none.
pub fn memory() -> Option<Memory> {
    let bounds = folders("memory").into_iter();
    bounds
        .filter_map(|group| memory_of(&group))
        .min_by_key(|bound| bound.available)
}

/// The folders of this process's groups that a controller has, the innermost first.
pub(super) fn folders(controller: &str) -> Vec<PathBuf> {
    let groups = fs::read_to_string("/proc/self/cgroup").unwrap_or_default();
    folders_of(&groups, Path::new(CGROUP_ROOT), controller)
}

/// From `/proc/self/cgroup`, which has lines `number:controllers:path`; version 2 names no controllers.
fn folders_of(groups: &str, mounted: &Path, controller: &str) -> Vec<PathBuf> {
    let of = |line: &str| {
        let (controllers, path) = line.split_once(':')?.1.split_once(':')?;
        let mounts = match controllers {
            "" => vec![mounted.to_owned(), mounted.join("unified")],
            some if some.split(',').any(|one| one == controller) => {
                vec![mounted.join(controllers), mounted.join(controller)]
            }
            _ => return None,
        };
        let path = Path::new(path.trim_start_matches('/'));
        let at = |group: &Path| -> Vec<PathBuf> {
            let folders = mounts.iter().map(|mount| mount.join(group));
            folders.collect()
        };
        Some(path.ancestors().flat_map(at).collect::<Vec<_>>())
    };
    groups.lines().filter_map(of).flatten().collect()
}

fn text(folder: &Path, name: &str) -> Option<String> {
    fs::read_to_string(folder.join(name)).ok()
}

fn number(folder: &Path, name: &str) -> Option<u64> {
    text(folder, name)?.trim().parse().ok()
}

/// The cores' worth of CPU time of one group: `cpu.max` has the time that may be used in each period (`max` where that is not bound) and
/// the period; version 1 has a file for either, and -1 for no bound.
pub(super) fn quota(folder: &Path) -> Option<f64> {
    let (time, period) = match text(folder, "cpu.max") {
        Some(both) => {
            let (time, period) = both.trim().split_once(' ')?;
            (time.parse().ok()?, period.parse().ok()?)
        }
        None => (
            number(folder, "cpu.cfs_quota_us")?,
            number(folder, "cpu.cfs_period_us")?,
        ),
    };
    (time > 0 && period > 0).then(|| time as f64 / period as f64)
}

/// The memory of one group. Version 1 writes a number near 2⁶³ where there is no bound.
fn memory_of(folder: &Path) -> Option<Memory> {
    let second = number(folder, "memory.max").zip(number(folder, "memory.current"));
    let first =
        || number(folder, "memory.limit_in_bytes").zip(number(folder, "memory.usage_in_bytes"));
    let (limit, used) = second.or_else(first)?;
    let stat = text(folder, "memory.stat").unwrap_or_default();
    // The total of version 1 has the groups below in it, as the one figure of version 2 has.
    let cached = count(&stat, "total_inactive_file").or_else(|| count(&stat, "inactive_file"));
    let used = used.saturating_sub(cached.unwrap_or(0));
    (limit < 1 << 62).then(|| Memory {
        limit,
        available: limit.saturating_sub(used),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn group(files: &[(&str, &str)]) -> tempfile::TempDir {
        let folder = tempfile::tempdir().expect("a folder");
        for (name, text) in files {
            fs::write(folder.path().join(name), text).expect("a file");
        }
        folder
    }

    #[test]
    fn groups_of_both_versions_and_those_above_are_found() {
        let found = |groups, controller| folders_of(groups, Path::new("/c"), controller);
        let paths = |all: &[&str]| all.iter().map(PathBuf::from).collect::<Vec<_>>();
        let second = found("0::/a/b\n", "memory");
        let expected = [
            "/c/a/b",
            "/c/unified/a/b",
            "/c/a",
            "/c/unified/a",
            "/c/",
            "/c/unified/",
        ];
        assert_eq!(second, paths(&expected));
        let first = "9:name=systemd:/\n4:memory:/job\n2:cpu,cpuacct:/\n";
        let expected = ["/c/memory/job", "/c/memory/job", "/c/memory", "/c/memory"];
        assert_eq!(found(first, "memory"), paths(&expected));
        assert_eq!(found(first, "cpu"), paths(&["/c/cpu,cpuacct", "/c/cpu"]));
        assert!(found("", "cpu").is_empty());
    }

    #[test]
    fn cpu_time_is_bound_by_either_version() {
        let of = |files: &[(&str, &str)]| quota(group(files).path());
        assert_eq!(of(&[("cpu.max", "150000 100000\n")]), Some(1.5));
        assert_eq!(of(&[("cpu.max", "max 100000\n")]), None);
        let first = |quota| {
            [
                ("cpu.cfs_quota_us", quota),
                ("cpu.cfs_period_us", "100000\n"),
            ]
        };
        assert_eq!(of(&first("50000\n")), Some(0.5));
        assert_eq!(of(&first("-1\n")), None);
        assert_eq!(of(&[]), None);
    }

    #[test]
    fn memory_is_bound_by_either_version() {
        let of = |files: &[(&str, &str)]| memory_of(group(files).path());
        let bound = Some(Memory {
            limit: 1_000,
            available: 800,
        });
        let second = [
            ("memory.max", "1000\n"),
            ("memory.current", "500\n"),
            ("memory.stat", "anon 200\ninactive_file 300\n"),
        ];
        assert_eq!(of(&second), bound);
        assert_eq!(
            of(&[("memory.max", "max\n"), ("memory.current", "500\n")]),
            None
        );
        let first = |limit| {
            [
                ("memory.limit_in_bytes", limit),
                ("memory.usage_in_bytes", "500\n"),
                ("memory.stat", "inactive_file 1\ntotal_inactive_file 300\n"),
            ]
        };
        assert_eq!(of(&first("1000\n")), bound);
        assert_eq!(of(&first("9223372036854771712\n")), None);
        assert_eq!(of(&[]), None);
    }
}
