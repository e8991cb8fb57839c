//! What came of a published claim.

use photofinish_stats::ClaimOutcome;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

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
