//! How narrow an interval is after a number of rounds, and how many rounds a half-width takes.
//!
//! `--half-width` adds rounds until the interval of a ratio is narrow enough. With the spread s that was seen, R rounds have an interval
//! of ± t s / √R in logarithms. t is the two-sided quantile at the interval's level, with the degrees of freedom that R rounds have. The
//! smallest R for which that is at most ln(1 + h) is the number of rounds for the half-width h. From few rounds s itself is hardly known, so
//! the number has a range: the numbers at the ends of the 80% interval of s (χ²).
//!
//! Rounds of several pairs of machines have one spread, pooled within the pairs, so k pairs cost k − 1 degrees of freedom. The ratio is then
//! the one on these machines (equal weights); other machines may have another.

use statrs::distribution::{ChiSquared, ContinuousCDF};

use crate::paired::Paired;
use crate::planning::smallest_above;

/// The fewest rounds that a half-width takes: a narrow interval from fewer is luck.
pub const FEWEST: u32 = 5;

/// The most pairs of machines that are planned for.
pub const MOST_PAIRS: u32 = 32;

/// Each pair of machines has at least two rounds: a single one does not show how much they differ.
const ROUNDS_OF_A_PAIR: u32 = 2;

/// The probability that the spread lies below the range of the spread, and that it lies above.
const TAIL: f64 = 0.1;

/// The rounds of a comparison, from which the width of its interval after other numbers of rounds follows.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Width {
    /// The rounds so far.
    pub paired: Paired,
    /// The level of the interval, such as 0.05 for 95%.
    pub alpha: f64,
    /// No interval is narrower than this, relative to the ratio.
    pub resolution: f64,
}

impl Width {
    /// The half-width of the interval of the rounds so far, as a share of the ratio; `None` under two rounds.
    pub fn so_far(&self) -> Option<f64> {
        self.of(self.paired)
    }

    /// The half-width after `rounds` rounds in all, dealt out over `pairs` pairs of machines; `None` if that leaves no degrees of freedom.
    pub fn after(&self, rounds: u32, pairs: u32) -> Option<f64> {
        let more = f64::from(rounds) - self.paired.rounds as f64;
        self.of(Paired {
            rounds: rounds as usize,
            freedom: self.paired.freedom + more - (f64::from(pairs) - 1.0),
            ..self.paired
        })
    }

    fn of(&self, paired: Paired) -> Option<f64> {
        paired.interval(self.alpha, self.resolution)?.half_width()
    }

    /// How many rounds in all, dealt out over `pairs` pairs of machines, have an interval of at most `half_width` to either side; at least
    /// [`FEWEST`], and two for each pair. `None` if no practical number does, or there are fewer than two rounds so far.
    pub fn rounds_for(&self, half_width: f64, pairs: u32) -> Option<u32> {
        let fewest = FEWEST.max(ROUNDS_OF_A_PAIR * pairs);
        let enough = |rounds| {
            let half = self.after(rounds, pairs);
            half.is_some_and(|half| half <= half_width)
        };
        smallest_above(fewest - 1, enough)
    }

    /// The same comparison with the spread at the lower and at the upper end of its 80% interval; `None` under two rounds.
    pub fn range(&self) -> Option<[Width; 2]> {
        let (sd, freedom) = (self.paired.sd?, self.paired.freedom);
        let squares = ChiSquared::new(freedom).ok()?;
        let at = |tail: f64| Width {
            paired: Paired {
                sd: Some(sd * (freedom / squares.inverse_cdf(tail)).sqrt()),
                ..self.paired
            },
            ..*self
        };
        Some([at(1.0 - TAIL), at(TAIL)])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Simulated;
    use crate::student;
    use crate::summary::mean_and_sd;

    fn width(sd: f64, rounds: usize) -> Width {
        Width {
            paired: Paired {
                rounds,
                mean: 0.3,
                sd: Some(sd),
                freedom: rounds as f64 - 1.0,
                correlation: 0.0,
                uncertainty: 0.0,
            },
            alpha: 0.05,
            resolution: 0.0,
        }
    }

    /// s = 3%: after 9 rounds t = 2.306004, so 2.306004 · 0.03 / 3 in logarithms.
    #[test]
    fn half_widths_by_hand() {
        let half = width(0.03, 4).after(9, 1).expect("a half-width");
        assert!((half - 0.023_060_04_f64.exp_m1()).abs() < 1e-8, "{half}");
        // Of three pairs t has 6 degrees of freedom: 2.446912.
        let half = width(0.03, 4).after(9, 3).expect("a half-width");
        assert!((half - 0.024_469_12_f64.exp_m1()).abs() < 1e-8, "{half}");
        // Others' help stays: 3 + 20 degrees of freedom are 8 + 20 after 9 rounds (2.048407).
        let helped = Width {
            paired: Paired {
                freedom: 23.0,
                ..width(0.03, 4).paired
            },
            ..width(0.03, 4)
        };
        let half = helped.after(9, 1).expect("a half-width");
        assert!((half - 0.020_484_07_f64.exp_m1()).abs() < 1e-8, "{half}");
        let so_far = width(0.03, 4).so_far().expect("a half-width");
        assert_eq!(width(0.03, 4).after(4, 1), Some(so_far));
    }

    /// ±2% at s = 3%: 11 rounds have 2.228139 · 0.03 / √11 = 0.020155 > ln 1.02 = 0.019803, and 12 have 2.200985 · 0.03 / √12 = 0.019061.
    #[test]
    fn rounds_by_hand() {
        assert_eq!(width(0.03, 4).rounds_for(0.02, 1), Some(12));
        // With 12 − 3 degrees of freedom t = 2.262157, and 0.019591 is still enough.
        assert_eq!(width(0.03, 4).rounds_for(0.02, 3), Some(12));
        // A pair has two rounds.
        assert_eq!(width(0.003, 4).rounds_for(0.02, 1), Some(FEWEST));
        assert_eq!(width(0.003, 4).rounds_for(0.02, 8), Some(16));
    }

    #[test]
    fn what_no_number_of_rounds_reaches_or_is_not_known_is_none() {
        let coarse = Width {
            resolution: 0.03,
            ..width(0.001, 4)
        };
        assert_eq!(coarse.rounds_for(0.02, 1), None);
        let uncertain = Width {
            paired: Paired {
                uncertainty: 0.02,
                ..width(0.001, 4).paired
            },
            ..width(0.001, 4)
        };
        assert_eq!(uncertain.rounds_for(0.02, 1), None);
        assert_eq!(width(3.0, 4).rounds_for(0.01, 1), None);
        assert_eq!(width(0.03, 4).rounds_for(0.0, 1), None);
        assert_eq!(width(0.03, 4).rounds_for(f64::NAN, 1), None);
        let one = Width {
            paired: Paired::new(&[(1.0, 2.0)]).expect("a round"),
            ..width(0.03, 4)
        };
        assert_eq!((one.so_far(), one.range()), (None, None));
        assert_eq!(one.rounds_for(0.02, 1), None);
    }

    /// χ² with 4 degrees of freedom has its 10% and 90% quantiles at 1.063623 and 7.779440.
    #[test]
    fn the_range_of_a_spread_by_hand() {
        let range = width(0.03, 5).range().expect("a range");
        let sds = range.map(|width| width.paired.sd.expect("an sd"));
        let expected = [7.779_440, 1.063_623].map(|squares: f64| 0.03 * (4.0 / squares).sqrt());
        for (sd, expected) in sds.iter().zip(expected) {
            assert!((sd / expected - 1.0).abs() < 1e-5, "{sds:?}");
        }
    }

    /// A run of rounds with this spread: their log ratios.
    fn rounds(random: &mut Simulated, sd: f64, count: usize) -> Vec<f64> {
        (0..count).map(|_| sd * random.normal()).collect()
    }

    fn seen(logs: &[f64]) -> Width {
        let pairs: Vec<(f64, f64)> = logs.iter().map(|log| (log.exp(), 1.0)).collect();
        let paired = Paired {
            correlation: 0.0,
            ..Paired::new(&pairs).expect("rounds")
        };
        Width {
            paired,
            ..width(1.0, 2)
        }
    }

    /// Runs that add rounds until the half-width is reached: half of them need about as many as planned from the true spread.
    #[test]
    fn as_many_rounds_are_planned_as_a_run_then_takes() {
        let mut random = Simulated::new(60);
        for (sd, half) in [(0.02, 0.02), (0.03, 0.02), (0.05, 0.02), (0.02, 0.01)] {
            let planned = width(sd, 100).rounds_for(half, 1).expect("a number");
            let mut took: Vec<usize> = (0..1000)
                .map(|_| {
                    let mut logs = rounds(&mut random, sd, FEWEST as usize);
                    while seen(&logs).so_far().is_none_or(|reached| reached > half) {
                        logs.extend(rounds(&mut random, sd, 1));
                    }
                    logs.len()
                })
                .collect();
            took.sort_unstable();
            let median = took[took.len() / 2];
            println!("sd {sd}, ±{half}: planned {planned}, median {median}");
            let off = median as f64 / f64::from(planned) - 1.0;
            assert!(off.abs() < 0.2, "{sd} {half}: {planned} {median}");
        }
    }

    /// From a few rounds: the range holds the number of the true spread in 80 of 100 plans.
    #[test]
    fn the_range_holds_the_number_that_it_takes() {
        const PLANS: usize = 2000;
        let mut random = Simulated::new(61);
        let (sd, half) = (0.05, 0.02);
        let needed = width(sd, 100).rounds_for(half, 1).expect("a number");
        for count in [3, 5, 10] {
            let holds = (0..PLANS).filter(|_| {
                let range = seen(&rounds(&mut random, sd, count))
                    .range()
                    .expect("a range");
                let [low, high] = range.map(|width| width.rounds_for(half, 1));
                low.is_some_and(|low| low <= needed) && high.is_none_or(|high| needed <= high)
            });
            let share = holds.count() as f64 / PLANS as f64;
            println!("{count} rounds: the range holds {needed} in {share}");
            assert!((0.77..=0.85).contains(&share), "{count}: {share}");
        }
    }

    /// Rounds that are dealt out over pairs of machines with ratios of their own: the interval from the spread within the pairs is as
    /// narrow as planned, and covers the mean of these machines' ratios.
    #[test]
    fn pairs_of_machines_reach_what_is_planned_and_cover_their_mean() {
        const RUNS: usize = 2000;
        let mut random = Simulated::new(62);
        let (sd, half) = (0.05, 0.02);
        for pairs in [1, 2, 6, 16, MOST_PAIRS] {
            let needed = width(sd, 100).rounds_for(half, pairs).expect("a number");
            let each = needed.div_ceil(pairs) as usize;
            let all = each * pairs as usize;
            let planned = width(sd, 100)
                .after(all as u32, pairs)
                .expect("a half-width");
            let freedom = (all - pairs as usize) as f64;
            let t = student::two_sided_of(0.05, freedom).expect("a quantile");
            let (mut covered, mut widths) = (0, 0.0);
            for _ in 0..RUNS {
                let (mut squares, mut off) = (0.0, 0.0);
                for _ in 0..pairs {
                    // The machine's own ratio drops out of both.
                    let logs = rounds(&mut random, sd, each);
                    let (mean, sd) = mean_and_sd(&logs).expect("rounds");
                    squares += sd.expect("an sd").powi(2) * (each as f64 - 1.0);
                    off += mean / f64::from(pairs);
                }
                let reach = t * (squares / freedom).sqrt() / (all as f64).sqrt();
                covered += usize::from(off.abs() <= reach);
                widths += reach.exp_m1();
            }
            let (covered, mean) = (covered as f64 / RUNS as f64, widths / RUNS as f64);
            println!("{pairs} pairs of {each} rounds: ±{mean:.4}, covers {covered:.3}");
            assert!(
                (mean / planned - 1.0).abs() < 0.03,
                "{pairs}: {mean} {planned}"
            );
            assert!((0.935..=0.965).contains(&covered), "{pairs}: {covered}");
            assert!(planned <= half, "{pairs}: {planned}");
        }
    }
}
