//! Sweeps over one variable.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::load::Load;

/// What a sweep shows.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "code", rename_all = "kebab-case")]
pub enum SweepFinding {
    /// A target's throughput at one level does not fit that of its other levels.
    OutOfLine {
        /// The target.
        target: String,
        /// The level's workload.
        workload: String,
        /// The load level.
        load: Load,
        /// Its throughput in requests per second.
        throughput: f64,
        /// What the nearest curve through the other levels has there.
        expected: f64,
    },
    /// Every level is in line with the others.
    InLine {},
    /// Too few levels to call one out of line.
    TooFewLevels {
        /// So many are needed.
        needed: usize,
    },
}
