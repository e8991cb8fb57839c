//! Whether a published ratio holds here.
//!
//! Write p for the published ratio, I for the measured interval, d for its verdict ([`judge`]) and
//! W for I stretched by the margin to both sides. p ∈ W says that the published size agrees with the measured one
//! to within the margin.
//!
//! **A difference was published**: p lies outside of [1 / (1 + margin), 1 + margin].
//!
//! | verdict d | p ∈ W | outcome |
//! |---|---|---|
//! | the published direction | yes | `Holds` |
//! | the published direction | no | `SameDirection` |
//! | the other direction | (never) | `DoesNotHold` |
//! | tie | no | `DoesNotHold` |
//! | tie | yes | `Undecided`: p is a hair beyond the margin, and the data agree with it and with a tie |
//! | undecided | either | `Undecided` |
//!
//! **'About equal' was published**: p lies within the margin of 1. Then the ratios that agree with it are those
//! within the margin of 1 or of p; they are one zone Z = [min(1, p) / (1 + margin), max(1, p) × (1 + margin)].
//!
//! | I and Z | outcome |
//! |---|---|
//! | I lies within Z (a tie always does) | `Holds` |
//! | I and Z share no point (d is then `Above` or `Below`) | `DoesNotHold` |
//! | else | `Undecided`: I holds ratios that agree and ratios that do not |
//!
//! Without an interval, or where p is not a finite number above zero, the outcome is `Undecided`.
//! So `DoesNotHold` is never said where p ∈ W, and `Holds` never where the data fit the opposite just as well.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::interval::{Interval, band};
use crate::verdict::{Direction, judge};

/// What came of a published ratio.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ClaimOutcome {
    /// The same direction, and the same size to within interval and margin.
    Holds,
    /// The same direction, another size.
    SameDirection,
    /// The other direction, or no difference where one was published, or one where none was published.
    DoesNotHold,
    /// The data do not tell.
    Undecided,
}

/// Judges a published ratio by the measured interval; the truth table is on [this page](self).
pub fn judge_claim(published: f64, interval: Option<Interval>, margin: f64) -> ClaimOutcome {
    let Some(interval) = interval.filter(|_| published.is_finite() && published > 0.0) else {
        return ClaimOutcome::Undecided;
    };
    let equal = band(1.0, margin);
    if equal.contains(published) {
        let agreeing = Interval {
            low: published.min(1.0),
            high: published.max(1.0),
        }
        .stretched(margin);
        return if interval.is_within(&agreeing) {
            ClaimOutcome::Holds
        } else if interval.overlaps(&agreeing) {
            ClaimOutcome::Undecided
        } else {
            ClaimOutcome::DoesNotHold
        };
    }
    let same_size = interval.stretched(margin).contains(published);
    let published_above = published > 1.0;
    match judge(Some(interval), margin) {
        Direction::Undecided => ClaimOutcome::Undecided,
        Direction::Tie if same_size => ClaimOutcome::Undecided,
        Direction::Tie => ClaimOutcome::DoesNotHold,
        found if (found == Direction::Above) != published_above => ClaimOutcome::DoesNotHold,
        _ if same_size => ClaimOutcome::Holds,
        _ => ClaimOutcome::SameDirection,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ClaimOutcome::{DoesNotHold, Holds, SameDirection, Undecided};
    use proptest::prelude::*;

    fn outcome(published: f64, low: f64, high: f64) -> ClaimOutcome {
        judge_claim(published, Interval::new(low, high), 0.02)
    }

    /// Every row of the truth table, and its mirror image: p and I turned upside down.
    #[test]
    fn the_truth_table() {
        for (published, low, high, expected) in [
            // A difference was published.
            (1.067, 1.03, 1.09, Holds),
            (1.067, 1.09, 1.12, SameDirection),
            (1.067, 1.08, 1.12, Holds),
            (1.067, 1.01, 1.03, SameDirection),
            (1.067, 1.01, 1.05, Holds),
            (1.067, 0.90, 0.95, DoesNotHold),
            (1.067, 0.99, 1.01, DoesNotHold),
            (1.021, 0.99, 1.015, Undecided),
            (1.067, 0.95, 1.10, Undecided),
            (3.94, 0.95, 1.10, Undecided),
            (3.94, 1.50, 2.00, SameDirection),
            // 'About equal' was published.
            (1.0, 0.99, 1.01, Holds),
            (1.01, 1.005, 1.025, Holds),
            (1.01, 0.985, 0.995, Holds),
            (1.01, 1.05, 1.08, DoesNotHold),
            (1.01, 0.90, 0.95, DoesNotHold),
            (1.01, 1.005, 1.05, Undecided),
            (1.0, 0.95, 1.10, Undecided),
            (1.0, 1.001, 1.002, Holds),
        ] {
            assert_eq!(
                outcome(published, low, high),
                expected,
                "{published} {low} {high}"
            );
            let (published, low, high) = (1.0 / published, 1.0 / high, 1.0 / low);
            assert_eq!(
                outcome(published, low, high),
                expected,
                "{published} {low} {high}"
            );
        }
    }

    #[test]
    fn nothing_to_judge_is_undecided() {
        assert_eq!(judge_claim(1.1, None, 0.02), Undecided);
        for published in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            assert_eq!(outcome(published, 1.0, 1.1), Undecided);
        }
    }

    proptest! {
        #[test]
        fn a_claim_is_never_refuted_by_data_that_agree_with_its_size(
            published in 0.5f64..2.0, low in 0.5f64..2.0, width in 0.0f64..0.5, margin in 0.0f64..0.1,
        ) {
            let interval = Interval { low, high: low * (1.0 + width) };
            let outcome = judge_claim(published, Some(interval), margin);
            if outcome == DoesNotHold {
                prop_assert!(!interval.stretched(margin).contains(published));
            }
        }

        #[test]
        fn a_point_at_the_published_ratio_holds(published in 0.5f64..2.0, margin in 0.0f64..0.1) {
            let point = Interval::new(published, published);
            prop_assert_eq!(judge_claim(published, point, margin), Holds);
        }
    }
}
