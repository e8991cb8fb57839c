//! The files of a machine that servers run on.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Read, Write};
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt, chown, symlink};
use std::path::{Path, PathBuf};
use std::time::Duration;
use std::{env, thread};

use photofinish_load::Control;
use photofinish_model::LONGEST_SOCKET_PATH;
use serde::{Deserialize, Serialize};
use tempfile::TempDir;

use super::Request;
use super::load::with_looks;
use crate::Error;
use crate::agent::{Agent, Thing};
use crate::host::{Call, Host, Made};

/// How often a wait looks for an interruption. A build takes seconds; this delays it by nothing that counts.
const LOOK: Duration = Duration::from_millis(20);

/// How many bytes of a file travel in one message.
const PIECE: usize = 1 << 20;

/// The longest path of the system's temporary folder that leaves room for a Unix socket in a folder of ours.
const LONGEST_TEMP: usize = LONGEST_SOCKET_PATH - 40;

/// A lock that is held until this is dropped.
pub struct Locked {
    _made: Made,
}

/// A folder that goes when this is dropped.
pub struct Folder {
    path: PathBuf,
    _made: Made,
}

impl Folder {
    /// Where it is, on its machine.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

impl Host {
    /// Keeps others that ask for the same path waiting until what is returned is dropped. Makes the folder that the path is in.
    ///
    /// # Errors
    /// Where the path cannot be locked, or the person interrupts.
    pub fn lock(&self, path: &Path, interrupted: &dyn Fn() -> bool) -> Result<Locked, Error> {
        let control = Control::default();
        let locked = with_looks(
            || self.make(Lock(path.to_owned()), &control),
            &mut || {
                if interrupted() {
                    control.stop();
                }
            },
        );
        match locked {
            Ok((_made, ())) => Ok(Locked { _made }),
            Err(_) if control.stopped() => Err(Error::Interrupted),
            Err(error) => Err(error),
        }
    }

    /// Makes a folder there that holds these files of a folder of this machine, with their modes, links as they are, and nothing else.
    ///
    /// # Errors
    /// Where a file cannot be read here or written there.
    pub fn put(&self, from: &Path, files: &[PathBuf], to: &Path) -> Result<(), Error> {
        self.ask(Clear(to.to_owned()))?;
        (files.iter()).try_for_each(|file| self.put_file(&from.join(file), &to.join(file)))
    }

    fn put_file(&self, from: &Path, to: &Path) -> Result<(), Error> {
        let failed = file("read", from);
        let meta = from.symlink_metadata().map_err(&failed)?;
        let put = |piece| self.ask(Put(to.to_owned(), piece));
        if meta.is_symlink() {
            return put(Piece::Link(from.read_link().map_err(&failed)?));
        }
        let mut source = File::open(from).map_err(&failed)?;
        let mut is_first = true;
        loop {
            let mut piece = Vec::new();
            let read = (&mut source).take(PIECE as u64).read_to_end(&mut piece);
            let read = read.map_err(&failed)?;
            if is_first {
                put(Piece::First(meta.permissions().mode() & 0o7777, piece))?;
            } else if read > 0 {
                put(Piece::More(piece))?;
            }
            is_first = false;
            if read < PIECE {
                return Ok(());
            }
        }
    }

    /// Writes a file, which has these permissions.
    ///
    /// # Errors
    /// Where it cannot be written.
    pub fn write(&self, path: &Path, bytes: &[u8], mode: u32) -> Result<(), Error> {
        self.ask(Put(path.to_owned(), Piece::First(mode, bytes.to_vec())))
    }

    /// A folder for temporary files.
    ///
    /// # Errors
    /// Where there can be none.
    pub fn temp(&self) -> Result<Folder, Error> {
        let (_made, path) = self.make(Temp, &Control::default())?;
        Ok(Folder { path, _made })
    }
}

/// Keeps others that ask for the same path waiting.
#[derive(Debug, Serialize, Deserialize)]
pub struct Lock(pub PathBuf);

impl Request for Lock {
    type Reply = ();

    fn perform(self, agent: &Agent, call: &Call<'_>) -> Result<(), Error> {
        let path = &self.0;
        make_parent(path)?;
        let options = OpenOptions::new()
            .create(true)
            .truncate(false)
            .write(true)
            .open(path);
        let lock = options.map_err(file("write", path))?;
        loop {
            match File::try_lock(&lock) {
                Ok(()) => break,
                Err(TryLockError::WouldBlock) if call.control.stopped() => {
                    return Err(Error::Interrupted);
                }
                Err(TryLockError::WouldBlock) => thread::sleep(LOOK),
                Err(TryLockError::Error(e)) => return Err(file("lock", path)(e)),
            }
        }
        agent.keep(call, Thing::held(lock));
        Ok(())
    }
}

/// Whether there is a file or a folder.
#[derive(Debug, Serialize, Deserialize)]
pub struct Has(pub PathBuf);

impl Request for Has {
    type Reply = bool;

    fn perform(self, _: &Agent, _: &Call<'_>) -> Result<bool, Error> {
        Ok(self.0.exists())
    }
}

/// Makes a folder, which is empty.
#[derive(Debug, Serialize, Deserialize)]
pub struct Clear(pub PathBuf);

impl Request for Clear {
    type Reply = ();

    fn perform(self, _: &Agent, _: &Call<'_>) -> Result<(), Error> {
        let folder = &self.0;
        if folder.exists() {
            fs::remove_dir_all(folder).map_err(file("empty", folder))?;
        }
        fs::create_dir_all(folder).map_err(file("make", folder))
    }
}

/// Writes a part of a file at this path, whose folder is made.
#[derive(Debug, Serialize, Deserialize)]
pub struct Put(pub PathBuf, pub Piece);

/// What is put.
#[derive(Debug, Serialize, Deserialize)]
pub enum Piece {
    /// The first bytes of a file, and its mode.
    First(u32, Vec<u8>),
    /// Further ones.
    More(Vec<u8>),
    /// A link to somewhere.
    Link(PathBuf),
}

impl Request for Put {
    type Reply = ();

    fn perform(self, _: &Agent, _: &Call<'_>) -> Result<(), Error> {
        let Put(path, piece) = self;
        make_parent(&path)?;
        let mut options = OpenOptions::new();
        let written = match piece {
            Piece::Link(to) => symlink(to, &path),
            Piece::More(bytes) => (options.append(true).open(&path))
                .and_then(|mut file| file.write_all(&bytes)),
            Piece::First(mode, bytes) => {
                options.write(true).create(true).truncate(true).mode(mode);
                options.open(&path).and_then(|mut file| {
                    file.write_all(&bytes)?;
                    file.set_permissions(fs::Permissions::from_mode(mode))
                })
            }
        };
        written.map_err(file("write", &path))
    }
}

/// Makes a file or a folder a user's and a group's own. Only root may.
#[derive(Debug, Serialize, Deserialize)]
pub struct Give(pub PathBuf, pub (u32, u32));

impl Request for Give {
    type Reply = ();

    fn perform(self, _: &Agent, _: &Call<'_>) -> Result<(), Error> {
        let Give(path, (uid, gid)) = self;
        chown(&path, Some(uid), Some(gid)).map_err(file("change the owner of", &path))
    }
}

/// Makes a folder for temporary files; replies with its path.
#[derive(Debug, Serialize, Deserialize)]
pub struct Temp;

impl Request for Temp {
    type Reply = PathBuf;

    fn perform(self, agent: &Agent, call: &Call<'_>) -> Result<PathBuf, Error> {
        let folder = temporary_folder()?;
        let path = folder.path().to_owned();
        agent.keep(call, Thing::held(folder));
        Ok(path)
    }
}

/// A new folder for temporary files of this machine.
pub(crate) fn temporary_folder() -> Result<TempDir, Error> {
    let folder = env::temp_dir();
    let folder = match folder.as_os_str().len() {
        ..=LONGEST_TEMP => folder,
        _ => PathBuf::from("/tmp"),
    };
    let folder = tempfile::Builder::new().prefix("photofinish-").tempdir_in(folder);
    folder.map_err(Error::Temp)
}

fn make_parent(path: &Path) -> Result<(), Error> {
    match path.parent() {
        Some(folder) => fs::create_dir_all(folder).map_err(file("make", folder)),
        None => Ok(()),
    }
}

/// An error about a file.
fn file<'a>(verb: &'static str, path: &'a Path) -> impl Fn(io::Error) -> Error + 'a {
    move |source| Error::File {
        verb,
        path: path.to_owned(),
        source,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_put_with_their_modes_and_links() {
        let host = Host::local(PathBuf::new());
        let [from, to] = [(); 2].map(|()| tempfile::tempdir().expect("there is room"));
        fs::create_dir(from.path().join("bin")).expect("there is room");
        fs::write(from.path().join("bin/run"), "x").expect("there is room");
        fs::set_permissions(
            from.path().join("bin/run"),
            fs::Permissions::from_mode(0o755),
        )
        .expect("it is ours");
        symlink("bin/run", from.path().join("link")).expect("there is room");
        let folder = to.path().join("new");
        fs::create_dir(&folder).expect("there is room");
        fs::write(folder.join("old"), "x").expect("there is room");
        let files = ["bin/run", "link"].map(PathBuf::from);
        host.put(from.path(), &files, &folder).expect("it is put");
        let run = folder.join("bin/run").metadata().expect("it is there");
        assert_eq!(run.permissions().mode() & 0o777, 0o755);
        assert_eq!(
            folder.join("link").read_link().expect("a link"),
            PathBuf::from("bin/run")
        );
        assert!(!folder.join("old").exists());
        assert!(host.ask(Has(folder.join("link"))).expect("it is known"));
    }

    #[test]
    fn a_temporary_folder_goes_with_its_holder() {
        let folder = Host::local(PathBuf::new()).temp().expect("there is room");
        let path = folder.path().to_owned();
        assert!(path.is_dir());
        drop(folder);
        assert!(!path.exists());
    }
}
