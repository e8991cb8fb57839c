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
    /// A server stands still for more of the time than another one.
    StandsStill {
        /// The server.
        target: String,
        /// The share of its time under load in which it gave no response on any connection.
        share: f64,
        /// The longest such time, in seconds.
        longest_s: f64,
        /// The one that stands still least.
        over: String,
        /// The throughput of `target` over that of `over`, while responses flow.
        without: Option<f64>,
        /// Where; `null` where there is one place only.
        place: Option<Place>,
    },
    /// A server once gave no response on any connection for long, and the others never did.
    StoodStill {
        /// The server.
        target: String,
        /// For how long, in seconds.
        longest_s: f64,
        /// When that began: RFC 3339, UTC.
        at: Option<String>,
        /// In which round.
        round: u32,
        /// Where; `null` where there is one place only.
        place: Option<Place>,
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
