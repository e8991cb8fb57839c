//! Reading files that somebody else names or has made: only regular files, and no more than there can be in them.

use std::ffi::OsString;
use std::fs::{self, OpenOptions};
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom};
use std::os::unix::ffi::OsStringExt;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

/// The most bytes that a study, a target or a file of SQL may have: a hundred times what any has.
pub const WRITTEN: u64 = 4 * 1024 * 1024;

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
    let mut bytes = Vec::with_capacity(usize::try_from(length).unwrap_or_default());
    // It may grow while it is read.
    file.take(most.saturating_add(1)).read_to_end(&mut bytes)?;
    match bytes.len() as u64 > most {
        true => Err(too_large(most)),
        false => Ok(bytes),
    }
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
    read_from(fs::File::open(path)?, most)
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

/// The same as [`read`] for text.
///
/// # Errors
/// As [`read`], and for what is not UTF-8.
pub fn read_text(path: &Path, most: u64) -> io::Result<String> {
    String::from_utf8(read(path, most)?)
        .map_err(|_| io::Error::new(io::ErrorKind::InvalidData, "it is not text in UTF-8"))
}

/// Whether something is mounted on a folder or below it, such as another folder with `mount --bind`: what is removed there is gone from
/// where it belongs.
pub fn holds_mount(folder: &Path) -> bool {
    let Ok(folder) = folder.canonicalize() else {
        return false;
    };
    // proc_pid_mountinfo(5); where there is none, nothing can be told.
    let mounts = fs::read("/proc/self/mountinfo").unwrap_or_default();
    let mut points = mounts
        .split(|&b| b == b'\n')
        .filter_map(|line| line.split(|&b| b == b' ').nth(4));
    points.any(|point| PathBuf::from(OsString::from_vec(unescaped(point))).starts_with(&folder))
}

/// A path as `/proc` writes it: with `\040` for a space, and so on.
fn unescaped(path: &[u8]) -> Vec<u8> {
    let mut plain = Vec::with_capacity(path.len());
    let mut rest = path;
    while let Some((&first, after)) = rest.split_first() {
        let octal = |digits: &[u8; 3]| {
            let text = str::from_utf8(digits).ok()?;
            u8::from_str_radix(text, 8).ok()
        };
        let code = (first == b'\\').then(|| after.first_chunk()).flatten();
        match code.and_then(octal) {
            Some(byte) => {
                plain.push(byte);
                rest = &after[3..];
            }
            None => {
                plain.push(first);
                rest = after;
            }
        }
    }
    plain
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

    #[test]
    fn mounts_are_found_from_above_and_nowhere_else() {
        let dir = tempfile::tempdir().expect("a folder");
        assert!(!holds_mount(dir.path()));
        // Wherever this test runs, these are mounts.
        for above in ["/proc", "/"] {
            assert!(holds_mount(Path::new(above)), "{above}");
        }
        assert!(!holds_mount(Path::new("/no/such/folder")));
        assert_eq!(unescaped(b"/a\\040b\\134c\\9"), b"/a b\\c\\9");
    }
}
