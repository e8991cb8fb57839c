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

use super::processes;

/// How long a group may take until it is empty whose processes have all ended.
const EMPTIES: Duration = Duration::from_millis(500);

/// How long processes may take to be stopped for a while, or to go on: they must run to do either, and on a busy machine wait
/// for a core first.
pub(super) const FREEZES: Duration = Duration::from_secs(5);

/// What the names of groups begin with; the id of the keeper follows.
const NAME: &str = "photofinish-";

/// A cgroup (version 2) that was made for one server.
#[derive(Debug)]
pub(super) struct Group {
    folder: PathBuf,
    /// Whether it is removed when this is dropped: who only looks it up leaves it where it is.
    removed: bool,
}

impl Group {
    /// Makes one for a keeper, below this process's own; `None` where that is not to be had. It is removed when it is dropped, and
    /// with it what keepers left that were killed together with their photofinish.
    pub(super) fn make(keeper: u32) -> Option<Group> {
        let own = own()?;
        let gives_none = fs::read_to_string(own.join("cgroup.subtree_control"))
            .is_ok_and(|given| given.trim().is_empty());
        if !gives_none {
            return None;
        }
        remove_left(&own);
        let folder = own.join(format!("{NAME}{keeper}"));
        fs::create_dir(&folder).ok()?;
        let group = Group {
            folder,
            removed: true,
        };
        // Older kernels than 5.14 do not kill groups. What was made is removed when it is dropped.
        group.folder.join("cgroup.kill").exists().then_some(group)
    }

    /// The one that was made for this keeper, if it is still there.
    pub(super) fn find(keeper: u32) -> Option<Group> {
        let folder = own()?.join(format!("{NAME}{keeper}"));
        folder.is_dir().then_some(Group {
            folder,
            removed: false,
        })
    }

    /// The same, to be removed when this is dropped: its keeper is gone.
    pub(super) fn find_left(keeper: u32) -> Option<Group> {
        let mut group = Group::find(keeper)?;
        group.removed = true;
        Some(group)
    }

    /// The file to which a process writes `0` to join.
    pub(super) fn join(&self) -> io::Result<File> {
        OpenOptions::new()
            .write(true)
            .open(self.folder.join("cgroup.procs"))
    }

    /// Stops all of its processes until they are to go on; returns when all are.
    pub(super) fn freeze(&self, frozen: bool) -> io::Result<()> {
        let bit = u8::from(frozen);
        fs::write(self.folder.join("cgroup.freeze"), bit.to_string())?;
        let events = self.folder.join("cgroup.events");
        let wanted = format!("frozen {bit}");
        let deadline = Instant::now() + FREEZES;
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
        let deadline = Instant::now() + EMPTIES;
        while fs::remove_dir(&self.folder).is_err_and(|e| e.kind() == io::ErrorKind::ResourceBusy)
            && Instant::now() < deadline
        {
            thread::sleep(Duration::from_millis(1));
        }
    }
}

/// Removes the empty groups whose keepers are gone. One that holds a process cannot be removed.
fn remove_left(own: &Path) {
    let Ok(entries) = fs::read_dir(own) else {
        return;
    };
    for entry in entries.flatten() {
        let name = entry.file_name();
        let keeper = (name.to_str())
            .and_then(|name| name.strip_prefix(NAME))
            .and_then(|keeper| keeper.parse::<u32>().ok());
        if keeper.is_some_and(|keeper| processes::stat(keeper).is_none()) {
            // Another's, or removed by another meanwhile: no reason not to go on.
            let _ = fs::remove_dir(entry.path());
        }
    }
}

/// This process's own group.
fn own() -> Option<PathBuf> {
    let groups = fs::read_to_string("/proc/self/cgroup").ok()?;
    let below = groups.lines().find_map(|line| line.strip_prefix("0::/"))?;
    // Mounted beside those of version 1 on some distributions.
    ["/sys/fs/cgroup", "/sys/fs/cgroup/unified"]
        .iter()
        .map(|mount| Path::new(mount).join(below))
        .find(|group| group.join("cgroup.subtree_control").exists())
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use super::*;

    #[test]
    fn what_dead_keepers_left_is_removed_and_nothing_else() {
        let dir = tempfile::tempdir().expect("a folder");
        // An id that was a process's, and is none's any more.
        let mut child = Command::new("true").spawn().expect("it runs");
        let gone = child.id();
        child.wait().expect("it ends");
        let folder = |name: String| {
            let folder = dir.path().join(name);
            fs::create_dir(&folder).expect("a folder");
            folder
        };
        let left = folder(format!("{NAME}{gone}"));
        let kept = [
            folder(format!("{NAME}{}", std::process::id())),
            folder(format!("{NAME}x")),
            folder(format!("other-{gone}")),
        ];
        remove_left(dir.path());
        assert!(!left.exists());
        assert!(kept.iter().all(|folder| folder.exists()), "{kept:?}");
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
