//! Profiles, beside slices and beside pieces.

use photofinish_model::settings::WaitClock;
use photofinish_model::{Layer, Line, Load, Metric, Objective, OnePiece, Search, Wait};

use super::turns::{Slice, plan, quiet, run};
use super::*;
use crate::events::Warning;
use crate::fake;

/// A plan whose targets are profiled for a second, which is 13 slices of 75 ms.
fn profiled(targets: &[&str]) -> Plan {
    fake::with(plan(targets, 1), |settings| settings.profile = Some(true))
}

#[test]
fn profiles_are_made_beside_the_measured_slices() {
    let mut bench = Bench::new();
    let slices = run(&mut bench, &profiled(&["a", "b"]), quiet);
    // At each of two levels for each of two targets: a pilot, 20 slices, a piece, and 13 that are profiled.
    assert_eq!(slices.len(), 4 * (22 + 13));
    let results = bench.results();
    for line in &results.lines {
        assert_eq!(line.turns.as_ref().expect("turns").made(), 20);
        has_profile(&results, line, 13);
        let profile = line.profile.as_ref().expect("a profile");
        let measured = line.measurement.as_ref().expect("a measurement");
        assert!((profile.throughput_rps / measured.throughput_rps - 1.0).abs() < 1e-9);
    }
    let files = std::fs::read_dir(results.dir.join("profiles")).expect("a folder");
    assert_eq!(files.count(), 4);
}

#[test]
fn what_threads_wait_for_is_looked_at_in_slices_of_its_own() {
    let mut bench = Bench::new();
    let plan = fake::with(plan(&["a", "b"], 1), |settings| {
        settings.why = Some(WaitClock::Wall);
        settings.profile = Some(false);
    });
    let slices = run(&mut bench, &plan, quiet);
    assert_eq!(slices.len(), 4 * (22 + 13));
    let results = bench.results();
    assert_eq!(results.lines.len(), 4);
    for line in &results.lines {
        assert!(line.profile.is_none());
        let waits = line.waits.as_ref().expect("waits");
        // Each time seven samples, of which two wait for a lock.
        assert_eq!(waits.samples, 7 * 13);
        assert_eq!(waits.waits, [(Wait::Lock, 2 * 13)].into());
        let seconds = 26.0 / waits.hertz;
        let us = seconds * 1e6 / waits.responses as f64;
        assert_eq!(Metric::WaitLock.of(line), Some(us));
        let folded = std::fs::read_to_string(results.dir.join(&waits.file)).expect("stacks");
        assert_eq!(folded.lines().count(), 2, "{folded}");
    }
}

#[test]
fn where_the_kernel_forbids_profiles_everything_else_is_measured() {
    let mut bench = Bench::new();
    let forbid = |host: &FakeHost, _: Slice| {
        for life in host.lives.lock().expect("lock").iter() {
            *life.forbidden.lock().expect("lock") = true;
        }
        1.0
    };
    run(&mut bench, &profiled(&["a", "b"]), forbid);
    let results = bench.results();
    assert_eq!(results.lines.len(), 4);
    for line in &results.lines {
        assert!(line.measurement.is_some() && line.profile.is_none());
    }
    let warned = bench.events.iter().filter_map(|event| match event {
        Event::Warning(Warning::Unprofiled(why)) => Some(why.to_string()),
        _ => None,
    });
    let warned: Vec<String> = warned.collect();
    assert_eq!(warned.len(), 1);
    assert!(
        warned[0].contains("kernel.perf_event_paranoid=0"),
        "{warned:?}"
    );
}

/// Whether a line has a profile of so many slices.
fn has_profile(results: &Results, line: &Line, slices: u64) {
    let profile = line.profile.as_ref().expect("a profile");
    // Four samples each time.
    assert_eq!((profile.samples, profile.lost), (4 * slices, 0));
    assert_eq!(profile.layers[&Layer::Application], 3 * slices);
    assert_eq!(profile.layers[&Layer::KernelSend], slices);
    assert_eq!(profile.stack_depth, Some(1.75));
    assert_eq!(profile.program.as_deref(), Some("server"));
    let folded = std::fs::read_to_string(results.dir.join(&profile.file)).expect("stacks");
    let expected = format!(
        "server`main;server`hot {}\nkernel`tcp_sendmsg {slices}\n",
        3 * slices
    );
    assert_eq!(folded, expected);
}

#[test]
fn what_is_measured_in_one_piece_is_profiled_after_it() {
    for (targets, turns, why) in [
        (&["a", "b"][..], true, Some(OnePiece::Slow)),
        (&["a", "b"], false, None),
        (&["a"], true, None),
    ] {
        let mut bench = Bench::new();
        let plan = fake::with(profiled(targets), |settings| {
            settings.turns = turns;
        });
        // Too slow for slices.
        run(&mut bench, &plan, |_, _| 0.001);
        let results = bench.results();
        assert_eq!(results.lines.len(), 2 * targets.len());
        for line in &results.lines {
            assert!(line.turns.is_none());
            assert_eq!(line.one_piece, why);
            // A second, in slices of 250 ms.
            has_profile(&results, line, 4);
        }
    }
}

#[test]
fn what_responds_long_after_its_load_is_not_profiled() {
    for turns in [true, false] {
        let mut bench = Bench::new();
        let plan = fake::with(profiled(&["a", "b"]), |settings| {
            settings.turns = turns;
            settings.duration = Duration::from_millis(10);
        });
        // Five times the load's length goes by until the last response is there.
        let late = |_: &FakeHost, slice: Slice| {
            if slice.length == Duration::from_millis(10) {
                std::thread::sleep(5 * slice.length);
            }
            // 480 responses a second: too few for slices, and 5 in 10 ms.
            0.48 / f64::from(slice.connections)
        };
        run(&mut bench, &plan, late);
        let results = bench.results();
        assert_eq!(results.lines.len(), 4);
        for line in &results.lines {
            assert!(
                line.measurement.is_some() && line.profile.is_none(),
                "{line:?}"
            );
        }
    }
}

#[test]
fn a_search_for_a_capacity_is_not_profiled() {
    let mut bench = Bench::new();
    let mut plan = profiled(&["a", "b"]);
    let objective = Objective::parse("p99<10ms").expect("an objective");
    plan.workloads[0].loads = vec![Load::Capacity(Search::new(objective, 7))];
    run(&mut bench, &plan, quiet);
    for line in &bench.results().lines {
        assert!(
            line.measurement.is_some() && line.profile.is_none(),
            "{line:?}"
        );
    }
}

#[test]
fn what_was_measured_is_recorded_where_its_server_ends_in_its_profile() {
    let mut bench = Bench::new();
    let plan = fake::with(profiled(&["a"]), |settings| {
        settings.turns = false;
    });
    let die = |host: &FakeHost, slice: Slice| {
        // None but a profiled slice is so short.
        if slice.length.as_millis() == 200 {
            let lives = host.lives.lock().expect("lock");
            *lives[0].exited.lock().expect("lock") = Some("exit status 3".to_owned());
        }
        1.0
    };
    run(&mut bench, &plan, die);
    let results = bench.results();
    assert_eq!(results.lines.len(), 2);
    assert!(results.lines[0].measurement.is_some() && results.lines[0].profile.is_none());
    assert!(results.lines[1].failure.is_some());
}
