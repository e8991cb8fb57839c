//! A study's runs over time: each figure from run to run, where it shifted, and what of the machine changed.
//!
//! A figure of one run beside that of another has the days in it. Where the runs share a target to compare with, its ratio to
//! that one within each run is shown in its place: what slowed the whole machine down cancels.

mod entry;

use std::fmt;

use photofinish_model::Place;
use photofinish_model::message::Message;
use photofinish_model::store::Results;
use photofinish_model::units::Unit;
use photofinish_model::{Load, Metric, StudyRecord, TargetRecord};
use photofinish_stats::mean_shift::{FEWEST, Search};
use photofinish_stats::{Interval, Unpaired};
use photofinish_voice::history as found;
use schemars::JsonSchema;
use serde::Serialize;

use crate::comparison::{ALPHA, Head};
use crate::days::differences::{Difference, Of};
use crate::lists::by_key;
use entry::Entry;

/// The version of the format of [`History`] in JSON.
pub const VERSION: u32 = 2;

/// The metrics whose history is looked at.
pub const METRICS: [Metric; 3] = [Metric::Throughput, Metric::P50, Metric::P99];

/// The chance of calling any figure of a history shifted where none is; all its series share it.
pub const CHANCE: f64 = 0.01;

/// A study's runs, the earliest first.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct History {
    /// The version of this format; see [`VERSION`].
    pub version: u32,
    /// The study's name.
    pub study: String,
    /// Its title, as in the last run.
    pub title: String,
    /// The target that figures are ratios to; `null` for the figures themselves.
    pub baseline: Option<String>,
    /// The runs.
    pub runs: Vec<Run>,
    /// The figures, in the order of the last run that has them.
    pub series: Vec<Series>,
    /// What came of it: each shift, or why there is none.
    pub says: Vec<Message>,
    /// What the last run was.
    #[serde(skip)]
    pub head: Head,
}

/// A run.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Run {
    /// Its results folder.
    pub folder: String,
    /// When it began: RFC 3339, UTC.
    pub started: String,
    /// The commit that it was run in, where there was one.
    pub commit: Option<String>,
    /// The rounds in which every measurement was tried.
    pub rounds: u32,
    /// What differs from the run before beside figures and commit.
    pub differs: Vec<Message>,
    /// Whether any of that is of the machine or of photofinish.
    pub machine_changed: bool,
}

/// One figure of a target from run to run.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Series {
    /// The workload.
    pub workload: String,
    /// The load level in words.
    pub level: String,
    /// The load level.
    pub load: Load,
    /// The target.
    pub target: String,
    /// What is shown.
    pub metric: Metric,
    /// What it counts; `null` for a ratio.
    pub unit: Option<Unit>,
    /// Its value in each run; `null` where there is none, or nothing may be said of it.
    pub values: Vec<Option<f64>>,
    /// The interval of each value, over the rounds of its run.
    pub intervals: Vec<Option<Interval>>,
    /// The names of the validity checks that failed there in each run.
    pub failed_checks: Vec<Vec<String>>,
    /// Where it shifted.
    pub shifts: Vec<Shift>,
}

/// Where a figure shifted; runs are counted from 0.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Shift {
    /// The first run with the new figure.
    pub at: usize,
    /// The first run that may have it, with 95% confidence.
    pub earliest: usize,
    /// The last run that may be the first to have it.
    pub latest: usize,
    /// The runs' geometric mean from there to the next shift / that from the shift before.
    pub ratio: f64,
    /// Its 95% interval, by Welch's t over runs. It was chosen for being large, so the next runs' may be smaller.
    pub interval: Option<Interval>,
    /// Whether something of the machine or of photofinish changed from the run before `earliest` to `latest`.
    pub machine_changed: bool,
}

/// Why there is no history.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// No run at all.
    #[error("there is no run")]
    NoRuns,
    /// The runs are of several studies.
    #[error("the runs are of several studies ({}): give those of one", List(.0))]
    Studies(Vec<String>),
    /// No run has a verdict on two targets of which one is the baseline.
    #[error(
        "--baseline {name}: no run compares a target with it; targets: {}",
        List(.known)
    )]
    Baseline {
        /// As it was given.
        name: String,
        /// The targets of the last run.
        known: Vec<String>,
    },
}

/// Names in a row.
struct List<'n>(&'n [String]);

impl fmt::Display for List<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.join(", "))
    }
}

impl History {
    /// The history of these runs, in whatever order they come; figures are ratios to `baseline`, where one is given. The runs of several pairs
    /// of machines that shared their rounds, which lie in one folder, count as one.
    ///
    /// # Errors
    /// Where there is no run, they are of several studies, or none compares anything with the baseline.
    pub fn from(mut runs: Vec<Results>, baseline: Option<&str>) -> Result<History, Error> {
        runs.sort_by(|a, b| a.study.started.cmp(&b.study.started));
        let mut names: Vec<String> = runs.iter().map(|run| run.study.name.clone()).collect();
        names.sort();
        names.dedup();
        if names.len() > 1 {
            return Err(Error::Studies(names));
        }
        let others = keep_the_last_race(&mut runs);
        let entries = Entry::all(runs);
        let last = entries.last().ok_or(Error::NoRuns)?;
        let head = last.comparisons[0].head.clone();
        let mut series = all_series(&entries, baseline);
        if let (Some(name), true) = (baseline, series.is_empty()) {
            let targets = head.targets.iter();
            return Err(Error::Baseline {
                name: name.to_owned(),
                known: targets.map(|target| target.label.clone()).collect(),
            });
        }
        for series in &mut series {
            leave_out_other_jobs(series, &entries);
        }
        let described = described(&entries);
        let mut search = Search::new(CHANCE / series.len().max(1) as f64);
        for series in &mut series {
            series.shifts = shifts(series, &described, &mut search);
        }
        let mut says = says(&series, &described, baseline);
        if others > 0 {
            says.insert(0, found::other_races(others));
        }
        Ok(History {
            version: VERSION,
            study: head.name.clone(),
            title: head.title.clone(),
            baseline: baseline.map(str::to_owned),
            runs: described,
            series,
            says,
            head,
        })
    }
}

/// The name that every race of commands has: unlike those of a study, its runs may have nothing in common.
pub const AD_HOC: &str = "compare";

/// Leaves out the races of commands that are not the last one's: other commands, images, revisions, requests or levels; returns how many.
fn keep_the_last_race(runs: &mut Vec<Results>) -> usize {
    let Some(last) = runs.last().filter(|last| last.study.name == AD_HOC) else {
        return 0;
    };
    let last = last.study.clone();
    let all = entry::count(runs);
    runs.retain(|run| is_same_race(&run.study, &last));
    all - entry::count(runs)
}

fn is_same_race(one: &StudyRecord, other: &StudyRecord) -> bool {
    let target = |target: &TargetRecord| {
        let revision = target
            .revision
            .as_ref()
            .map(|revision| revision.given.clone());
        (
            target.label.clone(),
            target.command.clone(),
            target.image.clone(),
            revision,
        )
    };
    let targets = |study: &StudyRecord| study.targets.iter().map(target).collect::<Vec<_>>();
    let workloads = |study: &StudyRecord| {
        let all = study.workloads.iter();
        all.map(|workload| (workload.request.clone(), workload.loads.clone()))
            .collect::<Vec<_>>()
    };
    targets(one) == targets(other) && workloads(one) == workloads(other)
}

fn described(entries: &[Entry]) -> Vec<Run> {
    let before = std::iter::once(None).chain(entries.iter().map(Some));
    entries
        .iter()
        .zip(before)
        .map(|(entry, before)| {
            let differs = before.map_or_else(Vec::new, |before| entry.differences_from(before));
            // A commit is expected to differ, and is shown with its run.
            let differs: Vec<Difference> =
                differs.into_iter().filter(|d| d.of != Of::Commit).collect();
            Run {
                folder: entry.folder(),
                started: entry.runs[0].study.started.clone(),
                commit: entry.runs[0].environment.commit.clone(),
                rounds: entry.rounds(),
                machine_changed: differs.iter().any(|d| d.of == Of::Machine),
                differs: differs.into_iter().map(|d| d.says).collect(),
            }
        })
        .collect()
}

/// Every figure that a run has, without shifts yet.
fn all_series(entries: &[Entry], baseline: Option<&str>) -> Vec<Series> {
    let mut figures = Vec::new();
    for (run, entry) in entries.iter().enumerate() {
        for cell in entry.places() {
            let failed = |target: &str| {
                let touched = [Some(target), baseline];
                entry.failed_checks(cell, &touched.into_iter().flatten().collect::<Vec<_>>())
            };
            let targets = cell.targets.iter().map(|it| &it.target);
            let targets: Vec<(&String, Vec<String>)> =
                targets.map(|target| (target, failed(target))).collect();
            for metric in METRICS {
                for (target, failed) in &targets {
                    let value = match baseline {
                        Some(name) => entry.beside(cell, target, name, metric),
                        None => entry.alone(cell, target, metric),
                    };
                    let key = (&cell.workload, &cell.load, *target, metric);
                    figures.extend(value.map(|value| (key, (run, cell, value, failed.clone()))));
                }
            }
        }
    }
    let series = by_key(figures).into_iter();
    series
        .map(|((workload, load, target, metric), figures)| {
            let mut values = vec![None; entries.len()];
            let mut intervals = vec![None; entries.len()];
            let mut failed_checks = vec![Vec::new(); entries.len()];
            let level = figures[0].1.level.en.clone();
            for (run, _, (value, interval), failed) in figures {
                (values[run], intervals[run]) = (Some(value), interval);
                failed_checks[run] = failed;
            }
            Series {
                workload: workload.clone(),
                level,
                load: load.clone(),
                target: target.clone(),
                metric,
                unit: baseline.is_none().then(|| metric.unit()),
                values,
                intervals,
                failed_checks,
                shifts: Vec::new(),
            }
        })
        .collect()
}

/// Leaves out the runs in which the target gave other responses than in the last one that has the figure: it did another job there.
fn leave_out_other_jobs(series: &mut Series, entries: &[Entry]) {
    let figures = |run: usize| {
        let mut cells = entries[run].places().into_iter();
        let cell = cells.find(|cell| cell.is_at(&series.workload, &series.load));
        cell?.target(&series.target)
    };
    let known = |run: &usize| series.values[*run].is_some();
    let Some(last) = (0..series.values.len()).rev().find(known).and_then(figures) else {
        return;
    };
    let others: Vec<usize> = (0..series.values.len())
        .filter(|run| figures(*run).is_some_and(|of| last.responded_otherwise(of).is_some()))
        .collect();
    for run in others {
        (series.values[run], series.intervals[run]) = (None, None);
    }
}

fn shifts(series: &Series, runs: &[Run], search: &mut Search) -> Vec<Shift> {
    let known: Vec<(usize, f64)> = (series.values.iter().enumerate())
        .filter_map(|(run, value)| Some((run, (*value)?)))
        .collect();
    let logs: Vec<f64> = known.iter().map(|(_, value)| value.ln()).collect();
    let found = search.shifts(&logs);
    let ends: Vec<usize> = [0]
        .into_iter()
        .chain(found.iter().map(|shift| shift.at))
        .chain([known.len()])
        .collect();
    let values = |from: usize, to: usize| -> Vec<f64> {
        known[from..to].iter().map(|(_, value)| *value).collect()
    };
    let levels = ends.windows(3).zip(&found);
    levels
        .filter_map(|(ends, shift)| {
            let (before, after) = (values(ends[0], ends[1]), values(ends[1], ends[2]));
            let both = Unpaired::new(&after, &before)?;
            let [at, earliest, latest] =
                [shift.at, shift.earliest, shift.latest].map(|index| known[index].0);
            // A run between two known ones may lack the figure and have changed the machine.
            let last_before = known[shift.earliest.saturating_sub(1)].0;
            Some(Shift {
                at,
                earliest,
                latest,
                ratio: both.ratio(),
                interval: both.interval(ALPHA, series.metric.resolution()),
                machine_changed: (runs.iter().take(latest + 1).skip(last_before + 1))
                    .any(|run| run.machine_changed),
            })
        })
        .collect()
}

fn says(series: &[Series], runs: &[Run], baseline: Option<&str>) -> Vec<Message> {
    let longest = series
        .iter()
        .map(|series| series.values.iter().flatten().count());
    let longest = longest.max().unwrap_or(0);
    if longest < FEWEST {
        return vec![found::few_runs(longest, FEWEST)];
    }
    let started = |run: usize| &runs[run].started;
    let shifted = series.iter().flat_map(|series| {
        series.shifts.iter().map(move |shift| {
            let place = Place::of(&series.workload, &series.load);
            let (earliest, latest) = (started(shift.earliest), started(shift.latest));
            found::shifted(
                place,
                &series.target,
                series.metric,
                baseline.map(found::relative_to),
                shift.ratio - 1.0,
                (shift.interval).and_then(|i| Interval::new(i.low - 1.0, i.high - 1.0)),
                started(shift.at),
                (earliest != latest).then(|| found::began_between(earliest, latest)),
                shift.machine_changed.then(found::machine_changed),
            )
        })
    });
    let shifted: Vec<Message> = shifted.collect();
    match shifted.is_empty() {
        true => vec![found::stable(series.len(), runs.len())],
        false => shifted,
    }
}

#[cfg(test)]
mod tests;
