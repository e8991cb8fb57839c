//! Why no load could be sent.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::RequestFault;
use crate::finding::complaint::Complaint;

/// Why no load could be sent. `says` is what the system said.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "trouble", rename_all = "kebab-case")]
pub enum LoadTrouble {
    /// Not one connection could be opened at the start.
    Connect {
        /// The server.
        address: String,
        /// The kind of error, as errors are counted by it, such as `connect-refused`.
        kind: String,
        /// How the first attempt failed.
        why: Complaint,
    },
    /// More connections than the process may have files open.
    Files {
        /// How many are needed, those already open included.
        needed: u64,
        /// The hard limit.
        allowed: u64,
    },
    /// A thread could not be put on its core.
    Pin {
        /// The core.
        cpu: usize,
        /// What the system said.
        says: String,
    },
    /// The request cannot be built.
    Request {
        /// Why.
        why: RequestFault,
    },
    /// The machine that sends load has no certificates of issuers.
    NoIssuers {},
    /// Something else that was asked for cannot be. Flags and files are checked before anything runs, so this is an error about
    /// one of those, and quoted.
    Settings {
        /// The error.
        says: String,
    },
    /// The system refused something that every load needs.
    System {
        /// What.
        what: LoadPart,
        /// What the system said.
        says: String,
    },
    /// Fewer connections than load generators.
    FewConnections {
        /// Those that there are.
        connections: u32,
        /// The generators.
        generators: usize,
    },
    /// Fewer requests than load generators.
    FewRequests {
        /// Those that there are.
        requests: u64,
        /// The generators.
        generators: usize,
    },
    /// Several load generators could not be brought to begin at the same instant.
    Apart {
        /// How often it was tried.
        tries: u32,
    },
    /// A thread of the load generator ended before its time.
    Broken {},
}

/// What a load generator needs of the system.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum LoadPart {
    /// To learn of what comes on a connection.
    Connection,
    /// To learn of what comes on any of them, and of orders.
    Poll,
    /// To be woken.
    Timer,
    /// A thread.
    Thread,
    /// More open files.
    Files,
}
