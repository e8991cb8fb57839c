//! Two runs of the same study, such as those of different days: what has changed from one to the other.
//!
//! Their rounds are not paired: what the machine did on one day it need not have done on the other, and no arithmetic
//! takes that out. So everything that is known to differ is told first.

use std::collections::BTreeMap;

use photofinish_stats::{Direction, Interval, Unpaired, holm_levels, judge};
use schemars::JsonSchema;
use serde::Serialize;

use crate::comparison::{self, ALPHA, Comparison, Figure, JUDGED, TargetFigures};
use photofinish_model::Metric;
use photofinish_model::store::Results;

/// The version of the format of [`Days`] in JSON.
pub const VERSION: u32 = 1;

/// What changed between two runs.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Days {
    /// The version of this format; see [`VERSION`].
    pub version: u32,
    /// The study's title, as in the later run.
    pub title: String,
    /// When the first run began.
    pub before: String,
    /// When the second run began.
    pub after: String,
    /// What differs between them beside the figures, a sentence each: any of it may be the cause.
    pub warnings: Vec<String>,
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
    /// Where the ratio lies; `null` where nothing can be said.
    pub direction: Option<Direction>,
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
                let place = (cell.workload.as_str(), cell.level.as_str());
                changes.extend(of_metric(place, metric, &pairs, after.study.margin));
            }
        }
        Days {
            version: VERSION,
            title: now.head.title,
            before: then.head.started,
            after: now.head.started,
            warnings: warnings(before, after),
            changes,
        }
    }
}

/// The changes of one metric at one place; the targets share the 5 in 100 by Holm's procedure.
fn of_metric(
    (workload, level): (&str, &str),
    metric: Metric,
    pairs: &[(&TargetFigures, &TargetFigures)],
    margin: f64,
) -> Vec<Change> {
    let values = |figure: &Figure| figure.rounds.iter().flatten().copied().collect::<Vec<_>>();
    let all = pairs.iter().flat_map(|(old, new)| [*old, *new]);
    let finest = comparison::resolution(all, metric);
    let both: Vec<(&str, &Figure, &Figure, Option<Unpaired>)> = pairs
        .iter()
        .filter_map(|(old, new)| {
            let (before, after) = (old.figure(metric)?, new.figure(metric)?);
            let unpaired = Unpaired::new(&values(after), &values(before));
            let unpaired = unpaired.filter(|_| comparison::unjudged(old, new).is_none());
            Some((new.target.as_str(), before, after, unpaired))
        })
        .collect();
    let p: Vec<Option<f64>> = both
        .iter()
        .map(|(.., unpaired)| unpaired.as_ref().and_then(Unpaired::p_value))
        .collect();
    let levels = holm_levels(&p, ALPHA);
    both.into_iter()
        .zip(levels)
        .map(|((target, before, after, unpaired), alpha)| {
            let interval = unpaired.and_then(|u| u.interval(alpha, finest));
            Change {
                workload: workload.to_owned(),
                level: level.to_owned(),
                target: target.to_owned(),
                metric,
                before: before.clone(),
                after: after.clone(),
                ratio: unpaired.as_ref().map(Unpaired::ratio),
                interval,
                level_of_interval: 1.0 - alpha,
                direction: interval.map(|interval| judge(Some(interval), margin)),
            }
        })
        .collect()
}

fn warnings(before: &Results, after: &Results) -> Vec<String> {
    let mut found = Vec::new();
    let mut differ = |what: &str, before: String, after: String| {
        if before != after {
            found.push(format!("{what}: {before} before, {after} after"));
        }
    };
    let (old, new) = (&before.environment, &after.environment);
    let none = || "none".to_owned();
    let (was, is) = (&before.study, &after.study);
    differ("another study", was.name.clone(), is.name.clone());
    differ("processor", old.cpu.clone(), new.cpu.clone());
    differ(
        "cores",
        old.cpus.len().to_string(),
        new.cpus.len().to_string(),
    );
    let lanes = |e: &photofinish_model::Environment| {
        format!(
            "server {:?}, generator {:?}",
            e.server_cpus, e.generator_cpus
        )
    };
    differ("lanes", lanes(old), lanes(new));
    differ(
        "memory",
        old.memory_bytes.to_string(),
        new.memory_bytes.to_string(),
    );
    differ("kernel", old.kernel.clone(), new.kernel.clone());
    differ("operating system", old.os.clone(), new.os.clone());
    let named = |name: &Option<String>| name.clone().unwrap_or_else(none);
    differ("governor", named(&old.governor), named(&new.governor));
    differ("hypervisor", named(&old.hypervisor), named(&new.hypervisor));
    differ(
        "photofinish",
        old.photofinish.clone(),
        new.photofinish.clone(),
    );
    differ("commit", named(&old.commit), named(&new.commit));
    differ(
        "length of a measurement",
        format!("{} s", was.duration_s),
        format!("{} s", is.duration_s),
    );
    for target in &is.targets {
        let Some(known) = was.targets.iter().find(|old| old.label == target.label) else {
            continue;
        };
        let label = &target.label;
        differ(
            &format!("command of {label}"),
            known.command.join(" "),
            target.command.join(" "),
        );
        let tools: BTreeMap<&String, ()> = known
            .tools
            .keys()
            .chain(target.tools.keys())
            .map(|name| (name, ()))
            .collect();
        for name in tools.into_keys() {
            let of =
                |tools: &BTreeMap<String, String>| tools.get(name).cloned().unwrap_or_else(none);
            differ(
                &format!("{name} of {label}"),
                of(&known.tools),
                of(&target.tools),
            );
        }
    }
    let labels = |study: &photofinish_model::StudyRecord| {
        let labels: Vec<&str> = study.targets.iter().map(|t| t.label.as_str()).collect();
        labels.join(", ")
    };
    differ("targets", labels(was), labels(is));
    let loads = |study: &photofinish_model::StudyRecord| {
        let loads = study.workloads.iter().map(|workload| {
            let levels: Vec<String> = workload.loads.iter().map(|load| load.label()).collect();
            format!(
                "{} ({}) at {}",
                workload.name,
                workload.request,
                levels.join(", ")
            )
        });
        loads.collect::<Vec<_>>().join("; ")
    };
    differ("load", loads(was), loads(is));
    if was.smoke || is.smoke {
        found.push("a smoke run, from which nothing may be concluded".to_owned());
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use photofinish_model::samples;

    const THEN: [f64; 5] = [1000.0, 1010.0, 990.0, 1005.0, 995.0];

    fn now(ratio: f64) -> Vec<f64> {
        THEN.iter().rev().map(|x| x * ratio).collect()
    }

    #[test]
    fn what_changed_is_told_with_welch_s_interval() {
        let before = samples::race(&["a", "b"], &[&THEN, &THEN]);
        let after = samples::race(&["a", "b"], &[&now(1.1), &now(1.0)]);
        let days = Days::from(&before, &after);
        assert_eq!(days.warnings, [""; 0]);
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
    fn whatever_else_differs_is_told() {
        let before = samples::race(&["a", "b"], &[&THEN, &THEN]);
        let mut after = before.clone();
        after.environment.kernel = "6.2.0".to_owned();
        after.study.targets[0]
            .tools
            .insert("jdk".to_owned(), "25".to_owned());
        after.study.duration_s = 10.0;
        after.study.smoke = true;
        assert_eq!(
            Days::from(&before, &after).warnings,
            [
                "kernel: 6.1.0 before, 6.2.0 after",
                "length of a measurement: 5 s before, 10 s after",
                "jdk of a: none before, 25 after",
                "a smoke run, from which nothing may be concluded"
            ]
        );
    }
}
