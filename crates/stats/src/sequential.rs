//! Looking at the rounds again and again without fooling oneself.
//!
//! Who adds rounds until a 95% interval excludes 1 calls equal targets different far more often than 5 times in 100: each
//! look is another chance. So the 5 in 100 are spent over the looks that a run may take (Lan, DeMets, *Discrete sequential
//! boundaries for clinical trials*, Biometrika 70, 1983): after round r of at most R, f(r / R) of them are spent, and the level of
//! each look is what the spending leaves for it, given that no look before called a difference. The levels come from the
//! recursion of Armitage, McPherson and Rowe (*Repeated significance tests on accumulating data*, JRSS A 132, 1969) for Gaussian
//! data of known variance, and are used with t intervals (the 'significance level approach' of Jennison and Turnbull, *Group
//! sequential methods*, 2000, chapter 4.4).
//!
//! Three choices, by simulation (the tests print the table):
//! - There is no look before round [`FIRST_LOOK`]. With 3 or 4 rounds the spread is hardly known, and where processes fall into a fast
//!   and a slow mode, a few rounds all of one sign are no rarity.
//! - f rises slowly up to half of the rounds (0.6 x², so that differences of many per cent are still called at once), steeply to 65% at two thirds,
//!   then slowly to the end: the shape with which a cap of 12 finds a difference of twice the noise by
//!   round 8 and one of the noise by round 12.
//! - The recursion is made for [`CAUTION`] × α: a t statistic's looks hang together less than those of known
//!   variance, which made 5.7 of 100 out of 5.
//!
//! An interval at a look's level is a repeated confidence interval: all those of a run hold at once with
//! chance 1 − α.

use statrs::function::erf::erfc;

/// The first round after which there is a look (the last round where there are fewer).
pub const FIRST_LOOK: usize = 5;

/// The share of α for which the levels are made, so that looks with t intervals stay below α.
pub const CAUTION: f64 = 0.85;

/// The most rounds for which levels are made; more are looked at only up to there.
pub const MOST_ROUNDS: usize = 100;

/// The levels of the looks of one run.
#[derive(Clone, Debug, PartialEq)]
pub struct Sequential {
    /// By number of rounds, from 0.
    levels: Vec<f64>,
}

impl Sequential {
    /// The looks of a run of at most `max_rounds` rounds that may call equal targets different with chance
    /// `alpha` over all looks. With several targets the levels come from [`holm_levels_at`](crate::holm_levels_at). An
    /// `alpha` that is not between 0 and 1 gives no look at all.
    pub fn new(max_rounds: usize, alpha: f64) -> Sequential {
        let max = max_rounds.min(MOST_ROUNDS);
        let mut levels = vec![0.0; max + 1];
        if max < 2 || !(alpha > 0.0 && alpha < 1.0) {
            return Sequential { levels };
        }
        let mut sums = Sums::Start;
        let mut spent = 0.0;
        let looks = levels.iter_mut().enumerate().skip(FIRST_LOOK.min(max));
        for (round, level) in looks {
            let to = alpha * CAUTION * spending(round as f64 / max as f64);
            let bound = sums.bound(round, to - spent);
            *level = 2.0 * normal_above(bound / (round as f64).sqrt());
            sums = sums.go_on(round, bound);
            spent = to;
        }
        Sequential { levels }
    }

    /// The level at which to draw the interval after `rounds` rounds ([`Paired::interval`](crate::Paired::interval)). 0 where there is no
    /// look: before the first and beyond the last; an interval at level 0 is `None`, its verdict undecided.
    pub fn level_at(&self, rounds: usize) -> f64 {
        self.levels.get(rounds).copied().unwrap_or(0.0)
    }

    /// The rounds after which there is a look.
    pub fn looks(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.levels.len()).filter(|&round| self.levels[round] > 0.0)
    }
}

/// Which share of α is spent after the share `x` of the rounds.
fn spending(x: f64) -> f64 {
    const HALF: (f64, f64) = (0.5, 0.15);
    const STEEP: (f64, f64) = (2.0 / 3.0, 0.65);
    let line = |from: (f64, f64), to: (f64, f64)| {
        from.1 + (x - from.0) * (to.1 - from.1) / (to.0 - from.0)
    };
    if x <= HALF.0 {
        0.6 * x * x
    } else if x <= STEEP.0 {
        line(HALF, STEEP)
    } else {
        line(STEEP, (1.0, 1.0))
    }
}

/// How the sum of standard normal rounds is distributed among the runs that no look has ended.
enum Sums {
    /// No look so far: the sum of r rounds is normal with variance r.
    Start,
    /// After a look: points and weights, so that Σ weight · g(point) is the integral of g.
    Seen(Vec<(f64, f64)>),
}

/// Points of the integral, by Simpson's rule. At 100 rounds they lie 0.2 standard deviations of a round apart.
const POINTS: usize = 301;

impl Sums {
    /// The chance that the sum of `round` rounds is beyond ± `bound`.
    fn beyond(&self, round: usize, bound: f64) -> f64 {
        match self {
            Sums::Start => 2.0 * normal_above(bound / (round as f64).sqrt()),
            Sums::Seen(points) => points
                .iter()
                .map(|&(sum, weight)| {
                    weight * (normal_above(bound - sum) + normal_above(bound + sum))
                })
                .sum(),
        }
    }

    /// The bound that the sum of `round` rounds passes with chance `spend`.
    fn bound(&self, round: usize, spend: f64) -> f64 {
        let (mut low, mut high) = (0.0, 38.0 * (round as f64).sqrt());
        for _ in 0..60 {
            let middle = (low + high) / 2.0;
            if self.beyond(round, middle) > spend {
                low = middle;
            } else {
                high = middle;
            }
        }
        high
    }

    /// Those within ± `bound` after `round` rounds.
    fn go_on(&self, round: usize, bound: f64) -> Sums {
        let step = 2.0 * bound / (POINTS - 1) as f64;
        let density = |sum: f64| match self {
            Sums::Start => {
                let sd = (round as f64).sqrt();
                normal_density(sum / sd) / sd
            }
            Sums::Seen(points) => points
                .iter()
                .map(|&(before, weight)| weight * normal_density(sum - before))
                .sum(),
        };
        let points = (0..POINTS).map(|i| {
            let sum = step * i as f64 - bound;
            let simpson = match i {
                0 => 1.0,
                _ if i == POINTS - 1 => 1.0,
                _ if i % 2 == 1 => 4.0,
                _ => 2.0,
            };
            (sum, density(sum) * simpson * step / 3.0)
        });
        Sums::Seen(points.collect())
    }
}

fn normal_density(x: f64) -> f64 {
    (-0.5 * x * x).exp() / std::f64::consts::TAU.sqrt()
}

fn normal_above(x: f64) -> f64 {
    0.5 * erfc(x / std::f64::consts::SQRT_2)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::correlation::{correlation, stretch};
    use crate::random::Simulated;
    use crate::summary::mean_and_sd;
    use crate::{Direction, Paired, holm_levels_at, judge, student};

    /// Draws the figure of one process.
    type Draw = fn(&mut Simulated) -> f64;

    const EQUAL: [(&str, Draw); 8] = [
        ("normal 0.5%", |r| 1.0 + 0.005 * r.normal()),
        ("normal 1%", |r| 1.0 + 0.01 * r.normal()),
        ("normal 5%", |r| 1.0 + 0.05 * r.normal()),
        ("lognormal 20%", |r| (0.2 * r.normal()).exp()),
        ("Pareto tail, infinite variance", |r| r.uniform().powf(-0.6)),
        ("exponential tail 10%", |r| 1.0 + 0.1 * r.exponential()),
        ("1%, outliers in 1 of 10", |r| {
            let outlier = if r.uniform() < 0.1 {
                0.2 * r.exponential()
            } else {
                0.0
            };
            (1.0 + 0.01 * r.normal()) * (1.0 + outlier)
        }),
        ("two modes 10% apart", |r| {
            let mode = if r.uniform() < 0.5 { 1.1 } else { 1.0 };
            mode * (1.0 + 0.005 * r.normal())
        }),
    ];

    /// The half-widths of the looks in standard errors: [`Paired::interval`] at the levels.
    fn half_widths(max: usize, alpha: f64) -> Vec<f64> {
        let looks = Sequential::new(max, alpha);
        (0..=max)
            .map(|r| student::two_sided(looks.level_at(r), r).unwrap_or(f64::INFINITY))
            .collect()
    }

    /// Runs one study: the round after which a difference is called, if any. It never stops for a tie, the worst case.
    fn called(
        half_widths: &[f64],
        random: &mut Simulated,
        draw: Draw,
        ratio: f64,
    ) -> Option<usize> {
        let mut logs = Vec::new();
        for (round, half) in half_widths.iter().enumerate().skip(1) {
            logs.push((ratio * draw(random) / draw(random)).ln());
            if half.is_infinite() {
                continue;
            }
            let (mean, sd) = mean_and_sd(&logs).expect("rounds");
            let stretch = stretch(correlation(&logs), round);
            if mean.abs() > half * stretch * sd.expect("an sd") / (round as f64).sqrt() {
                return Some(round);
            }
        }
        None
    }

    /// The share of studies in which a difference was called by round `by`.
    fn share(studies: u32, max: usize, by: usize, draw: Draw, ratio: f64) -> f64 {
        let half_widths = half_widths(max, 0.05);
        let mut random = Simulated::new(20_260_401);
        let hits = (0..studies)
            .filter(|_| called(&half_widths, &mut random, draw, ratio).is_some_and(|at| at <= by))
            .count();
        hits as f64 / f64::from(studies)
    }

    #[test]
    fn equal_targets_are_called_different_at_most_5_times_in_100() {
        // Printed at once, so that other tests' output does not fall into it.
        let mut table = format!(
            "{:<34} cap 8  cap 12  cap 20\n",
            "called different of 10,000 equal"
        );
        for (name, draw) in EQUAL {
            table += &format!("{name:<32}");
            for max in [8, 12, 20] {
                let found = share(10_000, max, max, draw, 1.0);
                table += &format!(" {:>6.2}%", found * 100.0);
                assert!(found <= 0.05, "{name} with a cap of {max}: {found}");
            }
            table.push('\n');
        }
        println!("{table}");
    }

    #[test]
    fn true_differences_are_found() {
        let noise: Draw = |r| 1.0 + 0.01 * r.normal();
        let mut table = "1% noise between processes: found in 10,000 studies\n".to_owned();
        for (ratio, max, by, least) in [
            (1.03, 8, 8, 0.97),
            (1.03, 12, 8, 0.97),
            (1.0 / 1.03, 12, 8, 0.97),
            (1.015, 12, 12, 0.70),
            (1.0 / 1.015, 12, 12, 0.70),
            (1.05, 20, 12, 0.97),
            (1.5, 30, 5, 0.99),
        ] {
            let found = share(10_000, max, by, noise, ratio);
            let percent = found * 100.0;
            table +=
                &format!("{ratio:.3} with a cap of {max:>2}, by round {by:>2}: {percent:>6.2}%\n");
            assert!(found >= least, "{ratio} by {by} of {max}: {found}");
        }
        println!("{table}");
    }

    /// Three equal targets, each pair compared at each look: Holm's steps, by the levels of the looks.
    #[test]
    fn several_equal_targets_are_called_different_no_more_often() {
        const STUDIES: u32 = 2000;
        let shares =
            [0.05, 0.05 / 2.0, 0.05 / 3.0].map(|share| (share, Sequential::new(12, share)));
        let mut random = Simulated::new(9);
        let mut different = 0;
        for _ in 0..STUDIES {
            let mut pairs = [const { Vec::new() }; 3];
            let mut decided = [false; 3];
            for round in 1..=12 {
                let [a, b, c] = [0; 3].map(|_| 1.0 + 0.02 * random.normal());
                for (pairs, pair) in pairs.iter_mut().zip([(a, b), (a, c), (b, c)]) {
                    pairs.push(pair);
                }
                if round < FIRST_LOOK {
                    continue;
                }
                let p: [Option<f64>; 3] = std::array::from_fn(|i| match decided[i] {
                    true => Some(0.0),
                    false => Paired::new(&pairs[i]).and_then(|paired| paired.p_value()),
                });
                let level = |share: f64| {
                    let of = |(s, _): &&(f64, Sequential)| (s - share).abs() < 1e-12;
                    shares
                        .iter()
                        .find(of)
                        .map_or(0.0, |(_, looks)| looks.level_at(round))
                };
                for (i, level) in holm_levels_at(&p, 0.05, level).into_iter().enumerate() {
                    decided[i] |= p[i].is_some_and(|p| p < level);
                }
            }
            different += u32::from(decided.contains(&true));
        }
        let found = f64::from(different) / f64::from(STUDIES);
        println!(
            "three equal targets, cap 12: any called different in {:.2}%",
            found * 100.0
        );
        assert!(found <= 0.05, "{found}");
    }

    #[test]
    fn the_half_widths_are_those_of_the_verdict() {
        let looks = Sequential::new(12, 0.05);
        let half_widths = half_widths(12, 0.05);
        let noise: Draw = |r| 1.0 + 0.01 * r.normal();
        for seed in 0..40 {
            let found = called(&half_widths, &mut Simulated::new(seed), noise, 1.015);
            let mut random = Simulated::new(seed);
            let mut pairs = Vec::new();
            let judged = (1..=12).find(|&round| {
                pairs.push((1.015 * noise(&mut random), noise(&mut random)));
                let paired = Paired::new(&pairs).expect("rounds");
                let interval = paired.interval(looks.level_at(round), 0.0);
                matches!(judge(interval, 0.0), Direction::Above | Direction::Below)
            });
            assert_eq!(found, judged);
        }
    }

    /// One look is a test at α; for two looks the bound is that of the bivariate normal. With half of α at
    /// each of two looks (n = 1, 2) Lan and DeMets' uniform spending has bounds 2.241 and 2.125 (their table 1; also in Jennison and Turnbull).
    #[test]
    fn the_recursion_is_that_of_the_books() {
        let first = Sums::Start;
        let one = first.bound(1, 0.025);
        let two = first.go_on(1, one).bound(2, 0.025) / 2f64.sqrt();
        assert!((one - 2.241).abs() < 1e-3, "{one}");
        assert!((two - 2.125).abs() < 1e-3, "{two}");
        // Pocock's bound for 5 looks at 5% is 2.413 at each.
        let mut sums = Sums::Start;
        let mut spent = 0.0;
        for round in 1..=5 {
            let bound = 2.413 * f64::from(round).sqrt();
            spent += sums.beyond(round as usize, bound);
            sums = sums.go_on(round as usize, bound);
        }
        assert!((spent - 0.05).abs() < 1e-4, "{spent}");
    }

    #[test]
    fn looks_are_where_they_are_said_to_be() {
        let looks = Sequential::new(12, 0.05);
        assert_eq!(
            looks.looks().collect::<Vec<_>>(),
            (5..=12).collect::<Vec<_>>()
        );
        assert_eq!((looks.level_at(4), looks.level_at(13)), (0.0, 0.0));
        assert!(
            looks
                .looks()
                .all(|r| looks.level_at(r) > 0.0 && looks.level_at(r) < 0.05)
        );
        // Fewer rounds than the first look: one look at the end.
        let few = Sequential::new(3, 0.05);
        assert_eq!(few.looks().collect::<Vec<_>>(), vec![3]);
        assert!((few.level_at(3) - 0.05 * CAUTION).abs() < 1e-9);
        for (max, alpha) in [(0, 0.05), (1, 0.05), (9, 0.0), (9, 1.0), (9, f64::NAN)] {
            assert_eq!(Sequential::new(max, alpha).looks().count(), 0);
        }
        let long = Sequential::new(usize::MAX, 0.0125);
        assert!(long.looks().all(|r| long.level_at(r).is_finite()));
        assert_eq!(long.looks().last(), Some(MOST_ROUNDS));
    }
}
