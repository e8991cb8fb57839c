//! What came of a `--fail-if` condition.

use photofinish_stats::Interval;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::finding::claim::{ClaimFinding, ClaimVerdict};
use crate::finding::headline::Place;
use crate::finding::verdict::{VerdictFinding, Void};

/// Something that a condition met. A place is told with its workload.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "code", rename_all = "kebab-case")]
pub enum Threshold {
    /// A comparison holds beyond doubt.
    Holds {
        /// Where.
        place: Place,
        /// The side that is larger, as it was written.
        more: String,
        /// The other one.
        less: String,
        /// Larger / other.
        ratio: f64,
        /// Its interval.
        interval: Interval,
    },
    /// The rounds do not decide it.
    Undecided {
        /// Where.
        place: Place,
        /// The side that should be larger, as it was written.
        more: String,
        /// The other one.
        less: String,
        /// Larger / other.
        ratio: f64,
        /// Its interval.
        interval: Interval,
    },
    /// Nothing may be said.
    Void {
        /// Where.
        place: Place,
        /// Why.
        reason: Void,
    },
    /// Too few rounds have all of its figures.
    FewRounds {
        /// Where.
        place: Place,
        /// The rounds that have.
        rounds: usize,
    },
    /// What came of a claim that is not known to hold.
    Claim {
        /// Its name.
        id: String,
        /// What came of it.
        verdict: ClaimVerdict,
        /// The arithmetic.
        claim: ClaimFinding,
    },
    /// A validity check fails.
    Check {
        /// Its name.
        name: String,
        /// In how many places.
        failing: usize,
        /// Of so many.
        checked: usize,
    },
    /// Two targets differ.
    Different {
        /// Where.
        place: Place,
        /// The verdict.
        verdict: VerdictFinding,
    },
    /// Whether two targets differ is not decided, or void.
    NotDecided {
        /// Where.
        place: Place,
        /// The verdict.
        verdict: VerdictFinding,
    },
}
