//! Warnings: what to know before a figure is quoted, each with the grade of trust that it leaves.

use photofinish_model::Metric;
use photofinish_model::check;
use photofinish_model::message::Message;
use photofinish_voice::warning::short;
use photofinish_voice::{checks as names, warning};
use schemars::JsonSchema;
use serde::Serialize;

use crate::comparison::note::{Groups, Hedge};
use crate::comparison::verdict::Verdict;
use crate::comparison::verdict::grade::{Grade, grade_of_check};
use crate::comparison::verdict::headline::place;
use crate::comparison::{
    Cell, CheckResult, CheckStatus, Failure, Head, InvalidKind, Missing, TargetFigures,
};

/// Rounds are uneven if a server's fastest round is this many times as fast as its slowest one. A quiet machine with steady servers stays below a
/// tenth of that.
const UNEVEN: f64 = 1.25;

/// Slices are short if a connection still waits for this share of one when it ends: so many connections wait only if load flows for longer.
const SHORT: f64 = 0.25;

/// Servers differ in how they keep connections if one closed this share of its requests' connections more than another.
const RECONNECTS: f64 = 0.001;

/// A warning about a run.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Warning {
    /// What the warning is about.
    pub about: Subject,
    /// The trust that it leaves at the most.
    pub grade: Grade,
    /// The warning in a few words.
    #[serde(skip)]
    pub short: Message,
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
    /// That there is no verdict.
    Verdict,
    /// Servers that were up before the run.
    AlreadyUp,
    /// A failed validity check.
    Checks,
    /// How much the rounds or the servers of a pair differ.
    Rounds,
    /// Slices that are short compared with response times.
    ShortSlices,
    /// Servers that close connections.
    Reconnects,
    /// The noise floor.
    NoiseFloor,
    /// Parts of the study that flags left out.
    LeftOut,
    /// Failed and missing measurements.
    Gaps,
}

impl Subject {
    /// A warning that leaves the figures to be quoted with care.
    fn care(self, short: Message, says: Message) -> Warning {
        Warning {
            about: self,
            grade: Grade::WithCare,
            short,
            says,
        }
    }
}

impl Warning {
    /// That a check failed, how often of how many times (`None`: in the load on one server), and what that may have changed.
    pub(super) fn of_check(name: &str, times: Option<(usize, usize)>, grade: Grade) -> Warning {
        let (short, says) = match times {
            None => {
                let short = names::failed_of_one(name);
                let says = warning::check_failed(&short, names::effect_of_one(name));
                (short, says)
            }
            Some((failed, of)) => {
                let short = names::failed(name);
                let says = warning::check_failed_in(&short, failed, of, names::effect(name));
                (short, says)
            }
        };
        Subject::Checks.care(short, says).graded(grade)
    }

    /// What limits a load run.
    pub(super) fn of_limit(says: Message) -> Warning {
        Subject::Rounds.care(says.clone(), says)
    }

    fn graded(self, grade: Grade) -> Warning {
        Warning { grade, ..self }
    }
}

/// The warnings, the gravest first.
pub(crate) fn warnings(
    head: &Head,
    cells: &[Cell],
    checks: &[CheckResult],
    (failures, missing): (&[Failure], &[Missing]),
) -> Vec<Warning> {
    let lost = |failure: &Failure| failure.measurements.len().max(1);
    let measurements = failures.iter().map(lost).sum::<usize>()
        + missing.iter().map(|m| m.rounds.len()).sum::<usize>();
    let parts = head.left_out.len();
    let already = head.targets.iter().filter(|one| one.already).count();
    let smoke = || {
        let says = Subject::Smoke.care(short::smoke(), warning::smoke());
        says.graded(Grade::NotQuotable)
    };
    let gaps = || Subject::Gaps.care(short::gaps(), warning::gaps(measurements));
    let left_out = || {
        let says = Subject::LeftOut.care(short::left_out(), warning::left_out(parts));
        says.graded(Grade::Quotable)
    };
    let failed = checks.iter().filter(|c| c.status == CheckStatus::Failed);
    let of_run = [
        head.settings.smoke.then(smoke),
        no_verdict(head, cells),
        already_up(already),
    ];
    let mut found: Vec<Warning> = of_run
        .into_iter()
        .flatten()
        .chain(failed.map(|check| failed_check(head, check, cells)))
        .collect();
    let others = [
        uneven(cells),
        two_groups(cells),
        short_slices(cells),
        reconnects(cells),
        within_noise(cells),
        if_independent(cells),
        (measurements > 0).then(gaps),
        (parts > 0).then(left_out),
    ];
    found.extend(others.into_iter().flatten());
    // The sort is stable: within a grade the order above stays.
    found.sort_by_key(|warning| std::cmp::Reverse(warning.grade));
    found
}

/// That a check failed, and in how many of what it checks.
fn failed_check(head: &Head, check: &CheckResult, cells: &[Cell]) -> Warning {
    let times = (check.failing.len().min(check.checked), check.checked);
    if let (check::QUIET, Some(busiest)) = (check.name.as_str(), &head.busiest) {
        let (short, effect) = (names::failed(check::QUIET), names::effect(check::QUIET));
        let (name, cores) = (&busiest.name, busiest.cores);
        let says = warning::not_quiet(&short, times.0, times.1, name, cores, effect);
        let grade = grade_of_check(check, cells);
        return Subject::Checks.care(short, says).graded(grade);
    }
    let times = Some(times).filter(|(_, checked)| *checked > 1);
    Warning::of_check(&check.name, times, grade_of_check(check, cells))
}

/// That servers were compared and there is no verdict anywhere.
fn no_verdict(head: &Head, cells: &[Cell]) -> Option<Warning> {
    let all = || {
        cells
            .iter()
            .flat_map(|cell| cell.verdicts_on(cell.headline_metric))
    };
    let reason = all().find_map(Verdict::void)?;
    if head.settings.smoke || all().any(|verdict| verdict.direction().is_some()) {
        return None;
    }
    let says = warning::no_verdict(&reason.reason);
    // A failed check names the same reason.
    let short = match reason.kind {
        InvalidKind::NotComparable => names::failed(check::SAME_JOB),
        InvalidKind::OneRound | InvalidKind::Other => short::no_verdict(),
    };
    Some(
        Subject::Verdict
            .care(short, says)
            .graded(Grade::NotQuotable),
    )
}

/// That a server closed more of its connections than another one.
fn reconnects(cells: &[Cell]) -> Option<Warning> {
    let closed = |target: &TargetFigures| {
        let figure = target.figure(Metric::Reconnects)?;
        let all: f64 = figure.rounds.iter().flatten().sum();
        Some((all, all / (target.requests.max(1) as f64)))
    };
    let of_cell = |cell: &'_ Cell| -> Option<(f64, Message)> {
        let all: Vec<(&TargetFigures, (f64, f64))> = (cell.contenders())
            .filter_map(|target| Some((target, closed(target)?)))
            .collect();
        let by_share = |a: &&(&TargetFigures, (f64, f64)), b: &&(&TargetFigures, (f64, f64))| {
            a.1.1.total_cmp(&b.1.1)
        };
        let (most, least) = (all.iter().max_by(by_share)?, all.iter().min_by(by_share)?);
        let differ = most.1.1 - least.1.1;
        let says = warning::reconnects(
            &most.0.target,
            most.1.0,
            most.1.1,
            &least.0.target,
            least.1.0,
            place(cell, cells),
        );
        (differ > RECONNECTS).then_some((differ, says))
    };
    let found = cells.iter().filter_map(of_cell);
    let (_, says) = found.max_by(|a, b| a.0.total_cmp(&b.0))?;
    Some(Subject::Reconnects.care(short::reconnects(), says))
}

fn already_up(servers: usize) -> Option<Warning> {
    let says = match servers {
        0 => return None,
        1 => warning::one_already_up(),
        several => warning::already_up(several),
    };
    Some(Subject::AlreadyUp.care(short::already_up(), says))
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
    Some(Subject::Rounds.care(short::two_groups(), says))
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
        let says = warning::short_slices(place, &target.target, waits_us, slice_us);
        Subject::ShortSlices.care(short::short_slices(), says)
    })
}

fn within_noise(cells: &[Cell]) -> Option<Warning> {
    let is_within = |hedge: &Hedge| matches!(hedge, Hedge::WithinNoise { .. });
    let says = match hedges(cells).filter(|(.., hedge)| is_within(hedge)).count() {
        0 => return None,
        1 => warning::one_within_noise(),
        several => warning::within_noise(several),
    };
    Some(Subject::NoiseFloor.care(short::within_noise(), says))
}

fn if_independent(cells: &[Cell]) -> Option<Warning> {
    let rounds: Vec<usize> = hedges(cells)
        .filter_map(|(.., hedge)| match hedge {
            Hedge::IfIndependent { rounds, .. } => Some(*rounds),
            _ => None,
        })
        .collect();
    let most = rounds.iter().copied().max()?;
    let says = match rounds.len() {
        1 => warning::one_if_independent(most),
        verdicts => warning::if_independent(verdicts, most),
    };
    Some(Subject::Rounds.care(short::if_independent(), says))
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
        Subject::Rounds.care(short::uneven(), says)
    })
}

#[cfg(test)]
mod tests {
    use photofinish_model::finding::left_out::LeftOut;
    use photofinish_model::{Edges, Place, samples};

    use super::*;
    use crate::comparison::Comparison;
    use crate::comparison::tests::turns::turns;

    fn found(results: &photofinish_model::store::Results) -> Vec<Message> {
        let warnings = Comparison::from(results).warnings.into_iter();
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
        let found = found(&uneven);
        let says = warning::uneven("b", place, 1.5);
        assert!(found.contains(&says), "{found:?}");
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
                    ..Edges::default()
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
        // The first is that no round has both.
        assert_eq!(found(&results)[1..], expected);
    }
}
