//! Reading files that somebody else names or has made: only regular files, and no more than there can be in them.

use std::fs::OpenOptions;
use std::io::{self, Read};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

/// The most bytes that a study, a target or a file of SQL may have: a hundred times what any has.
pub const WRITTEN: u64 = 4 * 1024 * 1024;

/// Reads a file of at most `most` bytes.
///
/// # Errors
/// Those of the system; and for what is not a regular file (a named pipe would be waited for, a device may never end) or
/// is larger.
pub fn read(path: &Path, most: u64) -> io::Result<Vec<u8>> {
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
    let too_large = || io::Error::other(format!("it is larger than {most} bytes"));
    if meta.len() > most {
        return Err(too_large());
    }
    let mut bytes = Vec::with_capacity(usize::try_from(meta.len()).unwrap_or_default());
    // It may grow while it is read.
    file.take(most.saturating_add(1)).read_to_end(&mut bytes)?;
    match bytes.len() as u64 > most {
        true => Err(too_large()),
        false => Ok(bytes),
    }
}

/// The same for text.
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
        std::fs::write(&file, "12345").expect("a file");
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
        std::fs::write(&file, [b'a', 0xff]).expect("a file");
        let error = read_text(&file, 9).expect_err("no text");
        assert_eq!(error.to_string(), "it is not text in UTF-8");
    }
}
