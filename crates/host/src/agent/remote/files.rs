//! Files of another machine.

use std::fs::File;
use std::io::Read;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use super::Remote;
use crate::agent::message::Piece;
use crate::agent::serve::request;
use crate::{Error, Files, Folder, Lock};

/// How many bytes of a file travel in one message.
const PIECE_BYTES: usize = 1 << 20;

impl Files for Remote {
    fn are_here(&self) -> bool {
        false
    }

    fn lock(&self, path: &Path, interrupted: &dyn Fn() -> bool) -> Result<Lock, Error> {
        let path = path.to_owned();
        let lock = request::Lock { path };
        match self.link.make_unless(lock, interrupted) {
            Ok((number, ())) => Ok(Lock::new(self.made(number))),
            Err(_) if interrupted() => Err(Error::Interrupted),
            Err(failed) => Err(self.error(failed)),
        }
    }

    fn has(&self, path: &Path) -> Result<bool, Error> {
        let path = path.to_owned();
        self.ask(request::Has { path })
    }

    fn put(&self, from: &Path, files: &[PathBuf], to: &Path) -> Result<(), Error> {
        let path = to.to_owned();
        self.ask(request::Clear { path })?;
        (files.iter()).try_for_each(|file| self.put_file(&from.join(file), &to.join(file)))
    }

    fn write(&self, path: &Path, bytes: &[u8], mode: u32) -> Result<(), Error> {
        self.put_piece(path, Piece::File(mode, bytes.to_vec()))
    }

    fn give(&self, path: &Path, to: (u32, u32)) -> Result<(), Error> {
        let path = path.to_owned();
        self.ask(request::Give { path, to })
    }

    fn temp(&self) -> Result<Folder, Error> {
        let (made, path) = self.make(request::Temp {})?;
        Ok(Folder::new(path, made))
    }
}

impl Remote {
    fn put_piece(&self, path: &Path, piece: Piece) -> Result<(), Error> {
        let path = path.to_owned();
        self.ask(request::Put { path, piece })
    }

    fn put_file(&self, from: &Path, to: &Path) -> Result<(), Error> {
        let failed = |source| Error::File {
            verb: "read",
            path: from.to_owned(),
            source,
        };
        let meta = from.symlink_metadata().map_err(failed)?;
        if meta.is_symlink() {
            let piece = Piece::Link(from.read_link().map_err(failed)?);
            return self.put_piece(to, piece);
        }
        let mut file = File::open(from).map_err(failed)?;
        let mut first = true;
        loop {
            let mut piece = Vec::new();
            let read = (&mut file).take(PIECE_BYTES as u64).read_to_end(&mut piece);
            let read = read.map_err(failed)?;
            if first {
                let mode = meta.permissions().mode() & 0o7777;
                self.put_piece(to, Piece::File(mode, piece))?;
            } else if read > 0 {
                self.put_piece(to, Piece::More(piece))?;
            }
            first = false;
            if read < PIECE_BYTES {
                return Ok(());
            }
        }
    }
}
