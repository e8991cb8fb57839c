//! What a search for a server's capacity found: how `capacity` ends.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::recorded::Recorded;

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
    /// As an older version recorded it: a few English words.
    Recorded {
        /// The words.
        says: String,
    },
}

impl Recorded for Broken {
    fn recorded(says: String) -> Broken {
        Broken::Recorded { says }
    }
}

/// What the search found. Rates are in requests per second.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "code", rename_all = "kebab-case")]
pub enum CapacityFinding {
    /// Between which rates the limit lies.
    Between {
        /// What had to hold.
        objective: String,
        /// The highest rate that met it.
        held: Option<f64>,
        /// The lowest above it that did not.
        failed: Option<f64>,
    },
    /// What a trial's search found, in a few words.
    Trial {
        /// The highest rate that met the objective.
        held: Option<f64>,
        /// The lowest above it that did not.
        failed: Option<f64>,
        /// Why the server may sustain more.
        at_least: Option<LowerBound>,
    },
    /// Response times at a rate, in microseconds.
    Times {
        /// The median.
        p50: Option<f64>,
        /// The 99th percentile.
        p99: Option<f64>,
    },
    /// Why a rate failed.
    Failed {
        /// The rate.
        rate: f64,
        /// Why.
        why: Broken,
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
