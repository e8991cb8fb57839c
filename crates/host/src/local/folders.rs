//! Files and folders of this machine.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Write};
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt, chown, symlink};
use std::path::{Path, PathBuf};
use std::time::Duration;
use std::{env, thread};

use photofinish_model::LONGEST_SOCKET_PATH;
use photofinish_model::files::remove;
use photofinish_model::files::temp::{PREFIX, TempFolder};
use serde::{Deserialize, Serialize};

use crate::Error;

/// How often a wait looks for an interruption. A build takes seconds; this delays it by nothing that counts.
const POLL_INTERVAL: Duration = Duration::from_millis(20);

/// The longest path of the system's temporary folder that leaves room for a Unix socket in a folder of ours.
const MAX_TEMP_PATH: usize = LONGEST_SOCKET_PATH - 40;

/// Locks a file. Makes the folder that it is in.
pub(crate) fn lock(path: &Path, unwanted: &dyn Fn() -> bool) -> Result<File, Error> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder).map_err(Error::file("make", folder))?;
    }
    let mut options = OpenOptions::new();
    let lock = options.create(true).truncate(false).write(true).open(path);
    let lock = lock.map_err(Error::file("write", path))?;
    loop {
        match File::try_lock(&lock) {
            Ok(()) => return Ok(lock),
            Err(TryLockError::WouldBlock) if unwanted() => return Err(Error::Interrupted),
            Err(TryLockError::WouldBlock) => thread::sleep(POLL_INTERVAL),
            Err(TryLockError::Error(e)) => return Err(Error::file("lock", path)(e)),
        }
    }
}

/// Makes an empty folder.
pub(crate) fn clear(path: &Path) -> Result<(), Error> {
    remove::remove(path).map_err(|left| Error::file("empty", path)(left.into()))?;
    fs::create_dir_all(path).map_err(Error::file("make", path))
}

/// Gives a file or a folder to a user and a group.
pub(crate) fn give(path: &Path, (user, group): (u32, u32)) -> Result<(), Error> {
    chown(path, Some(user), Some(group)).map_err(Error::file("change the owner of", path))
}

/// Makes a folder for temporary files.
pub(crate) fn temp() -> Result<TempFolder, Error> {
    let folder = env::temp_dir();
    let folder = match folder.as_os_str().len() {
        ..=MAX_TEMP_PATH => folder,
        _ => PathBuf::from("/tmp"),
    };
    TempFolder::below(&folder, PREFIX).map_err(Error::Temp)
}

/// A piece of what is put into a folder.
#[derive(Debug, Serialize, Deserialize)]
pub enum Piece {
    /// The first bytes of a file, and its mode.
    File(u32, Vec<u8>),
    /// Further ones.
    More(Vec<u8>),
    /// A link to somewhere.
    Link(PathBuf),
}

impl Piece {
    /// Writes it. Makes the folder that the path is in.
    pub(crate) fn put(self, path: &Path) -> Result<(), Error> {
        let put = || -> io::Result<()> {
            if let Some(folder) = path.parent() {
                fs::create_dir_all(folder)?;
            }
            let mut options = OpenOptions::new();
            match self {
                Piece::Link(to) => symlink(to, path),
                Piece::More(bytes) => options.append(true).open(path)?.write_all(&bytes),
                Piece::File(mode, bytes) => {
                    let options = options.write(true).create(true).truncate(true);
                    let mut file = options.mode(mode).open(path)?;
                    file.write_all(&bytes)?;
                    file.set_permissions(fs::Permissions::from_mode(mode))
                }
            }
        };
        put().map_err(Error::file("write", path))
    }
}
