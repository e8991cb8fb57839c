//! What a search for a server's capacity found: how `capacity` ends.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Why a rate does not meet an objective.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "code", rename_all = "kebab-case")]
pub enum Broken {
    /// The offered rate was not achieved.
    NotAchieved {
        /// Achieved / offered.
        ratio: f64,
    },
    /// No request was completed.
    NoResponse {},
    /// Requests failed.
    Errors {
        /// Their share of all.
        share: f64,
    },
    /// A response time was too long.
    Time {
        /// As the objective names it, such as `p99`.
        figure: String,
        /// It, in microseconds.
        us: f64,
    },
}

/// Why a server may sustain more than the highest rate that met the objective.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum LowerBound {
    /// The load generator was the bottleneck at the rate that failed.
    GeneratorBusy,
    /// No higher rate was tried.
    NoHigherRate,
    /// The search had made all of its steps, and no rate had failed.
    Steps,
    /// The search ran out of time, and no rate had failed.
    Time,
    /// The search was interrupted, and no rate had failed.
    Interrupted,
}
