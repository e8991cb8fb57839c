//! Files: read where somebody else names or has made them, made for a while, and removed.
//!
//! Only regular files are read, and no more than there can be in them.

use std::collections::BTreeSet;
use std::fs::{self, Metadata, OpenOptions};
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom, Write};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::Path;
use std::sync::{Mutex, PoisonError};
use std::time::SystemTime;

pub mod made;
pub mod remove;
pub mod temp;

/// The most bytes that a study, a target or a file of SQL may have: a hundred times what any has.
pub const WRITTEN: u64 = 4 * 1024 * 1024;

/// A file whatever its name: device, inode and, because inodes are used again, when it was made.
type Identity = (u64, u64, Option<SystemTime>);

/// The regular files that this process has read.
static READ: Mutex<BTreeSet<Identity>> = Mutex::new(BTreeSet::new());

fn identity(about: &Metadata) -> Identity {
    (about.dev(), about.ino(), about.created().ok())
}

fn note_read(about: &Metadata) {
    if about.is_file() {
        let mut read = READ.lock().unwrap_or_else(PoisonError::into_inner);
        read.insert(identity(about));
    }
}

/// Whether this process has read a file with the functions here, by this name or another one (a link).
pub fn was_read(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|about| {
        let read = READ.lock().unwrap_or_else(PoisonError::into_inner);
        read.contains(&identity(&about))
    })
}

/// Opens a regular file and returns its length with it.
///
/// # Errors
/// Those of the system; and for what is not a regular file: a named pipe would be waited for, a device may never end.
fn open_regular(path: &Path) -> io::Result<(fs::File, u64)> {
    // Opening a named pipe waits for a writer, unless it is opened so; for a regular file this changes nothing.
    let file = OpenOptions::new()
        .read(true)
        .custom_flags(rustix::fs::OFlags::NONBLOCK.bits() as i32)
        .open(path)?;
    let meta = file.metadata()?;
    if meta.is_dir() {
        return Err(io::ErrorKind::IsADirectory.into());
    }
    if !meta.is_file() {
        return Err(io::Error::other("it is not a regular file"));
    }
    note_read(&meta);
    Ok((file, meta.len()))
}

fn too_large(most: u64) -> io::Error {
    io::Error::other(format!("it is larger than {most} bytes"))
}

/// Reads a file of at most `most` bytes.
///
/// # Errors
/// Those of the system; and for what is larger or not a regular file.
pub fn read(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    let (file, length) = open_regular(path)?;
    if length > most {
        return Err(too_large(most));
    }
    // It may grow while it is read.
    read_from(file, most)
}

/// The lines of a file, of which one is in memory at a time.
pub struct Lines {
    from: BufReader<fs::File>,
    longest: usize,
    line: Vec<u8>,
    number: usize,
}

impl Lines {
    /// Opens a file whose lines have at most `longest` bytes each.
    ///
    /// # Errors
    /// Those of the system; and for what is not a regular file.
    pub fn open(path: &Path, longest: usize) -> io::Result<Lines> {
        let (file, _) = open_regular(path)?;
        Ok(Lines {
            from: BufReader::with_capacity(64 * 1024, file),
            longest,
            line: Vec::new(),
            number: 0,
        })
    }

    /// Returns the next line with its number, counted from 1, and with its line end where it has one; `None` at the end of the file.
    ///
    /// # Errors
    /// Those of the system; and for a longer line, whose number is named.
    pub fn next_line(&mut self) -> io::Result<Option<(usize, &[u8])>> {
        self.line.clear();
        self.number += 1;
        let most = self.longest as u64 + 1;
        let read = (&mut self.from)
            .take(most)
            .read_until(b'\n', &mut self.line)?;
        if self.line.len() > self.longest {
            let (number, longest) = (self.number, self.longest);
            return Err(io::Error::other(format!(
                "line {number} is longer than {longest} bytes"
            )));
        }
        Ok((read > 0).then_some((self.number, &self.line)))
    }
}

/// Reads the last bytes of a file that a server has open, at most `most`.
///
/// # Errors
/// Those of the system; and for what is not a regular file: whoever may write a log may also put a link or a named pipe in its
/// place, which would show another file or never end.
pub fn read_tail(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    let flags = rustix::fs::OFlags::NONBLOCK | rustix::fs::OFlags::NOFOLLOW;
    let mut file = OpenOptions::new()
        .read(true)
        .custom_flags(flags.bits() as i32)
        .open(path)?;
    let meta = file.metadata()?;
    if !meta.is_file() {
        return Err(io::Error::other("it is not a regular file"));
    }
    file.seek(SeekFrom::Start(meta.len().saturating_sub(most)))?;
    let mut bytes = Vec::new();
    file.take(most).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Reads what a flag names, of at most `most` bytes: a file, or a pipe as shells make it (`<(command)`).
///
/// # Errors
/// Those of the system, and for what is larger, such as a device that never ends.
pub fn read_given(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    let file = fs::File::open(path)?;
    note_read(&file.metadata()?);
    read_from(file, most)
}

/// Reads what is already open, to its end, of at most `most` bytes.
///
/// # Errors
/// As [`read_given`].
pub fn read_from(source: impl Read, most: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    source
        .take(most.saturating_add(1))
        .read_to_end(&mut bytes)?;
    match bytes.len() as u64 > most {
        true => Err(too_large(most)),
        false => Ok(bytes),
    }
}

/// Writes a file that only its owner may read, also where it was there with other rights.
///
/// # Errors
/// Those of the system.
pub fn write_private(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut file = private().truncate(true).open(path)?;
    if file.metadata()?.is_file() {
        file.set_permissions(fs::Permissions::from_mode(0o600))?;
    }
    file.write_all(bytes)
}

/// How a file is opened to write that only its owner may read, where it is made anew.
pub fn private() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.create(true).write(true).mode(0o600);
    options
}

/// The same as [`read`] for text.
///
/// # Errors
/// As [`read`], and for what is not UTF-8.
pub fn read_text(path: &Path, most: u64) -> io::Result<String> {
    String::from_utf8(read(path, most)?)
        .map_err(|_| io::Error::new(io::ErrorKind::InvalidData, "it is not text in UTF-8"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_regular_files_of_a_sound_size_are_read() {
        let dir = tempfile::tempdir().expect("a folder");
        let file = dir.path().join("file");
        fs::write(&file, "12345").expect("a file");
        assert_eq!(read_text(&file, 5).expect("it fits"), "12345");
        let says = |path: &Path, most| read(path, most).expect_err("refused").to_string();
        assert_eq!(says(&file, 4), "it is larger than 4 bytes");
        let pipe = dir.path().join("pipe");
        rustix::fs::mknodat(
            rustix::fs::CWD,
            &pipe,
            rustix::fs::FileType::Fifo,
            rustix::fs::Mode::RUSR,
            0,
        )
        .expect("a pipe");
        assert_eq!(says(&pipe, 4), "it is not a regular file");
        assert_eq!(says(Path::new("/dev/zero"), 4), "it is not a regular file");
        assert_eq!(says(dir.path(), 4), "is a directory");
        fs::write(&file, [b'a', 0xff]).expect("a file");
        assert_eq!(read_given(&file, 2).expect("it fits"), [b'a', 0xff]);
        let endless = read_given(Path::new("/dev/zero"), 9).expect_err("no end");
        assert_eq!(endless.to_string(), "it is larger than 9 bytes");
        let error = read_text(&file, 9).expect_err("no text");
        assert_eq!(error.to_string(), "it is not text in UTF-8");
    }

    #[test]
    fn a_file_that_was_read_is_known_by_each_of_its_names() {
        let dir = tempfile::tempdir().expect("a folder");
        let path = |name: &str| dir.path().join(name);
        for name in ["read", "other"] {
            fs::write(path(name), name).expect("a file");
        }
        fs::hard_link(path("read"), path("hard")).expect("a link");
        std::os::unix::fs::symlink(path("read"), path("link")).expect("a link");
        assert!(!was_read(&path("read")));
        read(&path("read"), 9).expect("it is read");
        for name in ["read", "hard", "link"] {
            assert!(was_read(&path(name)), "{name}");
        }
        for name in ["other", "none"] {
            assert!(!was_read(&path(name)), "{name}");
        }
    }

    #[test]
    fn lines_are_read_one_by_one_up_to_a_length() {
        let dir = tempfile::tempdir().expect("a folder");
        let file = dir.path().join("file");
        fs::write(&file, "12345\n\n67").expect("a file");
        let mut lines = Lines::open(&file, 6).expect("a file");
        let mut all = Vec::new();
        while let Some((number, line)) = lines.next_line().expect("short lines") {
            all.push((number, line.to_owned()));
        }
        let expected = [(1, &b"12345\n"[..]), (2, b"\n"), (3, b"67")];
        assert_eq!(
            all,
            expected.map(|(number, line)| (number, line.to_owned()))
        );
        // A hole of 20 GB is one line, of which no more is read than a line may have.
        fs::File::create(&file)
            .and_then(|file| file.set_len(20 << 30))
            .expect("a sparse file");
        let mut lines = Lines::open(&file, 1 << 20).expect("a file");
        let error = lines.next_line().expect_err("too long").to_string();
        assert_eq!(error, "line 1 is longer than 1048576 bytes");
        assert!(Lines::open(Path::new("/dev/zero"), 9).is_err());
    }

    #[test]
    fn of_a_log_the_end_is_read_and_nothing_in_its_place() {
        let dir = tempfile::tempdir().expect("a folder");
        let path = |name: &str| dir.path().join(name);
        fs::write(path("log"), "one\ntwo\n").expect("written");
        assert_eq!(read_tail(&path("log"), 4).expect("a log"), b"two\n");
        assert_eq!(read_tail(&path("log"), 99).expect("a log"), b"one\ntwo\n");
        std::os::unix::fs::symlink(path("log"), path("link")).expect("a link");
        let pipe = std::process::Command::new("mkfifo")
            .arg(path("pipe"))
            .status();
        assert!(pipe.expect("mkfifo").success());
        for name in ["link", "pipe", "none", ""] {
            assert!(read_tail(&path(name), 99).is_err(), "{name}");
        }
    }
}
