//! Levels that are a search, against a made-up server with a known limit.

use photofinish_load::Outcome;
use photofinish_load::{Config, Control};
use photofinish_model::Objective;
use photofinish_model::capacity::{Ended, Found};
use photofinish_model::finding::capacity::LowerBound;
use photofinish_model::{Load, Search, check};
use std::sync::Mutex;

use super::*;
use crate::fake;

/// A plan with one search over 7 connections, in place of its levels.
fn plan(targets: &[&str], objective: &str, change: impl Fn(&mut Search)) -> Plan {
    let mut search = Search::new(Objective::parse(objective).expect("an objective"), 7);
    search.step = Duration::from_secs(1);
    change(&mut search);
    let mut plan = fake::plan(targets, 2);
    plan.workloads[0].loads = vec![Load::Capacity(search)];
    plan
}

/// The rate of an open loop; `None` for a closed one.
fn rate(config: &Config) -> Option<f64> {
    match config.load {
        Load::Open { rate, .. } => Some(rate),
        Load::Closed { .. } | Load::Capacity(_) => None,
    }
}

/// M/M/1: the mean response time at a rate λ is 1 / (μ − λ), and above μ the rate is not achieved.
fn queue(config: &Config, control: &Control, mu: f64) -> Outcome {
    let Some(lambda) = rate(config) else {
        return fake::measured(config, control);
    };
    let marks = fake::measured(config, control);
    let (seconds, length) = (marks.duration.as_secs_f64(), marks.duration);
    let mean = if lambda < mu {
        1.0 / (mu - lambda)
    } else {
        0.5
    };
    let responses = (lambda.min(mu) * seconds).round() as u64;
    let mut outcome = fake::outcome(
        config.connections(),
        length,
        responses,
        Duration::from_secs_f64(mean),
    );
    outcome.offered = Some((lambda * seconds).round() as u64);
    outcome
}

fn with_limit(mu: f64) -> FakeLoad {
    FakeLoad(Box::new(move |config, control| {
        Ok(queue(config, control, mu))
    }))
}

fn run(bench: &mut Bench, plan: &Plan, load: &FakeLoad) -> Finished {
    bench.race(plan, load)
}

fn found(line: &Line) -> &Found {
    let measurement = line.measurement.as_ref().expect("a measurement");
    measurement.capacity.as_ref().expect("a search")
}

#[test]
fn a_trial_finds_what_a_queue_s_formula_says() {
    let mut bench = Bench::new();
    // 1 / (10,000 − λ) < 1 ms up to λ = 9,000.
    let plan = plan(&["a"], "mean < 1ms", |_| {});
    assert_eq!(run(&mut bench, &plan, &with_limit(10_000.0)).failed, 0);
    let results = bench.results();
    assert_eq!(results.lines.len(), 2);
    for line in &results.lines {
        assert_eq!(line.load.label(), "capacity (mean < 1ms)");
        assert_eq!(line.load, results.study.workloads[0].loads[0]);
        let measurement = line.measurement.as_ref().expect("a measurement");
        let found = found(line);
        assert_eq!((found.ended, found.lower_bound()), (Ended::Found, None));
        let (held, failed) = (
            found.sustained_rps.expect("held"),
            found.failed_rps.expect("failed"),
        );
        assert!((8_820.0..=9_000.0).contains(&held) && failed >= 9_000.0 * 0.999);
        assert!(found.gap().is_some_and(|gap| gap <= 0.02));
        // The figure is the rate; the rest is of the step at it.
        assert_eq!(measurement.throughput_rps, held);
        let mean = measurement.latency_us.expect("latency").mean;
        assert!((mean - 1e6 / (10_000.0 - held)).abs() < 2.0, "{mean}");
        assert!(line.server.is_some());
        let ok = |name: &str| {
            measurement
                .checks
                .iter()
                .find(|c| c.name == name)
                .map(|c| c.ok)
        };
        assert_eq!(ok(check::LITTLES_LAW), Some(None));
        assert_eq!(ok(check::GENERATOR), Some(Some(true)));
    }
    assert!(bench.host.all_stopped());
}

#[test]
fn it_is_warmed_up_in_a_closed_loop_over_its_connections() {
    let mut bench = Bench::new();
    let mut plan = plan(&["a"], "mean < 1ms", |_| {});
    plan.settings.rounds = 1;
    plan.settings.warmup_min = Duration::ZERO;
    plan.settings.warmup_max = Duration::from_secs(20);
    run(&mut bench, &plan, &with_limit(10_000.0));
    let warmups = bench.trial("a").warmups;
    let levels: Vec<String> = warmups.iter().map(|w| w.load.label()).collect();
    assert_eq!(levels, ["7 connections"]);
}

#[test]
fn each_step_is_reported_and_the_time_is_that_of_a_search() {
    let mut bench = Bench::new();
    let plan = plan(&["a"], "mean < 1ms", |_| {});
    run(&mut bench, &plan, &with_limit(10_000.0));
    let Some(Event::Begins { progress, .. }) = bench.events.first() else {
        panic!("it does not begin")
    };
    // Two searches of 19 steps of 1.2 s, and two trials of 2 s beside them.
    assert_eq!(progress.left, Duration::from_millis(2 * 22_800 + 4_000));
    let reported = |event: &&Event| matches!(event, Event::Step { .. });
    let steps = bench.events.iter().filter(reported).count();
    let lines = bench.results().lines;
    let recorded: usize = lines.iter().map(|line| found(line).steps.len()).sum();
    assert_eq!(steps, recorded);
}

#[test]
fn a_server_that_holds_no_rate_is_a_result_and_no_failure() {
    let mut bench = Bench::new();
    let mut plan = plan(&["a"], "mean < 1ms", |_| {});
    plan.settings.rounds = 1;
    // 1 / (900 − λ) is above 1 ms at every rate: 1.19 ms at 62.5/s, after 1.29 ms at 125/s, are a floor.
    assert_eq!(run(&mut bench, &plan, &with_limit(900.0)).failed, 0);
    let lines = bench.results().lines;
    let measurement = lines[0].measurement.as_ref().expect("a measurement");
    let found = found(&lines[0]);
    assert_eq!((found.sustained_rps, found.failed_rps), (None, Some(62.5)));
    assert_eq!(found.ended, Ended::Floor);
    assert_eq!(measurement.throughput_rps, 0.0);
    assert!(measurement.latency_us.is_some());
}

#[test]
fn a_bound_of_steps_or_a_busy_generator_makes_a_lower_bound() {
    let mut bench = Bench::new();
    let mut few = plan(&["a"], "mean < 1ms", |search| search.max_steps = 3);
    few.settings.rounds = 1;
    run(&mut bench, &few, &with_limit(10_000.0));
    let lines = bench.results().lines;
    let reported = found(&lines[0]);
    assert_eq!(
        (reported.ended, reported.sustained_rps),
        (Ended::Steps, Some(4_000.0))
    );
    assert_eq!(reported.lower_bound(), Some(LowerBound::Steps));

    let mut bench = Bench::new();
    let mut plan = plan(&["a"], "mean < 1ms", |_| {});
    plan.settings.rounds = 1;
    let busy = FakeLoad(Box::new(|config, control| {
        let mut outcome = queue(config, control, 10_000.0);
        outcome.thread_cpu = vec![outcome.duration];
        Ok(outcome)
    }));
    run(&mut bench, &plan, &busy);
    let lines = bench.results().lines;
    assert!(found(&lines[0]).generator_limited);
    let checks = &lines[0].measurement.as_ref().expect("one").checks;
    let generator = checks.iter().find(|c| c.name == check::GENERATOR);
    let generator = generator.expect("the check");
    assert_eq!(generator.ok, Some(false));
    assert!(
        generator
            .says
            .as_ref()
            .is_some_and(|says| says.en.contains("the server may sustain more")),
        "{:?}",
        generator.says
    );
}

#[test]
fn an_interruption_within_a_search_keeps_what_was_finished_and_a_resumed_run_makes_the_rest() {
    let plan = plan(&["a", "b"], "mean < 1ms", |_| {});
    let mut whole = Bench::new();
    run(&mut whole, &plan, &with_limit(10_000.0));
    let steps = found(&whole.results().lines[0]).steps.len() as u32;

    let mut bench = Bench::new();
    // The user gives up within the second search.
    let given_up = |config: &Config, control: &Control| queue(config, control, 10_000.0);
    let load = FakeLoad::interrupted(&bench.interrupt, steps + 3, given_up);
    assert!(run(&mut bench, &plan, &load).interrupted);
    assert_eq!(bench.results().lines.len(), 1);
    assert!(bench.host.all_stopped());

    bench.interrupt.store(false, Ordering::SeqCst);
    let options = bench.resumed();
    let finished = bench.run_with(&plan, &options, &with_limit(10_000.0));
    assert!(!finished.expect("a run").interrupted);
    assert_eq!(keys(&bench.results()), keys(&whole.results()));
    // Another objective is another study.
    let mut other = plan.clone();
    if let Load::Capacity(search) = &mut other.workloads[0].loads[0] {
        search.objective = Objective::parse("mean < 2ms").expect("an objective");
    }
    let says = bench.refusal(&other, &options);
    assert!(says.contains("workloads[0].loads[0].objective"), "{says}");
}

#[test]
fn a_server_that_dies_within_a_search_fails_its_trial_alone() {
    let mut bench = Bench::new();
    let plan = plan(&["a", "b"], "mean < 1ms", |_| {});
    let host = bench.host.clone();
    let crashed = Mutex::new(false);
    let load = FakeLoad(Box::new(move |config, control| {
        let mut crashed = crashed.lock().expect("lock");
        if rate(config) == Some(4_000.0) && !*crashed {
            *crashed = true;
            host.last().crash();
            while !control.stopped() {
                std::thread::yield_now();
            }
        }
        Ok(queue(config, control, 10_000.0))
    }));
    assert_eq!(run(&mut bench, &plan, &load).failed, 1);
    let lines = bench.results().lines;
    let failed = lines.iter().filter(|line| line.failure.is_some()).count();
    assert_eq!((lines.len(), failed), (4, 1));
}
