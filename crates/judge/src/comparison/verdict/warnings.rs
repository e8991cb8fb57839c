//! What to doubt before a figure is quoted: one statement each for what touches all of them.

use photofinish_model::Metric;
use photofinish_model::Place;
use photofinish_model::message::Message;
use photofinish_voice::{checks as names, warning};
use schemars::JsonSchema;
use serde::Serialize;

use crate::comparison::note::{Groups, Hedge};
use crate::comparison::verdict::Verdict;
use crate::comparison::verdict::invalid::UNEVEN;
use crate::comparison::{Cell, CheckResult, CheckStatus, Failure, Head, Missing};

/// Slices are short if a connection still waits for this share of one when it ends: so many connections wait only if load flows for longer.
const SHORT: f64 = 0.25;

/// A warning about a run.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Warning {
    /// What the warning is about.
    pub about: Subject,
    /// The warning.
    #[serde(flatten)]
    pub says: Message,
}

/// What a warning is about: the part of a report that shows the details.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Subject {
    /// A smoke run.
    Smoke,
    /// Servers that were up before the run.
    AlreadyUp,
    /// Failed validity checks.
    Checks,
    /// How much the rounds or the servers of a pair differ.
    Rounds,
    /// Slices that are short compared with response times.
    ShortSlices,
    /// The noise floor.
    NoiseFloor,
    /// Parts of the study that flags left out.
    LeftOut,
    /// Failed and missing measurements.
    Gaps,
}

impl Subject {
    fn warning(self, says: Message) -> Warning {
        Warning { about: self, says }
    }
}

/// The warnings, the gravest first.
pub(in crate::comparison) fn doubts(
    head: &Head,
    cells: &[Cell],
    checks: &[CheckResult],
    (failures, missing): (&[Failure], &[Missing]),
) -> Vec<Warning> {
    let failed = checks.iter().filter(|c| c.status == CheckStatus::Failed);
    let failed: Vec<Message> = failed.map(|of| names::failed(&of.name)).collect();
    let lost = |failure: &Failure| failure.measurements.len().max(1);
    let measurements = failures.iter().map(lost).sum::<usize>()
        + missing.iter().map(|m| m.rounds.len()).sum::<usize>();
    let parts = head.left_out.len();
    let already = head.targets.iter().filter(|one| one.already).count();
    let found = [
        head.settings
            .smoke
            .then(|| Subject::Smoke.warning(warning::smoke())),
        already_up(already),
        (!failed.is_empty())
            .then(|| Subject::Checks.warning(warning::checks_failed(failed.len(), failed))),
        uneven(cells),
        two_groups(cells),
        short_slices(cells),
        within_noise(cells),
        if_independent(cells),
        (measurements > 0).then(|| Subject::Gaps.warning(warning::gaps(measurements))),
        (parts > 0).then(|| Subject::LeftOut.warning(warning::left_out(parts))),
    ];
    found.into_iter().flatten().collect()
}

fn already_up(servers: usize) -> Option<Warning> {
    let says = match servers {
        0 => return None,
        1 => warning::one_already_up(),
        several => warning::already_up(several),
    };
    Some(Subject::AlreadyUp.warning(says))
}

/// What verdicts on throughput depend on, each with its cell and verdict.
fn hedges(cells: &[Cell]) -> impl Iterator<Item = (&Cell, &Verdict, &Hedge)> {
    cells.iter().flat_map(|cell| {
        let throughput = cell.verdicts.iter();
        let throughput = throughput.filter(|verdict| verdict.metric == Metric::Throughput);
        throughput.flat_map(move |verdict| {
            let hedges = verdict.notes.iter().filter_map(|note| note.hedge.as_ref());
            hedges.map(move |hedge| (cell, verdict, hedge))
        })
    })
}

/// The target whose rounds fall into the two groups that are furthest apart.
fn two_groups(cells: &[Cell]) -> Option<Warning> {
    let found = hedges(cells).filter_map(|(cell, _, hedge)| match hedge {
        Hedge::TwoGroups { target, groups } => Some((cell, target, groups)),
        _ => None,
    });
    let (cell, target, groups): (&Cell, &String, &Groups) =
        found.max_by(|a, b| a.2.ratio.ln().abs().total_cmp(&b.2.ratio.ln().abs()))?;
    let says = warning::two_groups(place(cell, cells), groups.of(target));
    Some(Subject::Rounds.warning(says))
}

/// The server whose connections still wait for longest when a slice ends, compared with the slice, if that is long.
///
/// A slice begins with all connections free. If single responses take long, it ends before as many connections wait as always do.
/// Stalls are not among them: they count by themselves.
fn short_slices(cells: &[Cell]) -> Option<Warning> {
    let all = cells.iter().flat_map(|cell| {
        cell.targets.iter().filter_map(move |target| {
            let (waits_s, slice_s) = target.outlasted?;
            Some((waits_s * 1e6, slice_s * 1e6, cell, target))
        })
    });
    let (waits_us, slice_us, cell, target) =
        all.max_by(|a, b| (a.0 / a.1).total_cmp(&(b.0 / b.1)))?;
    (waits_us > SHORT * slice_us).then(|| {
        let place = place(cell, cells);
        Subject::ShortSlices.warning(warning::short_slices(
            place,
            &target.target,
            waits_us,
            slice_us,
        ))
    })
}

fn within_noise(cells: &[Cell]) -> Option<Warning> {
    let is_within = |hedge: &Hedge| matches!(hedge, Hedge::WithinNoise { .. });
    let says = match hedges(cells).filter(|(.., hedge)| is_within(hedge)).count() {
        0 => return None,
        1 => warning::one_within_noise(),
        several => warning::within_noise(several),
    };
    Some(Subject::NoiseFloor.warning(says))
}

fn if_independent(cells: &[Cell]) -> Option<Warning> {
    let rounds: Vec<usize> = hedges(cells)
        .filter_map(|(.., hedge)| match hedge {
            Hedge::IfIndependent { rounds, .. } => Some(*rounds),
            _ => None,
        })
        .collect();
    let most = rounds.iter().copied().max()?;
    Some(Subject::Rounds.warning(match rounds.len() {
        1 => warning::one_if_independent(most),
        verdicts => warning::if_independent(verdicts, most),
    }))
}

fn place(cell: &Cell, cells: &[Cell]) -> Place {
    let one_workload = cells.iter().all(|other| other.workload == cell.workload);
    Place {
        workload: (!one_workload).then(|| cell.workload.clone()),
        load: cell.load.clone(),
    }
}

/// Where the rounds differ most, if they differ much.
fn uneven(cells: &[Cell]) -> Option<Warning> {
    let spreads = cells.iter().flat_map(|cell| {
        cell.targets.iter().filter_map(move |target| {
            let figure = target.figure(Metric::Throughput)?;
            (figure.min > 0.0).then(|| (figure.max / figure.min, cell, target))
        })
    });
    let (times, cell, target) = spreads.max_by(|a, b| a.0.total_cmp(&b.0))?;
    (times > UNEVEN).then(|| {
        let says = warning::uneven(&target.target, place(cell, cells), times);
        Subject::Rounds.warning(says)
    })
}

#[cfg(test)]
mod tests {
    use photofinish_model::finding::left_out::LeftOut;
    use photofinish_model::{Edges, samples};

    use super::*;
    use crate::comparison::Comparison;
    use crate::comparison::tests::turns::turns;

    fn found(results: &photofinish_model::store::Results) -> Vec<Message> {
        let warnings = Comparison::from(results).doubts.into_iter();
        warnings.map(|warning| warning.says).collect()
    }

    #[test]
    fn rounds_are_uneven_from_a_quarter_on() {
        let even = samples::race(&["a", "b"], &[&[100.0, 124.0], &[100.0, 100.0]]);
        assert_eq!(found(&even), []);
        let uneven = samples::race(&["a", "b"], &[&[100.0, 100.0], &[100.0, 150.0]]);
        let place = Place {
            workload: None,
            load: samples::CLOSED_100,
        };
        assert_eq!(found(&uneven), [warning::uneven("b", place, 1.5)]);
    }

    /// Five slices of 50 ms with 100 connections, which all together waited for so long after them, some of that for a stall of 80 ms in one of them.
    #[test]
    fn connections_that_still_wait_after_slices_are_doubtful() {
        let found = |outlasted_s| {
            let mut results = samples::race(&["a", "b"], &[&[100.0, 100.0], &[100.0, 100.0]]);
            for line in results.lines.iter_mut().filter(|line| line.target == "b") {
                let mut turns = turns([100.0; 5], &[], false);
                turns.turns[0].flow_s = Some(0.03);
                turns.turns[0].stalled_ms = Some(80.0);
                line.turns = Some(turns);
                let measurement = line.measurement.as_mut().expect("a measurement");
                measurement.edges = Some(Edges {
                    carried_s: 0.0,
                    outlasted_s,
                });
            }
            found(&results)
        };
        // 100 × 5 × 12.5 ms, and 100 × 60 ms.
        assert_eq!(found(12.24), []);
        let doubts = found(12.26);
        let [doubt] = &doubts[..] else {
            panic!("a warning")
        };
        assert_eq!(doubt.id, "warning.short_slices");
        assert_eq!(doubt.args["server"], "b");
        let waits_us = doubt.args["waits"].as_f64().expect("a time");
        assert!((waits_us - 12_520.0).abs() < 1e-6, "{waits_us}");
    }

    #[test]
    fn servers_that_ran_already_are_the_same_in_every_round() {
        let mut results = samples::race(&["a", "b"], &[&[100.0, 100.0], &[100.0, 100.0]]);
        for target in &mut results.study.targets {
            target.already = true;
        }
        assert_eq!(found(&results), [warning::already_up(2_usize)]);
    }

    #[test]
    fn what_is_not_there_is_counted_by_measurements() {
        let mut results = samples::race(&["a", "b"], &[&[100.0, 100.0], &[100.0, 100.0]]);
        results.lines.pop();
        let line = &mut results.lines[0];
        (line.measurement, line.failure) = (None, Some(samples::failure("exit status 1")));
        let target = || "c".to_owned();
        results.study.left_out = vec![
            LeftOut::Target { target: target() },
            LeftOut::Limit { target: target() },
        ];
        let expected = [warning::gaps(2_usize), warning::left_out(2_usize)];
        assert_eq!(found(&results), expected);
    }
}
