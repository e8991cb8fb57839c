//! Levels during which a virtual machine's cores are moved.

use photofinish_model::Disturbed;
use photofinish_model::settings::CpuSets;

use super::turns::{Slice, plan, run};
use super::*;
use crate::interference::placement::{Placement, Placements};
use crate::turns::cut::PILOT_TIME;

/// Lets the cores of server and generator be moved apart in the slices for which `apart` says so, which costs a quarter.
fn moved(apart: impl Fn(Slice) -> bool) -> impl Fn(&FakeHost, Slice) -> f64 {
    move |host, slice| {
        let (latency, factor) = match apart(slice) {
            true => (180, 0.75),
            false => (40, 1.0),
        };
        let latency = Duration::from_nanos(latency);
        *host.core_to_core.lock().expect("lock") = Some(latency);
        factor
    }
}

/// Runs a plan of this many rounds with a core for each side, which lie near each other at first.
fn race(rounds: u32, during: impl Fn(&FakeHost, Slice) -> f64 + Send + Sync + 'static) -> Results {
    let mut bench = Bench::new();
    *bench.host.core_to_core.lock().expect("lock") = Some(Duration::from_nanos(40));
    let mut plan = plan(&["a", "b"], rounds);
    plan.settings.lanes = CpuSets::Explicit {
        server: vec![0],
        generator: vec![1],
    };
    run(&mut bench, &plan, during);
    bench.results()
}

#[test]
fn turns_in_which_the_cores_had_been_moved_do_not_count_and_are_made_again() {
    // In the second level: the first has a pilot, 20 turns and a piece of each, and the second a pilot.
    let during =
        moved(|slice| slice.length < PILOT_TIME && (46..46 + 2 * 23).contains(&slice.number));
    let results = race(1, during);
    assert_eq!(results.lines.len(), 4);
    for line in &results.lines {
        let turns = line.turns.as_ref().expect("turns");
        let expected = if line.order == 2 { (34, 10) } else { (20, 20) };
        // The 24th begins where the cores still lay apart.
        assert_eq!((turns.made(), turns.kept()), expected);
        assert_eq!(turns.core_to_core_ns(), Some(40.0));
        let measurement = line.measurement.as_ref().expect("a measurement");
        assert_eq!(
            measurement.throughput_rps,
            f64::from(line.load.connections()) * 1_000.0
        );
        let disturbed = (turns.turns.iter()).filter_map(|turn| turn.disturbed);
        assert!(
            disturbed
                .into_iter()
                .all(|what| what == Disturbed::MovedCores)
        );
    }
}

#[test]
fn cores_lie_as_usual_where_they_lie_in_most_turns_however_a_run_begins() {
    // Near in the first six turns of each level, of which there are two, and apart in all others.
    let in_level = |slice: Slice| slice.number % 44;
    let during = moved(move |slice| in_level(slice) >= 2 + 2 * 6);
    let results = race(2, during);
    for line in &results.lines {
        let turns = line.turns.as_ref().expect("turns");
        let latency = turns.core_to_core_ns().expect("a latency");
        assert!((latency - 180.0).abs() < 1e-6);
        // The seventh begins where the cores still lay near.
        assert_eq!((turns.made(), turns.kept()), (20, 13));
        let measurement = line.measurement.as_ref().expect("a measurement");
        let rate = f64::from(line.load.connections()) * 1_000.0;
        assert_eq!(measurement.throughput_rps, rate * 0.75);
    }
    // Whoever resumes it knows that.
    let placements = Placements::of(&results.lines);
    let far = Placement::at(1);
    assert_eq!((placements.usual(), placements.lately()), (far, Some(far)));
}

#[test]
fn a_level_in_which_the_cores_never_come_back_is_measured_as_they_lie() {
    // From the second level on: the first has a pilot, 20 turns and a piece of each.
    let during = moved(|slice| slice.number >= 44);
    for line in &race(1, during).lines {
        let turns = line.turns.as_ref().expect("turns");
        let (made, latency, factor) = match line.order {
            1 => (20, 40.0, 1.0),
            // All that the levels of the run may continue together: a third of 40 turns.
            _ => (34, 180.0, 0.75),
        };
        assert_eq!((turns.made(), turns.kept()), (made, made));
        assert!((turns.core_to_core_ns().expect("a latency") - latency).abs() < 1e-6);
        let measurement = line.measurement.as_ref().expect("a measurement");
        assert_eq!(
            measurement.throughput_rps,
            f64::from(line.load.connections()) * 1_000.0 * factor
        );
    }
}

#[test]
fn who_has_waited_in_vain_does_not_wait_again_while_the_cores_stay_there() {
    // In the first round as above, and in the second from its begin on.
    let during = moved(|slice| slice.number >= 44);
    let results = race(2, during);
    let made = |round: u32, order: u32| {
        let mut lines = results.lines.iter();
        let line = lines.find(|line| (line.round, line.order) == (round, order));
        let turns = line.and_then(|line| line.turns.as_ref()).expect("turns");
        let disturbed = turns.turns.iter().filter(|turn| turn.disturbed.is_some());
        assert_eq!((turns.kept(), disturbed.count()), (turns.made(), 0));
        (
            turns.made(),
            turns.core_to_core_ns().expect("a latency").round(),
        )
    };
    let all = [made(1, 1), made(1, 2), made(2, 1), made(2, 2)];
    assert_eq!(all[..2], [(20, 40.0), (40, 180.0)]);
    assert!(all[2..].iter().all(|made| made.0 == 20), "{all:?}");
}
