//! Servers that stall in some slices.

use photofinish_load::{Gap, Outcome};
use photofinish_model::Line;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use super::turns::plan;
use super::*;
use crate::fake;
use crate::turns::cut::PILOT_TIME;

const fn ms(n: u64) -> Duration {
    Duration::from_millis(n)
}

/// A race in which the first server stalls for 130 ms from the middle of each fifth slice on. Other programs use the core meanwhile, which
/// would exclude any other turn.
fn race() -> Bench {
    let mut bench = Bench::with_core_times();
    let (host, slices) = (Arc::clone(&bench.host), AtomicUsize::new(0));
    let load = FakeLoad(Box::new(move |config, control| {
        let photofinish_load::Until::Elapsed(length) = config.until else {
            panic!("the lab measures for a time")
        };
        fake::measured(config, control);
        let outcome = |flow: Duration| {
            let takes = if length == PILOT_TIME { 2_400 } else { 1_000 };
            let responses = config.connections() as f64 * 1_000.0 * flow.as_secs_f64();
            let takes = Duration::from_micros(takes);
            fake::outcome(config.connections(), length, responses as u64, takes)
        };
        let is_slice = length == ms(50) && host.place(&config.address) % 2 == 0;
        if !is_slice || slices.fetch_add(1, Ordering::SeqCst) % 5 != 4 {
            return Ok(outcome(length));
        }
        let mut times = host.core_times.lock().expect("lock");
        *times = times.map(|time| time + Duration::from_secs(100_000));
        Ok(Outcome {
            gaps: vec![Gap {
                began: 20_000_000,
                lasted: ms(130),
                under_way: false,
            }],
            draining: ms(100),
            ..outcome(ms(20))
        })
    }));
    bench.race(&plan(&["a", "b"], 1), &load);
    bench
}

/// Both levels of the server that stalls, or of the other one.
fn lines(bench: &Bench, stands: bool) -> Vec<Line> {
    let lines = bench.results().lines.into_iter().filter(|line| {
        let stalls = line
            .measurement
            .as_ref()
            .and_then(|one| one.stalls.as_ref());
        stalls.is_some_and(|stalls| (stalls.count > 0) == stands)
    });
    lines.collect()
}

#[test]
fn a_stall_counts_whole_and_does_not_decide_whether_its_turn_counts() {
    let all = lines(&race(), true);
    assert_eq!(all.len(), 2);
    for line in all {
        let turns = line.turns.as_ref().expect("turns");
        assert_eq!((turns.made(), turns.kept()), (20, 20));
        let stalled = turns
            .turns
            .iter()
            .filter(|turn| turn.stalled_ms == Some(130.0));
        assert_eq!(stalled.clone().count(), 4);
        assert!(stalled.clone().all(|turn| turn.flow_s == Some(0.02)));
        // As fast as in any other slice while responses flowed.
        let rate = f64::from(line.load.connections()) * 1_000.0;
        let near = |found: f64, expected: f64| (found / expected - 1.0).abs() < 1e-9;
        assert!(
            turns
                .turns
                .iter()
                .all(|turn| near(turn.throughput_rps, rate))
        );
        let measurement = line.measurement.as_ref().expect("a measurement");
        let stalls = measurement.stalls.as_ref().expect("stalls");
        // 16 slices of 50 ms, 4 with 20 ms, and a continuous run twice as long as the turns.
        assert!(near(stalls.flow_s, 0.88 + 3.0), "{stalls:?}");
        assert!(near(stalls.stalled_s, 0.52) && stalls.count == 4);
        assert!(near(stalls.longest_s, 0.13) && stalls.longest_at.is_some());
        assert!(near(stalls.flow_rps, rate));
        assert!(near(measurement.throughput_rps, rate * 3.88 / 4.4));
        // Its window is the flow and the stalls of the turns that count, and the longest response is no shorter than the longest stall.
        assert!(near(measurement.duration_s, 0.88 + 0.52));
        let latency = measurement.latency_us.expect("response times");
        assert!(near(latency.max, 130_000.0), "{latency:?}");
        assert!(
            turns
                .block
                .as_ref()
                .is_some_and(|block| near(block.length_s, 3.0))
        );
        // What the server used is over all the time in which it was under load.
        let cores = line.server.as_ref().and_then(|server| server.cpu_cores);
        assert!(
            cores.is_some_and(|cores| near(cores, 20.0 / (1.5 + 0.4))),
            "{cores:?}"
        );
    }
}

#[test]
fn a_server_beside_one_that_stands_still_is_measured_as_ever() {
    let all = lines(&race(), false);
    assert_eq!(all.len(), 2);
    for line in all {
        let measurement = line.measurement.as_ref().expect("a measurement");
        let rate = f64::from(line.load.connections()) * 1_000.0;
        assert!((measurement.throughput_rps - rate).abs() < 1e-6);
        let stalls = measurement.stalls.as_ref().expect("stalls");
        assert_eq!((stalls.count, stalls.longest_s), (0, 0.0));
        assert_eq!(line.turns.as_ref().map(|turns| turns.kept()), Some(20));
    }
}

/// Trial slices are in no figure; whoever stalled in one is named all the same.
#[test]
fn a_stall_of_a_trial_slice_leaves_a_trace() {
    let mut bench = Bench::new();
    let (host, stalled) = (Arc::clone(&bench.host), AtomicBool::new(false));
    let load = FakeLoad(Box::new(move |config, control| {
        let photofinish_load::Until::Elapsed(length) = config.until else {
            panic!("the lab measures for a time")
        };
        fake::measured(config, control);
        let takes = if length == PILOT_TIME { 2_400 } else { 1_000 };
        let responses = config.connections() as f64 * 1_000.0 * length.as_secs_f64();
        let takes = Duration::from_micros(takes);
        let outcome = fake::outcome(config.connections(), length, responses as u64, takes);
        let is_pilot = length == PILOT_TIME && host.place(&config.address) % 2 == 0;
        let gaps = match is_pilot && !stalled.swap(true, Ordering::SeqCst) {
            true => vec![Gap {
                began: 20_000_000,
                lasted: ms(5_000),
                under_way: false,
            }],
            false => Vec::new(),
        };
        Ok(Outcome { gaps, ..outcome })
    }));
    bench.race(&plan(&["a", "b"], 1), &load);
    let lines = bench.results().lines;
    let stalls = lines.iter().map(|line| {
        let measurement = line.measurement.as_ref().expect("a measurement");
        let stalls = measurement.stalls.as_ref().expect("stalls");
        (stalls.longest_s, stalls.stalled_s)
    });
    let long: Vec<(f64, f64)> = stalls.filter(|(longest, _)| *longest > 0.0).collect();
    assert_eq!(long, [(5.0, 0.0)]);
}
