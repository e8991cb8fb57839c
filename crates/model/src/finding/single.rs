//! What one measurement of one target says: how `load` ends.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{Generator, Lag, Latency, Load, Opening, Overloaded};

/// A statement about one measurement.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "code", rename_all = "kebab-case")]
pub enum SingleFinding {
    /// All of it in a sentence.
    Measured {
        /// Good responses per second.
        rps: f64,
        /// Requests that were completed.
        requests: u64,
        /// How long it was measured, in microseconds.
        duration_us: f64,
        /// How the load was sent.
        load: Load,
        /// What failed.
        errors: u64,
        /// Connects that failed: errors without a request.
        failed_connects: u64,
    },
    /// The offered rate was not achieved.
    Overloaded(Overloaded),
    /// Response times.
    Times(Latency),
    /// No request was completed.
    NoTimes {},
    /// The window holds few responses of a connection, and those that end after it are not in the throughput.
    ShortWindow {
        /// Its length over the mean response time.
        responses: f64,
    },
    /// How many failed in which way.
    Errors {
        /// By kind.
        kinds: BTreeMap<String, u64>,
        /// All responses by status.
        status: BTreeMap<String, u64>,
    },
    /// What the load generator used.
    Generator(Generator),
    /// What became of the validity checks that were made.
    Checks {
        /// How many.
        made: usize,
        /// The names of those that failed.
        failed: Vec<String>,
    },
    /// Responses by status.
    Status {
        /// How many had which.
        status: BTreeMap<String, u64>,
    },
    /// Bytes on the wire.
    Bytes {
        /// From the target.
        inwards: u64,
        /// To it.
        outwards: u64,
    },
    /// Connections.
    Connections {
        /// Opened in all.
        opened: u64,
        /// Of these, in place of one that was closed or lost.
        replaced: u64,
    },
    /// How long it took to open them.
    Opening(Opening),
    /// Requests in flight when the window ended.
    InFlight {
        /// Those whose response came later.
        drained: u64,
        /// Those that never got one.
        censored: u64,
    },
    /// Responses were timed by the kernel.
    TimedByKernel {
        /// How long they then waited to be read.
        lag: Option<Lag>,
    },
    /// Responses were timed when they were read.
    TimedWhenRead {},
}
