//! What became of a server: who took its port, whether it was ready, how it ended, and what it printed.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::{FailureFinding, NoResponse, Wrong};
use crate::finding::complaint::span;

/// Who listens on a port or a Unix socket.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PortHolder {
    /// The process; 0 where this user may not see it.
    pub pid: u32,
    /// Its command line; empty where this user may not see it.
    pub command: String,
}

/// What a program printed last.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Printed {
    /// The file that holds all of it; empty for a server that photofinish did not start.
    pub log: String,
    /// The last lines; none where it printed nothing.
    pub lines: Vec<String>,
}

/// What became of a server.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema, Error)]
#[serde(tag = "fate", rename_all = "kebab-case")]
pub enum Fate {
    /// It took too long to be ready.
    #[error("was not ready within {}: {why}", span(*.within_s))]
    NotReady {
        /// The target's bound in seconds.
        within_s: f64,
        /// What the last question met.
        why: NotReady,
    },
    /// It ended by itself.
    #[error("ended {when} ({how}){}", if *.well { FOREGROUND } else { "" })]
    Ended {
        /// At which point of its life.
        when: When,
        /// Its exit status or signal.
        how: String,
        /// Whether it reported success: most likely it went into the background.
        well: bool,
    },
    /// Whether it lives is not known.
    #[error("was lost {when}: {why}")]
    Lost {
        /// At which point of its life.
        when: When,
        /// Why.
        why: Box<FailureFinding>,
    },
    /// It gives no whole response.
    #[error("did not respond: {wrong}")]
    Silent {
        /// To what, and what came.
        wrong: Wrong,
    },
}

/// A point in the life of a server.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema, Error)]
#[serde(rename_all = "kebab-case")]
pub enum When {
    /// It was not ready yet.
    #[error("before it was ready")]
    BeforeReady,
    /// It was being verified.
    #[error("when it was verified")]
    Verified,
    /// Load was being sent.
    #[error("while load was sent")]
    Loaded,
    /// Load had been sent.
    #[error("after load was sent")]
    AfterLoad,
}

/// Why a server is not ready yet.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema, Error)]
#[serde(tag = "why", rename_all = "kebab-case")]
pub enum NotReady {
    /// Nobody listens.
    #[error("connect to {address}: {says}")]
    Connect {
        /// Where.
        address: String,
        /// What the system said.
        says: String,
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
    #[error("GET {url}: {met}")]
    NoResponse {
        /// What was asked for.
        url: String,
        /// What came of it.
        met: NoResponse,
    },
}

impl NotReady {
    /// Whether nobody listens there.
    pub fn is_no_listener(&self) -> bool {
        matches!(
            self,
            NotReady::Connect { .. }
                | NotReady::NoResponse {
                    met: NoResponse::Connect { .. },
                    ..
                }
        )
    }
}

/// What a server's command that ended without an error must do instead.
const FOREGROUND: &str = ", though its command must stay in the foreground while it serves";

impl fmt::Display for PortHolder {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match (self.pid, self.command.as_str()) {
            (0, _) => write!(f, "a process of another user or container"),
            (pid, "") => write!(f, "process {pid}"),
            (pid, command) => write!(f, "process {pid} ({command})"),
        }
    }
}

impl fmt::Display for Printed {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self.lines.as_slice() {
            // What others have started prints elsewhere.
            [] if self.log.is_empty() => Ok(()),
            [] => write!(f, "; it printed nothing"),
            lines => write!(f, "; its last lines ({}):{}", self.log, tail(lines)),
        }
    }
}

/// Returns a log's last lines, indented below a message.
pub(super) fn tail(lines: &[String]) -> String {
    lines.iter().map(|line| format!("\n    | {line}")).collect()
}
