//! The validity checks over a whole run.

pub(super) mod images;
pub(super) mod own_cores;
pub(super) mod responses;
pub(super) mod same_job;
pub(super) mod tally;

use photofinish_model::check;
use photofinish_model::finding::check::CheckFinding;
use photofinish_model::finding::run_check::RunCheckFinding;
use photofinish_model::store::Results;
use photofinish_model::{Check, Line};
use photofinish_voice::Message;
use schemars::JsonSchema;
use serde::Serialize;

use super::Cell;
use crate::comparison::figures::gaps;
use crate::comparison::interference::noise;
use crate::comparison::reach::{link, share};
use crate::comparison::verdict::interleaved;
use tally::{Failing, Tally};

/// A validity check and what came of it.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct CheckResult {
    /// The check: one of the names in [`check`].
    pub name: String,
    /// The check in a few words.
    pub title: Message<RunCheckFinding>,
    /// What came of it.
    pub status: CheckStatus,
    /// How many measurements, trials or workloads were checked.
    pub checked: usize,
    /// How many there are.
    pub of: usize,
    /// Where it failed.
    pub failing: Vec<Failing>,
    /// What is worth knowing and no failure, such as differing bytes on the wire.
    pub notes: Vec<Message<RunCheckFinding>>,
    /// The outcome.
    pub says: Message<RunCheckFinding>,
}

/// What came of a check.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum CheckStatus {
    /// It was made everywhere, and passed everywhere.
    Ok,
    /// It failed somewhere.
    Failed,
    /// It passed where it was made, which is not everywhere.
    Partly,
    /// It was not made.
    NotChecked,
}

impl CheckStatus {
    /// The status in words.
    pub fn words(self) -> &'static str {
        match self {
            CheckStatus::Ok => "ok",
            CheckStatus::Failed => "FAILED",
            CheckStatus::Partly => "partly checked",
            CheckStatus::NotChecked => "not checked",
        }
    }
}

/// All checks, in their order.
pub(super) fn checks(results: &Results, cells: &[Cell]) -> Vec<CheckResult> {
    let is_made = |name: &&str| {
        let has = |line: &Line| {
            line.measurement
                .as_ref()
                .is_some_and(|m| m.check(name).is_some())
        };
        results.lines.iter().any(has)
    };
    check::ALL
        .into_iter()
        .chain(check::SOME.into_iter().filter(is_made))
        .chain(own_cores::is_made(results).then_some(check::OWN_CORES))
        .chain(link::is_made(results).then_some(check::LINK))
        .map(|name| {
            let tally = match name {
                check::SAME_JOB => same_job::tally(results),
                check::OWN_CORES => own_cores::tally(results),
                check::LINK => link::tally(results),
                check::INTERLEAVED => interleaved::tally(results),
                check::NOISE_FLOOR => noise::tally(cells, results.study.smoke),
                check::STEADY => Tally {
                    notes: never_settled(results),
                    ..measured(results, name)
                },
                _ => measured(results, name),
            };
            result(name, tally)
        })
        .collect()
}

fn result(name: &str, tally: Tally) -> CheckResult {
    let Tally {
        checked,
        of,
        failing,
        notes,
        why_not,
        counted,
    } = tally;
    let why = why_not.map(Box::new);
    let (status, says) = if !failing.is_empty() {
        let says = RunCheckFinding::Failed {
            check: name.to_owned(),
            failing: failing.len(),
            checked,
            counted,
        };
        (CheckStatus::Failed, says)
    } else if checked == 0 {
        (CheckStatus::NotChecked, RunCheckFinding::NotChecked { why })
    } else if checked < of {
        let says = RunCheckFinding::Partly {
            checked,
            of,
            counted,
            why,
        };
        (CheckStatus::Partly, says)
    } else {
        (
            CheckStatus::Ok,
            RunCheckFinding::Passed { checked, counted },
        )
    };
    let title = RunCheckFinding::Title {
        check: name.to_owned(),
    };
    CheckResult {
        name: name.to_owned(),
        title: title.into(),
        status,
        checked,
        of,
        failing,
        notes: notes.into_iter().map(Message::from).collect(),
        says: says.into(),
    }
}

/// The warm-ups that were ended by their bound, where that was not all they were given: whatever the windows of a measurement show, its
/// server had not settled before.
fn never_settled(results: &Results) -> Vec<RunCheckFinding> {
    let trials = gaps::last_trials(results);
    let warmups = trials
        .iter()
        .flat_map(|trial| trial.warmups.iter().map(move |warmup| (trial, warmup)));
    warmups
        .filter(|(_, warmup)| !warmup.settled && !warmup.fixed)
        .map(|(trial, warmup)| RunCheckFinding::NeverSettled {
            target: trial.target.clone(),
            duration_s: warmup.duration_s,
            workload: warmup.workload.clone(),
            load: warmup.load.clone(),
            round: trial.round,
        })
        .collect()
}

/// A check that each measurement makes of itself.
fn measured(results: &Results, name: &str) -> Tally {
    let mut tally = Tally::default();
    for line in &results.lines {
        let Some(measurement) = &line.measurement else {
            continue;
        };
        tally.of += 1;
        let Some(check) = measurement.check(name) else {
            tally.of -= usize::from(check::SOME.contains(&name));
            continue;
        };
        if is_said_of_shares(results, line, check) {
            tally.of -= 1;
            continue;
        }
        match check.ok {
            Some(true) => tally.checked += 1,
            Some(false) => {
                tally.checked += 1;
                tally.failing.push(Failing {
                    target: Some(line.target.clone()),
                    workload: Some(line.workload.clone()),
                    level: Some(line.load.clone().into()),
                    round: Some(line.round),
                    ..Failing::new(recorded(check))
                });
            }
            None => {
                // That one run alone cannot show it is no reason here.
                let why = Some(recorded(check));
                tally.why_not = why.filter(|_| check.finding != Some(CheckFinding::OneRunAlone {}));
            }
        }
    }
    tally
}

/// Whether this is only that the load generator was the bottleneck of the study's limit, which is there to be faster than anything: that makes shares
/// of it upper bounds, which stands below them, and says nothing against what the targets are compared by.
fn is_said_of_shares(results: &Results, line: &Line, check: &Check) -> bool {
    let mut limits = results.study.targets.iter().filter(|target| target.limit);
    check.name == check::GENERATOR
        && check.ok == Some(false)
        && limits.any(|limit| limit.label == line.target)
        && share::is_shown(&line.load)
}

/// What came of a check: its finding, or the sentence that an older version recorded.
fn recorded(check: &Check) -> RunCheckFinding {
    match &check.finding {
        Some(finding) => RunCheckFinding::Measured {
            finding: finding.clone(),
        },
        None => RunCheckFinding::Recorded {
            says: check.says.clone(),
        },
    }
}
