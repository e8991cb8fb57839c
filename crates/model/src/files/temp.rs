//! Folders for temporary files, which go with their holder, or are found again if that was killed.

use std::env;
use std::io;
use std::mem;
use std::path::{Path, PathBuf};

use super::made::{self, Hold};
use super::remove;

/// What the names of temporary folders begin with.
pub const PREFIX: &str = "photofinish-";

/// A folder that is removed when it is dropped. What could not be removed is [reported](remove::report).
#[derive(Debug)]
pub struct TempFolder {
    path: PathBuf,
    removed: bool,
    /// It is on record for as long as it is here.
    _hold: Hold,
}

impl TempFolder {
    /// Makes one among the system's temporary files.
    ///
    /// # Errors
    /// Those of the system.
    pub fn new() -> io::Result<TempFolder> {
        TempFolder::below(&env::temp_dir(), PREFIX)
    }

    /// Makes one in a folder; its name begins so.
    ///
    /// # Errors
    /// Those of the system.
    pub fn below(place: &Path, prefix: &str) -> io::Result<TempFolder> {
        let place = std::path::absolute(place)?;
        let folder = tempfile::Builder::new().prefix(prefix).tempdir_in(place)?;
        let path = folder.keep();
        Ok(TempFolder {
            _hold: made::folder(&path),
            removed: false,
            path,
        })
    }

    /// Removes it before it is dropped.
    pub fn remove(&mut self) {
        if mem::replace(&mut self.removed, true) {
            return;
        }
        if let Err(left) = remove::remove(&self.path) {
            remove::report(&left);
        }
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

impl Drop for TempFolder {
    fn drop(&mut self) {
        self.remove();
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn a_folder_goes_with_its_holder() {
        let folder = TempFolder::new().expect("there is room");
        let path = folder.path().to_owned();
        fs::write(path.join("file"), "").expect("a file");
        drop(folder);
        assert!(!path.exists());
    }
}
