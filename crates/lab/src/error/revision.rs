//! Why a revision cannot be raced.

use std::io;
use std::path::PathBuf;

/// Why a revision cannot be checked out; fragments that fit 'failed to {error}'.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RevisionError {
    /// There is no git.
    #[error("run git, which checks revisions out: {0}; install git")]
    NoGit(io::Error),
    /// The folder is in no repository.
    #[error(
        "check out a revision: {} is not in a git repository; run photofinish in one, or race commands without --rev",
        folder.display()
    )]
    NotRepository {
        /// The folder.
        folder: PathBuf,
    },
    /// The repository has no working tree.
    #[error(
        "check out a revision: {} is a bare repository, or git's own folder in one: what is raced begins in a working tree; \
         make one with `git worktree add FOLDER` or `git clone`, and run photofinish there",
        folder.display()
    )]
    NoWorkingTree {
        /// The folder.
        folder: PathBuf,
    },
    /// git does not read the repository, such as one that another user owns.
    #[error("check out a revision in {}: git says: {says}", folder.display())]
    Refused {
        /// The folder.
        folder: PathBuf,
        /// What it said, with its remedy.
        says: String,
    },
    /// There is no such revision.
    #[error(
        "check out `{given}`: {} has no such revision; see `git branch --all` and `git tag`", root.display()
    )]
    Unknown {
        /// As it was given.
        given: String,
        /// The repository.
        root: PathBuf,
    },
    /// There is no such revision in what of the history is here.
    #[error(
        "check out `{given}`: {} is a shallow clone, which does not hold it; fetch the history with `git fetch --unshallow` \
         (in GitHub Actions: actions/checkout with `fetch-depth: 0`)",
        root.display()
    )]
    Shallow {
        /// As it was given.
        given: String,
        /// The repository.
        root: PathBuf,
    },
    /// git refused.
    #[error("run `git {command}`: {says}")]
    Git {
        /// Its arguments.
        command: String,
        /// What it said.
        says: String,
    },
    /// A folder or file of the cache.
    #[error(transparent)]
    Cache(#[from] photofinish_host::Error),
}

impl RevisionError {
    /// Whether what was asked for is wrong, and not this machine.
    pub fn is_of_the_request(&self) -> bool {
        matches!(
            self,
            RevisionError::NotRepository { .. }
                | RevisionError::NoWorkingTree { .. }
                | RevisionError::Unknown { .. }
                | RevisionError::Shallow { .. }
        )
    }
}
