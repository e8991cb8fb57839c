//! Runs that add rounds until they are decided.

use std::sync::atomic::AtomicU32;

use photofinish_judge::comparison::Comparison;
use photofinish_judge::threshold::Condition;
use photofinish_load::Outcome;
use photofinish_model::finding::failure::FailureFinding;
use photofinish_model::{Same, check};
use photofinish_stats::Random;

use super::*;
use crate::fake;

fn until(max: u32) -> Plan {
    let mut plan = fake::plan(&["a", "b"], max);
    plan.settings.until_decided = true;
    plan.settings.max_rounds = Some(plan.settings.rounds);
    // Else they would be the same target twice.
    let env = &mut plan.targets[1].start.env;
    env.insert("MODE".to_owned(), "b".into());
    plan
}

fn rounds(bench: &Bench) -> u32 {
    let lines = bench.results().lines;
    lines.iter().map(|line| line.round).max().unwrap_or(0)
}

#[test]
fn a_run_ends_at_the_first_analysis_that_decides_all() {
    // Both have the same throughput to the last digit: a tie, which takes three rounds.
    let mut bench = Bench::new();
    bench.run(&until(12));
    assert_eq!(rounds(&bench), 3);
    let results = bench.results();
    assert_eq!(results.study.settings.max_rounds, Some(12));
    let comparison = Comparison::from(&results);
    assert_eq!(
        (comparison.head.rounds_done, comparison.head.rounds_asked),
        (3, 3)
    );
    assert!(comparison.missing.is_empty());
    let notes = &comparison.cells[0].verdicts[0].notes;
    assert_eq!(notes[0].says.en, "decided after 3 rounds");
    let looked: Vec<(u32, usize, usize)> = (bench.events.iter())
        .filter_map(|event| match event {
            Event::InterimAnalysis {
                round, open, of, ..
            } => Some((*round, *open, *of)),
            _ => None,
        })
        .collect();
    assert_eq!(looked.last(), Some(&(3, 0, 2)));
    assert_eq!(looked.first(), Some(&(1, 2, 2)));
}

/// A run of at most 12 rounds that waits for these conditions.
fn with_conditions(conditions: &[&str]) -> Bench {
    let mut bench = Bench::new();
    let parse = |one: &&str| Condition::parse(one, &["a", "b"]).expect("a condition");
    let options = RunOptions {
        conditions: conditions.iter().map(parse).collect(),
        ..bench.options()
    };
    let steady = FakeLoad::steady();
    (bench.run_with(&until(12), &options, &steady)).expect("a run");
    bench
}

#[test]
fn a_run_with_conditions_waits_for_these() {
    // Throughput and p99 are equal in each round. Three rounds exclude 5% more, but not any more.
    for (condition, rounds_held) in [("a.p99 > b.p99 * 1.05", 3), ("a.p99 > b.p99", 12)] {
        let bench = with_conditions(&[condition]);
        assert_eq!(rounds(&bench), rounds_held);
        let looked: Vec<usize> = (bench.events.iter())
            .filter_map(|event| match event {
                Event::InterimAnalysis { of, .. } => Some(*of),
                _ => None,
            })
            .collect();
        assert!(looked.iter().all(|of| *of == 1), "{looked:?}");
    }
}

#[test]
fn a_run_that_one_condition_has_failed_waits_for_no_other() {
    // All figures are equal: p99 is above 0.9 of the other's for certain, and neither above nor below it.
    let bench = with_conditions(&["a.p99 > b.p99", "a.p99 > b.p99 * 0.9"]);
    assert_eq!(rounds(&bench), 2);
}

/// By chance a measurement has twice the responses, whoever is measured.
fn twice_by_chance() -> FakeLoad {
    let runs = AtomicU32::new(0);
    FakeLoad(Box::new(move |config, control| {
        let mut outcome = fake::measured(config, control);
        let run = runs.fetch_add(1, Ordering::SeqCst);
        outcome.responses_in_window *= Random::stream(3, run.into()).within(1, 2);
        Ok(outcome)
    }))
}

#[test]
fn what_is_never_decided_ends_at_the_cap() {
    let load = twice_by_chance();
    let mut bench = Bench::new();
    bench.race(&until(6), &load);
    assert_eq!(rounds(&bench), 6);
    let verdict = Comparison::from(&bench.results()).cells[0].verdicts[0].clone();
    let says = verdict.says.en;
    assert!(says.starts_with("undecided after 6 rounds"), "{says}");
    let notes: Vec<&str> = verdict.notes.iter().map(|note| &*note.says.en).collect();
    assert!(notes.contains(&"at the cap of 6 rounds"), "{notes:?}");
}

#[test]
fn a_run_that_was_interrupted_goes_on_until_it_is_decided() {
    let mut bench = Bench::new();
    bench.run(&fake::with(until(12), |settings| {
        settings.rounds = 12;
    }));
    let whole = bench.results().lines.len();
    // The same, stopped after its third measurement.
    let mut bench = Bench::new();
    bench.race(&until(3), &FakeLoad::failing_from(3));
    // Nothing is left to do the second time, and nothing is done.
    for _ in 0..2 {
        assert_eq!(bench.resume(&until(3)).failed, 0);
        assert_eq!(bench.results().lines.len(), whole);
    }
}

/// Intervals that are as narrow as was asked for end the run, decided or not; fewer than five rounds do not show how narrow they are.
#[test]
fn a_run_may_go_on_until_intervals_are_narrow() {
    let mut bench = Bench::new();
    let narrow = |max| {
        let mut plan = until(max);
        plan.settings.half_width = Some(0.01);
        plan
    };
    bench.run(&narrow(12));
    assert_eq!(rounds(&bench), 5);
    assert_eq!(bench.results().study.settings.half_width, Some(0.01));
    let load = twice_by_chance();
    let mut bench = Bench::new();
    bench.race(&narrow(8), &load);
    assert_eq!(rounds(&bench), 8);
}

/// Different responses are known before any load, and so is a server that does not start: the run ends in its first round.
#[test]
fn a_race_of_servers_that_cannot_be_compared_ends_at_once() {
    let race = |fixed: bool, spoil: &dyn Fn(&mut Plan), different_jobs: bool| {
        let mut bench = Bench::new();
        let mut plan = turns::plan(&["a", "b"], 7);
        match fixed {
            true => plan.settings.ends_without_contest = true,
            false => {
                plan.settings.until_decided = true;
                plan.settings.max_rounds = Some(7);
            }
        }
        fake::http(&mut plan.workloads[0]).1.body = None;
        spoil(&mut plan);
        let slices = turns::run(&mut bench, &plan, turns::quiet);
        assert!(slices.is_empty());
        let lines = bench.results().lines;
        assert!(lines.iter().all(|line| line.round == 1));
        let expected = FailureFinding::NoContest { different_jobs };
        let failed = lines
            .iter()
            .filter(|line| line.failure.as_ref() == Some(&expected));
        failed.count()
    };
    // Two levels of both, and of the one that is up.
    let other = |plan: &mut Plan| plan.targets[1].start.command[1] = "Hello, Mars!".to_owned();
    assert_eq!(race(false, &other, true), 4);
    assert_eq!(race(true, &other, true), 4);
    let crash = |plan: &mut Plan| {
        let words = ["crash", "cannot bind"];
        plan.targets[1].start.command = words.map(str::to_owned).to_vec();
    };
    assert_eq!(race(false, &crash, false), 2);
    assert_eq!(race(true, &crash, false), 2);
}

/// A server whose responses change during the race does another job: the run ends after the round, and is incomplete.
#[test]
fn a_race_ends_if_responses_change() {
    let race = |compares: bool, share: u64| {
        let mut bench = Bench::new();
        let mut plan = turns::plan(&["a", "b"], 3);
        plan.settings.ends_without_contest = compares;
        fake::http(&mut plan.workloads[0]).1.body = None;
        let host = Arc::clone(&bench.host);
        let load = FakeLoad(Box::new(move |config, control| {
            let outcome = fake::measured(config, control);
            let changed = match host.place(&config.address) % 2 {
                0 => outcome.requests / share,
                _ => 0,
            };
            Ok(Outcome { changed, ..outcome })
        }));
        let finished = bench.race(&plan, &load);
        (finished.changed, rounds(&bench))
    };
    let changed = |(changed, rounds): (Vec<String>, u32)| (!changed.is_empty(), rounds);
    assert_eq!(changed(race(true, 50)), (true, 1));
    // A study may have more to say than who is faster.
    assert_eq!(changed(race(false, 50)), (true, 3));
    assert_eq!(changed(race(true, 200)), (false, 3));
}

/// Responses may be alike in their JSON or their status alone.
#[test]
fn responses_are_as_alike_as_they_must_be() {
    let are_alike = |same: Same, other: &str| {
        let mut bench = Bench::new();
        let mut plan = turns::plan(&["a", "b"], 1);
        let expect = fake::http(&mut plan.workloads[0]).1;
        (expect.body, expect.same) = (None, same);
        for (target, body) in plan.targets.iter_mut().zip(["[1, 2]", other]) {
            target.start.command[1] = body.to_owned();
        }
        turns::run(&mut bench, &plan, turns::quiet);
        let lines = bench.results().lines;
        let checks = lines.iter().map(|line| {
            let measurement = line.measurement.as_ref().expect("a measurement");
            let mut checks = measurement.checks.iter();
            let check = checks.find(|check| check.name == check::SAME_JOB);
            check.expect("the check").ok
        });
        let checks: Vec<Option<bool>> = checks.collect();
        assert!(checks.iter().all(|ok| *ok == checks[0]), "{checks:?}");
        checks[0].expect("both responded")
    };
    assert!(!are_alike(Same::Body, "[1,2]"));
    assert!(are_alike(Same::Json, "[1,2]"));
    assert!(!are_alike(Same::Json, "[2,1]"));
    assert!(are_alike(Same::Status, "[2,1]"));
}
