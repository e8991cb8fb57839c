//! Two runs of the same study, such as those of different days: what has changed from one to the other.
//!
//! Their rounds are not paired: what the machine did on one day it need not have done on the other, and no arithmetic
//! takes that out. So everything that is known to differ is said first.

pub(crate) mod differences;

use differences::failed_checks;
use photofinish_stats::{Direction, Interval, Unpaired, holm_levels, judge};
use schemars::JsonSchema;
use serde::Serialize;

use crate::comparison::{
    self, ALPHA, Cell, Comparison, Figure, Head, Invalid, JUDGED, TargetFigures, places,
};
use photofinish_model::Place as At;
use photofinish_model::message::Message;
use photofinish_model::store::Results;
use photofinish_model::{Load, Metric};
use photofinish_voice::difference as found;
use photofinish_voice::verdict::reason;

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
    pub warnings: Vec<Message>,
    /// Whether one of the runs was a smoke run.
    #[serde(skip)]
    pub(crate) smoke: bool,
    /// What only one of the runs measured.
    #[serde(skip)]
    pub(crate) unmeasured: Vec<Message>,
    /// The changes, in the order of the second run.
    pub changes: Vec<Change>,
    /// What the second run was.
    #[serde(skip)]
    pub head: Head,
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
    pub outcome: Message,
    /// The names of the validity checks that failed there in the first run, and in the second one.
    pub failed_checks: [Vec<String>; 2],
    /// Why there is no outcome, for code that depends on it.
    #[serde(skip)]
    pub(crate) void: Option<Invalid>,
}

impl Days {
    /// Compares a run with an earlier one.
    pub fn from(before: &Results, after: &Results) -> Days {
        let (then, now) = (Comparison::from(before), Comparison::from(after));
        let mut changes = Vec::new();
        for cell in &now.cells {
            let mut cells = then.cells.iter();
            let Some(old) = cells.find(|old| old.is_at(&cell.workload, &cell.load)) else {
                continue;
            };
            let failed_checks = |target: &str| {
                let targets = &[target];
                [
                    then.failed_checks(old, targets),
                    now.failed_checks(cell, targets),
                ]
            };
            let pairs = cell.targets.iter().filter_map(|new| {
                Some(Pair {
                    old: old.target(&new.target)?,
                    new,
                    failed_checks: failed_checks(&new.target),
                })
            });
            let pairs: Vec<Pair> = pairs.collect();
            let searched = cell.load.objective().is_some();
            for metric in JUDGED {
                // At a capacity the response times of both days belong to different rates.
                if searched && metric != Metric::Throughput {
                    continue;
                }
                changes.extend(of_metric(cell, metric, &pairs, after.study.settings.margin));
            }
        }
        let differences = differences::between(before, after);
        let mut warnings: Vec<Message> = differences.into_iter().map(|of| of.says).collect();
        if after.study.started < before.study.started {
            warnings.insert(0, found::backwards());
        }
        let unmeasured: Vec<Message> = unmeasured(before, after).collect();
        warnings.extend(unmeasured.iter().cloned());
        if let Some(checks) = failed_checks(&then, &now) {
            warnings.push(checks.says);
        }
        Days {
            version: VERSION,
            study: now.head.name.clone(),
            title: now.head.title.clone(),
            before: then.head.started,
            after: now.head.started.clone(),
            warnings,
            smoke: before.study.settings.smoke || after.study.settings.smoke,
            unmeasured,
            changes,
            head: now.head,
        }
    }
}

/// A target in both runs.
struct Pair<'f> {
    old: &'f TargetFigures,
    new: &'f TargetFigures,
    /// The names of the validity checks that failed in each.
    failed_checks: [Vec<String>; 2],
}

/// The changes of one metric at one place; the targets share the 5 in 100 by Holm's procedure.
fn of_metric(cell: &Cell, metric: Metric, pairs: &[Pair], margin: f64) -> Vec<Change> {
    let all = pairs.iter().flat_map(|pair| [pair.old, pair.new]);
    let finest = comparison::resolution(all, metric);
    let both: Vec<Both> = pairs
        .iter()
        .filter_map(|pair| {
            let (old, new) = (pair.old, pair.new);
            let (before, after) = (old.figure(metric)?, new.figure(metric)?);
            let void = old
                .responded_otherwise(new)
                .or_else(|| old.void(metric))
                .or_else(|| new.void(metric));
            let unpaired = Unpaired::new(&after.values(), &before.values());
            Some(Both {
                target: &new.target,
                failed_checks: &pair.failed_checks,
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
            let void = both.without(direction);
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
                outcome: changed(metric, direction, void.as_ref()),
                failed_checks: both.failed_checks.clone(),
                void,
            }
        })
        .collect()
}

/// A target's figure in both runs.
struct Both<'f> {
    failed_checks: &'f [Vec<String>; 2],
    target: &'f str,
    before: &'f Figure,
    after: &'f Figure,
    unpaired: Option<Unpaired>,
    void: Option<Invalid>,
}

impl Both<'_> {
    /// Returns why there is no outcome; `None` if there is one.
    fn without(&self, direction: Option<Direction>) -> Option<Invalid> {
        if direction.is_some() {
            return None;
        }
        Some(self.void.clone().unwrap_or(match &self.unpaired {
            Some(_) => Invalid::one_round(),
            None => reason::zero(self.target).into(),
        }))
    }
}

/// Returns how a figure changed.
fn changed(metric: Metric, direction: Option<Direction>, void: Option<&Invalid>) -> Message {
    if let Some(void) = void {
        return found::invalid(&void.reason);
    }
    match (direction, metric.larger_is_better()) {
        (Some(Direction::Above), true) => found::faster(),
        (Some(Direction::Below), true) => found::slower(),
        (Some(Direction::Above), false) => found::higher(),
        (Some(Direction::Below), false) => found::lower(),
        (Some(Direction::Tie), _) => found::tie(),
        (Some(Direction::Undecided) | None, _) => found::undecided(),
    }
}

/// The targets that one run measured at a place and the other did not, though both were to.
fn unmeasured<'r>(
    before: &'r Results,
    after: &'r Results,
) -> impl Iterator<Item = Message> + use<'r> {
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
            let at = At::of(place.workload, place.load);
            match (had, has) {
                (true, false) => Some(found::not_measured_later(at, target)),
                (false, true) => Some(found::not_measured_earlier(at, target)),
                _ => None,
            }
        })
    })
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
}
