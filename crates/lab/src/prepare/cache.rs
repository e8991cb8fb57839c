//! What photofinish keeps from run to run: builds, checkouts of revisions, downloads, the agents of other machines.
//!
//! Only what it made itself is looked at: a build by its marker or its lock, a checkout by the file beside it that says it is whole,
//! the rest by the folder that it lies in. Links are not followed. Anything else in the folder is left alone.

use std::fs::{self, File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::SystemTime;

use photofinish_host as host;
use photofinish_model::files::{self, remove};

use crate::error::Error;
use crate::prepare::fetch;

/// A file on which each run holds a shared lock for as long as it may use what is kept.
const IN_USE: &str = "in-use.lock";
/// Written into a build's folder when all else is done; without it the folder is what an interruption left.
pub(crate) const MARKER: &str = ".photofinish-built";
/// Number of hexadecimal digits at the end of a build's name.
const KEY_DIGITS: usize = 12;

/// What kind of thing is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kept {
    /// A target's folder, built.
    Build,
    /// A revision of a git repository, checked out and perhaps built.
    Revision,
    /// What was fetched: the programs of a database, the agent for Java.
    Service,
    /// photofinish itself, brought here to drive this machine.
    Agent,
}

/// A thing that is kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// What it is.
    pub kind: Kept,
    /// Its file name.
    pub name: String,
    /// Where it lies.
    pub path: PathBuf,
    /// The sum of its files' lengths.
    pub bytes: u64,
    /// When it was made.
    pub made: SystemTime,
}

/// Says that a run uses what is kept, until the file is closed; `None` if that cannot be said, such as in a folder that cannot be
/// written: nothing will be kept there either.
pub(crate) fn use_it(cache: &Path) -> Option<File> {
    fs::create_dir_all(cache).ok()?;
    let file = lock_file(cache).ok()?;
    file.lock_shared().ok()?;
    Some(file)
}

fn lock_file(cache: &Path) -> io::Result<File> {
    let mut options = File::options();
    options.create(true).truncate(false).write(true);
    options.open(cache.join(IN_USE))
}

/// All that is kept in this folder, by kind and name.
///
/// # Errors
/// For a folder that cannot be read; one that is not there keeps nothing.
pub fn entries(cache: &Path) -> Result<Vec<Entry>, Error> {
    let mut found = Vec::new();
    for (kind, folder) in [
        (Kept::Build, cache.to_owned()),
        (Kept::Revision, cache.join("revisions")),
        (Kept::Service, cache.join(fetch::FOLDER)),
        (Kept::Agent, cache.join("agent")),
    ] {
        // A link in its place would make another folder's content ours. The cache itself may be one.
        if kind != Kept::Build
            && fs::symlink_metadata(&folder).is_ok_and(|about| about.is_symlink())
        {
            continue;
        }
        let listed = match fs::read_dir(&folder) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
            listed => listed.map_err(host::Error::file("read", &folder))?,
        };
        for item in listed {
            let path = item.map_err(host::Error::file("read", &folder))?.path();
            if !is_ours(kind, &path) {
                continue;
            }
            let about = fs::symlink_metadata(&path).map_err(host::Error::file("read", &path))?;
            found.push(Entry {
                kind,
                name: file_name(&path),
                bytes: size(&path),
                made: about.modified().map_err(host::Error::file("read", &path))?,
                path,
            });
        }
    }
    found.sort_by(|a, b| (a.kind, &a.name).cmp(&(b.kind, &b.name)));
    Ok(found)
}

/// Removes entries that [`entries`] found.
///
/// # Errors
/// If a run uses what is kept, and nothing is removed; for the first that cannot be removed, when all others are.
pub fn clear(cache: &Path, entries: &[Entry]) -> Result<(), Error> {
    if entries.is_empty() {
        return Ok(());
    }
    let lock = lock_file(cache).map_err(host::Error::file("write to", cache))?;
    match lock.try_lock() {
        Ok(()) => {}
        Err(TryLockError::WouldBlock) => return Err(Error::CacheInUse),
        Err(TryLockError::Error(error)) => {
            return Err(host::Error::file("lock", cache)(error).into());
        }
    }
    let mut first = None;
    for Entry { kind, path, .. } in entries {
        let repository = match kind {
            Kept::Revision => repository(path),
            Kept::Build | Kept::Service | Kept::Agent => None,
        };
        if let Err(left) = remove::remove(path) {
            first.get_or_insert(left);
            continue;
        }
        for extension in ["lock", "built", "out"] {
            // They say that it is there, or was being made; most have one of them.
            let _ = fs::remove_file(beside(path, extension));
        }
        if let Some(repository) = repository {
            // Else git would still list the worktree; where that fails, git finds out by itself in time.
            let mut git = Command::new("git");
            let _ = git
                .arg("--git-dir")
                .arg(repository)
                .args(["worktree", "prune"])
                .stdin(Stdio::null())
                .stdout(Stdio::null())
                .stderr(Stdio::null())
                .status();
        }
    }
    match first {
        None => Ok(()),
        Some(left) => Err(Error::CacheNotCleared(left)),
    }
}

fn is_ours(kind: Kept, path: &Path) -> bool {
    let is_dir = fs::symlink_metadata(path).is_ok_and(|about| about.is_dir());
    match kind {
        Kept::Build => {
            let name = file_name(path);
            let key = name.rsplit_once('-').map_or("", |(_, key)| key);
            let is_key = key.len() == KEY_DIGITS && key.chars().all(|c| c.is_ascii_hexdigit());
            let marked = || path.join(MARKER).is_file() || beside(path, "lock").is_file();
            is_dir && is_key && marked()
        }
        Kept::Revision => is_dir && beside(path, "out").is_file(),
        Kept::Service => is_dir,
        Kept::Agent => fs::symlink_metadata(path).is_ok_and(|about| about.is_file()),
    }
}

/// The most bytes of git's note in a worktree, which is a path.
const MAX_NOTE_BYTES: u64 = 64 * 1024;

/// The repository whose worktree this is, as git has noted in it.
fn repository(worktree: &Path) -> Option<PathBuf> {
    let noted = files::read_text(&worktree.join(".git"), MAX_NOTE_BYTES).ok()?;
    let own = Path::new(noted.strip_prefix("gitdir: ")?.trim_end());
    // <repository>/worktrees/<name>
    let repository = own.parent()?.parent()?;
    repository.is_dir().then(|| repository.to_owned())
}

fn file_name(path: &Path) -> String {
    path.file_name()
        .map(|name| name.to_string_lossy().into_owned())
        .unwrap_or_default()
}

/// A file that lies beside another and is called as that is.
pub(crate) fn beside(path: &Path, extension: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".");
    name.push(extension);
    PathBuf::from(name)
}

/// The sum of the lengths of all files; what cannot be read counts as nothing.
fn size(path: &Path) -> u64 {
    let Ok(about) = fs::symlink_metadata(path) else {
        return 0;
    };
    if !about.is_dir() {
        return about.len();
    }
    let inside = fs::read_dir(path).into_iter().flatten().flatten();
    inside.map(|item| size(&item.path())).sum()
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    fn write(path: &Path, text: &str) {
        fs::create_dir_all(path.parent().expect("a folder")).expect("made");
        fs::write(path, text).expect("written");
    }

    /// A folder in which each kind is kept, beside what is nobody's business here.
    fn kept() -> tempfile::TempDir {
        let folder = tempfile::tempdir().expect("a folder");
        let at = |path: &str| folder.path().join(path);
        write(&at("api-0123456789ab/.photofinish-built"), "{}");
        write(&at("api-0123456789ab/target/server"), "12345");
        write(&at("api-0123456789ab.lock"), "");
        write(&at("half-ba9876543210/server"), "1");
        write(&at("half-ba9876543210.lock"), "");
        write(&at("revisions/1a2b3c4d5e6f-00112233/main.c"), "123");
        write(&at("revisions/1a2b3c4d5e6f-00112233.out"), "commit");
        write(&at("services/io.zonky-postgres-16/bin/postgres"), "1234567");
        write(&at("agent/photofinish-abcdef"), "12");
        write(&at("photos-0123456789ab/cat.png"), "mine");
        write(&at("notes-of-mine/a.txt"), "mine");
        write(&at("revisions/mine/a.txt"), "mine");
        symlink(at("notes-of-mine"), at("link-0123456789ab")).expect("a link");
        write(&at("link-0123456789ab.lock"), "");
        folder
    }

    #[test]
    fn what_was_made_here_is_found_with_its_size() {
        let folder = kept();
        let found = entries(folder.path()).expect("entries");
        let found: Vec<(Kept, &str, u64)> = found
            .iter()
            .map(|entry| (entry.kind, &*entry.name, entry.bytes))
            .collect();
        assert_eq!(
            found,
            [
                (Kept::Build, "api-0123456789ab", 7),
                (Kept::Build, "half-ba9876543210", 1),
                (Kept::Revision, "1a2b3c4d5e6f-00112233", 3),
                (Kept::Service, "io.zonky-postgres-16", 7),
                (Kept::Agent, "photofinish-abcdef", 2),
            ]
        );
        let nowhere = folder.path().join("nowhere");
        assert_eq!(entries(&nowhere).expect("nothing"), []);
    }

    #[test]
    fn clearing_leaves_alone_what_is_not_its_own() {
        let folder = kept();
        let found = entries(folder.path()).expect("entries");
        clear(folder.path(), &found).expect("cleared");
        assert_eq!(entries(folder.path()).expect("entries"), []);
        for mine in [
            "photos-0123456789ab/cat.png",
            "notes-of-mine/a.txt",
            "revisions/mine/a.txt",
            "link-0123456789ab/a.txt",
        ] {
            let text = fs::read_to_string(folder.path().join(mine));
            assert_eq!(text.ok().as_deref(), Some("mine"), "{mine}");
        }
        assert!(
            !folder
                .path()
                .join("revisions/1a2b3c4d5e6f-00112233.out")
                .exists()
        );
    }

    #[test]
    fn a_link_makes_no_other_folder_ours() {
        let (folder, other) = (kept(), kept());
        let services = folder.path().join("services");
        fs::remove_dir_all(&services).expect("removed");
        symlink(other.path(), &services).expect("a link");
        let found = entries(folder.path()).expect("entries");
        assert!(
            found.iter().all(|entry| entry.kind != Kept::Service),
            "{found:?}"
        );
        clear(folder.path(), &found).expect("cleared");
        assert!(other.path().join("notes-of-mine/a.txt").is_file());
        // The whole cache may lie on another disk.
        let cache = folder.path().join("cache");
        symlink(other.path(), &cache).expect("a link");
        assert_eq!(entries(&cache).expect("entries").len(), 5);
    }

    #[test]
    fn nothing_is_cleared_under_a_run() {
        let folder = kept();
        let found = entries(folder.path()).expect("entries");
        let run = use_it(folder.path()).expect("a lock");
        let other = use_it(folder.path()).expect("runs share it");
        let error = clear(folder.path(), &found).expect_err("in use");
        assert!(matches!(error, Error::CacheInUse), "{error}");
        assert_eq!(entries(folder.path()).expect("entries").len(), found.len());
        drop((run, other));
        clear(folder.path(), &found).expect("cleared");
    }
}
