//! The ratio of two targets' throughputs at equally fast cores.
//!
//! Beside each slice a fixed piece of arithmetic is timed on the server's core. Where the core's speed changes from slice to slice (another
//! machine on the core's other hardware thread, the clock), throughput follows it, and which target meets the faster core is chance. Over
//! turns t of two targets, with x their throughputs, d the logarithm of how long the arithmetic took beside the first one over beside
//! the second one, and g the same of the load generator's core:
//!
//! - the **slope** b of ln(x_a / x_b) on d, around each round's own mean, by least squares: −1 for a server that does nothing but compute,
//!   0 for one whose throughput something else decides;
//! - a round's **ratio at equal speed**: Σ w x_a e^(−b d / 2) / Σ w x_b e^(b d / 2), with the weights
//!   w = 1 / (s² + max((d − d₀)², (g − g₀)²)), d₀ and g₀ the medians over all turns and s = [`SCALE`]. A turn in which the cores were alike says more than one that must be corrected by much:
//!   the error of a correction grows with it.
//!
//! Weights and corrections come from the arithmetic's times, the slope from how throughput follows them within rounds; the ratio itself has no
//! part in either. That is the analysis of covariance (Fisher 1932), whose covariate must not be an effect of what is compared: a target that
//! itself makes cores slower, always by the same, would have that forgiven. So nothing is corrected where the turns show that the arithmetic
//! takes longer beside the one than beside the other. What the turns cannot show of that is |b| times the standard error of the mean of d:
//! intervals are wider by it ([`EqualSpeed::uncertainty`]), and nothing is corrected if it exceeds [`MOST_UNCERTAIN`].

use crate::difference::{deviation, mean};
use crate::turns::{median, ratio_of_totals};

/// The two slices of a turn.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Slices {
    /// What each has done: responses per second.
    pub done: (f64, f64),
    /// How long the arithmetic took beside the first one's, over how long beside the second one's: on the server's core, and on the generator's.
    pub times: [f64; 2],
}

/// Cores that differ by this, as a logarithm, halve what a turn counts.
pub const SCALE: f64 = 0.1;
/// Fewer turns in all show no slope.
const FEWEST: usize = 20;
/// So many standard errors must the slope lie below zero: by chance one in 700 does, and a slope that is none corrects little.
const SLOPE: f64 = 3.0;
/// With this many standard errors the mean of d is a target's own doing: by chance it is in one of 370 pairs, which are then left as measured.
const OWN: f64 = 3.0;
/// No difference below this, as a logarithm, is anybody's doing.
const LEAST: f64 = 0.001;
/// Throughput falls no faster than this with the arithmetic's time: steeper slopes are chance.
const STEEPEST: f64 = -1.5;

/// The largest uncertainty of a correction, as a logarithm: what a tie allows unless a study states another margin.
const MOST_UNCERTAIN: f64 = 0.02;

/// How two targets' throughputs follow the speed of the cores.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct EqualSpeed {
    slope: f64,
    uncertainty: f64,
    usual: Usual,
}

/// The medians of d and g over all turns.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Usual([f64; 2]);

/// One turn in logarithms.
#[derive(Clone, Copy, Debug)]
struct Logs {
    /// d and g.
    times: [f64; 2],
    /// Of the throughputs' ratio.
    ratio: f64,
}

impl EqualSpeed {
    /// That of these rounds; `None` where throughput does not follow it, where a target does it itself, and from too few turns.
    pub fn of(rounds: &[Vec<Slices>]) -> Option<EqualSpeed> {
        let usable: Vec<Vec<Logs>> = rounds.iter().map(|round| logs(round)).collect();
        let of_side = |side: usize| usable.iter().flatten().map(move |turn| turn.times[side]);
        let server: Vec<f64> = of_side(0).collect();
        if server.len() < FEWEST {
            return None;
        }
        let error = deviation(&server)? / (server.len() as f64).sqrt();
        // The arithmetic certainly takes longer next to the one than next to the other, whatever the machine does: the targets' order
        // changes from turn to turn, so its slow phases meet both.
        if mean(&server)?.abs() > (OWN * error).max(LEAST) {
            return None;
        }
        let usual = Usual([median(server)?, median(of_side(1).collect())?]);
        let slope = slope(&usable, usual)?;
        let uncertainty = slope.abs() * error;
        (uncertainty <= MOST_UNCERTAIN).then_some(EqualSpeed {
            slope,
            uncertainty,
            usual,
        })
    }

    /// By how much a corrected ratio may be off, as a logarithm, because a target may itself slow its core by less than the turns show:
    /// |b| times the standard error of the mean of d.
    pub fn uncertainty(&self) -> f64 {
        self.uncertainty
    }

    /// b.
    pub fn slope(&self) -> f64 {
        self.slope
    }

    /// What both would have done at equal speed, as far as one slice of each tells.
    pub fn corrected(&self, slices: &Slices) -> (f64, f64) {
        let half = (-self.slope * slices.times[0].ln() / 2.0).exp();
        (slices.done.0 * half, slices.done.1 / half)
    }

    /// A round's ratio at equal speed, the first one's throughput over the second one's; `None` where one has done nothing.
    pub fn ratio(&self, round: &[Slices]) -> Option<f64> {
        ratio_of_totals(self.weighted(round)).map(|sums| sums.ratio)
    }

    /// The variance of the logarithm of [`Self::ratio`] that the turns of the round imply; `None` from fewer than two of them.
    pub fn variance(&self, round: &[Slices]) -> Option<f64> {
        ratio_of_totals(self.weighted(round))?.variance
    }

    /// What both have done in each turn at equal speed, times the turn's weight.
    fn weighted(&self, round: &[Slices]) -> impl Iterator<Item = (f64, f64)> {
        round.iter().filter_map(|slices| {
            let times = slices.times.map(f64::ln);
            let is_known = times.iter().all(|time| time.is_finite());
            (is_known && slices.done.0 >= 0.0 && slices.done.1 >= 0.0).then(|| {
                let weight = self.usual.weight(times);
                let corrected = self.corrected(slices);
                (weight * corrected.0, weight * corrected.1)
            })
        })
    }
}

impl Usual {
    fn weight(self, times: [f64; 2]) -> f64 {
        let away = [0, 1].map(|side| (times[side] - self.0[side]).powi(2));
        1.0 / (SCALE * SCALE + away[0].max(away[1]))
    }
}

/// The turns that have all of it.
fn logs(round: &[Slices]) -> Vec<Logs> {
    let logs = round.iter().map(|slices| Logs {
        times: slices.times.map(f64::ln),
        ratio: slices.done.0.ln() - slices.done.1.ln(),
    });
    let is_usable = |turn: &Logs| {
        turn.times
            .iter()
            .chain([&turn.ratio])
            .all(|x| x.is_finite())
    };
    logs.filter(is_usable).collect()
}

/// The slope around each round's own mean, by weighted least squares; `None` where it is not certainly below zero. Its standard error is the
/// one that holds whatever the variance of single turns (White 1980).
fn slope(rounds: &[Vec<Logs>], usual: Usual) -> Option<f64> {
    let mut centred = Vec::new();
    for round in rounds {
        let weights = || round.iter().map(|turn| usual.weight(turn.times));
        let sum: f64 = weights().sum();
        let mean_of = |of: fn(&Logs) -> f64| {
            let all = weights().zip(round).map(|(w, turn)| w * of(turn));
            all.sum::<f64>() / sum
        };
        let (mean_d, mean_y) = (mean_of(|turn| turn.times[0]), mean_of(|turn| turn.ratio));
        let turns = weights().zip(round);
        centred.extend(turns.map(|(w, turn)| (w, turn.times[0] - mean_d, turn.ratio - mean_y)));
    }
    let squares: f64 = centred.iter().map(|(w, d, _)| w * d * d).sum();
    let slope = centred.iter().map(|(w, d, y)| w * d * y).sum::<f64>() / squares;
    let meat = centred
        .iter()
        .map(|(w, d, y)| (w * d * (y - slope * d)).powi(2));
    let error = meat.sum::<f64>().sqrt() / squares;
    (slope < 0.0 && slope <= -SLOPE * error).then(|| slope.max(STEEPEST))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::paired::Paired;
    use crate::random::Simulated;

    /// What a simulated machine does to the two slices of a turn, and the two servers in it.
    #[derive(Clone, Copy)]
    struct Machine {
        /// A core is slow (takes so many times as long) in this share of the slices, each for itself.
        slow: (f64, f64),
        /// Its clock differs from slice to slice by this standard deviation.
        clock: f64,
        /// How exactly the arithmetic tells it.
        error: f64,
        /// Throughput follows the speed to this power …
        power: f64,
        /// … and differs by this standard deviation from slice to slice by itself.
        noise: f64,
        /// The first server makes its core take so many times as long, and the arithmetic shows that.
        own: f64,
        /// From round to round (from process to process) its throughput differs by this standard deviation.
        process: f64,
    }

    const RESTLESS: Machine = Machine {
        slow: (1.6, 0.3),
        clock: 0.04,
        error: 0.03,
        power: 1.0,
        noise: 0.01,
        own: 1.0,
        process: 0.002,
    };
    const QUIET: Machine = Machine {
        slow: (1.0, 0.0),
        clock: 0.0,
        error: 0.005,
        ..RESTLESS
    };

    impl Machine {
        fn rounds(self, random: &mut Simulated, rounds: usize, turns: usize) -> Vec<Vec<Slices>> {
            let mut round = || {
                let process = (self.process * random.normal()).exp();
                let mut slice = |own: f64| {
                    let slow = match random.uniform() < self.slow.1 {
                        true => self.slow.0,
                        false => 1.0,
                    };
                    let took = own * slow * (self.clock * random.normal()).exp();
                    let done =
                        1_000.0 * took.powf(-self.power) * (self.noise * random.normal()).exp();
                    (done, took * (self.error * random.normal()).exp())
                };
                let mut turn = || {
                    let ((a, of_a), (b, of_b)) = (slice(self.own), slice(1.0));
                    Slices {
                        done: (a * process, b),
                        times: [of_a / of_b, 1.0],
                    }
                };
                (0..turns).map(|_| turn()).collect()
            };
            (0..rounds).map(|_| round()).collect()
        }
    }

    fn as_measured(round: &[Slices]) -> f64 {
        let sums = (round.iter()).fold((0.0, 0.0), |(a, b), s| (a + s.done.0, b + s.done.1));
        sums.0 / sums.1
    }

    /// As [`races_of`], of 5 rounds of 80 turns.
    fn races(seed: u64, machine: Machine) -> (f64, [f64; 2], f64) {
        races_of(5, 80, seed, machine)
    }

    /// Over many races of so many rounds of so many turns: in what share of them something was corrected, the root mean square of the ratio's logarithm in
    /// percent as measured and as said, and the share of races whose interval excludes 1.
    fn races_of(rounds: usize, turns: usize, seed: u64, machine: Machine) -> (f64, [f64; 2], f64) {
        const RACES: usize = 1_000;
        let mut random = Simulated::new(seed);
        let (mut corrected, mut squares, mut called) = (0, [0.0; 2], 0);
        for _ in 0..RACES {
            let rounds = machine.rounds(&mut random, rounds, turns);
            let equal = EqualSpeed::of(&rounds);
            corrected += usize::from(equal.is_some());
            let raw: Vec<f64> = rounds.iter().map(|round| as_measured(round)).collect();
            let said: Vec<f64> = match equal {
                Some(equal) => rounds
                    .iter()
                    .filter_map(|round| equal.ratio(round))
                    .collect(),
                None => raw.clone(),
            };
            let uncertainty = equal.map_or(0.0, |equal| equal.uncertainty());
            let paired = [(raw, 0.0), (said, uncertainty)].map(|(ratios, uncertainty)| {
                let pairs: Vec<(f64, f64)> = ratios.iter().map(|ratio| (*ratio, 1.0)).collect();
                Paired {
                    uncertainty,
                    ..Paired::new(&pairs).expect("rounds")
                }
            });
            for (square, paired) in squares.iter_mut().zip(&paired) {
                *square += paired.ratio().ln().powi(2);
            }
            let interval = paired[1].interval(0.05, 0.0).expect("an interval");
            called += usize::from(!interval.contains(1.0));
        }
        let all = RACES as f64;
        let rms = squares.map(|square| 100.0 * (square / all).sqrt());
        (corrected as f64 / all, rms, called as f64 / all)
    }

    #[test]
    fn by_hand() {
        // x falls as the arithmetic takes longer, in proportion; the first one does twice as much at equal speed.
        let turn = |times: f64| Slices {
            done: (2_000.0 / times.sqrt(), 1_000.0 * times.sqrt()),
            times: [times, 1.0],
        };
        let round: Vec<Slices> = [
            1.0,
            1.5,
            0.75,
            1.2,
            0.8,
            1.0 / 1.5,
            1.0 / 0.75,
            1.0 / 1.2,
            1.25,
        ]
        .map(turn)
        .to_vec();
        let rounds = vec![round.clone(); 40];
        let equal = EqualSpeed::of(&rounds).expect("a slope");
        assert!((equal.slope() + 1.0).abs() < 1e-9, "{equal:?}");
        let ratio = equal.ratio(&round).expect("a ratio");
        assert!((ratio - 2.0).abs() < 1e-9, "{ratio}");
        // One turn at half the speed for the first one, which does half as much there.
        let one = [Slices {
            done: (500.0, 1_000.0),
            times: [2.0, 1.0],
        }];
        let ratio = equal.ratio(&one).expect("a ratio");
        assert!((ratio - 1.0).abs() < 1e-9, "{ratio}");
        // Cores that differ by SCALE count half as much as those that do not: (3 + 1/2 · 1 · e^0.05) / (1 + 1/2 · e^−0.05).
        let uneven = Slices {
            done: (1.0, 1.0),
            times: [SCALE.exp(), 1.0],
        };
        let even = Slices {
            done: (3.0, 1.0),
            times: [1.0; 2],
        };
        let half = (SCALE / 2.0).exp();
        let expected = (3.0 + 0.5 * half) / (1.0 + 0.5 / half);
        let ratio = equal.ratio(&[even, uneven]).expect("a ratio");
        assert!((ratio - expected).abs() < 1e-9, "{ratio} for {expected}");
        // Of the generator's cores too, which correct nothing: (3 + 1/2) / (1 + 1/2).
        let uneven = Slices {
            times: [1.0, SCALE.exp()],
            ..uneven
        };
        let ratio = equal.ratio(&[even, uneven]).expect("a ratio");
        assert!((ratio - 7.0 / 3.0).abs() < 1e-9, "{ratio}");
    }

    #[test]
    fn what_says_nothing_gives_nothing() {
        let slices = |a, b, times| Slices {
            done: (a, b),
            times: [times, 1.0],
        };
        assert_eq!(EqualSpeed::of(&[]), None);
        assert_eq!(EqualSpeed::of(&[vec![], vec![]]), None);
        let odd = vec![slices(f64::NAN, 1.0, 1.0), slices(1.0, 0.0, f64::INFINITY)];
        assert_eq!(EqualSpeed::of(&[odd.clone(), odd.clone()]), None);
        assert_eq!(
            EqualSpeed::of(&vec![vec![slices(1.0, 1.0, 1.0); 30]; 3]),
            None
        );
        // An open loop, of which each turn has as much, whatever the cores do.
        let offered: Vec<Slices> = (0..30)
            .map(|i| slices(1.0, 1.0, 1.0 + 0.1 * f64::from(i % 3 - 1)))
            .collect();
        assert_eq!(EqualSpeed::of(&[offered.clone(), offered]), None);
        let equal = EqualSpeed {
            uncertainty: 0.0,
            slope: -1.0,
            usual: Usual([0.0; 2]),
        };
        assert_eq!(equal.ratio(&odd), None);
        assert_eq!(equal.ratio(&[]), None);
        // A slice without a response counts as one.
        assert_eq!(
            equal.ratio(&[slices(0.0, 1.0, 1.0), slices(3.0, 1.0, 1.0)]),
            Some(1.5)
        );
    }

    #[test]
    fn a_restless_machine_gives_nearly_the_ratio_of_a_quiet_one() {
        let (corrected, [raw, said], called) = races(1, RESTLESS);
        assert!(corrected > 0.9, "{corrected}");
        assert!(said < raw / 3.0, "{said} {raw}");
        assert!(called < 0.07, "{called}");
        // Where the neighbour is there in one slice out of twenty, too.
        let rare = Machine {
            slow: (1.6, 0.05),
            ..RESTLESS
        };
        let (_, [raw, said], called) = races(2, rare);
        assert!(said < raw / 2.0, "{said} {raw}");
        assert!(called < 0.07, "{called}");
    }

    /// √2 · 0.22 / √32 = 5.5% of uncertainty in the mean of d after four rounds of eight turns, and 2.2% after five of 40.
    #[test]
    fn few_turns_on_a_restless_machine_are_left_as_measured() {
        for (rounds, turns) in [(4, 8), (5, 40)] {
            let (corrected, [raw, said], called) = races_of(rounds, turns, 6, RESTLESS);
            println!("{rounds} rounds of {turns}: corrected {corrected}, {said}% for {raw}%");
            assert!(corrected < 0.5, "{corrected}");
            assert!(said < raw * 1.02, "{said} {raw}");
            assert!(called < 0.07, "{called}");
        }
    }

    /// A server whose core is 3% slower by its own doing is no faster than its rival, though the turns hardly show the 3%: without the uncertainty
    /// nearly all of these races call it faster.
    #[test]
    fn what_a_target_may_do_to_its_core_is_uncertain() {
        let follows = Machine {
            own: 1.03,
            ..RESTLESS
        };
        let mut random = Simulated::new(8);
        let mut called = 0;
        for _ in 0..300 {
            let mut rounds = follows.rounds(&mut random, 5, 40);
            // Equal throughput, though the calibration loop takes 3% longer next to the first one.
            for slices in rounds.iter_mut().flatten() {
                slices.done.0 *= 1.03;
            }
            let (ratios, uncertainty): (Vec<f64>, f64) = match EqualSpeed::of(&rounds) {
                Some(equal) => (
                    rounds
                        .iter()
                        .filter_map(|round| equal.ratio(round))
                        .collect(),
                    equal.uncertainty(),
                ),
                None => (rounds.iter().map(|round| as_measured(round)).collect(), 0.0),
            };
            let pairs: Vec<(f64, f64)> = ratios.iter().map(|ratio| (*ratio, 1.0)).collect();
            let paired = Paired {
                uncertainty,
                ..Paired::new(&pairs).expect("rounds")
            };
            let interval = paired.interval(0.05, 0.0).expect("an interval");
            called += usize::from(!interval.contains(1.0));
        }
        println!("called different: {called} of 300");
        assert!(called < 75, "{called}");
    }

    #[test]
    fn what_does_not_follow_the_cores_is_left_as_measured() {
        let bound_by_others = Machine {
            power: 0.0,
            ..RESTLESS
        };
        for machine in [QUIET, bound_by_others] {
            let (corrected, [raw, said], called) = races(3, machine);
            assert!(corrected < 0.01, "{corrected}");
            assert!((said / raw - 1.0).abs() < 0.02, "{said} {raw}");
            assert!(called < 0.07, "{called}");
        }
        // One that follows them by half has half a correction, whose error is no larger than that of none.
        let by_half = Machine {
            power: 0.5,
            ..RESTLESS
        };
        let (corrected, [raw, said], called) = races(4, by_half);
        assert!(
            corrected > 0.9 && said < raw / 2.0,
            "{corrected} {said} {raw}"
        );
        assert!(called < 0.07, "{called}");
    }

    /// A server that makes its core a fifth slower has that in its ratio, where the machine lets it be seen.
    #[test]
    fn what_a_target_does_to_its_core_is_its_own() {
        let own = Machine {
            slow: (1.0, 0.0),
            own: 1.2,
            ..RESTLESS
        };
        let (corrected, [raw, said], called) = races(5, own);
        assert!(corrected < 0.01, "{corrected}");
        assert_eq!(raw, said);
        assert!(called > 0.99, "{called}");
    }
}
