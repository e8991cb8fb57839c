//! What ends a whole run. What goes wrong with one target is recorded and ends only its trials.

use std::path::PathBuf;

use photofinish_host as host;

/// What ends a run or a load run before it could tell anything; fragments that fit 'failed to {error}'.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The results folder.
    #[error(transparent)]
    Results(#[from] photofinish_model::store::Error),
    /// The machine.
    #[error(transparent)]
    Host(#[from] host::Error),
    /// The study asks for more connections than this process may open.
    #[error(
        "open {needed} files at once: the limit is {limit}; raise it with `ulimit -n {needed}`, or use fewer connections"
    )]
    OpenFiles {
        /// What the largest level needs.
        needed: u64,
        /// What the system allows.
        limit: u64,
    },
    /// Nothing would be measured.
    #[error("run {study}: no target takes any of its workloads; nothing would be measured")]
    Nothing {
        /// The study's name.
        study: String,
    },
    /// The folder to go on with holds another study.
    #[error(
        "resume {}: it was begun with another study: {}; undo that, or begin a new run without --resume",
        dir.display(), differences.join("; ")
    )]
    OtherStudy {
        /// The results folder.
        dir: PathBuf,
        /// What differs, a fragment each.
        differences: Vec<String>,
    },
    /// The URL cannot be loaded.
    #[error("load {url}: {says}")]
    Url {
        /// The URL as it was given.
        url: String,
        /// What is wrong and what is allowed.
        says: String,
    },
    /// The load generator could not run.
    #[error("send load: {0}")]
    Load(String),
}

/// What ends a trial before all of its measurements are made.
#[derive(Debug)]
pub(crate) enum Halt {
    /// The target's own doing; the others go on.
    Failed(String),
    /// The person's wish.
    Interrupted,
    /// Nothing more can be recorded or run.
    Broken(Error),
}

impl<E: Into<Error>> From<E> for Halt {
    fn from(error: E) -> Halt {
        Halt::Broken(error.into())
    }
}
