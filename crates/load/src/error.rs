//! Why a load run could not be done.

use std::io;
use std::net::SocketAddr;

use crate::outcome::ErrorKind;

/// Why a load run could not be done. Requests that fail during a run are no errors of this kind: they are counted.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// Not one connection could be opened at the start.
    #[error("connect to {address}: {says} ({}); is the server running?", kind.name())]
    Connect {
        /// The server.
        address: SocketAddr,
        /// How the first attempt failed.
        kind: ErrorKind,
        /// What the system said.
        says: String,
    },
    /// More connections than this process may have files open.
    #[error(
        "open {needed} files: this process may open {allowed}; raise the hard limit (`ulimit -Hn`) or use fewer connections"
    )]
    Files {
        /// How many are needed, those already open included.
        needed: u64,
        /// The hard limit.
        allowed: u64,
    },
    /// A thread could not be put on its core.
    #[error("run on CPU {cpu}: {source}; choose one of the CPUs that this process may use")]
    Pin {
        /// The core.
        cpu: usize,
        /// What the system said.
        source: io::Error,
    },
    /// The configuration asks for something that cannot be.
    #[error("load as configured: {0}")]
    Config(String),
    /// The system refused something that every run needs.
    #[error("{what}: {source}")]
    System {
        /// What was tried.
        what: &'static str,
        /// What the system said.
        source: io::Error,
    },
}

impl Error {
    /// For `map_err` on a system call.
    pub(crate) fn system(what: &'static str) -> impl FnOnce(io::Error) -> Error {
        move |source| Error::System { what, source }
    }
}
