//! How many rounds a verdict takes, and what a number of rounds can tell apart.

use crate::correlation::stretch;
use crate::interval::usable_margin;
use crate::paired::Paired;
use crate::student;
use crate::verdict::{Direction, judge};

/// The chance of a verdict that is planned for.
pub const POWER: f64 = 0.8;

/// The most rounds that are planned for. Nobody runs more.
pub const MOST_ROUNDS: u32 = 10_000;

/// How many rounds in all (those already run included) give a verdict with a chance of at least [`POWER`], were the
/// mean and the spread seen so far the true ones; the number of rounds already run where they give one.
///
/// With R rounds, standard error e = s / √R, t the two-sided quantile at `alpha` with R − 1 degrees of
/// freedom and L = ln(1 + margin), the mean over e is about δ/e + T. The verdict is a difference where it is beyond
/// ± t, a tie where it is within ± (L/e − t), and open between; the smallest R for which the chance of 'open' is at most
/// 1 − POWER is the number. (The usual iteration of the sample size of a t test, for a tie as well.)
///
/// `None` under 2 rounds, or when [`MOST_ROUNDS`] would not do. From three rounds or so the spread is known only
/// to a factor of two, and the number of rounds to a factor of four: it is a plan, not a promise.
pub fn rounds_needed(paired: &Paired, alpha: f64, margin: f64) -> Option<u32> {
    let seen = u32::try_from(paired.rounds).ok()?;
    let interval = paired.interval(alpha, 0.0);
    if judge(interval, margin) != Direction::Undecided {
        return Some(seen);
    }
    let sd = paired.sd? * stretch(paired.correlation, paired.rounds);
    let help = paired.freedom - (f64::from(seen) - 1.0);
    let enough = |rounds: u32| {
        chance_of_a_verdict(paired.mean, sd, rounds, help, alpha, margin)
            .is_some_and(|chance| chance >= POWER)
    };
    smallest_above(seen, enough)
}

/// Returns the smallest number of rounds above `few` that is enough, if more rounds are always enough, too; `None` if [`MOST_ROUNDS`] are
/// not.
pub(crate) fn smallest_above(mut few: u32, enough: impl Fn(u32) -> bool) -> Option<u32> {
    // Double until it is enough, then halve the last step.
    let mut many = few.saturating_add(1);
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

/// The chance that `rounds` rounds end in a verdict, were `mean` and `sd` of the log ratio the true ones. `help`: the degrees of freedom
/// that other targets' spreads add.
fn chance_of_a_verdict(
    mean: f64,
    sd: f64,
    rounds: u32,
    help: f64,
    alpha: f64,
    margin: f64,
) -> Option<f64> {
    let freedom = f64::from(rounds) - 1.0 + help;
    let t = student::two_sided_of(alpha, freedom)?;
    let error = sd / f64::from(rounds).sqrt();
    let shift = mean / error;
    let tie_within = (usable_margin(margin).ln_1p() / error - t).clamp(0.0, t);
    // |x| between the two is open, on either side, where x = shift + T.
    let above = |x: f64| student::tail_above(x - shift, freedom);
    let open_above = above(tie_within)? - above(t)?;
    let open_below = above(-t)? - above(-tie_within)?;
    Some(1.0 - open_above - open_below)
}

/// The chance that the data are decided after `later` rounds in all, given those of `paired`, by an interval at level `alpha` for a
/// difference and at level `alone` for a tie.
///
/// With n rounds so far, mean m and spread s, the mean of N rounds is about m + T s √((N − n) / (N n)), T with the degrees of freedom
/// of s (the predictive distribution), and the half-width then about t s / √N. `None` under 2 rounds, or for no more
/// rounds than there are.
pub fn chance_later(
    paired: &Paired,
    later: usize,
    (alpha, alone): (f64, f64),
    margin: f64,
) -> Option<f64> {
    let (now, then) = (paired.rounds as f64, later as f64);
    let sd = paired.sd? * stretch(paired.correlation, paired.rounds);
    if later <= paired.rounds {
        return None;
    }
    let freedom = paired.freedom + then - now;
    let half = student::two_sided_of(alpha, freedom)? * sd / then.sqrt();
    let tie_half = student::two_sided_of(alone, freedom)? * sd / then.sqrt();
    let tie_within = (usable_margin(margin).ln_1p() - tie_half).clamp(0.0, half);
    let error = sd * ((then - now) / (then * now)).sqrt();
    if error == 0.0 {
        let mean = paired.mean.abs();
        return Some(f64::from(u8::from(mean > half || mean <= tie_within)));
    }
    let above = |bound: f64| student::tail_above((bound - paired.mean) / error, paired.freedom);
    let open_above = above(tie_within)? - above(half)?;
    let open_below = above(-half)? - above(-tie_within)?;
    Some((1.0 - open_above - open_below).clamp(0.0, 1.0))
}

/// The smallest difference that `rounds` rounds find with a chance of at least [`POWER`] where the log ratio of two targets
/// has the standard deviation `sd` (√2 times that of one target's), as a ratio above 1. `None` under 2
/// rounds, or where `sd` or `alpha` says nothing.
pub fn detectable_ratio(sd: f64, rounds: u32, alpha: f64) -> Option<f64> {
    if !(sd.is_finite() && sd > 0.0) {
        return (sd == 0.0).then_some(1.0);
    }
    let found = |shift: f64| {
        chance_of_a_verdict(shift * sd, sd, rounds, 0.0, alpha, 0.0).is_some_and(|c| c >= POWER)
    };
    let (mut missed, mut enough) = (0.0, 1.0);
    while !found(enough) {
        missed = enough;
        enough *= 2.0;
        if enough > 1e6 {
            return None;
        }
    }
    for _ in 0..40 {
        let middle = (missed + enough) / 2.0;
        if found(middle) {
            enough = middle;
        } else {
            missed = middle;
        }
    }
    let ratio = (enough * sd).exp();
    ratio.is_finite().then_some(ratio)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seen(mean: f64, sd: f64, rounds: usize) -> Paired {
        Paired {
            rounds,
            mean,
            sd: Some(sd),
            freedom: rounds as f64 - 1.0,
            correlation: 0.0,
            uncertainty: 0.0,
        }
    }

    /// A t test for a shift of one standard deviation at 5% with 80% power takes 10 (textbook tables, e.g. Cohen).
    #[test]
    fn a_shift_of_one_sd_takes_ten_rounds() {
        let needed = rounds_needed(&seen(0.05, 0.05, 3), 0.05, 0.0).expect("a number");
        assert!((9..=11).contains(&needed), "{needed}");
    }

    /// A shift of half an sd takes 34 by the same tables.
    #[test]
    fn a_shift_of_half_an_sd_takes_thirty_four() {
        let needed = rounds_needed(&seen(-0.02, 0.04, 5), 0.05, 0.0).expect("a number");
        assert!((32..=35).contains(&needed), "{needed}");
    }

    /// No shift: a tie needs (t + z_0.9) · s / √R ≤ ln 1.02. With s = 2.0% that is about (1.96 + 1.28)², 11 to 13.
    #[test]
    fn a_tie_has_its_price_too() {
        let needed = rounds_needed(&seen(0.0, 0.02, 3), 0.05, 0.02).expect("a number");
        assert!((11..=14).contains(&needed), "{needed}");
    }

    #[test]
    fn what_is_decided_takes_no_more() {
        assert_eq!(rounds_needed(&seen(0.5, 0.001, 4), 0.05, 0.02), Some(4));
        // Two rounds that agree say nothing of how much rounds differ.
        assert_eq!(rounds_needed(&seen(0.0, 0.0, 2), 0.05, 0.02), None);
    }

    #[test]
    fn what_cannot_be_reached_or_known_is_none() {
        assert_eq!(rounds_needed(&seen(0.0, 0.5, 5), 0.05, 0.0), None);
        let one = Paired::new(&[(1.0, 2.0)]).expect("a round");
        assert_eq!(rounds_needed(&one, 0.05, 0.02), None);
        assert_eq!(rounds_needed(&seen(0.01, 0.05, 5), f64::NAN, 0.02), None);
    }

    #[test]
    fn more_spread_takes_more_rounds() {
        let mut last = 0;
        for sd in [0.01, 0.02, 0.05, 0.1, 0.2] {
            let needed = rounds_needed(&seen(0.01, sd, 2), 0.05, 0.02).expect("a number");
            assert!(needed >= last, "{needed} after {last}");
            last = needed;
        }
    }

    /// How often runs of 20 rounds are decided whose chance after 10 is said to be so much: on average as often as said.
    #[test]
    fn the_chance_of_a_later_decision_is_what_comes_of_it() {
        use crate::random::Simulated;
        let mut random = Simulated::new(5);
        // After 10 of 20 rounds at 5%, where it is anyone's guess, and after 16 at 0.5%, where it seldom is.
        let mut share = |rounds: usize, alpha: f64, below: f64| {
            let [mut reported, mut came, mut runs] = [0.0; 3];
            for _ in 0..2000 {
                // Differences from none to 3%, noise 3%.
                let shift = 0.03 * random.uniform();
                let pairs: Vec<(f64, f64)> = (0..20)
                    .map(|_| ((shift + 0.03 * random.normal()).exp(), 1.0))
                    .collect();
                let judged = |rounds: usize| Paired {
                    correlation: 0.0,
                    ..Paired::new(&pairs[..rounds]).expect("rounds")
                };
                let levels = (alpha, alpha);
                let chance = chance_later(&judged(rounds), 20, levels, 0.005).expect("a chance");
                if chance > below {
                    continue;
                }
                let decided = judge(judged(20).interval(alpha, 0.0), 0.005);
                runs += 1.0;
                reported += chance;
                came += f64::from(u8::from(decided != Direction::Undecided));
            }
            (reported / runs, came / runs, runs)
        };
        let (reported, came, _) = share(10, 0.05, 1.0);
        assert!((reported - came).abs() < 0.04, "{reported} {came}");
        let (reported, came, runs) = share(16, 0.005, 0.05);
        println!("below 5%: {runs} runs of 2,000, reported {reported}, came {came}");
        assert!(runs > 100.0 && came < 0.05, "{reported} {came} of {runs}");
    }

    #[test]
    fn what_comes_later_by_hand() {
        // No spread: it is as it is.
        assert_eq!(
            chance_later(&seen(0.1, 0.0, 5), 9, (0.05, 0.05), 0.02),
            Some(1.0)
        );
        // A mean far beyond the half-width is as good as decided, and none within many of them is hopeless.
        let clear = chance_later(&seen(0.1, 0.01, 8), 20, (0.05, 0.05), 0.0);
        assert!(clear.is_some_and(|chance| chance > 0.999));
        let hopeless = chance_later(&seen(0.0, 0.5, 18), 20, (0.001, 0.05), 0.02);
        assert!(
            hopeless.is_some_and(|chance| chance < 0.001),
            "{hopeless:?}"
        );
        assert_eq!(chance_later(&seen(0.1, 0.1, 5), 5, (0.05, 0.05), 0.0), None);
    }

    /// 1% noise a process is 1.41% between two; 10 rounds find one such sd (the table above): 1.4%.
    #[test]
    fn what_rounds_can_tell_apart() {
        let sd = 0.01 * 2f64.sqrt();
        let ten = detectable_ratio(sd, 10, 0.05).expect("a ratio");
        assert!((ten - 1.0142).abs() < 0.0006, "{ten}");
        let three = detectable_ratio(sd, 3, 0.05).expect("a ratio");
        assert!(three > 1.03 && three < 1.06, "{three}");
        assert_eq!(detectable_ratio(0.0, 5, 0.05), Some(1.0));
        for (sd, rounds, alpha) in [
            (0.1, 1, 0.05),
            (f64::NAN, 5, 0.05),
            (0.1, 5, 0.0),
            (1e9, 3, 0.05),
        ] {
            assert_eq!(detectable_ratio(sd, rounds, alpha), None);
        }
    }
}
