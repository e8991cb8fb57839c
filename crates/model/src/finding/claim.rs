//! What came of a published claim.

use photofinish_stats::{ClaimOutcome, Interval};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::finding::headline::Place;
use crate::finding::verdict::Void;
use crate::{Load, Metric};

/// What came of a claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ClaimVerdict {
    /// The same size, as precisely as it was published.
    Holds,
    /// The same direction; the size is undecided.
    DirectionHolds,
    /// The same direction, another size.
    SameDirection,
    /// The other direction, or none, or one where none was published.
    DoesNotHold,
    /// The rounds do not decide it.
    Undecided,
    /// Shown, not judged: a maximum is one request out of all of them.
    Shown,
    /// Nothing was measured to hold it against.
    NotMeasured,
    /// Nothing may be said of what was measured.
    Void,
}

impl From<ClaimOutcome> for ClaimVerdict {
    fn from(outcome: ClaimOutcome) -> ClaimVerdict {
        match outcome {
            ClaimOutcome::Holds => ClaimVerdict::Holds,
            ClaimOutcome::DirectionHolds => ClaimVerdict::DirectionHolds,
            ClaimOutcome::SameDirection => ClaimVerdict::SameDirection,
            ClaimOutcome::DoesNotHold => ClaimVerdict::DoesNotHold,
            ClaimOutcome::Undecided => ClaimVerdict::Undecided,
        }
    }
}

/// What a claim says of the ratio.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "code", rename_all = "kebab-case")]
pub enum Stated {
    /// Its size.
    Ratio {
        /// The published ratio.
        ratio: f64,
        /// How exactly it was published, relative, where the claim says so.
        margin: Option<f64>,
        /// With how many decimals it was published; `null` where that is not known.
        decimals: Option<u32>,
    },
    /// That it is below 1, and no size.
    Less {},
    /// That it is above 1, and no size.
    More {},
}

/// The arithmetic of a claim.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "code", rename_all = "kebab-case")]
pub enum ClaimFinding {
    /// It was judged.
    Judged {
        /// What was published.
        stated: Stated,
        /// The ratios that agree with it; `null` where no size was published.
        zone: Option<Interval>,
        /// The ratio measured here; `null` where there is none.
        ratio: Option<f64>,
        /// Its interval.
        interval: Option<Interval>,
        /// The level in place of the published one.
        at: Option<Load>,
    },
    /// Nothing may be said.
    Void {
        /// Why.
        reason: Void,
    },
    /// A maximum: its range over the rounds, of both sides.
    Shown {
        /// Target A's.
        of: Range,
        /// Target B's.
        over: Range,
    },
    /// It is about a level that this run does not have.
    NoSuchLevel {
        /// Where.
        place: Place,
    },
    /// It is about what profiles show, and this run has none, or none with whole stacks.
    NoProfile {},
    /// A target has no figure for it.
    NoFigure {
        /// The target.
        target: String,
    },
}

/// The range of a time over the rounds, in microseconds, with that of the 99.9th percentile beside it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Range {
    /// The target.
    pub target: String,
    /// What it is a range of.
    pub metric: Metric,
    /// From the smallest to the largest round.
    pub range: Interval,
    /// The same of the 99.9th percentile.
    pub p999: Option<Interval>,
}
