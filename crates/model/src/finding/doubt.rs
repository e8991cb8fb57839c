//! What to doubt of a run before any of its figures is quoted.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::headline::Place;

/// Something that touches all figures of a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "code", rename_all = "kebab-case")]
pub enum DoubtFinding {
    /// A smoke run: nothing may be concluded about speed.
    Smoke {},
    /// Validity checks failed.
    Checks {
        /// Their names, in the order in which they are shown.
        failed: Vec<String>,
    },
    /// A target's throughput differs much from round to round.
    Uneven {
        /// The target.
        target: String,
        /// Where it differs most.
        place: Place,
        /// The fastest round over the slowest.
        times: f64,
    },
    /// Flags have left out parts of the study.
    LeftOut {
        /// How many parts.
        parts: usize,
    },
    /// Measurements failed, or were never made.
    Gaps {
        /// How many: a trial that lost none counts as one.
        measurements: usize,
    },
}
