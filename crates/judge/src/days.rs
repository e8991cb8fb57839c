//! Two runs of the same study, such as those of different days: what has changed from one to the other.
//!
//! Their rounds are not paired: what the machine did on one day it need not have done on the other, and no arithmetic
//! takes that out. So everything that is known to differ is said first.

use std::collections::BTreeSet;

use photofinish_stats::{Direction, Interval, Unpaired, holm_levels, judge};
use schemars::JsonSchema;
use serde::Serialize;

use crate::comparison::{
    self, ALPHA, Cell, CheckStatus, Comparison, Figure, JUDGED, TargetFigures, places, responses,
};
use photofinish_model::finding::days::{Changed, Differs, Had, HadWorkload, Thing, Unmeasured};
use photofinish_model::finding::headline::Place as At;
use photofinish_model::finding::verdict::Void;
use photofinish_model::store::Results;
use photofinish_model::{Load, Metric, StudyRecord, TargetRecord};
use photofinish_voice::Message;

/// The version of the format of [`Days`] in JSON.
pub const VERSION: u32 = 3;

/// What changed between two runs.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Days {
    /// The version of this format; see [`VERSION`].
    pub version: u32,
    /// The study's name, as in the later run.
    pub study: String,
    /// The study's title, as in the later run.
    pub title: String,
    /// When the first run began.
    pub before: String,
    /// When the second run began.
    pub after: String,
    /// What differs between them beside the figures: any of it may be the cause.
    pub warnings: Vec<Message<Differs>>,
    /// The changes, in the order of the second run.
    pub changes: Vec<Change>,
}

/// One figure of a target in both runs.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Change {
    /// The workload.
    pub workload: String,
    /// The load level in words.
    pub level: String,
    /// The load level.
    pub load: Load,
    /// The target.
    pub target: String,
    /// What is compared.
    pub metric: Metric,
    /// The figure of the first run.
    pub before: Figure,
    /// That of the second one.
    pub after: Figure,
    /// After / before; `null` where a figure is zero.
    pub ratio: Option<f64>,
    /// Its interval; `null` where one of the runs has one round only.
    pub interval: Option<Interval>,
    /// The interval's level, such as 0.95; higher where Holm's procedure asks for it.
    pub level_of_interval: f64,
    /// The finest relative difference that the figures can show.
    pub resolution: f64,
    /// Where the ratio lies; `null` where nothing may be said.
    pub direction: Option<Direction>,
    /// What came of it.
    pub outcome: Message<Changed>,
}

impl Days {
    /// Compares a run with an earlier one.
    pub fn from(before: &Results, after: &Results) -> Days {
        let (then, now) = (Comparison::from(before), Comparison::from(after));
        let mut changes = Vec::new();
        for cell in &now.cells {
            let found = then
                .cells
                .iter()
                .find(|old| old.workload == cell.workload && old.load == cell.load);
            let Some(old) = found else { continue };
            let pairs: Vec<(&TargetFigures, &TargetFigures)> = cell
                .targets
                .iter()
                .filter_map(|target| {
                    let old = old.targets.iter().find(|old| old.target == target.target)?;
                    Some((old, target))
                })
                .collect();
            let searched = cell.load.objective().is_some();
            for metric in JUDGED {
                // At a capacity the response times of both days belong to different rates.
                if searched && metric != Metric::Throughput {
                    continue;
                }
                changes.extend(of_metric(cell, metric, &pairs, after.study.margin));
            }
        }
        let mut warnings = differences(before, after);
        if after.study.started < before.study.started {
            warnings.insert(0, Differs::Backwards);
        }
        warnings.extend(unmeasured(before, after).map(Differs::NotMeasured));
        if let Some(checks) = failed_checks(&then, &now) {
            warnings.push(checks);
        }
        Days {
            version: VERSION,
            study: now.head.name,
            title: now.head.title,
            before: then.head.started,
            after: now.head.started,
            warnings: warnings.into_iter().map(Message::from).collect(),
            changes,
        }
    }
}

/// The changes of one metric at one place; the targets share the 5 in 100 by Holm's procedure.
fn of_metric(
    cell: &Cell,
    metric: Metric,
    pairs: &[(&TargetFigures, &TargetFigures)],
    margin: f64,
) -> Vec<Change> {
    let values = |figure: &Figure| figure.rounds.iter().flatten().copied().collect::<Vec<_>>();
    let all = pairs.iter().flat_map(|(old, new)| [*old, *new]);
    let finest = comparison::resolution(all, metric);
    let both: Vec<Both> = pairs
        .iter()
        .filter_map(|(old, new)| {
            let (before, after) = (old.figure(metric)?, new.figure(metric)?);
            let void = old
                .responded_otherwise(new)
                .or_else(|| old.void(metric))
                .or_else(|| new.void(metric))
                .or_else(|| old.uneven(metric))
                .or_else(|| new.uneven(metric));
            let unpaired = Unpaired::new(&values(after), &values(before));
            Some(Both {
                target: &new.target,
                before,
                after,
                unpaired: unpaired.filter(|_| void.is_none()),
                void,
            })
        })
        .collect();
    let p: Vec<Option<f64>> = both
        .iter()
        .map(|both| both.unpaired.as_ref().and_then(Unpaired::p_value))
        .collect();
    let levels = holm_levels(&p, ALPHA);
    both.into_iter()
        .zip(levels)
        .map(|(both, alpha)| {
            let interval = both.unpaired.and_then(|u| u.interval(alpha, finest));
            let direction = interval.map(|interval| judge(Some(interval), margin));
            Change {
                workload: cell.workload.clone(),
                level: cell.level.en.clone(),
                load: cell.load.clone(),
                target: both.target.to_owned(),
                metric,
                before: both.before.clone(),
                after: both.after.clone(),
                ratio: both.unpaired.as_ref().map(Unpaired::ratio),
                interval,
                level_of_interval: 1.0 - alpha,
                resolution: finest,
                direction,
                outcome: both.changed(metric, direction).into(),
            }
        })
        .collect()
}

/// A target's figure in both runs.
struct Both<'f> {
    target: &'f str,
    before: &'f Figure,
    after: &'f Figure,
    unpaired: Option<Unpaired>,
    void: Option<Void>,
}

impl Both<'_> {
    fn changed(&self, metric: Metric, direction: Option<Direction>) -> Changed {
        match (direction, metric.larger_is_better()) {
            (Some(Direction::Above), true) => Changed::Faster,
            (Some(Direction::Below), true) => Changed::Slower,
            (Some(Direction::Above), false) => Changed::Higher,
            (Some(Direction::Below), false) => Changed::Lower,
            (Some(Direction::Tie), _) => Changed::Tie,
            (Some(Direction::Undecided), _) => Changed::Undecided,
            (None, _) => Changed::Void {
                reason: self.void.clone().unwrap_or(match &self.unpaired {
                    Some(_) => Void::OneRound,
                    None => Void::Zero {
                        target: self.target.to_owned(),
                    },
                }),
            },
        }
    }
}

/// The targets that one run measured at a place and the other did not, though both were to.
fn unmeasured<'r>(
    before: &'r Results,
    after: &'r Results,
) -> impl Iterator<Item = Unmeasured> + use<'r> {
    places(after).flat_map(move |place| {
        let asked = places(before)
            .find(|old| old.workload == place.workload && old.load == place.load)
            .map_or_else(Vec::new, |old| old.targets);
        let both = place.targets.clone().into_iter();
        let both = both.filter(move |target| asked.contains(target));
        both.filter_map(move |target| {
            let has = |results| {
                let mut lines = place.lines(results, target).into_iter();
                lines.any(|line| line.measurement.is_some())
            };
            let (had, has) = (has(before), has(after));
            (had != has).then(|| Unmeasured {
                place: At {
                    workload: Some(place.workload.to_owned()),
                    load: place.load.clone(),
                },
                target: target.to_owned(),
                later: had,
            })
        })
    })
}

/// The validity checks that failed in either run; `None` where none did.
pub(crate) fn failed_checks(before: &Comparison, after: &Comparison) -> Option<Differs> {
    let failed = |comparison: &Comparison| {
        let checks = comparison.checks.iter();
        let failed = checks.filter(|check| check.status == CheckStatus::Failed);
        let names: Vec<String> = failed.map(|check| check.name.clone()).collect();
        (!names.is_empty()).then_some(Had::Checks { names })
    };
    let (before, after) = (failed(before), failed(after));
    (before.is_some() || after.is_some()).then_some(Differs::Thing {
        what: Thing::FailedChecks,
        before,
        after,
    })
}

/// Whether both runs had something else.
pub(crate) fn is_difference(differs: &Differs) -> bool {
    match differs {
        Differs::Thing { before, after, .. } => before != after,
        _ => true,
    }
}

/// What differs, in the order of its weight.
#[derive(Default)]
struct Differences(Vec<Differs>);

impl Differences {
    fn add(&mut self, what: Thing, before: impl Into<Option<Had>>, after: impl Into<Option<Had>>) {
        let (before, after) = (before.into(), after.into());
        if before != after {
            self.0.push(Differs::Thing {
                what,
                before,
                after,
            });
        }
    }
}

/// What differs between two runs beside the figures.
pub(crate) fn differences(before: &Results, after: &Results) -> Vec<Differs> {
    let mut found = Differences::default();
    let (old, new) = (&before.environment, &after.environment);
    let (was, is) = (&before.study, &after.study);
    found.add(Thing::Study, text(&was.name), text(&is.name));
    found.add(Thing::Processor, text(&old.cpu), text(&new.cpu));
    let count = |cpus: &[u32]| Had::Count { count: cpus.len() };
    found.add(Thing::Cores, count(&old.cpus), count(&new.cpus));
    found.add(
        Thing::ServerCores,
        list(&old.server_cpus),
        list(&new.server_cpus),
    );
    found.add(
        Thing::GeneratorCores,
        list(&old.generator_cpus),
        list(&new.generator_cpus),
    );
    let bytes = |bytes: u64| Had::Bytes { bytes };
    found.add(
        Thing::Memory,
        bytes(old.memory_bytes),
        bytes(new.memory_bytes),
    );
    found.add(Thing::Kernel, text(&old.kernel), text(&new.kernel));
    found.add(Thing::OperatingSystem, text(&old.os), text(&new.os));
    found.add(Thing::Governor, known(&old.governor), known(&new.governor));
    found.add(
        Thing::Hypervisor,
        known(&old.hypervisor),
        known(&new.hypervisor),
    );
    found.add(
        Thing::Photofinish,
        text(&old.photofinish),
        text(&new.photofinish),
    );
    found.add(Thing::Commit, known(&old.commit), known(&new.commit));
    let seconds = |study: &StudyRecord| Had::Seconds {
        seconds: study.duration_s,
    };
    found.add(Thing::Duration, seconds(was), seconds(is));
    for target in &is.targets {
        if let Some(known) = was.targets.iter().find(|old| old.label == target.label) {
            of_target(&mut found, known, target);
        }
    }
    let labels = |study: &StudyRecord| Had::Names {
        names: study.targets.iter().map(|t| t.label.clone()).collect(),
    };
    found.add(Thing::Targets, labels(was), labels(is));
    found.add(Thing::Loads, loads(was), loads(is));
    for target in &is.targets {
        for workload in &is.workloads {
            let of = |results| responses(results, &target.label, &workload.name);
            let (old, new) = (of(before), of(after));
            if !old.is_empty() && !new.is_empty() && old != new {
                found.0.push(Differs::OtherResponse {
                    target: target.label.clone(),
                    workload: workload.name.clone(),
                });
            }
        }
    }
    if was.smoke || is.smoke {
        found.0.push(Differs::Smoke);
    }
    found.0
}

fn of_target(found: &mut Differences, old: &TargetRecord, new: &TargetRecord) {
    let target = new.label.clone();
    let what = Thing::Command {
        target: target.clone(),
    };
    found.add(
        what,
        text(&old.command.join(" ")),
        text(&new.command.join(" ")),
    );
    let tools: BTreeSet<&String> = old.tools.keys().chain(new.tools.keys()).collect();
    for tool in tools {
        let what = Thing::Tool {
            target: target.clone(),
            tool: tool.clone(),
        };
        found.add(
            what,
            old.tools.get(tool).map(|version| text(version)),
            new.tools.get(tool).map(|version| text(version)),
        );
    }
}

fn text(name: &str) -> Had {
    Had::Name {
        name: name.to_owned(),
    }
}

/// What may not be known.
fn known(name: &Option<String>) -> Option<Had> {
    name.as_deref().map(text)
}

/// Cores in a row; `None` for none.
fn list(cpus: &[u32]) -> Option<Had> {
    let names: Vec<String> = cpus.iter().map(u32::to_string).collect();
    (!names.is_empty()).then_some(Had::Names { names })
}

/// The workloads with their loads.
fn loads(study: &StudyRecord) -> Had {
    let workloads = study.workloads.iter().map(|workload| HadWorkload {
        name: workload.name.clone(),
        asked: workload.request.clone(),
        loads: workload.loads.clone(),
    });
    Had::Workloads {
        workloads: workloads.collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use photofinish_model::samples;
    use photofinish_voice::Language;

    const THEN: [f64; 5] = [1000.0, 1010.0, 990.0, 1005.0, 995.0];

    fn now(ratio: f64) -> Vec<f64> {
        THEN.iter().rev().map(|x| x * ratio).collect()
    }

    #[test]
    fn what_changed_is_reported_with_welch_s_interval() {
        let before = samples::race(&["a", "b"], &[&THEN, &THEN]);
        let after = samples::race(&["a", "b"], &[&now(1.1), &now(1.0)]);
        let days = Days::from(&before, &after);
        assert_eq!(days.warnings, []);
        assert_eq!(days.changes.len(), 2 * JUDGED.len());
        let of = |target: &str| {
            let mut found = days.changes.iter();
            let found = found.find(|c| c.target == target && c.metric == Metric::Throughput);
            found.expect("a change").clone()
        };
        let a = of("a");
        assert!((a.ratio.expect("a ratio") - 1.1).abs() < 1e-9);
        assert_eq!(a.direction, Some(Direction::Above));
        // Two targets, so the clearer one is held against 5% / 2.
        assert!((a.level_of_interval - 0.975).abs() < 1e-12);
        assert_eq!(of("b").direction, Some(Direction::Tie));
    }

    #[test]
    fn what_one_run_lacks_and_which_checks_failed_is_said() {
        let before = samples::race(&["a", "b"], &[&THEN, &THEN]);
        let mut after = before.clone();
        after.lines.retain(|line| line.target != "b");
        after.study.started = "2020-01-01T00:00:00Z".to_owned();
        for line in &mut after.lines {
            line.measurement.as_mut().expect("measured").checks[0].ok = Some(false);
        }
        let warnings = Days::from(&before, &after).warnings;
        let said: Vec<&str> = warnings.iter().map(|says| says.en.as_str()).collect();
        assert_eq!(
            said,
            [
                "the second run is the earlier one",
                "plaintext, 100 connections: b was not measured in the later run",
                "failed checks: before none; after Little's law: connections = throughput × time of a cycle, within 5%",
            ]
        );
    }

    #[test]
    fn whatever_else_differs_is_said_in_both_languages() {
        let before = samples::race(&["a", "b"], &[&THEN, &THEN]);
        let mut after = before.clone();
        after.environment.kernel = "6.2.0".to_owned();
        after.study.targets[0]
            .tools
            .insert("jdk".to_owned(), "25".to_owned());
        after.study.duration_s = 10.0;
        after.environment.memory_bytes *= 2;
        after.environment.server_cpus = vec![0, 1];
        after.study.workloads[0].loads = vec![samples::CLOSED_100, samples::capacity_level()];
        after.study.smoke = true;
        let warnings = Days::from(&before, &after).warnings;
        let said = |language| -> Vec<&str> {
            let warnings = warnings.iter();
            warnings.map(|warning| warning.text(language)).collect()
        };
        assert_eq!(
            said(Language::En),
            [
                "cores of the servers: before 0; after 0, 1",
                "memory: before 8.00 GiB; after 16.0 GiB",
                "kernel: before 6.1.0; after 6.2.0",
                "length of a measurement: before 5 s; after 10 s",
                "jdk of a: before none; after 25",
                "load: before plaintext (GET /plaintext) at 100 connections; after plaintext (GET /plaintext) at 100 connections, capacity (p99 < 10ms)",
                "a smoke run, which says nothing about speed"
            ]
        );
        assert_eq!(
            said(Language::Zh),
            [
                "服务器使用的核：之前 0；之后 0、1",
                "内存：之前 8.00 GiB；之后 16.0 GiB",
                "内核：之前 6.1.0；之后 6.2.0",
                "每次测量的时长：之前 5 s；之后 10 s",
                "a 的 jdk：之前 无；之后 25",
                "负载：之前 plaintext（GET /plaintext），100 个连接；之后 plaintext（GET /plaintext），100 个连接、容量（p99 < 10ms）",
                "其中有冒烟运行，不能得出任何结论"
            ]
        );
    }
}
