//! What is not there: failures, and measurements that were never made.

use std::collections::{BTreeSet, HashMap};

use photofinish_stats::planning::MOST_ROUNDS;
use schemars::JsonSchema;
use serde::Serialize;

use photofinish_model::Place;
use photofinish_model::TrialRecord;
use photofinish_model::finding::failure::FailureFinding;
use photofinish_model::settings::RaceSettings;
use photofinish_model::store::Results;

use photofinish_model::message::Message;
use photofinish_voice::{failure, place};

use crate::comparison::figures::places;
use crate::comparison::figures::places::places;
use crate::lists::by_key;

/// A trial or measurements that failed.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Failure {
    /// The target.
    pub target: String,
    /// The round.
    pub round: u32,
    /// Where: `workload, level` of each measurement that was lost; empty where a trial lost none.
    pub measurements: Vec<Message>,
    /// Why.
    pub why: Message,
    /// The cause, for code that depends on it.
    #[serde(skip)]
    pub cause: FailureFinding,
}

/// Measurements that the study asks for and nobody has tried.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Missing {
    /// The target.
    pub target: String,
    /// The workload.
    pub workload: String,
    /// The level in words.
    pub level: Message,
    /// The rounds that are not there.
    pub rounds: Vec<u32>,
}

/// The last trial of each target and round: a trial that was held again counts as it then went.
pub(crate) fn last_trials(results: &Results) -> Vec<&TrialRecord> {
    let key = |trial: &TrialRecord| (trial.round, trial.target.clone());
    let last: HashMap<_, usize> = results.trials.iter().map(key).zip(0..).collect();
    let trials = results.trials.iter().enumerate();
    trials
        .filter(|(index, trial)| last.get(&key(trial)) == Some(index))
        .map(|(_, trial)| trial)
        .collect()
}

/// What failed and was not made good by a later try, in the order of the rounds.
pub(crate) fn failures(results: &Results) -> Vec<Failure> {
    let trials = last_trials(results).into_iter().filter_map(|trial| {
        let why = trial.failure.clone()?;
        Some(((trial.round, &trial.target, why), None))
    });
    let lines = results.lines.iter().filter_map(|line| {
        let why = match (&line.failure, &line.measurement) {
            (Some(why), _) => why.clone(),
            (None, None) => FailureFinding::NoReason {},
            (None, Some(_)) => return None,
        };
        let place = place::at(Place::of(&line.workload, &line.load));
        Some(((line.round, &line.target, why), Some(place)))
    });
    let mut failures = by_key(trials.chain(lines));
    failures.sort_by_key(|((round, ..), _)| *round);
    let failures = failures.into_iter();
    failures
        .map(|((round, target, cause), measurements)| Failure {
            target: target.clone(),
            round,
            measurements: measurements.into_iter().flatten().collect(),
            why: failure::because(cause.to_string()),
            cause,
        })
        .collect()
}

/// The rounds that the study asks for; where they are added until it is decided, those that were begun, and where there was no time for all of them, those
/// that there was time for.
pub(crate) fn rounds_asked(results: &Results) -> u32 {
    let RaceSettings {
        rounds, max_rounds, ..
    } = results.study.settings;
    let begun = results.lines.iter().map(|line| line.round).max();
    let begun = begun.unwrap_or(0).min(rounds);
    if max_rounds.is_some() {
        return begun;
    }
    match results.time_over.last() {
        // A run that was resumed since then and went on lacks what it lacks.
        Some(over) if over.rounds >= begun => over.rounds.min(rounds),
        _ => rounds,
    }
}

/// The rounds in which a target has been tried at a place.
fn tried(results: &Results, place: &places::Place<'_>, target: &str) -> BTreeSet<u32> {
    let lines = place.lines(results, target).into_iter();
    lines.map(|line| line.round).collect()
}

/// What the study asks for and nobody has tried.
pub(crate) fn missing(results: &Results) -> Vec<Missing> {
    let mut missing = Vec::new();
    let asked = rounds_asked(results).min(MOST_ROUNDS);
    for place in places(results) {
        for target in &place.targets {
            let tried = tried(results, &place, target);
            let rounds: Vec<u32> = (1..=asked).filter(|round| !tried.contains(round)).collect();
            if !rounds.is_empty() {
                missing.push(Missing {
                    target: (*target).to_owned(),
                    workload: place.workload.to_owned(),
                    level: place::level(place.load),
                    rounds,
                });
            }
        }
    }
    missing
}

/// The rounds in which every measurement was tried.
pub(crate) fn rounds_done(results: &Results) -> u32 {
    let incomplete: BTreeSet<u32> = missing(results)
        .into_iter()
        .flat_map(|missing| missing.rounds)
        .collect();
    rounds_asked(results) - incomplete.len() as u32
}
