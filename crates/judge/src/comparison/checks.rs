//! The validity checks over a whole run.

pub(super) mod images;
pub(super) mod own_cores;
pub(super) mod responses;
pub(super) mod same_job;
pub(super) mod tally;

use photofinish_model::check;
use photofinish_model::message::Message;
use photofinish_model::store::Results;
use photofinish_model::{Check, Line};
use photofinish_voice::{checks as names, run_check as found};
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
    pub title: Message,
    /// What came of it.
    pub status: CheckStatus,
    /// How many measurements, trials or workloads were checked.
    pub checked: usize,
    /// How many there are.
    pub of: usize,
    /// Where it failed.
    pub failing: Vec<Failing>,
    /// What is worth knowing and no failure, such as differing bytes on the wire.
    pub notes: Vec<Message>,
    /// The outcome.
    pub says: Message,
    /// Whether that contains why it was not made everywhere.
    #[serde(skip)]
    pub has_reason: bool,
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
            CheckStatus::Ok => "passed",
            CheckStatus::Failed => "failed",
            CheckStatus::Partly => "made in part",
            CheckStatus::NotChecked => "not made",
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
                check::NOISE_FLOOR => noise::tally(cells, results.study.settings.smoke),
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
    let of_all = counted.count(of);
    let has_reason = why_not.is_some();
    let (status, says) = if !failing.is_empty() {
        let meaning = names::meaning(name);
        let says = found::failed(failing.len(), counted.count(checked), meaning);
        (CheckStatus::Failed, says)
    } else if checked == 0 {
        let says = why_not.map_or_else(found::not_checked, found::not_checked_because);
        (CheckStatus::NotChecked, says)
    } else if checked < of {
        let says = match why_not {
            None => found::partly(checked, of_all),
            Some(why) => found::partly_because(checked, of_all, why),
        };
        (CheckStatus::Partly, says)
    } else {
        (CheckStatus::Ok, found::passed(counted.count(checked)))
    };
    CheckResult {
        name: name.to_owned(),
        title: names::title(name),
        status,
        checked,
        of,
        failing,
        notes,
        says,
        has_reason,
    }
}

/// The warm-ups that were ended by their bound, where that was not all they were given: whatever the windows of a measurement show, its
/// server had not settled before.
fn never_settled(results: &Results) -> Vec<Message> {
    let trials = gaps::last_trials(results);
    let warmups = trials
        .iter()
        .flat_map(|trial| trial.warmups.iter().map(move |warmup| (trial, warmup)));
    warmups
        .filter(|(_, warmup)| !warmup.settled && !warmup.fixed)
        .map(|(trial, warmup)| {
            found::never_steady(
                &trial.target,
                warmup.duration_s * 1e6,
                &warmup.workload,
                &warmup.load,
                trial.round,
            )
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
                let says = check.says.clone().unwrap_or_else(found::not_checked);
                tally.failing.push(Failing::of_line(line, says));
            }
            None => {
                tally.why_not.clone_from(&check.says);
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
