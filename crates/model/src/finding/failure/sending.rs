//! Why no load could be sent.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::RequestFault;
use crate::finding::complaint::Complaint;

/// Why no load could be sent. `says` is what the system said.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema, Error)]
#[serde(tag = "trouble", rename_all = "kebab-case")]
pub enum LoadTrouble {
    /// Not one connection could be opened at the start.
    #[error("connect to {address}: {why} ({kind}){}", question(.kind))]
    Connect {
        /// The server.
        address: String,
        /// The kind of error, as errors are counted by it, such as `connect-refused`.
        kind: String,
        /// How the first attempt failed.
        why: Complaint,
    },
    /// More connections than the process may have files open.
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
    #[error("run on CPU {cpu}: {says}; choose one of the CPUs that this process may use")]
    Pin {
        /// The core.
        cpu: usize,
        /// What the system said.
        says: String,
    },
    /// The request cannot be built.
    #[error("load as configured: {why}")]
    Request {
        /// Why.
        why: RequestFault,
    },
    /// The machine that sends load has no certificates of issuers.
    #[error(
        "load as configured: this machine has no certificates of issuers (Debian: install ca-certificates); give --cacert FILE or --insecure"
    )]
    NoIssuers {},
    /// Something else that was asked for cannot be. Flags and files are checked before anything runs, so this is an error about
    /// one of those, and quoted.
    #[error("load as configured: {says}")]
    Settings {
        /// The error.
        says: String,
    },
    /// The system refused something that every load needs.
    #[error("{what}: {says}")]
    System {
        /// What.
        what: LoadPart,
        /// What the system said.
        says: String,
    },
    /// Fewer connections than load generators.
    #[error(
        "{connections} connections for {generators} load generators: each needs at least one; use more connections, or fewer [[generator]]s"
    )]
    FewConnections {
        /// Those that there are.
        connections: u32,
        /// The generators.
        generators: usize,
    },
    /// Fewer requests than load generators.
    #[error(
        "{requests} requests for {generators} load generators: each sends at least one; send more requests, or use fewer [[generator]]s"
    )]
    FewRequests {
        /// Those that there are.
        requests: u64,
        /// The generators.
        generators: usize,
    },
    /// Several load generators could not be brought to begin at the same instant.
    #[error(
        "the load generators did not start together in {tries} tries: each time one of them started late; look for what delays it, or the link to it"
    )]
    Apart {
        /// How often it was tried.
        tries: u32,
    },
    /// A thread of the load generator ended before its time.
    #[error("a thread of the load generator broke down")]
    Broken {},
}

/// What a load generator needs of the system.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema, Error)]
#[serde(rename_all = "kebab-case")]
pub enum LoadPart {
    /// To learn of what comes on a connection.
    #[error("watch a connection")]
    Connection,
    /// To learn of what comes on any of them, and of orders.
    #[error("wait for events")]
    Poll,
    /// To be woken.
    #[error("set a timer")]
    Timer,
    /// A thread.
    #[error("start a thread (`ulimit -u` may limit them)")]
    Thread,
    /// More open files.
    #[error("raise the limit of open files")]
    Files,
}

/// Returns what to look at first, unless the sentence says so itself.
fn question(kind: &str) -> &'static str {
    match kind.starts_with("connect") {
        true => "; is the server running?",
        false => "",
    }
}
