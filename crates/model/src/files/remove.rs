//! Removing folders with all that is in them: no mount is crossed and no link is followed, so only what lies in the folder itself goes.
//!
//! A server can mount anything below its own folder, such as another folder with `mount --bind`. What would be removed there is gone
//! from where it belongs. A mount is known by its id and not by its device, which both ends of a bind mount share. The kernel
//! compares the ids as it opens each folder (`RESOLVE_NO_XDEV`), so nothing can be mounted between a look and a removal.

use std::ffi::{CString, OsStr};
use std::fmt;
use std::fs;
use std::io;
use std::mem;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use rustix::fs::{AtFlags, CWD, Dir, FileType, Mode, OFlags, ResolveFlags};
use rustix::io::Errno;

use crate::notice;

/// How many folders deep one is emptied in its place. What lies deeper is moved up first: each level holds a file descriptor, of which a
/// process may have 1,024.
const DEEPEST: usize = 64;

/// What is left of a folder that was to be removed.
#[derive(Debug)]
pub struct NotRemoved {
    /// The first thing that could not be removed.
    path: PathBuf,
    why: Errno,
    /// How many further ones could not be removed, those that hold it aside.
    others: usize,
}

impl fmt::Display for NotRemoved {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "cannot remove {}: ", self.path.display())?;
        match self.why {
            Errno::XDEV | Errno::BUSY => {
                write!(f, "something is mounted there; unmount it first")?;
            }
            Errno::PERM => write!(
                f,
                "{}; it may be immutable (see `lsattr`)",
                io::Error::from(self.why)
            )?,
            why => write!(f, "{}", io::Error::from(why))?,
        }
        match self.others {
            0 => Ok(()),
            1 => write!(f, " (and 1 more)"),
            others => write!(f, " (and {others} more)"),
        }
    }
}

impl From<NotRemoved> for io::Error {
    fn from(left: NotRemoved) -> io::Error {
        io::Error::other(left.to_string())
    }
}

/// Reports what could not be removed where nobody waits for the removal, as when a folder is dropped.
pub fn report(left: &NotRemoved) {
    notice::print(&format!("photofinish: {left}"));
}

/// Removes a file, a link or a folder with all that is in it. What cannot be removed stays, with the folders that hold it; all else goes.
/// If nothing is there, that is no error.
///
/// # Errors
/// The first thing that could not be removed.
pub fn remove(path: &Path) -> Result<(), NotRemoved> {
    let mut left = Left::default();
    let Some(name) = path.file_name() else {
        left.add(path, Errno::INVAL);
        return left.result();
    };
    let above = match path.parent() {
        Some(above) if above != OsStr::new("") => above,
        _ => Path::new("."),
    };
    let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
    let above = match rustix::fs::openat(CWD, above, flags, Mode::empty()) {
        Ok(above) => above,
        Err(Errno::NOENT | Errno::NOTDIR) => return Ok(()),
        Err(why) => {
            left.add(path, why);
            return left.result();
        }
    };
    match CString::new(name.as_bytes()) {
        Ok(name) => entry(above.as_fd(), &name, None, path, &mut left),
        Err(_) => left.add(path, Errno::INVAL),
    }
    left.result()
}

/// What could not be removed so far.
#[derive(Default)]
struct Left {
    first: Option<(PathBuf, Errno)>,
    count: usize,
    /// Whether something lay too deep and is at the top now.
    moved_up: bool,
}

impl Left {
    fn add(&mut self, path: &Path, why: Errno) {
        self.count += 1;
        self.first.get_or_insert_with(|| (path.to_owned(), why));
    }

    fn result(self) -> Result<(), NotRemoved> {
        match self.first {
            None => Ok(()),
            Some((path, why)) => Err(NotRemoved {
                path,
                why,
                others: self.count - 1,
            }),
        }
    }
}

/// The folder that is removed as a whole, and how many folders lie between it and where its content is removed.
#[derive(Clone, Copy)]
struct Within<'d> {
    top: BorrowedFd<'d>,
    depth: usize,
}

/// Removes what has a name in a folder.
fn entry(
    folder: BorrowedFd<'_>,
    name: &CString,
    within: Option<Within<'_>>,
    path: &Path,
    left: &mut Left,
) {
    // Opened first: to look at it would ask whatever is mounted on it, which may not respond.
    let inner = match open_below(folder, name) {
        Ok(inner) => inner,
        Err(Errno::NOENT) => return,
        // A file or a link.
        Err(Errno::NOTDIR | Errno::LOOP) => {
            match unlink(folder, name, AtFlags::empty()) {
                Ok(()) | Err(Errno::NOENT) => {}
                Err(why) => left.add(path, why),
            }
            return;
        }
        Err(why) => return left.add(path, why),
    };
    let depth = within.map_or(0, |within| within.depth + 1);
    let inside = Within {
        top: within.map_or(inner.as_fd(), |within| within.top),
        depth,
    };
    let before = left.count;
    empty(inner.as_fd(), inside, path, left);
    // Each time what lay too deep begins further down.
    while depth == 0 && left.count == before && mem::take(&mut left.moved_up) {
        empty(inner.as_fd(), inside, path, left);
    }
    if let Err(why) = unlink(folder, name, AtFlags::REMOVEDIR)
        && why != Errno::NOENT
        // It holds what was named.
        && !(left.count > before && matches!(why, Errno::NOTEMPTY | Errno::EXIST))
    {
        left.add(path, why);
    }
}

/// Removes what is in a folder.
fn empty(folder: BorrowedFd<'_>, within: Within<'_>, path: &Path, left: &mut Left) {
    let names = match names(folder) {
        Ok(names) => names,
        Err(why) => return left.add(path, why),
    };
    for (name, is_file) in names {
        let path = path.join(OsStr::from_bytes(name.as_bytes()));
        if is_file {
            match unlink(folder, &name, AtFlags::empty()) {
                Ok(()) | Err(Errno::NOENT) => continue,
                // It is another thing by now.
                Err(Errno::ISDIR) => {}
                Err(why) => {
                    left.add(&path, why);
                    continue;
                }
            }
        }
        if within.depth < DEEPEST {
            entry(folder, &name, Some(within), &path, left);
        } else {
            match move_up(folder, &name, within.top) {
                Ok(()) => left.moved_up = true,
                Err(why) => left.add(&path, why),
            }
        }
    }
}

/// Moves what has a name in a folder to the top, by a name that nothing there has.
fn move_up(folder: BorrowedFd<'_>, name: &CString, top: BorrowedFd<'_>) -> Result<(), Errno> {
    for number in 0_u32.. {
        let to = format!("{number}.too-deep");
        let renamed =
            rustix::fs::renameat_with(folder, name, top, &*to, rustix::fs::RenameFlags::NOREPLACE);
        match renamed {
            Err(Errno::EXIST) => {}
            // Some file systems cannot tell whether the name is free.
            Err(Errno::INVAL) => return rustix::fs::renameat(folder, name, top, &*to),
            renamed => return renamed,
        }
    }
    Err(Errno::EXIST)
}

/// Removes a name. Without a right to write to the folder, which some programs take from what they keep, that is given first.
fn unlink(folder: BorrowedFd<'_>, name: &CString, flags: AtFlags) -> Result<(), Errno> {
    match rustix::fs::unlinkat(folder, name, flags) {
        Err(Errno::ACCESS) if rustix::fs::fchmod(folder, Mode::RWXU).is_ok() => {
            rustix::fs::unlinkat(folder, name, flags)
        }
        result => result,
    }
}

/// The names in a folder, each with whether it is known not to be a folder's.
fn names(folder: BorrowedFd<'_>) -> Result<Vec<(CString, bool)>, Errno> {
    let mut names = Vec::new();
    for entry in Dir::read_from(folder)? {
        let entry = entry?;
        let name = entry.file_name();
        if name != c"." && name != c".." {
            let kind = entry.file_type();
            let is_file = !matches!(kind, FileType::Directory | FileType::Unknown);
            names.push((name.to_owned(), is_file));
        }
    }
    Ok(names)
}

/// Opens a folder in another one, unless something is mounted on it ([`Errno::XDEV`]) or it is a link.
fn open_below(folder: BorrowedFd<'_>, name: &CString) -> Result<OwnedFd, Errno> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let resolve = ResolveFlags::NO_XDEV | ResolveFlags::NO_SYMLINKS;
    match rustix::fs::openat2(folder, name, flags, Mode::empty(), resolve) {
        // Linux before 5.6, and containers that allow only what they know.
        Err(Errno::NOSYS | Errno::PERM) => {
            let inner = rustix::fs::openat(folder, name, flags, Mode::empty())?;
            match mount_id(folder)? == mount_id(inner.as_fd())? {
                true => Ok(inner),
                false => Err(Errno::XDEV),
            }
        }
        opened => opened,
    }
}

/// The id of the mount that an open file is on (proc_pid_fdinfo(5)).
fn mount_id(file: BorrowedFd<'_>) -> Result<u64, Errno> {
    let path = format!("/proc/self/fdinfo/{}", file.as_raw_fd());
    let text = fs::read_to_string(path).map_err(|_| Errno::XDEV)?;
    let mut lines = text.lines();
    let id = lines.find_map(|line| line.strip_prefix("mnt_id:")?.trim().parse().ok());
    id.ok_or(Errno::XDEV)
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::{PermissionsExt, symlink};
    use std::process::Command;

    use super::*;

    fn below(folder: &Path, name: &str) -> PathBuf {
        let path = folder.join(name);
        fs::create_dir_all(&path).expect("a folder");
        path
    }

    #[test]
    fn all_goes_and_links_are_not_followed() {
        let base = tempfile::tempdir().expect("a folder");
        let precious = below(base.path(), "precious");
        fs::write(precious.join("thesis"), "years").expect("a file");
        let folder = below(base.path(), "folder");
        fs::write(below(&folder, "a/b").join("file"), "").expect("a file");
        symlink(&precious, folder.join("link")).expect("a link");
        symlink("nowhere", folder.join("dangling")).expect("a link");
        let closed = below(&folder, "read-only");
        fs::write(closed.join("file"), "").expect("a file");
        fs::set_permissions(&closed, fs::Permissions::from_mode(0o555)).expect("permissions");
        remove(&folder).expect("it goes");
        assert!(!folder.exists());
        // A link in a folder's place, a file, and nothing at all.
        symlink(&precious, &folder).expect("a link");
        remove(&folder).expect("it goes");
        fs::write(&folder, "").expect("a file");
        for _ in 0..2 {
            remove(&folder).expect("it goes");
            assert!(fs::symlink_metadata(&folder).is_err());
        }
        assert!(precious.join("thesis").is_file());
        for odd in ["/", "..", "none/none"] {
            assert_eq!(remove(Path::new(odd)).is_ok(), odd == "none/none", "{odd}");
        }
    }

    #[test]
    fn a_folder_may_be_deeper_than_any_path_is_long() {
        let base = tempfile::tempdir().expect("a folder");
        let folder = below(base.path(), "folder");
        let flags = OFlags::PATH | OFlags::DIRECTORY;
        let mut inner = rustix::fs::openat(CWD, &folder, flags, Mode::empty()).expect("open");
        for _ in 0..3_000 {
            rustix::fs::mkdirat(&inner, "d", Mode::RWXU).expect("a folder");
            inner = rustix::fs::openat(&inner, "d", flags, Mode::empty()).expect("open");
        }
        remove(&folder).expect("it goes");
        assert!(!folder.exists());
    }

    /// The ids of a folder's mount and of a mount's below it, which the fallback compares.
    #[test]
    fn mounts_have_ids() {
        let id = |path: &str| {
            let flags = OFlags::PATH | OFlags::CLOEXEC;
            let file = rustix::fs::openat(CWD, path, flags, Mode::empty()).expect("open");
            mount_id(file.as_fd()).expect("an id")
        };
        assert_eq!(id("/proc"), id("/proc/self"));
        assert_ne!(id("/"), id("/proc"));
    }

    #[test]
    fn what_stays_is_named() {
        let says = |why, others| {
            let path = PathBuf::from("/tmp/a");
            NotRemoved { path, why, others }.to_string()
        };
        assert_eq!(
            says(Errno::XDEV, 0),
            "cannot remove /tmp/a: something is mounted there; unmount it first"
        );
        assert_eq!(
            says(Errno::ACCESS, 2),
            "cannot remove /tmp/a: Permission denied (os error 13) (and 2 more)"
        );
        assert!(says(Errno::PERM, 1).ends_with("see `lsattr`) (and 1 more)"));
    }

    /// Runs a shell script in a mount namespace of its own, in a folder; false where this user may not.
    fn in_namespace(folder: &Path, script: &str) -> bool {
        let status = Command::new("unshare")
            .args(["--mount", "--propagation", "private", "sh", "-c", script])
            .current_dir(folder)
            .status();
        status.is_ok_and(|status| status.success())
    }

    #[test]
    fn no_mount_is_crossed() {
        let base = tempfile::tempdir().expect("a folder");
        if !in_namespace(base.path(), "true") {
            eprintln!("skipped: no mount can be made here");
            return;
        }
        let precious = below(base.path(), "precious");
        fs::write(precious.join("thesis"), "years").expect("a file");
        let folder = below(base.path(), "folder");
        for name in ["data/inner", "other"] {
            fs::write(below(&folder, name).join("file"), "").expect("a file");
        }
        // This test, once more, where the mount is: as a namespace is a thread's, and its mounts are gone with it.
        let itself = std::env::current_exe().expect("a program");
        let script = format!(
            "mount --bind precious folder/data/inner && mount --bind precious/thesis folder/other/file && \
             REMOVE_TEST={} exec {} --exact files::remove::tests::removes_where_it_is_told --ignored --nocapture",
            folder.display(),
            itself.display(),
        );
        assert!(in_namespace(base.path(), &script));
        assert_eq!(
            fs::read_to_string(precious.join("thesis")).expect("it is there"),
            "years"
        );
        assert!(folder.join("data/inner").is_dir() && folder.join("other/file").is_file());
        remove(&folder).expect("nothing is mounted here");
    }

    /// What [`no_mount_is_crossed`] runs in another namespace.
    #[test]
    #[ignore = "run by another test"]
    fn removes_where_it_is_told() {
        let Some(folder) = std::env::var_os("REMOVE_TEST") else {
            return;
        };
        let says = remove(Path::new(&folder)).expect_err("mounts").to_string();
        assert!(says.contains("something is mounted there"), "{says}");
        assert!(says.ends_with("(and 1 more)"), "{says}");
    }
}
