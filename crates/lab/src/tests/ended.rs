//! Servers that end or fall silent while they are measured in turns, and users who end the run.

use std::time::Duration;

use super::turns::{Slice, plan, quiet, run};
use super::*;
use crate::fake;

#[test]
fn a_server_that_ends_in_the_middle_fails_alone() {
    let mut bench = Bench::new();
    let options = bench.options();
    // In the second level's turns.
    let during = |host: &FakeHost, slice: Slice| {
        if slice.number == 60 {
            host.life(slice.server).crash();
        }
        1.0
    };
    let slices = run(
        &mut bench,
        &options,
        &plan(&["a", "b", "c"], 1),
        Box::new(during),
    );
    let gone = slices[60].server;
    assert_eq!(
        slices
            .iter()
            .filter(|slice| slice.number > 60 && slice.server == gone)
            .count(),
        0
    );
    let results = bench.results();
    let failed: Vec<_> = results
        .lines
        .iter()
        .filter(|line| line.failure.is_some())
        .collect();
    let crashed = &results
        .trials
        .iter()
        .find(|trial| trial.failure.is_some())
        .expect("a failure")
        .target;
    assert!(!failed.is_empty() && failed.iter().all(|line| &line.target == crashed));
    assert!(
        failed[0]
            .failure
            .as_ref()
            .expect("why")
            .to_string()
            .contains("signal 11"),
        "{failed:?}"
    );
    let good = results.lines.iter().filter(|line| &line.target != crashed);
    assert_eq!(good.clone().count(), 4);
    assert!(
        good.into_iter()
            .all(|line| line.turns.as_ref().is_some_and(|turns| turns.made() == 20))
    );
    assert!(bench.host.all_stopped());
}

#[test]
fn a_server_that_ends_after_its_turns_has_them() {
    for number in [42, 43] {
        let mut bench = Bench::new();
        let options = bench.options();
        // In a piece beside the first level's turns: two pilots and 40 slices come before.
        let during = move |host: &FakeHost, slice: Slice| {
            if slice.number == number {
                host.life(slice.server).crash();
            }
            1.0
        };
        let slices = run(
            &mut bench,
            &options,
            &plan(&["a", "b"], 1),
            Box::new(during),
        );
        assert_eq!(slices[number].length, Duration::from_millis(300));
        let results = bench.results();
        let crashed = &(results.trials.iter())
            .find(|trial| trial.failure.is_some())
            .expect("a failure")
            .target;
        let of = |order| move |line: &&Line| line.order == order;
        for line in results.lines.iter().filter(of(1)) {
            let turns = line.turns.as_ref().expect("turns");
            assert_eq!((turns.made(), line.failure.as_ref()), (20, None));
            assert_eq!(turns.block.is_none(), &line.target == crashed);
            let measurement = line.measurement.as_ref().expect("a measurement");
            let connections = f64::from(line.load.connections());
            assert_eq!(measurement.throughput_rps, connections * 1_000.0);
        }
        // What it had no time for is reported; the other goes on alone.
        for line in results.lines.iter().filter(of(2)) {
            assert_eq!(line.failure.is_some(), &line.target == crashed);
            assert_eq!(line.measurement.is_none(), &line.target == crashed);
        }
        assert_eq!(results.lines.len(), 4);
        assert!(bench.host.all_stopped());
    }
}

#[test]
fn a_server_that_ends_in_the_middle_leaves_the_other_its_figures() {
    let mut bench = Bench::new();
    let options = bench.options();
    let during = |host: &FakeHost, slice: Slice| {
        if slice.number == 20 {
            host.life(slice.server).crash();
        }
        1.0
    };
    run(
        &mut bench,
        &options,
        &plan(&["a", "b"], 1),
        Box::new(during),
    );
    let results = bench.results();
    let (good, failed): (Vec<_>, Vec<_>) = results
        .lines
        .iter()
        .partition(|line| line.failure.is_none());
    assert_eq!((good.len(), failed.len()), (2, 2));
    assert!(failed.iter().all(|line| line.target == failed[0].target));
    for line in good {
        let measurement = line.measurement.as_ref().expect("a measurement");
        let connections = f64::from(line.load.connections());
        assert_eq!(measurement.throughput_rps, connections * 1_000.0);
    }
}

#[test]
fn a_server_that_falls_silent_keeps_nobody_waiting() {
    let mut bench = Bench::new();
    let options = bench.options();
    let during = |_: &FakeHost, slice: Slice| f64::from(slice.number < 10 || slice.server != 1);
    let slices = run(
        &mut bench,
        &options,
        &plan(&["a", "b"], 1),
        Box::new(during),
    );
    let silent = slices
        .iter()
        .filter(|slice| slice.number >= 10 && slice.server == 1);
    // 0.6 s in slices of 75 ms of the first level; at the second the pilot, and then one piece.
    assert_eq!(silent.count(), 10);
    let results = bench.results();
    let failed = results.lines.iter().filter(|line| line.failure.is_some());
    assert_eq!(failed.count(), 2);
    assert_eq!(results.lines.len(), 4);
}

#[test]
fn an_interruption_keeps_the_levels_that_are_finished() {
    let mut bench = Bench::new();
    let options = bench.options();
    let interrupt = Arc::new(AtomicBool::new(false));
    let reported = Arc::clone(&interrupt);
    // The user's wish is looked for in each slice; here it is set in the second level.
    let during = move |_: &FakeHost, slice: Slice| {
        reported.store(slice.number >= 100, Ordering::SeqCst);
        1.0
    };
    let load = {
        let (host, during) = (Arc::clone(&bench.host), during);
        let number = Mutex::new(0);
        FakeLoad(Box::new(move |config, control| {
            let mut number = number.lock().expect("lock");
            *number += 1;
            let slice = Slice {
                number: *number,
                server: host.place(&config.address),
                connections: config.connections(),
                length: Duration::ZERO,
            };
            during(&host, slice);
            Ok(fake::measured(config, control))
        }))
    };
    let events = &mut bench.events;
    let finished = crate::run::run(
        &plan(&["a", "b"], 3),
        &options,
        &bench.host.host(),
        &load,
        &mut |event| events.push(event),
        &interrupt,
    )
    .expect("a run");
    assert!(finished.interrupted);
    assert!(bench.host.all_stopped());
    let results = bench.results();
    assert_eq!((results.lines.len(), results.trials.len()), (2, 2));
    assert!(results.lines.iter().all(|line| line.measurement.is_some()));

    let resumed = RunOptions {
        resume: true,
        seed: None,
        ..options
    };
    run(&mut bench, &resumed, &plan(&["a", "b"], 3), quiet());
    let after = bench.results();
    assert!(results.lines.iter().all(|line| after.lines.contains(line)));
    assert_eq!(after.lines.len(), 12);
    assert!(after.lines.iter().all(|line| line.turns.is_some()));
}
