//! Repeated analyses of one run that share one error.
//!
//! Rounds that are added until a 95% interval excludes 1 call equal servers different far more often than 5 times in 100: each
//! analysis is another chance. So the 5 in 100 are spent over the planned analyses (Lan, DeMets, *Discrete sequential boundaries for
//! clinical trials*, Biometrika 70, 1983): a [`Schedule`] states after which rounds there is an analysis and which share of the error is
//! spent by then, and [`Bounds`] has the level of each analysis.
//!
//! The bounds are those of Student's t with an unknown variance, by an exact recursion. With x₁, x₂, … independent and normal around
//! 0, u_n = Σx / √(n Σx²) decides t_n = √(n − 1) · u_n / √(1 − u_n²). The direction of (x₁ … x_n) is independent of its length
//! (Basu), so x_{n+1} / √(Σx²) = tan φ with a density proportional to cosⁿ⁻¹ φ is independent of u₁ … u_n, and
//!
//! u_{n+1} = (√n · u_n · cos φ + sin φ) / √(n + 1)
//!
//! is a Markov chain in one dimension. It is followed on a grid (Armitage, McPherson, Rowe, *Repeated significance tests on accumulating
//! data*, JRSS A 132, 1969, do so for a known variance). `chain` has the recursion; `examples/operating_characteristics.rs` simulates what
//! the bounds reach.
//!
//! An interval at the level of an analysis is a repeated confidence interval: all those of a run hold at once with a probability
//! of 1 − error.

mod chain;

use chain::Chain;

/// The most rounds for which there are bounds.
pub const MOST_ROUNDS: usize = 100;

/// Up to this many rounds the analyses are those of [`SHORT`].
const FEW_ROUNDS: usize = 7;
/// The rounds of the analyses in a run of at most [`FEW_ROUNDS`], each with the share of the error that is spent by then.
const SHORT: [(usize, f64); 5] = [(2, 0.1), (3, 0.24), (4, 0.4), (5, 0.6), (FEW_ROUNDS, 1.0)];
/// The rounds of the analyses in a longer run: each later one comes after some 1.4 times as many rounds.
const LONG: [usize; 12] = [2, 3, 4, 5, 7, 10, 14, 20, 28, 40, 56, 80];
/// The shares of the error that are spent by the analyses of a run of at most 20 rounds, one after another. A run with another number of
/// analyses has shares between these.
const LONG_SHARES: [f64; 8] = [0.1, 0.24, 0.36, 0.48, 0.64, 0.76, 0.88, 1.0];

/// Rounds of several pairs of machines are first analysed after this many waves.
const FIRST_WAVE: usize = 2;

/// After which rounds a run is analysed, and which share of the error is spent by then.
#[derive(Clone, Debug, PartialEq)]
pub struct Schedule {
    analyses: Vec<(usize, f64)>,
}

impl Schedule {
    /// One analysis, after all rounds. There is none below two rounds.
    pub fn once(rounds: usize) -> Schedule {
        let analyses = (rounds >= 2).then_some((rounds, 1.0));
        Schedule {
            analyses: analyses.into_iter().collect(),
        }
    }

    /// Analyses from the second round on, the last one after `most` rounds (at most [`MOST_ROUNDS`]).
    pub fn up_to(most: usize) -> Schedule {
        let most = most.min(MOST_ROUNDS);
        if most <= FEW_ROUNDS {
            let before = SHORT.into_iter().filter(|(rounds, _)| *rounds < most);
            let last = (most >= 2).then_some((most, 1.0));
            return Schedule {
                analyses: before.chain(last).collect(),
            };
        }
        let before = LONG.into_iter().filter(|rounds| *rounds < most);
        let rounds: Vec<usize> = before.chain([most]).collect();
        let steps = rounds.len() - 1;
        let share = |index: usize| {
            let place = index as f64 / steps as f64 * (LONG_SHARES.len() - 1) as f64;
            let below = (place.floor() as usize).min(LONG_SHARES.len() - 2);
            let (low, high) = (LONG_SHARES[below], LONG_SHARES[below + 1]);
            low + (place - below as f64) * (high - low)
        };
        let analyses = rounds.iter().enumerate();
        Schedule {
            analyses: analyses.map(|(i, rounds)| (*rounds, share(i))).collect(),
        }
    }

    /// The same without the analyses before round `first`, unless there is no later one.
    pub fn beginning_with(mut self, first: usize) -> Schedule {
        let last = self.analyses.len().saturating_sub(1);
        let is_kept = |(at, (rounds, _)): (usize, &(usize, f64))| *rounds >= first || at == last;
        let kept: Vec<bool> = self.analyses.iter().enumerate().map(is_kept).collect();
        let mut kept = kept.into_iter();
        self.analyses.retain(|_| kept.next().unwrap_or(true));
        self
    }

    /// The same for a run that ended after so many rounds, whatever they showed: its last analysis comes then, and spends what is left.
    pub fn ended_after(mut self, rounds: usize) -> Schedule {
        if self.last().is_some_and(|last| rounds < last) {
            self.analyses.retain(|(analysis, _)| *analysis < rounds);
            self.analyses.extend((rounds >= 2).then_some((rounds, 1.0)));
        }
        self
    }

    /// The same for rounds that come in waves, one on each of `pairs` pairs of machines: each analysis takes place at the end of a wave. The
    /// first one follows the second wave, because a single round of a pair shows no spread.
    pub fn in_waves_of(self, pairs: usize) -> Schedule {
        let Some(last) = self.last() else {
            return self;
        };
        let mut analyses: Vec<(usize, f64)> = Vec::new();
        for (rounds, share) in self.analyses {
            let waves = rounds.div_ceil(pairs.max(1)).max(FIRST_WAVE);
            let rounds = (waves * pairs.max(1)).min(last);
            match analyses.last_mut() {
                Some((before, spent)) if *before == rounds => *spent = share,
                _ => analyses.push((rounds, share)),
            }
        }
        Schedule { analyses }
    }

    /// The rounds after which there is an analysis.
    pub fn rounds(&self) -> impl Iterator<Item = usize> + '_ {
        self.analyses.iter().map(|(rounds, _)| *rounds)
    }

    /// The round of the first analysis.
    pub fn first(&self) -> Option<usize> {
        self.rounds().next()
    }

    /// The round of the last analysis.
    pub fn last(&self) -> Option<usize> {
        self.rounds().last()
    }
}

/// The levels of the analyses of a schedule.
#[derive(Clone, Debug, PartialEq)]
pub struct Bounds {
    levels: Vec<(usize, f64)>,
}

impl Bounds {
    /// The bounds with which all analyses together call equal servers different with a probability of `error`. For several comparisons
    /// the error of each comes from [`holm_shares`](crate::holm_shares). There are no bounds for an `error` that is not between 0
    /// and 1.
    pub fn new(schedule: &Schedule, error: f64) -> Bounds {
        let mut levels = Vec::new();
        if !(error > 0.0 && error < 1.0) {
            return Bounds { levels };
        }
        let mut chain: Option<Chain> = None;
        let mut spent = 0.0;
        for &(rounds, share) in &schedule.analyses {
            let spend = error * share - spent;
            let level = match &mut chain {
                None => {
                    let mut first = Chain::begin(rounds);
                    first.stop(spend);
                    chain = Some(first);
                    spend
                }
                Some(chain) => {
                    chain.advance_to(rounds);
                    chain.stop(spend)
                }
            };
            levels.push((rounds, level));
            spent = error * share;
        }
        Bounds { levels }
    }

    /// The level at which to draw the interval of the analysis after `rounds` rounds
    /// ([`Paired::interval`](crate::Paired::interval)); 0 if there is no analysis then.
    pub fn level_after(&self, rounds: usize) -> f64 {
        let mut levels = self.levels.iter();
        levels
            .find(|(analysis, _)| *analysis == rounds)
            .map_or(0.0, |(_, level)| *level)
    }
}

#[cfg(test)]
mod tests;
