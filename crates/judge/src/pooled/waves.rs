//! The rounds of several pairs of machines in the order in which they are analysed: in waves, each of which is a round on every pair.
//!
//! An analysis is planned after a number of rounds of all pairs together. It is of the first waves that have so many, and so of the same
//! rounds whenever it is repeated. A pair that is lost has no round in later waves: the others make up for it in further ones.

use photofinish_model::store::Results;
use photofinish_stats::{OverMachines, Paired};

use crate::comparison::{ALPHA, Analyses, Comparison, Judged, Series, Shown};

/// The rounds of several pairs of machines.
pub(crate) struct Waves {
    analyses: Analyses,
    /// How many rounds each pair has.
    rounds: Vec<u32>,
}

/// A comparison of which every pair of machines has rounds.
#[derive(Clone, Debug)]
pub(crate) struct OnPairs {
    /// The rounds of each pair of machines.
    pub(crate) each: Vec<Series>,
    /// No difference below this can be seen.
    pub(crate) resolution: f64,
}

impl OnPairs {
    /// The rounds of the waves up to this one; `None` without any.
    pub(crate) fn upto(&self, wave: u32) -> Option<OverMachines> {
        let paired = self.each.iter().filter_map(|series| series.paired(wave));
        OverMachines::new(paired.collect())
    }
}

impl Waves {
    /// The rounds of these runs, each with what it was judged to show.
    pub(crate) fn of(runs: &[(&Results, &Comparison)]) -> Waves {
        let results: Vec<&Results> = runs.iter().map(|(run, _)| *run).collect();
        Waves {
            analyses: Analyses::of_pairs(&results),
            rounds: (runs.iter())
                .map(|(_, comparison)| comparison.head.rounds_done)
                .collect(),
        }
    }

    /// The most rounds of all pairs, if they are added until it is decided.
    pub(crate) fn cap(&self) -> Option<u32> {
        self.analyses.cap()
    }

    /// Judges comparisons together by Holm's procedure; `summed_up` is the ratio that the rounds of all pairs show.
    pub(crate) fn judge(
        &self,
        all: &[OnPairs],
        summed_up: impl Fn(&OverMachines) -> Option<Paired>,
        margin: f64,
    ) -> Vec<Judged> {
        let upto = |rounds: u32| -> Vec<Shown> {
            let wave = self.wave(rounds);
            let of_one = |one: &OnPairs| Shown {
                paired: one.upto(wave).as_ref().and_then(&summed_up),
                resolution: one.resolution,
            };
            all.iter().map(of_one).collect()
        };
        let total = self.total();
        (self.analyses).judge_each(total, &upto(total), &upto, margin)
    }

    /// Adds to comparisons that are undecided the probability that a later analysis decides them.
    pub(crate) fn foresee(&self, judged: &mut [Judged], margin: f64) {
        self.analyses.foresee(judged, margin);
    }

    /// The last wave of the last analysis, and the level that it has for a single comparison; `None` before the first.
    pub(crate) fn last_analysis(&self) -> Option<(u32, f64)> {
        let rounds = self.analyses.last_of(self.total())?;
        Some((self.wave(rounds), self.analyses.level(ALPHA, rounds)))
    }

    fn total(&self) -> u32 {
        self.rounds.iter().sum()
    }

    /// The first wave after which there are so many rounds; after all of them whatever rounds there are.
    fn wave(&self, rounds: u32) -> u32 {
        if rounds >= self.total() {
            return u32::MAX;
        }
        let upto = |wave: u32| self.rounds.iter().map(|own| wave.min(*own)).sum::<u32>();
        (1..=rounds)
            .find(|wave| upto(*wave) >= rounds)
            .unwrap_or(u32::MAX)
    }
}

#[cfg(test)]
mod tests {
    use photofinish_model::samples;

    use super::*;

    #[test]
    fn an_analysis_is_of_the_first_waves_that_have_its_rounds() {
        let run = samples::race(&["a", "b"], &[&[1.0; 9], &[1.0; 9]]);
        let comparison = Comparison::from(&run);
        let waves = |rounds: &[u32]| Waves {
            rounds: rounds.to_vec(),
            ..Waves::of(&[(&run, &comparison)])
        };
        let even = waves(&[5, 5, 4]);
        assert_eq!([3, 6, 9].map(|rounds| even.wave(rounds)), [1, 2, 3]);
        // All rounds count in the end, and those of a resumed run that ended within a wave.
        assert_eq!(even.wave(14), u32::MAX);
        // One pair was lost after its first round: the others make up for it.
        let lost = waves(&[7, 7, 1]);
        assert_eq!([3, 6, 9].map(|rounds| lost.wave(rounds)), [1, 3, 4]);
    }
}
