//! What stands beside the verdict when a race ends on a terminal.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::finding::claim::ClaimVerdict;
use crate::finding::failure::FailureFinding;
use crate::finding::headline::Place;
use crate::finding::noise::NoiseFinding;
use crate::metric::Metric;

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
    /// What the threads of the servers waited for, where that was looked at.
    Waits {
        /// Of each target.
        targets: Vec<TargetWaits>,
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

/// What the threads of a target waited for.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TargetWaits {
    /// The target.
    pub target: String,
    /// What for, and for how many microseconds per request, the longest first.
    pub waits: Vec<(Metric, f64)>,
    /// Whether it has virtual threads, of whose waits nothing is seen.
    pub has_unseen: bool,
}
