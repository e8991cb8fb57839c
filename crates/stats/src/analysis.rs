//! What each analysis of a run makes of a comparison.
//!
//! - A difference is called when the interval at the level of the bound excludes 1. The call stands as long as the ordinary interval
//!   excludes 1, too; otherwise it is withdrawn.
//! - A tie is called from [`FEWEST_FOR_TIE`] rounds on, if the ordinary interval of a single comparison lies within the margin. Before the last
//!   analysis the p-value must also be at least [`TIE_P`], or a true difference within the margin would often be tied before it can be called.
//!   Ties spend no error.
//! - Two rounds call no difference below 10%, and three none below 3% ([`least_call`]): so few processes may agree by chance.
//!
//! The interval of a call or a tie is the ordinary one. Until then it is the interval at the bound, so an undecided comparison never has an
//! interval without 1.

use crate::interval::Interval;
use crate::paired::Paired;
use crate::verdict::{Direction, judge};

/// Fewer rounds call no tie.
pub const FEWEST_FOR_TIE: usize = 3;
/// The smallest p-value with which a tie is called before the last analysis.
pub const TIE_P: f64 = 0.2;

/// The smallest relative difference that this many rounds call.
pub fn least_call(rounds: usize) -> f64 {
    match rounds {
        0..=2 => 0.1,
        3 => 0.03,
        _ => 0.0,
    }
}

/// An analysis of one comparison.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Analysis {
    /// The round after which it takes place.
    pub after: u32,
    /// Whether no other one follows.
    pub is_last: bool,
    /// The level of the bound, for this comparison.
    pub bound: f64,
    /// The level of an ordinary interval of this comparison: its share of the error of all comparisons.
    pub share: f64,
    /// The level of an ordinary interval of a single comparison.
    pub alone: f64,
    /// A ratio within 1 ± margin is a tie.
    pub margin: f64,
    /// No relative difference below this can be seen.
    pub resolution: f64,
}

/// What came of a comparison by its last analysis.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Decision {
    /// On which side of 1 the ratio is; `None` without an interval.
    pub direction: Option<Direction>,
    /// The interval to show.
    pub interval: Option<Interval>,
    /// The level of that interval, as a probability of error.
    pub level: f64,
    /// The round of the analysis that decided it.
    pub decided_after: Option<u32>,
    /// The round of the analysis that withdrew an earlier decision, if it is undecided since then.
    pub withdrawn_after: Option<u32>,
}

impl Analysis {
    /// What this analysis makes of a comparison, after what earlier analyses made of it.
    pub fn of(&self, paired: &Paired, before: &Decision) -> Decision {
        let rounds = paired.rounds;
        let reach = self.resolution.max(least_call(rounds));
        let Some(at_bound) = paired.interval(self.bound, reach) else {
            return *before;
        };
        let (own, alone) = (
            paired.interval(self.share, self.resolution),
            paired.interval(self.alone, self.resolution),
        );
        let is_tie = || {
            let may_tie = self.is_last || paired.p_value().is_some_and(|p| p >= TIE_P);
            rounds >= FEWEST_FOR_TIE && may_tie && lies_within(alone, self.margin)
        };
        let called = difference(Some(at_bound));
        let stands = || difference(own).filter(|own| before.direction == Some(*own));
        let (direction, interval, level) = match called.or_else(stands) {
            Some(called) => (called, own, self.share),
            None if is_tie() => (Direction::Tie, alone, self.alone),
            None => (Direction::Undecided, Some(at_bound), self.bound),
        };
        let (decided_after, withdrawn_after) = match direction {
            Direction::Undecided if before.decided_after.is_some() => (None, Some(self.after)),
            Direction::Undecided => (None, before.withdrawn_after),
            _ if before.direction == Some(direction) => (before.decided_after, None),
            _ => (Some(self.after), None),
        };
        Decision {
            direction: Some(direction),
            interval,
            level,
            decided_after,
            withdrawn_after,
        }
    }

    /// What the rounds show before the first analysis: undecided, with the interval at this bound.
    pub fn ahead_of(&self, paired: &Paired) -> Decision {
        let reach = self.resolution.max(least_call(paired.rounds));
        let interval = paired.interval(self.bound, reach);
        Decision {
            direction: interval.map(|_| Direction::Undecided),
            interval,
            level: self.bound,
            ..Decision::default()
        }
    }
}

/// The side of 1 on which all of an interval lies.
fn difference(interval: Option<Interval>) -> Option<Direction> {
    let found = judge(interval, 0.0);
    matches!(found, Direction::Above | Direction::Below).then_some(found)
}

fn lies_within(interval: Option<Interval>, margin: f64) -> bool {
    interval.is_some_and(|interval| interval.is_within(&crate::interval::band(1.0, margin)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn paired(rounds: usize, mean: f64, sd: f64) -> Paired {
        Paired {
            rounds,
            mean,
            sd: Some(sd),
            freedom: rounds as f64 - 1.0,
            correlation: 0.0,
            uncertainty: 0.0,
        }
    }

    const THIRD: Analysis = Analysis {
        after: 3,
        is_last: false,
        bound: 0.0075,
        share: 0.05,
        alone: 0.05,
        margin: 0.02,
        resolution: 0.0,
    };

    fn direction(analysis: Analysis, paired: &Paired) -> Option<Direction> {
        analysis.of(paired, &Decision::default()).direction
    }

    #[test]
    fn few_rounds_call_no_small_difference() {
        let second = Analysis { after: 2, ..THIRD };
        for (analysis, rounds, small, large) in [(second, 2, 1.09, 1.11), (THIRD, 3, 1.029, 1.031)]
        {
            let of =
                |ratio: f64| analysis.of(&paired(rounds, ratio.ln(), 1e-9), &Decision::default());
            let (small, large) = (of(small), of(large));
            assert_eq!(small.direction, Some(Direction::Undecided));
            assert!(
                small
                    .interval
                    .is_some_and(|interval| interval.contains(1.0))
            );
            assert_eq!(large.direction, Some(Direction::Above));
            assert_eq!(large.decided_after, Some(rounds as u32));
        }
        // Two rounds that agree to the last digit still have an interval of 10% to either side, and are no tie.
        let equal = second.of(&paired(2, 0.0, 0.0), &Decision::default());
        let interval = equal.interval.expect("an interval");
        assert!((interval.high - 1.1).abs() < 1e-12 && (interval.low * 1.1 - 1.0).abs() < 1e-12);
        assert_eq!(equal.direction, Some(Direction::Undecided));
    }

    /// Three rounds, s = 0.2%: s/√3 = 0.115%, and t(2, 97.5%) = 4.303 makes ±0.497%. A mean of 0.1% has p = 0.48, one of 0.3% p = 0.12.
    #[test]
    fn a_tie_needs_an_ordinary_interval_within_the_margin() {
        assert_eq!(
            direction(THIRD, &paired(3, 0.001, 0.002)),
            Some(Direction::Tie)
        );
        let unlikely = paired(3, 0.003, 0.002);
        assert_eq!(direction(THIRD, &unlikely), Some(Direction::Undecided));
        let last = Analysis {
            is_last: true,
            ..THIRD
        };
        assert_eq!(direction(last, &unlikely), Some(Direction::Tie));
        // ±2.5%
        assert_eq!(
            direction(last, &paired(3, 0.0, 0.01)),
            Some(Direction::Undecided)
        );
    }

    /// 1.0104 [1.0007, 1.0197] excludes 1 as one of three comparisons, but lies within ±2%: a tie, if Holm's procedure calls no difference.
    #[test]
    fn a_tie_is_called_by_the_ordinary_interval() {
        let half = (1.0197_f64 / 1.0007).ln() / 2.0;
        let sd = half / 4.302_653 * 3f64.sqrt();
        let analysis = Analysis {
            is_last: true,
            bound: 0.05 / 3.0,
            share: 0.05 / 3.0,
            ..THIRD
        };
        let outcome = analysis.of(&paired(3, 1.0007_f64.ln() + half, sd), &Decision::default());
        assert_eq!(outcome.direction, Some(Direction::Tie));
        let interval = outcome.interval.expect("an interval");
        assert!((interval.low - 1.0007).abs() < 1e-6 && (interval.high - 1.0197).abs() < 1e-6);
        assert_eq!(outcome.level, 0.05);
    }

    /// Four rounds, s = 1%: the standard error is 0.5%. At the bound |t| is 5.84, in an ordinary interval 3.18.
    #[test]
    fn the_interval_is_that_of_the_bound_until_a_call() {
        let bound = 0.01;
        let fourth = Analysis {
            after: 4,
            bound,
            ..THIRD
        };
        let open = fourth.of(&paired(4, 0.02, 0.01), &Decision::default());
        assert_eq!(
            (open.direction, open.level),
            (Some(Direction::Undecided), bound)
        );
        assert!(open.interval.is_some_and(|interval| interval.contains(1.0)));
        let called = fourth.of(&paired(4, 0.04, 0.01), &Decision::default());
        assert_eq!(
            (called.direction, called.level),
            (Some(Direction::Above), 0.05)
        );
        let interval = called.interval.expect("an interval");
        assert!((interval.low.ln() - (0.04 - 3.182_446 * 0.005)).abs() < 1e-6);
        assert_eq!(called.decided_after, Some(4));
        // At the next analysis the ordinary interval still excludes 1, though the bound is not passed: the call stands …
        let fifth = Analysis { after: 5, ..fourth };
        let stands = fifth.of(&paired(5, 0.02, 0.012), &called);
        assert_eq!(stands.direction, Some(Direction::Above));
        assert_eq!(stands.decided_after, Some(4));
        // … until it includes 1.
        let withdrawn = fifth.of(&paired(5, 0.02, 0.03), &called);
        assert_eq!(withdrawn.direction, Some(Direction::Undecided));
        assert_eq!(
            (withdrawn.decided_after, withdrawn.withdrawn_after),
            (None, Some(5))
        );
    }

    #[test]
    fn one_round_has_no_outcome() {
        let one = Paired::new(&[(1.0, 2.0)]).expect("a round");
        assert_eq!(THIRD.of(&one, &Decision::default()), Decision::default());
        assert_eq!(THIRD.ahead_of(&one).direction, None);
    }
}
