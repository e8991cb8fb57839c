//! A run in a history: on one pair of machines, or on several that shared its rounds.

use std::path::{Path, PathBuf};

use photofinish_model::Metric;
use photofinish_model::store::Results;
use photofinish_stats::{Interval, OverMachines, Paired};
use photofinish_voice::{difference, pooled as found};

use crate::comparison::{ALPHA, Cell, Comparison};
use crate::days::differences::{self, Difference, Of};
use crate::lists::by_key;
use crate::pooled::Pooled;

/// A run.
pub(super) struct Entry {
    /// The run of each pair of machines: one at least.
    pub(super) runs: Vec<Results>,
    /// What each was judged to show by itself, in the same order.
    pub(super) comparisons: Vec<Comparison>,
    /// What they show together; `None` for a run on one pair of machines.
    pooled: Option<Pooled>,
}

/// The folder that a pair's run shares with the runs of other pairs; a run by itself has one of its own.
fn shared(run: &Results) -> &Path {
    let parent = run.study.pair.as_ref().and_then(|_| run.dir.parent());
    parent.unwrap_or(&run.dir)
}

/// What a run at this place has in common with those that shared its rounds, and with no other: their folder. A run on one pair of machines
/// shared them with none.
fn key((place, run): (usize, &Results)) -> (Option<PathBuf>, usize) {
    match run.study.pair {
        Some(_) => (Some(shared(run).to_owned()), 0),
        None => (None, place),
    }
}

/// How many runs these are, those of several pairs of machines that shared their rounds counted as one.
pub(super) fn count(runs: &[Results]) -> usize {
    by_key(runs.iter().enumerate().map(|run| (key(run), ()))).len()
}

impl Entry {
    /// These runs, in their order.
    pub(super) fn all(runs: Vec<Results>) -> Vec<Entry> {
        let entry = |runs: Vec<Results>| {
            let comparisons: Vec<Comparison> = runs.iter().map(Comparison::from).collect();
            Entry {
                pooled: match runs.len() {
                    1 => None,
                    _ => Pooled::of(&runs, &comparisons),
                },
                runs,
                comparisons,
            }
        };
        let runs = runs.into_iter().enumerate();
        let together = by_key(runs.map(|(place, run)| (key((place, &run)), run)));
        together.into_iter().map(|(_, runs)| entry(runs)).collect()
    }

    /// Its folder.
    pub(super) fn folder(&self) -> String {
        let folder = match self.pooled {
            None => &self.runs[0].dir,
            Some(_) => shared(&self.runs[0]),
        };
        folder.display().to_string()
    }

    /// The rounds in which every measurement was tried.
    pub(super) fn rounds(&self) -> u32 {
        self.comparisons.iter().map(|it| it.head.rounds_done).sum()
    }

    /// A cell for each workload and load level: the first pair's that has one.
    pub(super) fn places(&self) -> Vec<&Cell> {
        let cells = self.comparisons.iter().flat_map(|it| &it.cells);
        let places = by_key(cells.map(|cell| ((&cell.workload, &cell.load), cell)));
        places.into_iter().map(|(_, cells)| cells[0]).collect()
    }

    /// The names of the validity checks that failed for these targets at the place of a cell.
    pub(super) fn failed_checks(&self, cell: &Cell, targets: &[&str]) -> Vec<String> {
        let mut failed: Vec<String> = Vec::new();
        for name in (self.comparisons.iter()).flat_map(|it| it.failed_checks(cell, targets)) {
            if !failed.contains(&name) {
                failed.push(name);
            }
        }
        failed
    }

    /// A target's figure at the place of a cell. On several pairs of machines it is the geometric mean of theirs; without the figure of one of them
    /// there is none, because machines differ.
    pub(super) fn alone(
        &self,
        cell: &Cell,
        target: &str,
        metric: Metric,
    ) -> Option<(f64, Option<Interval>)> {
        let Some(pooled) = &self.pooled else {
            let target = cell.target(target)?;
            let figure = target.figure(metric)?;
            let mean = figure.mean.filter(|_| target.void(metric).is_none())?;
            return (mean > 0.0).then_some((mean, figure.interval));
        };
        let on_one = |comparison: &Comparison| {
            let mut cells = comparison.cells.iter();
            let here = cells.find(|own| own.is_at(&cell.workload, &cell.load))?;
            let target = here.target(target)?;
            let figures = target.counted(metric).into_values();
            target.void(metric).is_none().then_some(())?;
            Paired::of_ratios(figures)
        };
        let counted = (pooled.machines.iter().zip(&self.comparisons))
            .filter(|(machine, _)| machine.left_out.is_none());
        let each: Option<Vec<Paired>> = counted.map(|(_, it)| on_one(it)).collect();
        let all = OverMachines::new(each?)?.on_these();
        Some((all.ratio(), all.interval(ALPHA, metric.resolution())))
    }

    /// A target's ratio to another, as the run's verdict has it.
    pub(super) fn beside(
        &self,
        cell: &Cell,
        target: &str,
        baseline: &str,
        metric: Metric,
    ) -> Option<(f64, Option<Interval>)> {
        let verdict = match &self.pooled {
            None => {
                let mut verdicts = cell.verdicts_on(metric);
                verdicts.find(|verdict| verdict.is_between(target, baseline))
            }
            Some(pooled) => {
                let here = pooled.ratios.iter().filter(|ratio| {
                    ratio.metric == metric && cell.is_at(&ratio.workload, &ratio.load)
                });
                let mut verdicts = here.filter_map(|ratio| ratio.on_these.as_ref());
                verdicts.find(|verdict| verdict.is_between(target, baseline))
            }
        };
        let verdict = verdict.filter(|verdict| verdict.void().is_none())?;
        verdict.ratio.filter(|ratio| *ratio > 0.0)?;
        verdict.ratio_of(target)
    }

    /// What differs from the run before, beside figures.
    pub(super) fn differences_from(&self, before: &Entry) -> Vec<Difference> {
        let mut differences: Vec<Difference> = Vec::new();
        let pairs = |entry: &Entry| -> Vec<Option<String>> {
            let names = entry.runs.iter().map(|run| run.study.pair.clone());
            let mut names: Vec<Option<String>> = names.collect();
            names.sort();
            names
        };
        let (had, has) = (pairs(before), pairs(self));
        if had != has {
            let names = |pairs: Vec<Option<String>>| {
                let names: Vec<String> = pairs.into_iter().flatten().collect();
                match names.is_empty() {
                    true => difference::none(),
                    false => difference::names(names),
                }
            };
            differences.push(Difference {
                says: difference::changed(difference::pairs(), names(had), names(has)),
                of: Of::Machine,
            });
        }
        for (run, comparison) in self.runs.iter().zip(&self.comparisons) {
            let mut known = before.runs.iter().zip(&before.comparisons);
            let same = known.find(|(known, _)| known.study.pair == run.study.pair);
            // Without a namesake, what was measured can be compared with any of them, and machines with none.
            let other = same.or(before.runs.iter().zip(&before.comparisons).next());
            let Some((known, compared)) = other else {
                continue;
            };
            let mut found = differences::between(known, run);
            found.extend(differences::other_failed_checks(compared, comparison));
            found.retain(|it| same.is_some() || it.of == Of::Study || it.of == Of::Commit);
            for mut it in found {
                // What was measured is the same on all pairs.
                if let (Some(pair), Of::Machine) = (&run.study.pair, it.of) {
                    it.says = found::trust(pair, it.says);
                }
                if !differences.contains(&it) {
                    differences.push(it);
                }
            }
        }
        differences
    }
}
