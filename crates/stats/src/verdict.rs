//! The verdict on a ratio, and how many rounds it would take.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::interval::{Interval, band, usable_margin};
use crate::paired::Paired;
use crate::student;

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

/// The chance of a verdict that [`rounds_needed`] plans for.
pub const POWER: f64 = 0.8;

/// The most rounds that [`rounds_needed`] looks at. Nobody runs more.
pub const MOST_ROUNDS: u32 = 10_000;

/// How many rounds in all (those already run included) give a verdict with a chance of at least [`POWER`], were the
/// mean and the spread seen so far the true ones; the number of rounds already run where they give one.
///
/// With R rounds, standard error e = s / √R, t the two-sided quantile at `alpha` with R − 1 degrees of
/// freedom and L = ln(1 + margin), the mean over e is about δ/e + T. The verdict is a difference where it is beyond
/// ± t, a tie where it is within ± (L/e − t), and open between; the smallest R for which the chance of 'open' is at most
/// 1 − POWER is the answer. (The usual iteration of the sample size of a t test, for a tie as well.)
///
/// `None` under 2 rounds, or when [`MOST_ROUNDS`] would not do. From three rounds or so the spread is known only
/// to a factor of two, and the answer to a factor of four: it is a plan, not a promise.
pub fn rounds_needed(paired: &Paired, alpha: f64, margin: f64) -> Option<u32> {
    let seen = u32::try_from(paired.rounds).ok()?;
    let interval = paired.interval(alpha, 0.0);
    if judge(interval, margin) != Direction::Undecided {
        return Some(seen);
    }
    let sd = paired.sd?;
    let enough = |rounds: u32| {
        chance_of_a_verdict(paired.mean, sd, rounds, alpha, margin)
            .is_some_and(|chance| chance >= POWER)
    };
    // Double until it is enough, then halve the last step: the chance rises with the rounds.
    let mut few = seen;
    let mut many = seen.saturating_add(1);
    while !enough(many) {
        if many >= MOST_ROUNDS {
            return None;
        }
        few = many;
        many = many.saturating_mul(2).min(MOST_ROUNDS);
    }
    while many - few > 1 {
        let middle = few + (many - few) / 2;
        if enough(middle) {
            many = middle;
        } else {
            few = middle;
        }
    }
    Some(many)
}

/// The chance that `rounds` rounds end in a verdict, were `mean` and `sd` of the log ratio the true ones.
fn chance_of_a_verdict(mean: f64, sd: f64, rounds: u32, alpha: f64, margin: f64) -> Option<f64> {
    let freedom = f64::from(rounds) - 1.0;
    let t = student::two_sided(alpha, rounds as usize)?;
    let error = sd / f64::from(rounds).sqrt();
    let shift = mean / error;
    let tie_within = (usable_margin(margin).ln_1p() / error - t).clamp(0.0, t);
    // |x| between the two is open, on either side, where x = shift + T.
    let above = |x: f64| student::tail_above(x - shift, freedom);
    let open_above = above(tie_within)? - above(t)?;
    let open_below = above(-t)? - above(-tie_within)?;
    Some(1.0 - open_above - open_below)
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

    fn seen(mean: f64, sd: f64, rounds: usize) -> Paired {
        Paired {
            rounds,
            mean,
            sd: Some(sd),
        }
    }

    /// A t test for a shift of one standard deviation at 5% with 80% power takes 10 (textbook tables, e.g. Cohen).
    #[test]
    fn a_shift_of_one_sd_takes_ten_rounds() {
        let needed = rounds_needed(&seen(0.05, 0.05, 3), 0.05, 0.0).expect("an answer");
        assert!((9..=11).contains(&needed), "{needed}");
    }

    /// A shift of half an sd takes 34 by the same tables.
    #[test]
    fn a_shift_of_half_an_sd_takes_thirty_four() {
        let needed = rounds_needed(&seen(-0.02, 0.04, 5), 0.05, 0.0).expect("an answer");
        assert!((32..=35).contains(&needed), "{needed}");
    }

    /// No shift: a tie needs (t + z_0.9) · s / √R ≤ ln 1.02. With s = 2.0% that is about (1.96 + 1.28)², 11 to 13.
    #[test]
    fn a_tie_has_its_price_too() {
        let needed = rounds_needed(&seen(0.0, 0.02, 3), 0.05, 0.02).expect("an answer");
        assert!((11..=14).contains(&needed), "{needed}");
    }

    #[test]
    fn what_is_decided_takes_no_more() {
        assert_eq!(rounds_needed(&seen(0.5, 0.001, 4), 0.05, 0.02), Some(4));
        assert_eq!(rounds_needed(&seen(0.0, 0.0, 2), 0.05, 0.02), Some(2));
    }

    #[test]
    fn what_cannot_be_reached_or_told_is_none() {
        assert_eq!(rounds_needed(&seen(0.0, 0.5, 5), 0.05, 0.0), None);
        let one = Paired::new(&[(1.0, 2.0)]).expect("a round");
        assert_eq!(rounds_needed(&one, 0.05, 0.02), None);
        assert_eq!(rounds_needed(&seen(0.01, 0.05, 5), f64::NAN, 0.02), None);
    }

    #[test]
    fn more_spread_takes_more_rounds() {
        let mut last = 0;
        for sd in [0.01, 0.02, 0.05, 0.1, 0.2] {
            let needed = rounds_needed(&seen(0.01, sd, 2), 0.05, 0.02).expect("an answer");
            assert!(needed >= last, "{needed} after {last}");
            last = needed;
        }
    }
}
