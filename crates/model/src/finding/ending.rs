//! What stands beside the verdict when a race ends on a terminal.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::finding::claim::ClaimVerdict;
use crate::finding::failure::FailureFinding;
use crate::finding::headline::Place;
use crate::finding::noise::NoiseFinding;

/// A fact beside the verdict.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "code", rename_all = "kebab-case")]
pub enum EndingFinding {
    /// Where a target differed most from its second copy.
    Noise {
        /// By how much.
        noise: NoiseFinding,
        /// Where.
        place: Place,
    },
    /// How many claims came out how.
    Claims {
        /// Each outcome with their number.
        outcomes: Vec<(ClaimVerdict, usize)>,
    },
    /// Trials failed.
    Failed {
        /// How many.
        trials: usize,
        /// The target of the first.
        target: String,
        /// Its round.
        round: u32,
        /// Why it failed.
        why: FailureFinding,
    },
}
