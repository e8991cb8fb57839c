//! How long targets take to start.

use photofinish_model::store::Results;
use photofinish_model::units::Unit;
use photofinish_stats::planning::MOST_ROUNDS;
use schemars::JsonSchema;
use serde::Serialize;

use crate::comparison::figures::figure::Figure;
use crate::comparison::figures::gaps;

/// A target's start-up time: from the start of its process until it was ready.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct StartUp {
    /// The target.
    pub target: String,
    /// The time in microseconds over the rounds, by the last trial of each; a round in which it was never ready has none.
    pub time: Figure,
}

/// The start-up times of every target that was ready at least once, in the order of the study.
pub(crate) fn start_ups(results: &Results) -> Vec<StartUp> {
    let trials = gaps::last_trials(results);
    let of = |label: &str| {
        let own = trials.iter().filter(|trial| trial.target == label);
        let own = own.filter(|trial| (1..=MOST_ROUNDS).contains(&trial.round));
        let last = own.clone().map(|trial| trial.round).max()?;
        let mut rounds = vec![None; last as usize];
        for trial in own {
            if let Some(place) = rounds.get_mut(trial.round as usize - 1) {
                *place = trial.ready_s.map(|seconds| seconds * 1e6);
            }
        }
        let time = Figure::over(Unit::Microseconds, rounds)?;
        Some(StartUp {
            target: label.to_owned(),
            time,
        })
    };
    let targets = results.study.targets.iter();
    targets.filter_map(|target| of(&target.label)).collect()
}

#[cfg(test)]
mod tests {
    use photofinish_model::samples;

    use super::*;

    #[test]
    fn start_up_times_are_those_of_the_trials_with_their_range() {
        let mut results = samples::race(&["a", "b"], &[&[1.0, 1.0], &[1.0, 1.0]]);
        for trial in &mut results.trials {
            trial.ready_s = match (trial.target.as_str(), trial.round) {
                ("a", 1) => Some(0.4),
                ("a", 2) => Some(0.9),
                ("b", 1) => Some(2.0),
                _ => None,
            };
        }
        let [a, b] = start_ups(&results).try_into().expect("two targets");
        assert_eq!((a.target.as_str(), b.target.as_str()), ("a", "b"));
        assert_eq!(a.time.rounds, [Some(400_000.0), Some(900_000.0)]);
        assert_eq!((a.time.min, a.time.max), (400_000.0, 900_000.0));
        // √(0.4 s × 0.9 s) = 0.6 s.
        let mean = a.time.mean.expect("a mean");
        assert!((mean - 600_000.0).abs() < 1e-3, "{mean}");
        assert_eq!(b.time.rounds, [Some(2_000_000.0), None]);
        assert_eq!(b.time.range(), "2.00 s");
        for trial in &mut results.trials {
            trial.ready_s = None;
        }
        assert_eq!(start_ups(&results), []);
    }
}
