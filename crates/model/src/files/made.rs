//! A record of what a process must remove or end, so that it is found again if the process is killed.
//!
//! The record is a file among the system's temporary files. Its process holds a lock on it, and so do the keepers of its servers, which
//! inherit the file. The kernel frees a lock with its last holder, however that ends. So a record without a lock is a
//! leftover, whatever has the process's number now, and a record of a process in a container that shares the folder is not.
//!
//! The file exists for as long as something is on record.

use std::env;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::SystemTime;

use rustix::fs::OFlags;
use serde::{Deserialize, Serialize};

use super::read_from;

/// What the names of records begin and end with; the process's name stands between.
const PREFIX: &str = "photofinish-";
const SUFFIX: &str = ".made";

/// The most bytes of a record: those of 10,000 folders.
const MOST: u64 = 4 << 20;

/// The record of this process.
static RECORD: Mutex<Option<Record>> = Mutex::new(None);

struct Record {
    file: File,
    path: PathBuf,
    /// What is on it.
    holds: usize,
}

/// A line of a record.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Line {
    Folder(Folder),
}

/// A folder, by what no other has.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Folder {
    path: PathBuf,
    device: u64,
    inode: u64,
}

impl Folder {
    /// The folder at a path; `None` where there is none.
    fn at(path: &Path) -> Option<Folder> {
        let about = fs::symlink_metadata(path).ok()?;
        about.is_dir().then(|| Folder {
            path: path.to_owned(),
            device: about.dev(),
            inode: about.ino(),
        })
    }
}

/// The name of this process, which no other has had on this machine.
pub fn name() -> &'static str {
    static NAME: OnceLock<String> = OnceLock::new();
    NAME.get_or_init(|| {
        let since = SystemTime::UNIX_EPOCH.elapsed().unwrap_or_default();
        format!("{}-{}", std::process::id(), since.as_nanos())
    })
}

/// Something that is on record until this is dropped.
#[derive(Debug)]
pub struct Hold(());

impl Hold {
    /// The record, for a process that is to hold its lock too; `None` where there is no record.
    pub fn record(&self) -> Option<OwnedFd> {
        let record = record();
        let file = record.as_ref()?.file.as_fd();
        file.try_clone_to_owned().ok()
    }
}

impl Drop for Hold {
    fn drop(&mut self) {
        let mut record = record();
        if let Some(now) = record.as_mut() {
            now.holds = now.holds.saturating_sub(1);
            if now.holds == 0 {
                let _ = fs::remove_file(&now.path);
                *record = None;
            }
        }
    }
}

/// Puts a folder on record.
pub(super) fn folder(path: &Path) -> Hold {
    let hold = processes();
    if let (Some(folder), Some(record)) = (Folder::at(path), record().as_mut())
        && let Ok(mut line) = serde_json::to_vec(&Line::Folder(folder))
    {
        line.push(b'\n');
        // Where this fails, as on a full disk, the folder is not found after a kill.
        let _ = record.file.write_all(&line);
    }
    hold
}

/// Puts processes on record that are marked with this process's [name].
pub fn processes() -> Hold {
    let mut record = record();
    if record.is_none() {
        *record = begin().ok();
    }
    if let Some(record) = record.as_mut() {
        record.holds += 1;
    }
    Hold(())
}

fn record() -> MutexGuard<'static, Option<Record>> {
    RECORD.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Begins a record. Nobody finds it before it is locked.
fn begin() -> io::Result<Record> {
    let folder = env::temp_dir();
    let path = folder.join(format!("{PREFIX}{}{SUFFIX}", name()));
    let hidden = folder.join(format!(".{PREFIX}{}", name()));
    let file = OpenOptions::new()
        .append(true)
        .read(true)
        .create_new(true)
        .mode(0o600)
        .open(&hidden)?;
    let begun = file.lock().and_then(|()| fs::rename(&hidden, &path));
    if let Err(error) = begun {
        let _ = fs::remove_file(&hidden);
        return Err(error);
    }
    Ok(Record {
        file,
        path,
        holds: 0,
    })
}

/// What a process has left that was killed, and its keepers with it.
#[derive(Debug)]
pub struct Orphan {
    /// Locked, so that nobody else takes it for one.
    _file: File,
    record: PathBuf,
    /// The [name] of the process.
    pub name: String,
    folders: Vec<Folder>,
}

impl Orphan {
    /// The folders that are still there, and are the ones that were made.
    pub fn folders(&self) -> Vec<PathBuf> {
        let left = self.folders.iter();
        let left = left.filter(|folder| Folder::at(&folder.path).as_ref() == Some(*folder));
        left.map(|folder| folder.path.clone()).collect()
    }

    /// Removes the record: nothing is left.
    pub fn forget(self) {
        let _ = fs::remove_file(&self.record);
    }
}

/// What processes of this user have left that were killed.
pub fn orphans() -> Vec<Orphan> {
    let Ok(entries) = fs::read_dir(env::temp_dir()) else {
        return Vec::new();
    };
    let orphans = entries.flatten().filter_map(|entry| {
        let name = entry.file_name();
        let name = name
            .to_str()?
            .strip_prefix(PREFIX)?
            .strip_suffix(SUFFIX)?
            .to_owned();
        orphan(entry.path(), name)
    });
    orphans.collect()
}

fn orphan(record: PathBuf, name: String) -> Option<Orphan> {
    let flags = OFlags::NOFOLLOW | OFlags::NONBLOCK;
    let file = OpenOptions::new()
        .read(true)
        .custom_flags(flags.bits() as i32)
        .open(&record)
        .ok()?;
    let about = file.metadata().ok()?;
    // Whoever else may write to the folder could name another's folders in it.
    let is_own = about.is_file()
        && about.uid() == rustix::process::geteuid().as_raw()
        && about.nlink() == 1
        && about.mode() & 0o077 == 0;
    if !is_own || file.try_lock().is_err() {
        return None;
    }
    let text = read_from(&file, MOST).ok()?;
    // It may be gone since it was opened.
    let same = fs::symlink_metadata(&record).ok()?;
    if (same.dev(), same.ino()) != (about.dev(), about.ino()) {
        return None;
    }
    let lines = text.split(|&b| b == b'\n');
    let lines = lines.filter_map(|line| serde_json::from_slice(line).ok());
    let folders = lines.map(|Line::Folder(folder)| folder).collect();
    Some(Orphan {
        _file: file,
        record,
        name,
        folders,
    })
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::{PermissionsExt, symlink};

    use super::*;

    /// A record as a process leaves it, and its path.
    fn left(place: &Path, name: &str, folders: &[&Path]) -> PathBuf {
        let path = place.join(format!("{PREFIX}{name}{SUFFIX}"));
        let mut text = String::new();
        for folder in folders {
            let line = Line::Folder(Folder::at(folder).expect("a folder"));
            text.push_str(&serde_json::to_string(&line).expect("JSON"));
            text.push('\n');
        }
        fs::write(&path, text).expect("a file");
        fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).expect("permissions");
        path
    }

    #[test]
    fn a_record_is_found_when_nobody_holds_its_lock() {
        let base = tempfile::tempdir().expect("a folder");
        let folder = |name: &str| {
            let path = base.path().join(name);
            fs::create_dir(&path).expect("a folder");
            path
        };
        let (there, replaced, gone) = (folder("there"), folder("replaced"), folder("gone"));
        let record = left(base.path(), "1-2", &[&there, &replaced, &gone]);
        fs::remove_dir(&gone).expect("removed");
        fs::rename(&replaced, base.path().join("moved")).expect("moved");
        symlink(base.path().join("moved"), &replaced).expect("a link");
        let find = || orphan(record.clone(), "1-2".to_owned());
        let held = File::open(&record).expect("a file");
        held.lock().expect("a lock");
        assert!(find().is_none());
        drop(held);
        let found = find().expect("an orphan");
        assert_eq!(found.folders(), [there]);
        assert!(find().is_none(), "it is locked by whoever found it");
        found.forget();
        assert!(!record.exists());
    }

    #[test]
    fn nobody_else_can_name_a_folder() {
        let base = tempfile::tempdir().expect("a folder");
        let record = left(base.path(), "1-2", &[base.path()]);
        let find = |path: &Path| orphan(path.to_owned(), String::new()).is_some();
        let link = base.path().join("link");
        symlink(&record, &link).expect("a link");
        assert!(!find(&link));
        fs::set_permissions(&record, fs::Permissions::from_mode(0o620)).expect("permissions");
        assert!(!find(&record));
        fs::set_permissions(&record, fs::Permissions::from_mode(0o600)).expect("permissions");
        let other = base.path().join("other");
        fs::hard_link(&record, &other).expect("a link");
        assert!(!find(&record));
        fs::remove_file(&other).expect("removed");
        assert!(find(&record));
    }

    #[test]
    fn a_record_is_there_while_something_is_on_it() {
        let path = env::temp_dir().join(format!("{PREFIX}{}{SUFFIX}", name()));
        let hold = processes();
        assert!(path.is_file());
        assert!(hold.record().is_some());
        assert!(orphan(path, name().to_owned()).is_none());
        // Other tests of this process may hold it too.
        drop(hold);
    }
}
