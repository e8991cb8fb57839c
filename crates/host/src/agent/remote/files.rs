//! Files of another machine.

use std::fs::File;
use std::io::Read;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use super::{Remote, reply};
use crate::agent::message::{Ask, Put, Reply};
use crate::{Error, Files, Folder, Lock};

/// How many bytes of a file travel in one message.
const PIECE: usize = 1 << 20;

impl Files for Remote {
    fn are_here(&self) -> bool {
        false
    }

    fn lock(&self, path: &Path, interrupted: &dyn Fn() -> bool) -> Result<Lock, Error> {
        let ask = Ask::Lock(path.to_owned());
        match self.link.make_while(ask, interrupted) {
            Ok((number, _)) => Ok(Lock::new(self.made(number))),
            Err(_) if interrupted() => Err(Error::Interrupted),
            Err(failed) => Err(self.error(failed)),
        }
    }

    fn has(&self, path: &Path) -> Result<bool, Error> {
        reply!(self, Ask::Has(path.to_owned()), Has)
    }

    fn put(&self, from: &Path, files: &[PathBuf], to: &Path) -> Result<(), Error> {
        self.ask(Ask::Clear(to.to_owned()))?;
        (files.iter()).try_for_each(|file| self.put_file(&from.join(file), &to.join(file)))
    }

    fn write(&self, path: &Path, bytes: &[u8], mode: u32) -> Result<(), Error> {
        let put = Put::File(mode, bytes.to_vec());
        self.ask(Ask::Put(path.to_owned(), put)).map(drop)
    }

    fn give(&self, path: &Path, to: (u32, u32)) -> Result<(), Error> {
        self.ask(Ask::Give(path.to_owned(), to)).map(drop)
    }

    fn temp(&self) -> Result<Folder, Error> {
        match self.make(Ask::Temp)? {
            (made, Reply::Path(path)) => Ok(Folder::new(path, made)),
            _ => Err(self.odd()),
        }
    }
}

impl Remote {
    fn put_file(&self, from: &Path, to: &Path) -> Result<(), Error> {
        let failed = |source| Error::File {
            verb: "read",
            path: from.to_owned(),
            source,
        };
        let meta = from.symlink_metadata().map_err(failed)?;
        let put = |put| self.ask(Ask::Put(to.to_owned(), put)).map(drop);
        if meta.is_symlink() {
            return put(Put::Link(from.read_link().map_err(failed)?));
        }
        let mut file = File::open(from).map_err(failed)?;
        let mut first = true;
        loop {
            let mut piece = Vec::new();
            let read = (&mut file).take(PIECE as u64).read_to_end(&mut piece);
            let read = read.map_err(failed)?;
            if first {
                put(Put::File(meta.permissions().mode() & 0o7777, piece))?;
            } else if read > 0 {
                put(Put::More(piece))?;
            }
            first = false;
            if read < PIECE {
                return Ok(());
            }
        }
    }
}
