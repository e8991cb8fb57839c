//! What becomes of a server that does not go as it should.

use std::io;
use std::net::SocketAddr;
use std::time::Duration;

use photofinish_host as host;

use super::{NoResponse, Printed, Wrong};

/// What became of a server, and its last lines.
#[derive(Debug)]
pub struct Fallen {
    /// What became of it.
    pub fate: Fate,
    /// Its last lines.
    pub printed: Printed,
}

/// What became of a server; completes 'the server …'.
#[derive(Debug, thiserror::Error)]
pub enum Fate {
    /// It took too long to be ready.
    #[error("was not ready within {within:?}: {why}")]
    NotReady {
        /// The target's bound.
        within: Duration,
        /// What the last question met.
        why: NotReady,
    },
    /// It ended by itself.
    // Nobody ends well who should still serve: most likely it went into the background.
    #[error(
        "ended {when} ({how}){}",
        if how == host::SUCCESS { ", though its command must stay in the foreground while it serves" } else { "" }
    )]
    Ended {
        /// Completes 'it ended …'.
        when: &'static str,
        /// Its exit status or signal.
        how: String,
    },
    /// Nobody can tell whether it lives.
    #[error("was lost {when}: failed to {source}")]
    Lost {
        /// Completes 'it was lost …'.
        when: &'static str,
        /// Why.
        source: host::Error,
    },
    /// It gives no whole response.
    #[error("did not respond: {0}")]
    Silent(Wrong),
}

/// Why a server is not ready yet.
#[derive(Debug, thiserror::Error)]
pub enum NotReady {
    /// Nobody listens.
    #[error("connect to {address}: {source}")]
    Connect {
        /// Where.
        address: SocketAddr,
        /// What the system said.
        source: io::Error,
    },
    /// It says that it cannot serve yet.
    #[error("GET {url}: status {status}")]
    Status {
        /// What was asked for.
        url: String,
        /// 500 or more.
        status: u16,
    },
    /// It gave no whole response.
    #[error("GET {url}: {source}")]
    NoResponse {
        /// What was asked for.
        url: String,
        /// What came of it.
        source: NoResponse,
    },
}
