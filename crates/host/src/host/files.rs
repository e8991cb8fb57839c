//! The files of a machine.

use std::fs::File;
use std::io::Read;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use photofinish_load::Control;

use super::request::{self, Piece};
use super::{Host, Made};
use crate::Error;

/// How many bytes of a file travel in one message.
const PIECE_BYTES: usize = 1 << 20;

/// A lock that is held until it is dropped.
pub struct Lock {
    _made: Made,
}

/// A folder that is removed when this is dropped.
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
    /// Keeps others that ask for the same path waiting until the lock is dropped. Makes the folder that the path is in.
    ///
    /// # Errors
    /// [`Error::Interrupted`] if `interrupted` says so before the lock is free.
    pub fn lock(&self, path: &Path, interrupted: &dyn Fn() -> bool) -> Result<Lock, Error> {
        let lock = request::Lock { path: path.into() };
        match self.make(lock, &Control::default(), interrupted) {
            Ok((_made, ())) => Ok(Lock { _made }),
            Err(_) if interrupted() => Err(Error::Interrupted),
            Err(error) => Err(error),
        }
    }

    /// Makes a folder that holds these files of a folder of this machine, with their modes, links as they are, and nothing else.
    ///
    /// # Errors
    /// If a file cannot be read here or written there.
    pub fn put(&self, from: &Path, files: &[PathBuf], to: &Path) -> Result<(), Error> {
        self.ask(request::Clear { path: to.into() })?;
        (files.iter()).try_for_each(|file| self.put_file(&from.join(file), &to.join(file)))
    }

    /// Writes a file with these permissions.
    ///
    /// # Errors
    /// If it cannot be written there.
    pub fn write(&self, path: &Path, bytes: &[u8], mode: u32) -> Result<(), Error> {
        self.put_piece(path, Piece::File(mode, bytes.to_vec()))
    }

    /// A folder for temporary files.
    ///
    /// # Errors
    /// If there can be none.
    pub fn temp(&self) -> Result<Folder, Error> {
        let (_made, path) = self.make(request::Temp {}, &Control::default(), &|| false)?;
        Ok(Folder { path, _made })
    }

    fn put_piece(&self, path: &Path, piece: Piece) -> Result<(), Error> {
        let path = path.to_owned();
        self.ask(request::Put { path, piece })
    }

    fn put_file(&self, from: &Path, to: &Path) -> Result<(), Error> {
        let failed = Error::file("read", from);
        let meta = from.symlink_metadata().map_err(&failed)?;
        if meta.is_symlink() {
            let piece = Piece::Link(from.read_link().map_err(&failed)?);
            return self.put_piece(to, piece);
        }
        let mut file = File::open(from).map_err(&failed)?;
        let mut first = true;
        loop {
            let mut piece = Vec::new();
            let read = (&mut file).take(PIECE_BYTES as u64).read_to_end(&mut piece);
            let read = read.map_err(&failed)?;
            if first {
                let mode = meta.permissions().mode() & 0o7777;
                self.put_piece(to, Piece::File(mode, piece))?;
            } else if read > 0 {
                self.put_piece(to, Piece::More(piece))?;
            }
            if read < PIECE_BYTES {
                return Ok(());
            }
            first = false;
        }
    }
}
