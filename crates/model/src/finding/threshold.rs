//! What came of a `--fail-if` condition.

use photofinish_stats::Interval;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::finding::claim::{ClaimFinding, ClaimVerdict};
use crate::finding::days::Unmeasured;
use crate::finding::headline::Place;
use crate::finding::verdict::{VerdictFinding, Void};
use crate::units::Unit;

/// Where a figure stands beside what it is compared with.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Stands {
    /// Where.
    pub place: Place,
    /// The figure, as it was written.
    pub subject: String,
    /// What it is compared with, as it was written but for a factor.
    pub base: String,
    /// By which share the figure is above the other: −0.05 is 5% below.
    pub change: Interval,
    /// The change that the condition asks about: 0.05 for `> base * 1.05`.
    pub limit: f64,
}

/// By how much one side of a comparison exceeds the other, where they have no ratio: one is zero or below.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Apart {
    /// Where.
    pub place: Place,
    /// The left side, as it was written.
    pub subject: String,
    /// The right side, as it was written.
    pub base: String,
    /// What both count; `null` for plain numbers.
    pub unit: Option<Unit>,
    /// Left − right.
    pub difference: Interval,
}

/// Something that a condition met. A place includes its workload.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "code", rename_all = "kebab-case")]
pub enum Threshold {
    /// A comparison holds beyond doubt.
    Holds(Stands),
    /// It does not, beyond doubt.
    Excluded(Stands),
    /// The rounds do not decide it.
    Undecided(Stands),
    /// A comparison without a ratio holds beyond doubt.
    ApartHolds(Apart),
    /// It does not, beyond doubt.
    ApartExcluded(Apart),
    /// The rounds do not decide it.
    ApartUndecided(Apart),
    /// Nothing was measured.
    Nothing,
    /// One of two runs did not measure a target.
    NotMeasured(Unmeasured),
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
