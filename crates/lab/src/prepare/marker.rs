//! What is made once and kept, with a file beside it that says that it is whole.

use std::path::PathBuf;

use photofinish_host::{Error, Host};

/// A file that is written last: what it is the marker of is not whole without it.
pub(crate) struct Marker {
    pub(crate) file: PathBuf,
    /// Keeps others waiting that would make the same.
    pub(crate) lock: PathBuf,
    /// What is written into it.
    pub(crate) says: String,
}

impl Marker {
    /// Makes what it is the marker of, unless that is there already; returns whether it was.
    pub(crate) fn once<E: From<Error>>(
        &self,
        host: &Host,
        interrupted: &dyn Fn() -> bool,
        make: impl FnOnce() -> Result<(), E>,
    ) -> Result<bool, E> {
        let _lock = host.lock(&self.lock, interrupted)?;
        if host.has(self.file.clone())? {
            return Ok(true);
        }
        make()?;
        host.write(&self.file, self.says.as_bytes(), 0o644)?;
        Ok(false)
    }
}
