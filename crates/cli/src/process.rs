//! This process: its program, its folder and its signals.

use std::env;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use crate::exit::Failure;
use crate::signals;

/// The photofinish binary, which keeps servers and serves other machines too.
pub fn program() -> Result<PathBuf, Failure> {
    env::current_exe().map_err(|e| Failure::run(format!("cannot find the photofinish binary: {e}")))
}

/// The current folder.
pub fn folder() -> Result<PathBuf, Failure> {
    env::current_dir().map_err(|e| Failure::run(format!("cannot find the current folder: {e}")))
}

/// The flag of [`signals::interrupt`].
pub fn interrupt() -> Result<Arc<AtomicBool>, Failure> {
    signals::interrupt().map_err(|e| Failure::run(format!("cannot handle Ctrl-C: {e}")))
}
