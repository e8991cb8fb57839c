//! The verdict on a ratio.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::interval::{Interval, band};

/// On which side of 1 a ratio is. What that means (faster, slower) depends on the metric.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Direction {
    /// Above 1.
    Above,
    /// Below 1.
    Below,
    /// Within the margin of 1.
    Tie,
    /// The data do not tell.
    Undecided,
}

/// The verdict on a ratio with this interval.
///
/// | interval | verdict |
/// |---|---|
/// | excludes 1 | `Above` or `Below`, also where all of it is within the margin |
/// | includes 1, lies within [1 / (1 + margin), 1 + margin] | `Tie` |
/// | else, or no interval | `Undecided` |
///
/// A tie needs evidence, as a difference does: that an interval includes 1 is none. (An interval within a margin
/// is the two one-sided tests of Schuirmann, *Journal of Pharmacokinetics and Biopharmaceutics* 15, 1987, at
/// half the interval's level, so it is stricter than they ask for.)
pub fn judge(interval: Option<Interval>, margin: f64) -> Direction {
    match interval {
        Some(interval) if interval.low > 1.0 => Direction::Above,
        Some(interval) if interval.high < 1.0 => Direction::Below,
        Some(interval) if interval.is_within(&band(1.0, margin)) => Direction::Tie,
        _ => Direction::Undecided,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn verdict(low: f64, high: f64) -> Direction {
        judge(Interval::new(low, high), 0.02)
    }

    #[test]
    fn the_verdict_by_cases() {
        assert_eq!(verdict(1.001, 1.3), Direction::Above);
        assert_eq!(verdict(0.7, 0.999), Direction::Below);
        assert_eq!(verdict(0.99, 1.015), Direction::Tie);
        assert_eq!(verdict(1.0, 1.0), Direction::Tie);
        assert_eq!(verdict(0.97, 1.01), Direction::Undecided);
        assert_eq!(verdict(0.99, 1.03), Direction::Undecided);
        assert_eq!(judge(None, 0.02), Direction::Undecided);
        // A difference that is sure but small is a difference.
        assert_eq!(verdict(1.001, 1.005), Direction::Above);
        // Without a usable margin only 'exactly equal' is a tie.
        assert_eq!(
            judge(Interval::new(0.99, 1.01), f64::NAN),
            Direction::Undecided
        );
        assert_eq!(judge(Interval::new(1.0, 1.0), -1.0), Direction::Tie);
    }
}
