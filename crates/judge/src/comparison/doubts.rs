//! What to doubt before a figure is quoted: one statement each for what touches all of them.

use photofinish_model::Metric;
use photofinish_model::finding::doubt::DoubtFinding;
use photofinish_model::finding::headline::Place;
use photofinish_model::finding::verdict::Note;

use super::verdict::Verdict;
use super::void::UNEVEN;
use super::{Cell, CheckResult, CheckStatus, Failure, Head, Missing};

/// A slice that is not so many times as long as a response time in it may have cut off a longer one.
const SLICE: f64 = 2.0;

/// The doubts, the gravest first.
pub(super) fn doubts(
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

/// The target whose response times are the longest beside the slices that they are of, if they are long.
///
/// A server that leaves some connections without a response for long does so no longer than load flows.
fn short_slices(cells: &[Cell]) -> Option<DoubtFinding> {
    let all = cells.iter().flat_map(|cell| {
        cell.targets.iter().filter_map(move |target| {
            let p99_us = target.figure(Metric::P99)?.mean?;
            let slices = target.turns.values().map(|turns| turns.slice_s * 1e6);
            Some((p99_us, slices.reduce(f64::min)?, cell, target))
        })
    });
    let (p99_us, slice_us, cell, target) =
        all.max_by(|a, b| (a.0 / a.1).total_cmp(&(b.0 / b.1)))?;
    (p99_us * SLICE > slice_us).then(|| DoubtFinding::ShortSlices {
        target: target.target.clone(),
        place: place(cell, cells),
        p99_us,
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
    use photofinish_model::{Turns, samples};

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

    #[test]
    fn response_times_of_more_than_half_a_slice_are_doubtful() {
        // At 100 requests/s p99 is 2 s.
        let found = |slice_s| {
            let mut results = samples::race(&["a", "b"], &[&[100.0, 100.0], &[100.0, 100.0]]);
            for line in results.lines.iter_mut().filter(|line| line.target == "b") {
                line.turns = Some(Turns {
                    slice_s,
                    ..turns([100.0; 5], &[], false)
                });
            }
            found(&results)
        };
        assert_eq!(found(4.0), []);
        assert_eq!(
            found(3.9),
            [DoubtFinding::ShortSlices {
                target: "b".to_owned(),
                place: Place {
                    workload: None,
                    load: samples::CLOSED_100,
                },
                p99_us: 2_000_000.0,
                slice_us: 3_900_000.0,
            }]
        );
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
