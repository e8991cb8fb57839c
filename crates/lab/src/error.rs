//! What can go wrong, in one place: what ends a run ([`Error`]), what ends the trial of one target ([`Trouble`]), and what
//! a single request can meet ([`Wrong`], [`NoResponse`]); what goes wrong with a service is [`service::Error`].
//!
//! Errors are fragments that fit 'failed to {error}'; troubles are recorded and are sentences.

use std::fmt;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use photofinish_host as host;
use photofinish_host::{NoLoad, PortHolder};
use photofinish_model::store;

mod printed;
mod request;
mod revision;
mod server;
pub mod service;

pub use printed::Printed;
pub use request::{NoResponse, Wrong};
pub use revision::RevisionError;
pub use server::{Fallen, Fate, NotReady};

/// What ends a run or a load run before it could report anything; fragments that fit 'failed to {error}'.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The results folder.
    #[error(transparent)]
    Results(#[from] store::Error),
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
    /// Databases are set up where photofinish runs.
    #[error(
        "start the service {service} on {machine}: databases are set up on this machine only; give the service a `url`, or run the \
         servers here"
    )]
    ServiceElsewhere {
        /// The service.
        service: String,
        /// Where the servers run.
        machine: String,
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
    Load(#[from] NoLoad),
}

/// Why this machine's noise floor could not be measured.
#[derive(Debug, thiserror::Error)]
pub(crate) enum NoFloor {
    /// There is no plan for it.
    #[error(transparent)]
    Plan(#[from] photofinish_study::Error),
    /// No folder for its results.
    #[error("{0}")]
    Folder(#[from] io::Error),
    /// It could not be run.
    #[error("failed to {0}")]
    Run(#[from] Error),
    /// A measurement failed, for this reason.
    #[error("{0}")]
    Failed(String),
}

/// What ends a trial before all of its measurements are made.
#[derive(Debug)]
pub(crate) enum Halt {
    /// The target's own doing; the others go on.
    Failed(Trouble),
    /// The user's wish.
    Interrupted,
    /// Nothing more can be recorded or run.
    Broken(Error),
}

impl From<Trouble> for Halt {
    fn from(trouble: Trouble) -> Halt {
        Halt::Failed(trouble)
    }
}

impl From<Error> for Halt {
    fn from(error: Error) -> Halt {
        Halt::Broken(error)
    }
}

/// What keeps one target from being measured; a sentence each, which is recorded in place of what is missing.
#[derive(Debug, thiserror::Error)]
pub enum Trouble {
    /// Its tools, its build or its start.
    #[error("failed to {0}")]
    Host(host::Error),
    /// A service that it needs.
    #[error("failed to {0}")]
    Service(Arc<service::Error>),
    /// A service that its workload names and that the study does not have.
    #[error("there is no service {0}")]
    NoService(String),
    /// The port that it insists on is taken.
    #[error(
        "port {port}, which {target} needs, is taken by {holder}; end that, or give the target another port"
    )]
    Port {
        /// The port.
        port: u16,
        /// The target's label.
        target: String,
        /// Who listens on it.
        holder: PortHolder,
    },
    /// What became of its server.
    #[error("the server {}{}", .0.fate, .0.printed)]
    Server(Box<Fallen>),
    /// Its response is another one than was stated.
    #[error(transparent)]
    Response(Wrong),
    /// No load could be sent to it.
    #[error("failed to send load: {0}")]
    Load(NoLoad),
    /// It answered nothing at a level, and then not a single request either.
    #[error("{silence}; then {then}")]
    Gone {
        /// At which level.
        silence: Silence,
        /// What the single request met.
        then: Box<Trouble>,
    },
    /// It could not be prepared, as was reported before the first round.
    #[error(transparent)]
    Unusable(Arc<Trouble>),
    /// It failed to start in the two rounds before.
    #[error(
        "not started again: it failed to start in rounds {} and {}; once that is mended, --resume measures what is missing",
        rounds[0], rounds[1]
    )]
    GivenUp {
        /// The rounds in which it failed.
        rounds: [u32; 2],
    },
}

impl From<Wrong> for Trouble {
    fn from(wrong: Wrong) -> Trouble {
        Trouble::Response(wrong)
    }
}

impl From<service::Error> for Trouble {
    fn from(error: service::Error) -> Trouble {
        Trouble::Service(Arc::new(error))
    }
}

/// A level at which not one good response came in the window.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Silence {
    /// How long the window was.
    pub window: Duration,
    /// The workload.
    pub workload: String,
    /// The level, in words.
    pub load: String,
    /// The first error, or what else is known.
    pub why: String,
}

impl fmt::Display for Silence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "no good response in {:.1} s of {} at {}: {}",
            self.window.as_secs_f64(),
            self.workload,
            self.load,
            self.why
        )
    }
}
