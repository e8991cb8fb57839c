//! What may be wrong with load generators.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Why the load generator was the bottleneck.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "why", rename_all = "kebab-case")]
pub enum GeneratorLimit {
    /// Its busiest thread had no time to spare.
    Busy {},
    /// The same in a search, at the rate that failed.
    BusyAtFailed {
        /// That rate.
        rate_rps: f64,
    },
    /// The server ran out of requests while connections were with the generator.
    Starved {
        /// Requests at the server on average.
        at_server: f64,
        /// How much more it could serve at most, as a share.
        more: f64,
    },
    /// The wall clock was stepped meanwhile, which spoils the kernel's timestamps.
    ClockStepped {
        /// By how much.
        by_us: f64,
    },
    /// Requests were sent late though a connection was idle, and that is a good part of p99.
    Late {
        /// How many.
        requests: u64,
        /// Of so many.
        of: u64,
        /// How late the latest was.
        longest_us: f64,
        /// The 99th percentile of the response time as it was measured.
        p99_us: f64,
        /// The same in time.
        in_time_us: f64,
    },
}

/// How long a connection is in the generator's hands.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Hands {
    /// From a response to the next request, mean.
    pub turnaround_us: f64,
    /// A whole cycle: that and the response time.
    pub cycle_us: f64,
    /// Requests at the server on average.
    pub at_server: f64,
}

/// What is wrong with one of several load generators.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct GeneratorTrouble {
    /// What the user calls its machine.
    pub machine: String,
    /// What it is.
    pub what: Trouble,
}

/// Why a load generator's figures cannot be added to those of others.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Trouble {
    /// It was the bottleneck, and not the server.
    Bottleneck,
    /// Its threads did not stay on their cores.
    Unpinned,
    /// It runs on the servers' machine.
    SharesServer,
    /// How far its clock is off is not known well enough to have begun with the others.
    Clock,
}
