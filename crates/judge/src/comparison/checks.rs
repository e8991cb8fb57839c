//! The honesty rules over a whole run.

use schemars::JsonSchema;
use serde::Serialize;

use photofinish_model::store::Results;
use photofinish_model::units::{Unit, plural};
use photofinish_model::{Line, check};
use photofinish_voice::{self as voice, Language, Say};

use super::{Cell, gaps, interleaved, noise, same_job};

/// A rule and what came of it.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct CheckResult {
    /// The rule: one of the names in [`check`].
    pub name: String,
    /// The rule in a few words.
    pub title: String,
    /// What came of it.
    pub status: CheckStatus,
    /// How many measurements, trials or workloads were checked.
    pub checked: usize,
    /// How many there are.
    pub of: usize,
    /// Where it does not hold.
    pub failing: Vec<Failing>,
    /// What is worth knowing and no failure, such as differing bytes on the wire.
    pub told: Vec<String>,
    /// The outcome in one sentence.
    pub says: String,
}

/// What came of a rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum CheckStatus {
    /// All were checked, and it holds for all.
    Ok,
    /// It does not hold somewhere.
    Failed,
    /// Some were checked, and it holds for those.
    Partly,
    /// Nobody has checked it yet.
    NotChecked,
}

impl CheckStatus {
    /// The status in words.
    pub fn words(self) -> &'static str {
        match self {
            CheckStatus::Ok => "ok",
            CheckStatus::Failed => "FAILED",
            CheckStatus::Partly => "partly checked",
            CheckStatus::NotChecked => "not checked yet",
        }
    }
}

/// A place where a rule does not hold. What is not told holds for all (a rule about the whole run has no round).
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
pub struct Failing {
    /// The target.
    pub target: Option<String>,
    /// The workload.
    pub workload: Option<String>,
    /// The load level in words.
    pub level: Option<String>,
    /// The round.
    pub round: Option<u32>,
    /// The arithmetic.
    pub says: String,
}

impl Failing {
    /// The place in words, such as `quarkus, plaintext, 100 connections, round 3`.
    pub fn place(&self) -> String {
        let round = self.round.map(|round| format!("round {round}"));
        [&self.target, &self.workload, &self.level, &round]
            .into_iter()
            .filter_map(|part| part.as_deref())
            .collect::<Vec<_>>()
            .join(", ")
    }
}

/// How a rule was counted.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Tally {
    pub(super) checked: usize,
    pub(super) of: usize,
    pub(super) failing: Vec<Failing>,
    pub(super) told: Vec<String>,
    /// Why it was not checked, where that was said.
    pub(super) why_not: Option<String>,
    /// One of what is counted, and several.
    pub(super) nouns: (&'static str, &'static str),
}

/// All rules, in their order.
pub(super) fn checks(results: &Results, cells: &[Cell]) -> Vec<CheckResult> {
    let has_rows = |line: &Line| {
        let measurement = line.measurement.as_ref();
        measurement.is_some_and(|m| m.check(check::ROWS).is_some())
    };
    let rows = results.lines.iter().any(has_rows).then_some(check::ROWS);
    check::ALL
        .into_iter()
        .chain(rows)
        .map(|name| {
            let tally = match name {
                check::SAME_JOB => same_job::tally(results),
                check::INTERLEAVED => interleaved::tally(results),
                check::NOISE_FLOOR => noise::tally(cells, results.study.smoke),
                check::STEADY => Tally {
                    told: never_settled(results),
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
        told,
        why_not,
        nouns: (one, several),
    } = tally;
    let status = if !failing.is_empty() {
        CheckStatus::Failed
    } else if checked == 0 {
        CheckStatus::NotChecked
    } else if checked < of {
        CheckStatus::Partly
    } else {
        CheckStatus::Ok
    };
    let count = plural(checked, one, several);
    let says = match status {
        CheckStatus::Ok => format!("holds: {count} checked"),
        CheckStatus::Failed => format!(
            "does not hold in {} of {count}: {}",
            failing.len(),
            voice::check::meaning(name, Language::En)
        ),
        CheckStatus::Partly => {
            let why = why_not.map_or_else(String::new, |why| format!("; else: {why}"));
            format!("holds where it was checked: {checked} of {of} {several}{why}")
        }
        CheckStatus::NotChecked => match why_not {
            Some(why) => format!("not checked yet: {why}"),
            None => "not checked yet".to_owned(),
        },
    };
    CheckResult {
        name: name.to_owned(),
        title: voice::check::title(name, Language::En).to_owned(),
        status,
        checked,
        of,
        failing,
        told,
        says,
    }
}

/// The warm-ups that were ended by their bound: whatever the windows of a measurement show, its
/// server had not settled before.
fn never_settled(results: &Results) -> Vec<String> {
    let trials = gaps::last_trials(results);
    let warmups = trials
        .iter()
        .flat_map(|trial| trial.warmups.iter().map(move |warmup| (trial, warmup)));
    warmups
        .filter(|(_, warmup)| !warmup.settled)
        .map(|(trial, warmup)| {
            format!(
                "never settled: {} had not after {} of warm-up on {} at {} in round {}",
                trial.target,
                Unit::Microseconds.text(warmup.duration_s * 1e6),
                warmup.workload,
                warmup.load.label(),
                trial.round
            )
        })
        .collect()
}

/// A rule that each measurement tells of itself.
fn measured(results: &Results, name: &str) -> Tally {
    let mut tally = Tally {
        nouns: ("measurement", "measurements"),
        ..Tally::default()
    };
    for line in &results.lines {
        let Some(measurement) = &line.measurement else {
            continue;
        };
        tally.of += 1;
        let Some(check) = measurement.check(name) else {
            // Only some workloads leave rows to count.
            tally.of -= usize::from(name == check::ROWS);
            continue;
        };
        match check.ok {
            Some(true) => tally.checked += 1,
            Some(false) => {
                tally.checked += 1;
                tally.failing.push(Failing {
                    target: Some(line.target.clone()),
                    workload: Some(line.workload.clone()),
                    level: Some(line.load.label()),
                    round: Some(line.round),
                    says: check.says.clone(),
                });
            }
            None => {
                tally.why_not = check
                    .finding
                    .as_ref()
                    .map(|finding| finding.say(Language::En))
            }
        }
    }
    tally
}
