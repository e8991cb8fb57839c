//! What touches the figures of one target at one workload and load level.

use photofinish_stats::Interval;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What a reader should know beside the figures.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "code", rename_all = "kebab-case")]
pub enum FigureFinding {
    /// Some requests did not end with the response that was expected.
    Errors {
        /// How many of each kind, by the name that results have.
        kinds: Vec<(String, u64)>,
        /// The rounds with errors.
        rounds: Vec<u32>,
    },
    /// The rate of an open loop was not achieved: response times are those of a growing queue.
    Overloaded {
        /// The rounds.
        rounds: Vec<u32>,
        /// What fell due, in requests per second: the lowest and the highest of the rounds.
        offered_rps: Interval,
        /// What was achieved, in the same way.
        achieved_rps: Interval,
    },
    /// The load generator was the bottleneck of the limit, so that shares of it are upper bounds.
    LimitHeldBack {
        /// In so many rounds.
        rounds: usize,
        /// Of so many.
        of: usize,
    },
}
