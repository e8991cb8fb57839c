//! What can go wrong with a results folder.

use std::io;
use std::path::PathBuf;

use crate::VERSION;

/// Why a results folder could not be written or read. Each message fits after 'failed to'.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The folder cannot be made.
    #[error("create the results folder {}: {source}; choose a folder that you may write to", path.display())]
    Create {
        /// The folder.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The folder holds a run already.
    #[error("begin a run in {}: it holds one already; resume that run or choose another folder", path.display())]
    Exists {
        /// The folder.
        path: PathBuf,
    },
    /// The folder is not what it was when the run began.
    #[error("go on: the results folder {0} was moved or removed, or something in it, while its run was under way; put it back and resume the run with `--resume {0}`, or begin a new one", path.display())]
    Gone {
        /// The folder.
        path: PathBuf,
    },
    /// There is too little room.
    #[error("begin a run in {}: its disk has {free_mib} MiB free and a run needs {needed_mib} MiB; free some space or choose a folder on another disk", path.display())]
    Full {
        /// The folder.
        path: PathBuf,
        /// What is free, in MiB.
        free_mib: u64,
        /// What is needed, in MiB.
        needed_mib: u64,
    },
    /// Another process writes it.
    #[error("write to {}: another photofinish is writing it; wait until that one has ended or choose another folder", path.display())]
    InUse {
        /// The folder.
        path: PathBuf,
    },
    /// Something in it is not its own.
    #[error("resume a run in {}: {} {what}; copy the whole folder with `cp -rL`, and resume the copy", path.parent().unwrap_or(path).display(), path.display())]
    NotOwn {
        /// The file.
        path: PathBuf,
        /// What it is, and what would come of that.
        what: &'static str,
    },
    /// A file cannot be written.
    #[error("write {}: {source}; check that the disk has room and that you may write there, then resume the run", path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// A record has no JSON form.
    #[error("write {}: the record cannot be read back ({source}); this is a fault in photofinish, please report it", path.display())]
    Record {
        /// The file.
        path: PathBuf,
        /// What does not fit.
        source: serde_json::Error,
    },
    /// A histogram cannot be written.
    #[error("write {}: {why}; this is a fault in photofinish, please report it", path.display())]
    Histogram {
        /// The file.
        path: PathBuf,
        /// What does not fit.
        why: String,
    },
    /// The folder is not one of ours.
    #[error("read {}: {why}", path.display())]
    NotResults {
        /// The folder.
        path: PathBuf,
        /// What is missing, and what to give instead.
        why: String,
    },
    /// A file cannot be read.
    #[error("read {}: {source}; check that it is there and that you may read it", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// A file that is one record does not hold what it should.
    #[error("read {}: {source}; restore the file as photofinish wrote it, or convert the folder with scripts/convert-results if an early photofinish wrote it", path.display())]
    Whole {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        source: serde_json::Error,
    },
    /// A line does not hold what it should.
    #[error("read {}, line {line}: {source}; restore the line as photofinish wrote it, or take it out", path.display())]
    Format {
        /// The file.
        path: PathBuf,
        /// The line, counted from 1.
        line: usize,
        /// What is wrong.
        source: serde_json::Error,
    },
    /// A file has another format.
    #[error("read {}: it has format version {found}, and this photofinish reads version {VERSION}; use the photofinish that wrote it, or convert the folder with scripts/convert-results if it is older", path.display())]
    Version {
        /// The file.
        path: PathBuf,
        /// Its version.
        found: u64,
    },
}
