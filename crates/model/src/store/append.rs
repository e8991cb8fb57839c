//! A file of lines to which whole lines are added.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use super::error::Error;
use super::read::LONGEST_LINE;

/// How many bytes are read at a time when the end of a file is looked at.
const PIECE: u64 = 64 * 1024;

/// An open file of lines.
#[derive(Debug)]
pub(super) struct Appended {
    path: PathBuf,
    file: File,
}

impl Appended {
    /// Opens the file, and makes it where it is missing.
    pub(super) fn open(path: PathBuf) -> Result<Appended, Error> {
        let opened = OpenOptions::new()
            .read(true)
            .append(true)
            .create(true)
            .open(&path);
        match opened {
            Ok(file) => Ok(Appended { path, file }),
            Err(source) => Err(Error::Write { path, source }),
        }
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Keeps other processes from writing the folder while this one does. The lock ends with the
    /// process, however that ends.
    pub(super) fn lock(&self, dir: &Path) -> Result<(), Error> {
        match self.file.try_lock() {
            Err(TryLockError::WouldBlock) => Err(Error::InUse {
                path: dir.to_owned(),
            }),
            // Some network file systems have no locks; a run there is worth more than the guard.
            Ok(()) | Err(TryLockError::Error(_)) => Ok(()),
        }
    }

    /// Adds whole lines. Should the disk be full, what was written of them is taken back, so
    /// that a torn line never stands between whole ones.
    pub(super) fn append(&self, lines: &[u8]) -> Result<(), Error> {
        let failed = |source| Error::Write {
            path: self.path.clone(),
            source,
        };
        let before = self.file.metadata().map_err(failed)?.len();
        (&self.file).write_all(lines).map_err(|source| {
            // Nothing more can be done if this fails too; reading leaves a torn last line out.
            let _ = self.file.set_len(before);
            failed(source)
        })
    }

    /// Writes the file's first lines, unless it has some.
    pub(super) fn start_with(&self, lines: &[u8]) -> Result<(), Error> {
        let metadata = self.file.metadata().map_err(|source| Error::Write {
            path: self.path.clone(),
            source,
        })?;
        if metadata.len() == 0 {
            self.append(lines)?;
        }
        Ok(())
    }

    /// Mends a last line without an end: ends it if `whole` says that it only lacks that, else cuts it off.
    pub(super) fn mend(&self, whole: impl Fn(&str) -> bool) -> Result<(), Error> {
        self.mended(whole).map_err(|source| Error::Write {
            path: self.path.clone(),
            source,
        })
    }

    fn mended(&self, whole: impl Fn(&str) -> bool) -> io::Result<()> {
        let mut file = &self.file;
        let length = file.metadata()?.len();
        let whole_lines = self.whole_lines(length)?;
        let tail = length - whole_lines;
        if tail == 0 {
            return Ok(());
        }
        if tail <= LONGEST_LINE as u64 {
            let mut bytes = vec![0; tail as usize];
            file.seek(SeekFrom::Start(whole_lines))?;
            file.read_exact(&mut bytes)?;
            if std::str::from_utf8(&bytes).is_ok_and(whole) {
                return file.write_all(b"\n");
            }
        }
        file.set_len(whole_lines)
    }

    /// How many of the file's bytes are whole lines. Looks from the end, for the file may be large and its last line is not.
    fn whole_lines(&self, length: u64) -> io::Result<u64> {
        let mut file = &self.file;
        let mut end = length;
        while end > 0 {
            let start = end.saturating_sub(PIECE);
            let mut piece = vec![0; (end - start) as usize];
            file.seek(SeekFrom::Start(start))?;
            file.read_exact(&mut piece)?;
            if let Some(newline) = piece.iter().rposition(|&b| b == b'\n') {
                return Ok(start + newline as u64 + 1);
            }
            end = start;
        }
        Ok(0)
    }
}
