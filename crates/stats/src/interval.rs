//! A confidence interval.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A confidence interval, both ends included. Its ends are finite and in order.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Interval {
    /// The lower end.
    pub low: f64,
    /// The upper end.
    pub high: f64,
}

impl Interval {
    /// The interval from `low` to `high`; `None` unless both are finite and in order.
    pub fn new(low: f64, high: f64) -> Option<Interval> {
        (low.is_finite() && high.is_finite() && low <= high).then_some(Interval { low, high })
    }

    /// The smallest interval that has all of these in it; `None` of none, and if an end is not finite.
    pub fn around(values: impl IntoIterator<Item = f64>) -> Option<Interval> {
        let ends = |ends: Option<(f64, f64)>, value: f64| {
            let (low, high) = ends.unwrap_or((value, value));
            Some((low.min(value), high.max(value)))
        };
        let (low, high) = values.into_iter().fold(None, ends)?;
        Interval::new(low, high)
    }

    /// The interval of the ratio's reciprocal; `None` unless its ends are finite.
    pub fn recip(&self) -> Option<Interval> {
        Interval::new(self.high.recip(), self.low.recip())
    }

    /// By how much it reaches from the ratio in its (geometric) middle, as a share: √(high / low) − 1. `None` unless its ends are above zero.
    pub fn half_width(&self) -> Option<f64> {
        let half = (self.high / self.low).sqrt() - 1.0;
        (self.low > 0.0 && half.is_finite()).then_some(half)
    }

    /// Whether `value` lies in it.
    pub fn contains(&self, value: f64) -> bool {
        self.low <= value && value <= self.high
    }

    /// Whether all of it lies in `other`.
    pub fn is_within(&self, other: &Interval) -> bool {
        other.low <= self.low && self.high <= other.high
    }

    /// Whether it shares a point with `other`.
    pub fn overlaps(&self, other: &Interval) -> bool {
        self.low <= other.high && other.low <= self.high
    }

    /// The interval of a positive ratio, stretched by a relative `margin` to both sides:
    /// `[low / (1 + margin), high × (1 + margin)]`. A margin that is negative or no number counts as 0.
    pub fn stretched(&self, margin: f64) -> Interval {
        let factor = 1.0 + usable_margin(margin);
        Interval {
            low: self.low / factor,
            high: (self.high * factor).min(f64::MAX),
        }
    }
}

/// The band of ratios that count as equal to `ratio`: `[ratio / (1 + margin), ratio × (1 + margin)]`.
pub(crate) fn band(ratio: f64, margin: f64) -> Interval {
    Interval {
        low: ratio,
        high: ratio,
    }
    .stretched(margin)
}

/// A margin that can be used: 0 where it is negative or no number.
pub(crate) fn usable_margin(margin: f64) -> f64 {
    if margin.is_finite() {
        margin.max(0.0)
    } else {
        0.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ends_out_of_order_or_not_finite_make_no_interval() {
        assert_eq!(Interval::new(2.0, 1.0), None);
        assert_eq!(Interval::new(f64::NAN, 1.0), None);
        assert_eq!(Interval::new(0.0, f64::INFINITY), None);
        assert!(Interval::new(1.0, 1.0).is_some());
    }

    #[test]
    fn a_half_width_is_of_the_ratio_in_the_middle() {
        // 1.25 × 0.8 to 1.25 × 1.25.
        let half = Interval::new(1.0, 1.5625).and_then(|it| it.half_width());
        assert!(half.is_some_and(|half| (half - 0.25).abs() < 1e-12));
        for (low, high) in [(0.0, 1.0), (0.0, 0.0), (-1.0, 1.0)] {
            assert_eq!(
                Interval::new(low, high).and_then(|it| it.half_width()),
                None
            );
        }
    }

    #[test]
    fn a_band_is_symmetric_on_the_log_scale() {
        let band = band(2.0, 0.25);
        assert_eq!((band.low, band.high), (1.6, 2.5));
    }

    #[test]
    fn a_margin_that_is_no_number_stretches_nothing() {
        let interval = Interval {
            low: 0.9,
            high: 1.1,
        };
        assert_eq!(interval.stretched(f64::NAN), interval);
        assert_eq!(interval.stretched(-1.0), interval);
    }
}
