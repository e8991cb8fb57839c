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

/// How long a group may take until it is empty whose processes have all ended.
const EMPTIES: Duration = Duration::from_millis(500);

/// How long processes may take to be stopped for a while, or to go on.
pub(super) const FREEZES: Duration = Duration::from_millis(500);

/// A cgroup (version 2) that was made for one server.
#[derive(Debug)]
pub(super) struct Group {
    folder: PathBuf,
}

impl Group {
    /// Makes one below this process's own; `None` where that is not to be had.
    pub(super) fn make(name: &str) -> Option<Group> {
        let own = own()?;
        let gives_none = fs::read_to_string(own.join("cgroup.subtree_control"))
            .is_ok_and(|given| given.trim().is_empty());
        if !gives_none {
            return None;
        }
        let folder = own.join(format!("photofinish-{name}"));
        fs::create_dir(&folder).ok()?;
        let group = Group { folder };
        // Older kernels than 5.14 do not kill groups. What was made is removed when it is dropped.
        group.folder.join("cgroup.kill").exists().then_some(group)
    }

    /// The one that was made under this name, if it is still there.
    pub(super) fn find(name: &str) -> Option<Group> {
        let folder = own()?.join(format!("photofinish-{name}"));
        folder.is_dir().then_some(Group { folder })
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
        // The kernel may count a process for a moment longer than it can be seen.
        let deadline = Instant::now() + EMPTIES;
        while fs::remove_dir(&self.folder).is_err_and(|e| e.kind() == io::ErrorKind::ResourceBusy)
            && Instant::now() < deadline
        {
            thread::sleep(Duration::from_millis(1));
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
