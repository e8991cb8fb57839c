//! What to doubt of a run before any of its figures is quoted.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::headline::Place;
use super::verdict::Groups;

/// Something that touches all figures of a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "code", rename_all = "kebab-case")]
pub enum DoubtFinding {
    /// A smoke run: nothing may be concluded about speed.
    Smoke {},
    /// Servers that ran already are the same processes in every round.
    Already {
        /// How many targets are such servers.
        targets: usize,
    },
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
    /// The rounds of a target fall into two groups: a fast and a slow kind of process.
    TwoGroups {
        /// The target.
        target: String,
        /// Where they differ most.
        place: Place,
        /// How.
        groups: Groups,
    },
    /// Slices end while many responses are under way for long: a continuous run has more connections that wait.
    ShortSlices {
        /// The target.
        target: String,
        /// Where connections wait for longest compared with a slice.
        place: Place,
        /// For how long a connection still waited at the end of a slice, on average, in microseconds.
        waits_us: f64,
        /// The counted part of a slice in microseconds.
        slice_us: f64,
    },
    /// Some verdicts hold only if the rounds are independent, which so few of them cannot show.
    IfIndependent {
        /// How many verdicts on throughput.
        verdicts: usize,
        /// The most rounds that one of them has.
        rounds: usize,
    },
    /// Some differences are no larger than that of a target from its own copy.
    WithinNoise {
        /// How many verdicts on throughput.
        verdicts: usize,
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
