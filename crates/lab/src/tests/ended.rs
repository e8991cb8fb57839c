//! Servers that end or fall silent while they are measured in turns, and users who end the run.

use std::sync::atomic::AtomicU32;

use super::turns::{Slice, plan, run};
use super::*;
use crate::fake;

#[test]
fn a_server_that_ends_in_the_middle_fails_alone() {
    let mut bench = Bench::new();
    // In the second level's turns.
    let during = |host: &FakeHost, slice: Slice| {
        if slice.number == 60 {
            host.life(slice.server).crash();
        }
        1.0
    };
    let slices = run(&mut bench, &plan(&["a", "b", "c"], 1), during);
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
    // The others have all their figures.
    let good = results.lines.iter().filter(|line| &line.target != crashed);
    assert_eq!(good.clone().count(), 4);
    for line in good {
        assert!(line.turns.as_ref().is_some_and(|turns| turns.made() == 20));
        let measurement = line.measurement.as_ref().expect("a measurement");
        let connections = f64::from(line.load.connections());
        assert_eq!(measurement.throughput_rps, connections * 1_000.0);
    }
    assert!(bench.host.all_stopped());
}

#[test]
fn a_server_that_ends_after_its_turns_has_them() {
    for number in [42, 43] {
        let mut bench = Bench::new();
        // In a piece beside the first level's turns: two pilots and 40 slices come before.
        let during = move |host: &FakeHost, slice: Slice| {
            if slice.number == number {
                host.life(slice.server).crash();
            }
            1.0
        };
        let slices = run(&mut bench, &plan(&["a", "b"], 1), during);
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
        // What it had no time for is reported; the other continues alone.
        for line in results.lines.iter().filter(of(2)) {
            assert_eq!(line.failure.is_some(), &line.target == crashed);
            assert_eq!(line.measurement.is_none(), &line.target == crashed);
        }
        assert_eq!(results.lines.len(), 4);
        assert!(bench.host.all_stopped());
    }
}

#[test]
fn a_server_that_falls_silent_keeps_nobody_waiting() {
    let mut bench = Bench::new();
    let during = |_: &FakeHost, slice: Slice| f64::from(slice.number < 10 || slice.server != 1);
    let slices = run(&mut bench, &plan(&["a", "b"], 1), during);
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
    let (interrupt, slices) = (Arc::clone(&bench.interrupt), AtomicU32::new(0));
    // The interrupt is looked for in each slice; here it comes in the second level.
    let load = FakeLoad(Box::new(move |config, control| {
        let slice = slices.fetch_add(1, Ordering::SeqCst);
        interrupt.store(slice >= 100, Ordering::SeqCst);
        Ok(fake::measured(config, control))
    }));
    let finished = bench.race(&plan(&["a", "b"], 3), &load);
    assert!(finished.interrupted);
    assert!(bench.host.all_stopped());
    let results = bench.results();
    assert_eq!((results.lines.len(), results.trials.len()), (2, 2));
    assert!(results.lines.iter().all(|line| line.measurement.is_some()));

    bench.interrupt.store(false, Ordering::SeqCst);
    bench.resume(&plan(&["a", "b"], 3));
    let after = bench.results();
    assert!(results.lines.iter().all(|line| after.lines.contains(line)));
    assert_eq!(after.lines.len(), 12);
    assert!(after.lines.iter().all(|line| line.turns.is_some()));
}
