//! A cgroup for a server and all that it starts, where this process may make one: the kernel ends a group at once, however
//! fast its processes start others and end themselves.
//!
//! Without one a keeper kills what it sees, and a chain in which each process starts the next and ends is gone when it is
//! signalled. The group has no controllers, so it bounds and measures nothing, and is not made where its parent would give it some.

use std::fs::{self, File, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

/// How long a group may take to be empty after its processes have ended.
const EMPTY_TIMEOUT: Duration = Duration::from_millis(500);

/// How long processes may take to stop for a while, or to continue: they must run to do either, and wait for
/// a core on a busy machine.
pub(super) const FREEZE_TIMEOUT: Duration = Duration::from_secs(5);

/// Prefix of the names of groups; the mark of the server follows.
const NAME_PREFIX: &str = "photofinish-";

/// A cgroup (version 2) that was made for one server.
#[derive(Debug)]
pub(super) struct Group {
    folder: PathBuf,
    /// Whether it is removed when this is dropped: who only looks it up leaves it where it is.
    removed: bool,
}

impl Group {
    /// Makes one for a server, below this process's own; `None` if that is not to be had. It is removed when it is dropped.
    pub(super) fn make(mark: &str) -> Option<Group> {
        let own = own()?;
        let gives_none = fs::read_to_string(own.join("cgroup.subtree_control"))
            .is_ok_and(|given| given.trim().is_empty());
        if !gives_none {
            return None;
        }
        let folder = own.join(format!("{NAME_PREFIX}{mark}"));
        fs::create_dir(&folder).ok()?;
        let group = Group {
            folder,
            removed: true,
        };
        // Older kernels than 5.14 do not kill groups. What was made is removed when it is dropped.
        group.folder.join("cgroup.kill").exists().then_some(group)
    }

    /// Where the group of a server is, if there is one.
    pub(super) fn folder(mark: &str) -> Option<PathBuf> {
        Some(own()?.join(format!("{NAME_PREFIX}{mark}")))
    }

    /// The one that was made for this server, if it is still there.
    pub(super) fn find(mark: &str) -> Option<Group> {
        let folder = Group::folder(mark)?;
        folder.is_dir().then_some(Group {
            folder,
            removed: false,
        })
    }

    /// The same, to be removed when this is dropped: its keeper is gone.
    pub(super) fn find_left(mark: &str) -> Option<Group> {
        let mut group = Group::find(mark)?;
        group.removed = true;
        Some(group)
    }

    /// All that the photofinish of this name has made, wherever it ran; they are removed when they are dropped.
    pub(super) fn left_by(name: &str) -> Vec<Group> {
        let mut groups = Vec::new();
        for mount in MOUNT_POINTS {
            find_named(
                Path::new(mount),
                &format!("{NAME_PREFIX}{name}-"),
                &mut groups,
            );
        }
        groups
    }

    /// The processes in it.
    pub(super) fn processes(&self) -> Vec<u32> {
        let text = fs::read_to_string(self.folder.join("cgroup.procs")).unwrap_or_default();
        text.lines().filter_map(|line| line.parse().ok()).collect()
    }

    /// The file to which a process writes `0` to join.
    pub(super) fn join(&self) -> io::Result<File> {
        OpenOptions::new()
            .write(true)
            .open(self.folder.join("cgroup.procs"))
    }

    /// Stops all of its processes until they are to continue; returns when all are.
    pub(super) fn freeze(&self, frozen: bool) -> io::Result<()> {
        let bit = u8::from(frozen);
        fs::write(self.folder.join("cgroup.freeze"), bit.to_string())?;
        let events = self.folder.join("cgroup.events");
        let wanted = format!("frozen {bit}");
        let deadline = Instant::now() + FREEZE_TIMEOUT;
        while !fs::read_to_string(&events)?
            .lines()
            .any(|line| line == wanted)
        {
            if Instant::now() >= deadline {
                return Err(io::ErrorKind::TimedOut.into());
            }
            thread::yield_now();
        }
        Ok(())
    }

    /// Kills all of its processes; where that fails they are ended one by one.
    pub(super) fn kill(&self) {
        let _ = fs::write(self.folder.join("cgroup.kill"), "1");
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        if !self.removed {
            return;
        }
        // The kernel may count a process for a moment longer than it can be seen.
        let deadline = Instant::now() + EMPTY_TIMEOUT;
        while fs::remove_dir(&self.folder).is_err_and(|e| e.kind() == io::ErrorKind::ResourceBusy)
            && Instant::now() < deadline
        {
            thread::sleep(Duration::from_millis(1));
        }
    }
}

/// Mount points of cgroups. Some distributions mount version 2 next to version 1.
const MOUNT_POINTS: [&str; 2] = ["/sys/fs/cgroup", "/sys/fs/cgroup/unified"];

/// Finds the groups whose names begin so, in a group and below it.
fn find_named(group: &Path, name: &str, found: &mut Vec<Group>) {
    if !group.join("cgroup.procs").exists() {
        return;
    }
    for entry in fs::read_dir(group).into_iter().flatten().flatten() {
        if !entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            continue;
        }
        match entry.file_name().to_string_lossy().starts_with(name) {
            true => found.push(Group {
                folder: entry.path(),
                removed: true,
            }),
            false => find_named(&entry.path(), name, found),
        }
    }
}

/// This process's own group.
fn own() -> Option<PathBuf> {
    let groups = fs::read_to_string("/proc/self/cgroup").ok()?;
    let below = groups.lines().find_map(|line| line.strip_prefix("0::/"))?;
    MOUNT_POINTS
        .iter()
        .map(|mount| Path::new(mount).join(below))
        .find(|group| group.join("cgroup.subtree_control").exists())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_of_one_photofinish_are_found_at_any_depth() {
        let dir = tempfile::tempdir().expect("a folder");
        for group in [
            "a/photofinish-1-2-0",
            "photofinish-1-2-1",
            "photofinish-1-23-0",
            "b",
        ] {
            fs::create_dir_all(dir.path().join(group)).expect("a folder");
        }
        for group in ["", "a", "b"] {
            fs::write(dir.path().join(group).join("cgroup.procs"), "").expect("a file");
        }
        let mut found = Vec::new();
        find_named(dir.path(), &format!("{NAME_PREFIX}1-2-"), &mut found);
        let mut names: Vec<&Path> = found.iter().map(|group| &*group.folder).collect();
        names.sort();
        let wanted = ["a/photofinish-1-2-0", "photofinish-1-2-1"].map(|name| dir.path().join(name));
        assert_eq!(names, wanted);
    }

    #[test]
    fn who_only_looks_a_group_up_leaves_it() {
        let dir = tempfile::tempdir().expect("a folder");
        let folder = dir.path().join("group");
        let group = |removed| Group {
            folder: folder.clone(),
            removed,
        };
        fs::create_dir(&folder).expect("a folder");
        drop(group(false));
        assert!(folder.exists());
        drop(group(true));
        assert!(!folder.exists());
    }
}
