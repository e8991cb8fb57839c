//! Whether every trial had a server process of its own, and the targets took turns.

use std::collections::BTreeMap;

use photofinish_model::TrialRecord;
use photofinish_model::store::Results;
use photofinish_voice::run_check as found;

use crate::comparison::checks::tally::{Counted, Failing, Tally};

/// Counts trials whose process is known.
pub(crate) fn tally(results: &Results) -> Tally {
    let mut trials: Vec<&TrialRecord> = results.trials.iter().collect();
    trials.sort_by_key(|trial| trial.trial);
    let mut tally = Tally {
        counted: Counted::Trials,
        of: trials.len(),
        ..Tally::default()
    };
    let targets = &results.study.targets;
    let already: Vec<&str> = (targets.iter().filter(|target| target.already))
        .map(|target| target.label.as_str())
        .collect();
    if !already.is_empty() {
        tally.why_not = Some(found::ran_already());
    }
    let mut first_with: BTreeMap<u32, &TrialRecord> = BTreeMap::new();
    for trial in &trials {
        if already.contains(&&*trial.target) {
            continue;
        }
        let Some(pid) = trial.pid else {
            // A trial that never started has measured nothing that could be stale.
            if trial.failure.is_some() {
                tally.of -= 1;
            }
            continue;
        };
        tally.checked += 1;
        if let Some(first) = first_with.insert(pid, trial) {
            tally.failing.push(Failing {
                target: Some(trial.target.clone()),
                round: Some(trial.round),
                ..Failing::new(found::shared_process(pid, &first.target, first.round))
            });
        }
    }
    if grouped(&trials) {
        tally.failing.push(Failing::new(found::grouped()));
    }
    if tally.checked > 0 {
        tally.notes.push(found::seed(results.study.seed));
    }
    tally
}

/// Whether the targets came one after the other although they could have taken turns.
fn grouped(trials: &[&TrialRecord]) -> bool {
    let mut of_each: BTreeMap<&str, usize> = BTreeMap::new();
    for trial in trials {
        *of_each.entry(&trial.target).or_insert(0) += 1;
    }
    let stretches = 1 + trials
        .windows(2)
        .filter(|pair| pair[0].target != pair[1].target)
        .count();
    of_each.len() > 1 && of_each.values().all(|&count| count > 1) && stretches == of_each.len()
}
