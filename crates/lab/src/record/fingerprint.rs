//! Keyed fingerprints of secrets: two runs can be compared, and nobody who has the results alone can try values out.

use std::fs::{self, OpenOptions};
use std::io::{self, Read, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use hmac::{Hmac, KeyInit, Mac};
use photofinish_model::files;
use photofinish_model::secret::exposing;
use serde::Serialize;
use sha2::Sha256;

use crate::hex::hex;
use crate::places::state_dir;

/// The bytes of the key: as many as a block of the hash has.
const LENGTH: usize = 64;

/// The key of a user on this machine. It lies in the user's state directory, never in results.
pub struct Key([u8; LENGTH]);

impl Key {
    /// The user's key, made when it is first needed.
    ///
    /// # Errors
    /// The file, and what the system says.
    pub fn of_user() -> Result<Key, (PathBuf, io::Error)> {
        Key::at(&state_dir().join("fingerprint.key"))
    }

    fn at(path: &Path) -> Result<Key, (PathBuf, io::Error)> {
        let read = || {
            let bytes = files::read(path, LENGTH as u64)?;
            let bytes = <[u8; LENGTH]>::try_from(bytes);
            bytes.map(Key).map_err(|_| {
                io::Error::other("it is not a key; remove it, and the next run makes another")
            })
        };
        match read() {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            read => return read.map_err(|error| (path.to_owned(), error)),
        }
        // Another run may have been faster.
        (make(path).or_else(|_| read())).map_err(|error| (path.to_owned(), error))
    }

    /// What distinguishes this key from others; it does not reveal the key.
    pub fn id(&self) -> String {
        hex(&self.mac(b"photofinish key")[..8])
    }

    /// The fingerprint of a value, whose secrets count as what they are; `None` for a value that cannot be written.
    pub fn fingerprint(&self, value: &impl Serialize) -> Option<String> {
        let mut hashing = Hashing(Hmac::new(&self.0.into()));
        let mut out = io::BufWriter::new(&mut hashing);
        exposing(|| serde_json::to_writer(&mut out, value)).ok()?;
        out.flush().ok()?;
        drop(out);
        Some(hex(&hashing.0.finalize().into_bytes()))
    }

    fn mac(&self, bytes: &[u8]) -> Vec<u8> {
        let mut mac = Hmac::<Sha256>::new(&self.0.into());
        mac.update(bytes);
        mac.finalize().into_bytes().to_vec()
    }
}

/// Makes the key. It appears under its name when it is whole.
fn make(path: &Path) -> io::Result<Key> {
    let mut key = [0; LENGTH];
    fs::File::open("/dev/urandom")?.read_exact(&mut key)?;
    let folder = path.parent().unwrap_or(Path::new("."));
    fs::DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(folder)?;
    let new = folder.join(format!(".fingerprint.key-{}", std::process::id()));
    let mut file = OpenOptions::new()
        .write(true)
        .create_new(true)
        .mode(0o600)
        .open(&new)?;
    let written = file
        .write_all(&key)
        .and_then(|()| file.sync_all())
        .and_then(|()| fs::hard_link(&new, path));
    let _ = fs::remove_file(&new);
    written.map(|()| Key(key))
}

/// What is written is hashed at once: it may be many megabytes.
struct Hashing(Hmac<Sha256>);

impl Write for Hashing {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.update(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
impl Key {
    /// A key for tests.
    pub(crate) fn of_test() -> Key {
        Key([7; LENGTH])
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use photofinish_model::Secret;

    use super::*;

    #[test]
    fn a_key_is_made_once_and_only_its_owner_may_read_it() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("a/b/fingerprint.key");
        let key = Key::at(&path).unwrap_or_else(|(_, error)| panic!("{error}"));
        let again = Key::at(&path).unwrap_or_else(|(_, error)| panic!("{error}"));
        assert_eq!(key.id(), again.id());
        let mode = |path: &Path| fs::metadata(path).expect("there").permissions().mode() & 0o777;
        assert_eq!(mode(&path), 0o600);
        assert_eq!(mode(path.parent().expect("a folder")), 0o700);
        assert_eq!(
            fs::read_dir(folder.path().join("a/b"))
                .expect("read")
                .count(),
            1
        );
        fs::write(&path, "short").expect("written");
        assert!(Key::at(&path).is_err());
    }

    #[test]
    fn a_fingerprint_is_of_the_value_and_of_the_key() {
        let of = |key: &Key, value: &str| {
            key.fingerprint(&Secret::<String>::from(value))
                .expect("a value")
        };
        let key = Key::of_test();
        assert_eq!(of(&key, "a"), of(&key, "a"));
        assert_ne!(of(&key, "a"), of(&key, "b"));
        assert_ne!(of(&key, "a"), of(&Key([8; LENGTH]), "a"));
        assert_ne!(key.id(), Key([8; LENGTH]).id());
    }
}
