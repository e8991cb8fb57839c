//! What to doubt before a figure is quoted: one statement each for what touches all of them.

use photofinish_model::Metric;
use photofinish_model::finding::doubt::DoubtFinding;
use photofinish_model::finding::headline::Place;
use photofinish_model::finding::verdict::Note;

use crate::comparison::verdict::Verdict;
use crate::comparison::verdict::invalid::UNEVEN;
use crate::comparison::{Cell, CheckResult, CheckStatus, Failure, Head, Missing};

/// Slices are short if a connection still waits for this share of one when it ends: so many connections wait only if load flows for longer.
const SHORT: f64 = 0.25;

/// The doubts, the gravest first.
pub(in crate::comparison) fn doubts(
    head: &Head,
    cells: &[Cell],
    checks: &[CheckResult],
    (failures, missing): (&[Failure], &[Missing]),
) -> Vec<DoubtFinding> {
    let failed = checks.iter().filter(|c| c.status == CheckStatus::Failed);
    let failed: Vec<String> = failed.map(|check| check.name.clone()).collect();
    let lost = |failure: &Failure| failure.measurements.len().max(1);
    let measurements = failures.iter().map(lost).sum::<usize>()
        + missing.iter().map(|m| m.rounds.len()).sum::<usize>();
    let parts = head.left_out.len();
    let already = head.targets.iter().filter(|one| one.already).count();
    let found = [
        head.smoke.then_some(DoubtFinding::Smoke {}),
        (already > 0).then_some(DoubtFinding::Already { targets: already }),
        (!failed.is_empty()).then_some(DoubtFinding::Checks { failed }),
        uneven(cells),
        two_groups(cells),
        short_slices(cells),
        within_noise(cells),
        if_independent(cells),
        (measurements > 0).then_some(DoubtFinding::Gaps { measurements }),
        (parts > 0).then_some(DoubtFinding::LeftOut { parts }),
    ];
    found.into_iter().flatten().collect()
}

/// The notes that hedge verdicts on throughput, each with its cell and verdict.
fn hedges(cells: &[Cell]) -> impl Iterator<Item = (&Cell, &Verdict, &Note)> {
    cells.iter().flat_map(|cell| {
        let throughput = cell.verdicts.iter();
        let throughput = throughput.filter(|verdict| verdict.metric == Metric::Throughput);
        throughput.flat_map(move |verdict| {
            let notes = verdict.notes.iter().map(|note| &note.finding);
            notes.map(move |note| (cell, verdict, note))
        })
    })
}

/// The target whose rounds fall into the two groups that are furthest apart.
fn two_groups(cells: &[Cell]) -> Option<DoubtFinding> {
    let found = hedges(cells).filter_map(|(cell, _, note)| match note {
        Note::TwoGroups { target, groups } => Some((cell, target, groups)),
        _ => None,
    });
    let (cell, target, groups) =
        found.max_by(|a, b| a.2.ratio.ln().abs().total_cmp(&b.2.ratio.ln().abs()))?;
    Some(DoubtFinding::TwoGroups {
        target: target.clone(),
        place: place(cell, cells),
        groups: *groups,
    })
}

/// The server whose connections still wait for longest when a slice ends, compared with the slice, if that is long.
///
/// A slice begins with all connections free. If single responses take long, it ends before as many connections wait as always do.
/// Stalls are not among them: they count by themselves.
fn short_slices(cells: &[Cell]) -> Option<DoubtFinding> {
    let all = cells.iter().flat_map(|cell| {
        cell.targets.iter().filter_map(move |target| {
            let (waits_s, slice_s) = target.outlasted?;
            Some((waits_s * 1e6, slice_s * 1e6, cell, target))
        })
    });
    let (waits_us, slice_us, cell, target) =
        all.max_by(|a, b| (a.0 / a.1).total_cmp(&(b.0 / b.1)))?;
    (waits_us > SHORT * slice_us).then(|| DoubtFinding::ShortSlices {
        target: target.target.clone(),
        place: place(cell, cells),
        waits_us,
        slice_us,
    })
}

fn within_noise(cells: &[Cell]) -> Option<DoubtFinding> {
    let is_within = |note: &Note| matches!(note, Note::WithinNoise { .. });
    let verdicts = hedges(cells).filter(|(.., note)| is_within(note)).count();
    (verdicts > 0).then_some(DoubtFinding::WithinNoise { verdicts })
}

fn if_independent(cells: &[Cell]) -> Option<DoubtFinding> {
    let rounds: Vec<usize> = hedges(cells)
        .filter_map(|(.., note)| match note {
            Note::IfIndependent { rounds, .. } => Some(*rounds),
            _ => None,
        })
        .collect();
    Some(DoubtFinding::IfIndependent {
        verdicts: rounds.len(),
        rounds: rounds.into_iter().max()?,
    })
}

fn place(cell: &Cell, cells: &[Cell]) -> Place {
    let one_workload = cells.iter().all(|other| other.workload == cell.workload);
    Place {
        workload: (!one_workload).then(|| cell.workload.clone()),
        load: cell.load.clone(),
    }
}

/// Where the rounds differ most, if they differ much.
fn uneven(cells: &[Cell]) -> Option<DoubtFinding> {
    let spreads = cells.iter().flat_map(|cell| {
        cell.targets.iter().filter_map(move |target| {
            let figure = target.figure(Metric::Throughput)?;
            (figure.min > 0.0).then(|| (figure.max / figure.min, cell, target))
        })
    });
    let (times, cell, target) = spreads.max_by(|a, b| a.0.total_cmp(&b.0))?;
    (times > UNEVEN).then(|| DoubtFinding::Uneven {
        target: target.target.clone(),
        place: place(cell, cells),
        times,
    })
}

#[cfg(test)]
mod tests {
    use photofinish_model::finding::left_out::LeftOut;
    use photofinish_model::{Edges, samples};

    use super::*;
    use crate::comparison::Comparison;
    use crate::comparison::tests::turns::turns;

    fn found(results: &photofinish_model::store::Results) -> Vec<DoubtFinding> {
        let doubts = Comparison::from(results).doubts.into_iter();
        doubts.map(|doubt| doubt.finding).collect()
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
        assert_eq!(
            found(&uneven),
            [DoubtFinding::Uneven {
                target: "b".to_owned(),
                place,
                times: 1.5
            }]
        );
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
        let [
            DoubtFinding::ShortSlices {
                target,
                waits_us,
                slice_us,
                ..
            },
        ] = &found(12.26)[..]
        else {
            panic!("a doubt")
        };
        assert_eq!((target.as_str(), *slice_us), ("b", 50_000.0));
        assert!((waits_us - 12_520.0).abs() < 1e-6, "{waits_us}");
    }

    #[test]
    fn servers_that_ran_already_are_the_same_in_every_round() {
        let mut results = samples::race(&["a", "b"], &[&[100.0, 100.0], &[100.0, 100.0]]);
        for target in &mut results.study.targets {
            target.already = true;
        }
        assert_eq!(found(&results), [DoubtFinding::Already { targets: 2 }]);
    }

    #[test]
    fn what_is_not_there_is_counted_by_measurements() {
        let mut results = samples::race(&["a", "b"], &[&[100.0, 100.0], &[100.0, 100.0]]);
        results.lines.pop();
        let line = &mut results.lines[0];
        (line.measurement, line.failure) = (None, Some(samples::recorded("gone")));
        let target = || "c".to_owned();
        results.study.left_out = vec![
            LeftOut::Target { target: target() },
            LeftOut::Limit { target: target() },
        ];
        let expected = [
            DoubtFinding::Gaps { measurements: 2 },
            DoubtFinding::LeftOut { parts: 2 },
        ];
        assert_eq!(found(&results), expected);
    }
}
