//! What can go wrong, in one place: what ends a run ([`Error`]), what ends the trial of one target ([`Halt`]), and what goes wrong
//! with a service ([`service::Error`]).
//!
//! Errors are fragments that fit 'failed to {error}'; what keeps a target from being measured is a finding, which is recorded.

use std::net::IpAddr;
use std::path::PathBuf;

use photofinish_host as host;
use photofinish_model::files::remove::NotRemoved;
use photofinish_model::finding::failure::{FailureFinding, Wrong};
use photofinish_model::store;

pub mod fetch;
mod revision;
pub mod service;

pub use revision::RevisionError;

/// Files besides the sockets: logs, results, epoll instances, a JVM's jars.
pub(crate) const OTHER_FILES: u64 = 256;

/// The other remedy for a limit of open files, where there is room for any connection.
fn fewer(limit: &u64) -> &'static str {
    match *limit > OTHER_FILES {
        true => ", or use fewer connections",
        false => "",
    }
}

/// What keeps a target from being measured, as it is recorded.
pub(crate) type Failure = Box<FailureFinding>;

/// What went wrong, as it is recorded.
pub(crate) fn failed(error: impl Into<FailureFinding>) -> Failure {
    Box::new(error.into())
}

/// What ends a run or a load run before it could report anything; fragments that fit 'failed to {error}'.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The results folder.
    #[error(transparent)]
    Results(#[from] store::Error),
    /// The machine.
    #[error(transparent)]
    Host(#[from] host::Error),
    /// Something in it cannot be removed.
    #[error("clear the cache: {0}; everything else that was to be cleared is removed")]
    CacheNotCleared(NotRemoved),
    /// It is in use.
    #[error(
        "clear the cache: a run uses it; try again when no `photofinish run` or `compare` is under way"
    )]
    CacheInUse,
    /// The login before a load did not go as it should.
    #[error("log in: {}", .0.to_string())]
    Login(Box<Wrong>),
    /// A redirect before a load could not be followed.
    #[error("follow redirects: {}", .0.to_string())]
    Redirect(Box<Wrong>),
    /// The study asks for more connections than this process may open.
    #[error(
        "open {needed} files at once: the limit is {limit}; raise it with `ulimit -n {needed}`{}",
        fewer(.limit)
    )]
    OpenFiles {
        /// What the largest level needs.
        needed: u64,
        /// What the system allows.
        limit: u64,
    },
    /// A Unix socket is reached from its own machine alone.
    #[error(
        "load {target}: it listens on a Unix socket of {server}, which only programs there can reach, and load is sent from {generator}; \
         make the two one machine in the hosts file, or let {target} listen on {{port}}"
    )]
    SocketElsewhere {
        /// The target's label.
        target: String,
        /// Where the servers run.
        server: String,
        /// Where load is sent from.
        generator: String,
    },
    /// This machine cannot reach itself.
    #[error(
        "reach {address}, at which servers are to listen: {says}; bring the loopback interface up (`ip link set lo up`), and let its \
         packets pass"
    )]
    NoLoopback {
        /// Where.
        address: IpAddr,
        /// What came of connecting.
        says: String,
    },
    /// A server that is said to run already does not.
    #[error(
        "reach {url}: {says}; start the server there first, or give `compare` the commands that start the servers"
    )]
    NotRunning {
        /// Its URL.
        url: String,
        /// What came of connecting.
        says: String,
    },
    /// This machine has no local port left to reach a server that is said to run already.
    #[error("reach {url}: {says}")]
    NoLocalPort {
        /// Its URL.
        url: String,
        /// Where the ports are.
        says: String,
    },
    /// Nothing would be measured.
    #[error("run {study}: no target takes any of its workloads; nothing would be measured")]
    Nothing {
        /// The study's name.
        study: String,
    },
    /// One of the revisions that race cannot run.
    #[error("race the revisions: {target} cannot run, as is said above")]
    NoRevision {
        /// Its label.
        target: String,
    },
    /// A revision cannot be checked out.
    #[error(transparent)]
    Revision(#[from] RevisionError),
    /// The folder to resume holds another study.
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
    Load(host::Error),
}

/// Why there are no Java frames in a target's profile; fragments that fit 'failed to {error}'.
#[derive(Debug, thiserror::Error)]
pub enum NoJava {
    /// The agent could not be fetched.
    #[error(transparent)]
    Fetch(#[from] fetch::Error),
    /// The machine, or one of its Java virtual machines.
    #[error(transparent)]
    Host(#[from] host::Error),
    /// There is none for this processor.
    #[error("fetch an agent for Java: there is none for this processor ({arch})")]
    Processor {
        /// As Rust names it.
        arch: &'static str,
    },
    /// The agent is loaded before the warm-up.
    #[error(
        "load an agent into a Java virtual machine that began after the warm-up: of what it has compiled it would not know inlined methods"
    )]
    Late,
}

/// What ends a trial before all of its measurements are made.
#[derive(Debug)]
pub(crate) enum Halt {
    /// The target's own doing; the others continue.
    Failed(Failure),
    /// The user's wish.
    Interrupted,
    /// Nothing more can be recorded or run.
    Broken(Error),
}

impl From<Failure> for Halt {
    fn from(failure: Failure) -> Halt {
        Halt::Failed(failure)
    }
}

impl From<Error> for Halt {
    fn from(error: Error) -> Halt {
        Halt::Broken(error)
    }
}
