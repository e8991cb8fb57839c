//! Whether a published ratio holds here.
//!
//! Write p for the published ratio, Z for its own precision (the *zone*: p ± half a unit of its last published digit, or
//! p / (1 + margin) … p × (1 + margin), whichever is wider), and θ for the ratio on this machine. Were θ known, the outcome would be
//!
//! | θ | outcome |
//! |---|---|
//! | in Z | `Holds` |
//! | outside Z, on the same side of 1 as p | `SameDirection` |
//! | outside Z, else (also for p = 1, which has no side) | `DoesNotHold` |
//!
//! It is known only to lie within the measured interval I. So an outcome is claimed where *every* θ in I has it:
//!
//! | I | outcome |
//! |---|---|
//! | lies within Z | `Holds` |
//! | shares nothing with Z, and all of it is on p's side of 1 | `SameDirection` |
//! | shares nothing with Z, and none of it is on p's side of 1 | `DoesNotHold` |
//! | reaches beyond Z, all of it on p's side of 1 | `DirectionHolds`: the size is undecided |
//! | is a tie, and Z shares nothing with the band of ties | `DoesNotHold` |
//! | else | `Undecided` |
//!
//! A claim may state a direction alone ('fewer context switches'). It holds where all of I lies on that side of 1, does not hold
//! where all of I lies on the other side or I is a tie, and is undecided else.
//!
//! A wide interval therefore confirms nothing, and a narrower one within it never turns `DoesNotHold` into `Holds`. Without
//! an interval, or where p is not a finite number above zero, the outcome is `Undecided`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::interval::{Interval, band};

/// What came of a published ratio.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ClaimOutcome {
    /// The same size, to within the precision with which it was published.
    Holds,
    /// The same direction for certain; whether the size is the same is open.
    DirectionHolds,
    /// The same direction for certain, and another size.
    SameDirection,
    /// The other direction, or no difference where one was published, or one where none was published.
    DoesNotHold,
    /// The data do not show it.
    Undecided,
}

/// A ratio as it was published.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Published {
    /// The ratio.
    pub ratio: f64,
    /// How precisely it is to be taken, relative: the claim's own margin, or the study's.
    pub margin: f64,
    /// How many decimals were published, such as 3 for 1.067; `None` where that is not known.
    pub decimals: Option<u32>,
}

impl Published {
    /// The ratios that agree with the published one; see [this page](self).
    pub fn zone(&self) -> Interval {
        let stated = band(self.ratio, self.margin);
        // A whole number was hardly meant to half a unit: what is published as 2 is taken for 2.0.
        let half = self
            .decimals
            .map_or(0.0, |n| 0.5 * 10f64.powi(-(n.clamp(1, 15) as i32)));
        Interval {
            low: stated.low.min(self.ratio - half),
            high: stated.high.max(self.ratio + half),
        }
    }
}

/// A published direction without a size.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ClaimDirection {
    /// A ratio below 1.
    Less,
    /// A ratio above 1.
    More,
}

/// Judges a published direction by the measured interval, as [this page](self) says. Ratios within 1 ± `tie` are equal for all
/// practical purposes (the margin of a verdict).
pub fn judge_direction(
    stated: ClaimDirection,
    interval: Option<Interval>,
    tie: f64,
) -> ClaimOutcome {
    let Some(interval) = interval else {
        return ClaimOutcome::Undecided;
    };
    let (below, above) = (interval.high < 1.0, interval.low > 1.0);
    let (stated, other) = match stated {
        ClaimDirection::Less => (below, above),
        ClaimDirection::More => (above, below),
    };
    if other || interval.is_within(&band(1.0, tie)) {
        ClaimOutcome::DoesNotHold
    } else if stated {
        ClaimOutcome::Holds
    } else {
        ClaimOutcome::Undecided
    }
}

/// Judges a published ratio by the measured interval; the table is on [this page](self). Ratios within 1 ± `tie` are equal for
/// all practical purposes (the margin of a verdict).
pub fn judge_claim(published: &Published, interval: Option<Interval>, tie: f64) -> ClaimOutcome {
    let usable = published.ratio.is_finite() && published.ratio > 0.0;
    let Some(interval) = interval.filter(|_| usable) else {
        return ClaimOutcome::Undecided;
    };
    let zone = published.zone();
    let ties = band(1.0, tie);
    let agrees = interval.overlaps(&zone);
    // On p's side of 1: where p is 1 it has none.
    let same_side = (published.ratio > 1.0 && interval.low > 1.0)
        || (published.ratio < 1.0 && interval.high < 1.0);
    let other_side = published.ratio == 1.0
        || (published.ratio > 1.0 && interval.high <= 1.0)
        || (published.ratio < 1.0 && interval.low >= 1.0);
    if interval.is_within(&zone) {
        ClaimOutcome::Holds
    } else if same_side && agrees {
        ClaimOutcome::DirectionHolds
    } else if same_side {
        ClaimOutcome::SameDirection
    } else if (other_side && !agrees) || (interval.is_within(&ties) && !zone.overlaps(&ties)) {
        ClaimOutcome::DoesNotHold
    } else {
        ClaimOutcome::Undecided
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ClaimOutcome::{DirectionHolds, DoesNotHold, Holds, SameDirection, Undecided};
    use proptest::prelude::*;

    const TIE: f64 = 0.02;

    fn by_margin(ratio: f64, margin: f64) -> Published {
        Published {
            ratio,
            margin,
            decimals: None,
        }
    }

    fn outcome(published: f64, low: f64, high: f64) -> ClaimOutcome {
        judge_claim(&by_margin(published, 0.02), Interval::new(low, high), TIE)
    }

    /// Every row of the table, and its mirror image: p and I turned upside down.
    #[test]
    fn the_table() {
        for (published, low, high, expected) in [
            // 1.067 to within 2% is 1.046 … 1.088.
            (1.067, 1.05, 1.08, Holds),
            (1.067, 1.03, 1.09, DirectionHolds),
            (1.067, 1.09, 1.12, SameDirection),
            (1.067, 1.01, 1.03, SameDirection),
            (1.067, 0.90, 0.95, DoesNotHold),
            (1.067, 0.99, 1.01, DoesNotHold),
            (1.067, 0.95, 1.10, Undecided),
            // A wide interval confirms nothing.
            (2.0, 1.01, 50.0, DirectionHolds),
            (3.94, 0.95, 1.10, Undecided),
            (3.94, 0.99, 1.01, DoesNotHold),
            (3.94, 1.50, 2.00, SameDirection),
            (3.94, 1.01, 3.93, DirectionHolds),
            (3.94, 3.90, 4.00, Holds),
            // Near to 1 there is no jump between what was published as a small difference and as about none.
            (0.979, 0.95, 0.955, SameDirection),
            (0.981, 0.95, 0.955, SameDirection),
            (0.979, 0.95, 0.97, DirectionHolds),
            (0.981, 0.95, 0.97, DirectionHolds),
            (0.981, 1.010, 1.018, DoesNotHold),
            (0.968, 0.995, 1.005, Undecided),
            // 'Equal' was published.
            (1.0, 0.99, 1.01, Holds),
            (1.0, 1.001, 1.002, Holds),
            (1.0, 0.95, 1.10, Undecided),
            (1.0, 1.03, 1.05, DoesNotHold),
            (1.01, 1.005, 1.025, Holds),
            (1.01, 0.90, 0.95, DoesNotHold),
            (1.01, 1.05, 1.08, SameDirection),
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
    fn a_direction_alone() {
        use ClaimDirection::{Less, More};
        for (low, high, less) in [
            (0.50, 0.90, Holds),
            (0.97, 0.99, Holds),
            (1.03, 2.00, DoesNotHold),
            // A tie is no difference.
            (0.99, 1.01, DoesNotHold),
            (0.985, 0.995, DoesNotHold),
            (0.90, 1.01, Undecided),
            (0.99, 1.10, Undecided),
        ] {
            let judged = |stated, low, high| judge_direction(stated, Interval::new(low, high), TIE);
            assert_eq!(judged(Less, low, high), less, "{low} {high}");
            let (low, high) = (1.0 / high, 1.0 / low);
            assert_eq!(judged(More, low, high), less, "{low} {high}");
        }
        assert_eq!(judge_direction(Less, None, TIE), Undecided);
    }

    #[test]
    fn digits_that_were_published_widen_the_zone_where_they_are_coarser_than_the_margin() {
        let published = |ratio, decimals| Published {
            ratio,
            margin: 0.02,
            decimals: Some(decimals),
        };
        let near = |zone: Interval, low: f64, high: f64| {
            (zone.low - low).abs() < 1e-12 && (zone.high - high).abs() < 1e-12
        };
        // 0.4 stands for 0.35 … 0.45, which is 12%; 1.067 for ± 0.0005, far less than 2%.
        assert!(near(published(0.4, 1).zone(), 0.35, 0.45));
        assert!(near(published(1.067, 3).zone(), 1.067 / 1.02, 1.067 * 1.02));
        // A whole number is taken as if it had a decimal.
        assert!(near(published(2.0, 0).zone(), 1.95, 2.05));
        let interval = Interval::new(0.36, 0.44);
        assert_eq!(judge_claim(&published(0.4, 1), interval, TIE), Holds);
        assert_eq!(
            judge_claim(&published(0.4, 2), interval, TIE),
            DirectionHolds
        );
    }

    #[test]
    fn nothing_to_judge_is_undecided() {
        assert_eq!(judge_claim(&by_margin(1.1, 0.02), None, TIE), Undecided);
        for published in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            assert_eq!(outcome(published, 1.0, 1.1), Undecided);
        }
    }

    fn within(outer: Interval, from: f64, to: f64) -> Interval {
        let at = |share: f64| outer.low + (outer.high - outer.low) * share;
        Interval {
            low: at(from.min(to)),
            high: at(from.max(to)),
        }
    }

    proptest! {
        #[test]
        fn a_narrower_interval_never_turns_an_outcome_around(
            published in 0.5f64..2.0, low in 0.5f64..2.0, width in 0.0f64..0.5, margin in 0.0f64..0.1,
            from in 0.0f64..1.0, to in 0.0f64..1.0,
        ) {
            let wide = Interval { low, high: low * (1.0 + width) };
            let narrow = within(wide, from, to);
            let published = by_margin(published, margin);
            let judged = |interval| judge_claim(&published, Some(interval), TIE);
            match judged(wide) {
                Holds => prop_assert_eq!(judged(narrow), Holds),
                DirectionHolds => prop_assert!(matches!(judged(narrow), Holds | DirectionHolds | SameDirection)),
                SameDirection => prop_assert_eq!(judged(narrow), SameDirection),
                DoesNotHold => prop_assert!(judged(narrow) != Holds && judged(narrow) != DirectionHolds),
                Undecided => {}
            }
        }

        #[test]
        fn what_holds_lies_within_the_published_precision(
            published in 0.5f64..2.0, low in 0.5f64..2.0, width in 0.0f64..0.5, margin in 0.0f64..0.1,
        ) {
            let interval = Interval { low, high: low * (1.0 + width) };
            let published = by_margin(published, margin);
            if judge_claim(&published, Some(interval), TIE) == Holds {
                prop_assert!(interval.is_within(&published.zone()));
            }
        }

        #[test]
        fn a_point_at_the_published_ratio_holds(published in 0.5f64..2.0, margin in 0.0f64..0.1) {
            let point = Interval::new(published, published);
            prop_assert_eq!(judge_claim(&by_margin(published, margin), point, TIE), Holds);
        }
    }
}
