//! How a run's time is best shared out between rounds and turns.
//!
//! A round's ratio differs from the true one by what its processes are (variance T₂²) and by what its turns are (T₁² / m with m turns). A
//! round costs its starts and warm-ups, c₂, whatever the number of its turns, and each turn costs c₁. Of all ways to spend the same time the
//! one with
//!
//! m = √(c₂ / c₁ · T₁² / T₂²)
//!
//! turns a round has the smallest variance of the mean (Kalibera, Jones, *Rigorous benchmarking in reasonable time*, ISMM 2013, section 8, with two
//! levels; it is the smallest (c₂ + c₁ m)(T₂² + T₁² / m)).

use crate::summary::mean_and_sd;

/// Fewer rounds than these say nothing of it.
pub const FEWEST: usize = 3;

/// A round has at most so many times the planned turns.
pub const MOST: f64 = 3.0;

/// What turns and processes add to the variance of a round's log ratio.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Components {
    /// That of one turn beside the others of its round, T₁².
    pub of_turns: f64,
    /// That of a round beyond its turns, T₂²; 0 where the rounds differ by no more than their turns say.
    pub of_rounds: f64,
    /// How many turns a round had (the harmonic mean).
    pub turns: f64,
    /// How many rounds there were.
    pub rounds: usize,
}

impl Components {
    /// Those of the log ratios of each round's turns. T₁² is the mean of the rounds' own variances, each by its degrees of freedom, and T₂² what the
    /// variance of the rounds' means is beyond T₁² / m, m the harmonic mean of the numbers of turns (the unbiased estimate, which may be below 0 and is then
    /// taken as 0). `None` under two rounds, with less than two turns in one of them, and for numbers that are not finite.
    pub fn of(rounds: &[Vec<f64>]) -> Option<Components> {
        let mut means = Vec::new();
        let (mut squares, mut freedom, mut shares) = (0.0, 0.0, 0.0);
        for turns in rounds {
            let (mean, sd) = mean_and_sd(turns)?;
            let own = turns.len() as f64 - 1.0;
            squares += own * sd?.powi(2);
            freedom += own;
            shares += (turns.len() as f64).recip();
            means.push(mean);
        }
        let (_, between) = mean_and_sd(&means)?;
        let turns = rounds.len() as f64 / shares;
        let of_turns = squares / freedom;
        let of_rounds = (between?.powi(2) - of_turns / turns).max(0.0);
        (of_turns.is_finite() && of_rounds.is_finite()).then_some(Components {
            of_turns,
            of_rounds,
            turns,
            rounds: rounds.len(),
        })
    }

    /// The same with half a standard error more of T₂², which few rounds hardly show: that of a variance S with f degrees of freedom is S √(2 / f). So
    /// rounds that happen to be alike are not taken for equal.
    pub fn cautious(self) -> Components {
        let between = self.of_rounds + self.of_turns / self.turns;
        let error = between * (2.0 / (self.rounds as f64 - 1.0)).sqrt();
        Components {
            of_rounds: self.of_rounds + error / 2.0,
            ..self
        }
    }

    /// How many turns a round had best, where a turn costs `turn` and a round beside its turns `round` (in the same unit); infinite where rounds add
    /// nothing of their own. `None` where turns do not differ, or a cost is none.
    pub fn best_turns(&self, turn: f64, round: f64) -> Option<f64> {
        let usable = |cost: f64| cost.is_finite() && cost > 0.0;
        if !usable(turn) || !usable(round) || self.of_turns <= 0.0 {
            return None;
        }
        Some((round / turn * self.of_turns / self.of_rounds).sqrt())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Simulated;
    use crate::{Bounds, Paired, Schedule, student};

    /// Rounds 1, 3 | 5, 7 | 9, 11: each has the variance 2, their means 2, 6, 10 the variance 16, so T₂² = 16 − 2 / 2.
    #[test]
    fn components_by_hand() {
        let rounds = [vec![1.0, 3.0], vec![5.0, 7.0], vec![9.0, 11.0]];
        let found = Components::of(&rounds).expect("components");
        let near = |found: f64, expected: f64| assert!((found - expected).abs() < 1e-9, "{found}");
        near(found.of_turns, 2.0);
        near(found.of_rounds, 15.0);
        near(found.turns, 2.0);
        // Rounds that differ by less than their turns.
        let alike = [vec![1.0, 3.0], vec![3.0, 1.0]];
        assert_eq!(Components::of(&alike).expect("components").of_rounds, 0.0);
        for nothing in [
            &[][..],
            &[vec![1.0, 2.0]],
            &[vec![1.0, 2.0], vec![1.0]],
            &[vec![1.0, f64::NAN], vec![1.0, 2.0]],
        ] {
            assert_eq!(Components::of(nothing), None);
        }
    }

    const PLAIN: Components = Components {
        of_turns: 100.0,
        of_rounds: 4.0,
        turns: 20.0,
        rounds: 9,
    };

    /// √(8 / 0.5 · 100 / 4) = 20, and no other number of turns has a smaller variance in the same time.
    #[test]
    fn the_published_formula_with_known_numbers() {
        assert_eq!(PLAIN.best_turns(0.5, 8.0), Some(20.0));
        // Level 1 costs 1, level 2 costs 16 and varies as much: 4; and as dear a turn as a round, a quarter of the variance: 2.
        let equal = Components {
            of_turns: 1.0,
            of_rounds: 1.0,
            ..PLAIN
        };
        assert_eq!(equal.best_turns(1.0, 16.0), Some(4.0));
        let quarter = Components {
            of_rounds: 0.25,
            ..equal
        };
        assert_eq!(quarter.best_turns(3.0, 3.0), Some(2.0));
        let price = |m: f64| (8.0 + 0.5 * m) * (PLAIN.of_rounds + PLAIN.of_turns / m);
        assert!((1..200).all(|m| price(f64::from(m)) >= price(20.0)));
        let steady = Components {
            of_rounds: 0.0,
            ..PLAIN
        };
        assert_eq!(steady.best_turns(0.5, 8.0), Some(f64::INFINITY));
        // 9 rounds: half of (4 + 100 / 20) · √(2 / 8) is 2.25.
        assert_eq!(PLAIN.cautious().of_rounds, 6.25);
        for (turn, round) in [(0.0, 1.0), (1.0, 0.0), (f64::NAN, 1.0), (1.0, -1.0)] {
            assert_eq!(PLAIN.best_turns(turn, round), None);
        }
    }

    const PLANNED: usize = 20;
    const TURN: f64 = 0.14;
    const ROUND: f64 = 7.0;

    /// The next round's turns: as planned, or as many as the rounds so far make best, from the fourth round on and at most three times as many.
    fn next(
        random: &mut Simulated,
        rounds: &[Vec<f64>],
        spreads: (f64, f64),
        by_cost: bool,
    ) -> Vec<f64> {
        let found = Components::of(rounds).filter(|_| by_cost && rounds.len() >= FEWEST);
        let best = found.and_then(|found| found.cautious().best_turns(TURN, ROUND));
        let planned = PLANNED as f64;
        let turns = best.map_or(planned, |best| best.clamp(planned, MOST * planned)) as usize;
        let process = spreads.1 * random.normal();
        (0..turns)
            .map(|_| process + spreads.0 * random.normal())
            .collect()
    }

    fn means(rounds: &[Vec<f64>]) -> Vec<f64> {
        let mean = |turns: &Vec<f64>| turns.iter().sum::<f64>() / turns.len() as f64;
        rounds.iter().map(mean).collect()
    }

    /// Seconds until the half-width is `half`, in rounds as planned or by cost.
    fn takes(random: &mut Simulated, spreads: (f64, f64), half: f64, by_cost: bool) -> f64 {
        let (mut rounds, mut seconds) = (Vec::new(), 0.0);
        loop {
            rounds.push(next(random, &rounds, spreads, by_cost));
            seconds += ROUND + TURN * rounds[rounds.len() - 1].len() as f64;
            if rounds.len() < 5 {
                continue;
            }
            let (_, sd) = mean_and_sd(&means(&rounds)).expect("rounds");
            let t = student::two_sided(0.05, rounds.len()).expect("a quantile");
            if t * sd.expect("an sd") / (rounds.len() as f64).sqrt() <= half {
                return seconds;
            }
        }
    }

    /// The table of notes/spreads.md: mean seconds of 1,000 runs.
    #[test]
    fn turns_by_cost_reach_a_half_width_sooner() {
        for (of_turns, of_rounds, half, at_most) in TABLE {
            let [fixed, by_cost] = [false, true].map(|by_cost| {
                let mut random = Simulated::new(20_261_125);
                let spreads = (of_turns, of_rounds);
                let all = (0..1000).map(|_| takes(&mut random, spreads, half, by_cost));
                all.sum::<f64>() / 1000.0
            });
            println!(
                "turns {of_turns}, rounds {of_rounds}, ±{half}: {fixed:.0} s, by cost {by_cost:.0} s"
            );
            assert!(
                by_cost <= at_most * fixed,
                "{of_turns} {of_rounds}: {fixed} {by_cost}"
            );
        }
    }

    /// Rounds whose number of turns hangs on the spread of those before, analysed as by `--until-decided`.
    #[test]
    fn equal_targets_are_called_different_at_most_5_times_in_100_with_turns_by_cost() {
        const RUNS: u32 = 1500;
        let looks = Bounds::new(&Schedule::up_to(12), 0.05);
        for spreads in [(0.10, 0.0), (0.10, 0.01), (0.10, 0.03)] {
            let mut random = Simulated::new(20_261_126);
            let mut called = || {
                let mut rounds = Vec::new();
                (1..=12).any(|round| {
                    rounds.push(next(&mut random, &rounds, spreads, true));
                    let pairs = means(&rounds).into_iter().map(|mean| (mean.exp(), 1.0));
                    let paired = Paired::new(&pairs.collect::<Vec<_>>()).expect("rounds");
                    let interval = paired.interval(looks.level_after(round), 0.0);
                    interval.is_some_and(|interval| !interval.contains(1.0))
                })
            };
            let found = (0..RUNS).filter(|_| called()).count();
            let found = 100.0 * found as f64 / f64::from(RUNS);
            println!(
                "turns {}, rounds {}: called different in {found:.1} of 100",
                spreads.0, spreads.1
            );
            assert!(found <= 5.0, "{spreads:?}: {found}");
        }
    }

    /// Spreads of turns and of rounds, the half-width, and the share of the time that it takes by cost.
    const TABLE: [(f64, f64, f64, f64); 5] = [
        (0.10, 0.0, 0.010, 0.9),
        (0.10, 0.005, 0.010, 0.9),
        (0.10, 0.01, 0.010, 1.0),
        (0.10, 0.03, 0.020, 1.02),
        (0.02, 0.03, 0.020, 1.0),
    ];
}
