//! What can go wrong while something is fetched.

use std::path::PathBuf;

use photofinish_host as host;

/// What can go wrong while something is fetched; fragments that fit 'failed to {error}'.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// It did not come.
    #[error("fetch {artifact}: {says}")]
    Failed {
        /// Its coordinates.
        artifact: String,
        /// Why.
        says: String,
    },
    /// It is not the one whose checksum is known.
    #[error(
        "trust {}: its SHA-256 is {found}, but should be {expected}; it was removed here: remove it from Maven's local \
         repository too, then run again", file.display()
    )]
    Checksum {
        /// The file.
        file: PathBuf,
        /// What it should be.
        expected: String,
        /// What it is.
        found: String,
    },
    /// The machine.
    #[error(transparent)]
    Host(#[from] host::Error),
}
