//! Rounds whose targets are measured in turns.

use std::time::Duration;

use photofinish_model::{Disturbed, Load, Objective, OnePiece, Search, check};
use photofinish_stats::Random;
use photofinish_study::plan::Listen;

use super::*;
use crate::events::{Solo, Warning};
use crate::fake;
use crate::order;
use crate::turns::cut::PILOT;

/// A plan whose targets are measured in turns of 50 ms, 20 of them at each of two levels.
pub(super) fn plan(targets: &[&str], rounds: u32) -> Plan {
    Plan {
        turns: true,
        // Of which two thirds count.
        duration: Duration::from_millis(1_500),
        ..fake::plan(targets, rounds)
    }
}

/// A slice of a run, or one of its pilots.
#[derive(Clone, Copy, Debug)]
pub(super) struct Slice {
    /// Of all that were sent so far, pilots and pieces included, counted from 0.
    pub(super) number: usize,
    /// The server's place among all that were started.
    server: usize,
    pub(super) connections: u32,
    pub(super) length: Duration,
}

/// What a test does in a slice; the outcome is then bent by the factor that it returns.
pub(super) type During = dyn Fn(&FakeHost, Slice) -> f64 + Send + Sync;

/// Runs the plan with a generator that does this in each slice, and returns all slices.
pub(super) fn run(
    bench: &mut Bench,
    options: &RunOptions,
    plan: &Plan,
    during: Box<During>,
) -> Vec<Slice> {
    let slices = Arc::new(Mutex::new(Vec::new()));
    let (noted, host) = (Arc::clone(&slices), Arc::clone(&bench.host));
    let load = FakeLoad(Box::new(move |config, control| {
        let photofinish_load::Until::Elapsed(length) = config.until else {
            panic!("the lab measures for a time")
        };
        let slice = {
            let mut noted = noted.lock().expect("lock");
            let slice = Slice {
                number: noted.len(),
                server: host.place(&config.address),
                connections: config.connections(),
                length,
            };
            noted.push(slice);
            slice
        };
        let factor = during(&host, slice);
        let mut outcome = fake::measured(config, control);
        let bend = |count: u64| (count as f64 * factor).round() as u64;
        let responses = bend(outcome.responses_in_window);
        // A level is tried out by responses that take 2.4 ms, 20 of which are nearly 50 ms.
        let takes = match slice.length == PILOT {
            true => Duration::from_micros(2_400),
            false => Duration::from_millis(1),
        };
        outcome = fake::outcome(config.connections(), outcome.duration, responses, takes);
        Ok(outcome)
    }));
    bench.run_with(plan, options, &load).expect("a run");
    drop(load);
    Arc::into_inner(slices)
        .expect("the generator is gone")
        .into_inner()
        .expect("lock")
}

pub(super) fn quiet() -> Box<During> {
    Box::new(|_, _| 1.0)
}

fn is_counted(slice: &&Slice) -> bool {
    slice.length == Duration::from_millis(50)
}

#[test]
fn all_targets_are_up_together_and_each_leads_equally_often() {
    let mut bench = Bench::new();
    let options = bench.options();
    let all_up = |host: &FakeHost, _| {
        assert_eq!(host.lives.lock().expect("lock").len() % 2, 0);
        assert!(!is_set(&host.last().stopped));
        1.0
    };
    let slices = run(
        &mut bench,
        &options,
        &plan(&["a", "b"], 2),
        Box::new(all_up),
    );
    // Two rounds, two levels, two targets: a pilot, 20 slices, and a piece each.
    assert_eq!(slices.len(), 8 * 22);
    for level in slices.chunks(44) {
        assert!(
            level
                .iter()
                .all(|slice| slice.connections == level[0].connections)
        );
        assert!(
            level[..2]
                .iter()
                .all(|pilot| pilot.length == Duration::from_millis(200))
        );
        let (level, pieces) = level.split_at(42);
        assert_ne!(pieces[0].server, pieces[1].server);
        assert!(
            pieces
                .iter()
                .all(|piece| piece.length == Duration::from_millis(300))
        );
        let turns: Vec<usize> = level[2..]
            .chunks(2)
            .map(|turn| turn[0].server % 2)
            .collect();
        assert!(
            level[2..]
                .chunks(2)
                .all(|turn| turn[0].server != turn[1].server)
        );
        assert_eq!(turns.iter().sum::<usize>(), 10);
    }
    assert!(bench.host.all_stopped());
    let results = bench.results();
    assert_eq!((results.lines.len(), results.trials.len()), (8, 4));
    for line in &results.lines {
        assert_eq!(line.one_piece, None);
        let turns = line.turns.as_ref().expect("turns");
        assert_eq!((turns.made(), turns.kept()), (20, 20));
        assert_eq!((turns.slice_s, turns.lead_in_s), (0.05, 0.025));
    }
}

#[test]
fn a_line_is_the_sum_of_its_own_slices() {
    let mut bench = Bench::new();
    let options = bench.options();
    run(&mut bench, &options, &plan(&["a", "b"], 1), quiet());
    let results = bench.results();
    let line = results
        .lines
        .iter()
        .find(|line| line.load.connections() == 16)
        .expect("a line");
    let measurement = line.measurement.as_ref().expect("a measurement");
    assert_eq!(measurement.throughput_rps, 16_000.0);
    assert_eq!(
        (measurement.requests, measurement.duration_s),
        (16_000, 1.0)
    );
    assert_eq!(measurement.windows.len(), 20);
    assert!((measurement.windows[19].start_s - 0.95).abs() < 1e-9);
    // Each look at a fake server shows 1 s of CPU more: one in each of 20 slices, of 75 ms with their lead-ins.
    let server = line.server.as_ref().expect("what the server used");
    assert_eq!(server.cpu_user_us_per_request, Some(20e6 / 16_000.0));
    assert!(
        (server.cpu_cores - 20.0 / 1.5).abs() < 1e-9,
        "{}",
        server.cpu_cores
    );
    let turns = line.turns.as_ref().expect("turns");
    assert_eq!(turns.all_turns_rps(), Some(16_000.0));
    assert_eq!(turns.turns[0].p50_us.map(f64::round), Some(1_000.0));
    // 800 requests have no ten beyond their 99th percentile.
    assert_eq!(turns.turns[0].p99_us, None);
    let law = measurement.check(check::LITTLES_LAW).expect("the law");
    assert_eq!(law.ok, Some(true), "{}", law.says);
}

/// Lets strangers use the core in every slice for which `noisy` says so, which halves its throughput.
fn strangers(noisy: impl Fn(Slice) -> bool + Send + Sync + 'static) -> Box<During> {
    Box::new(move |host, slice| {
        // Far more than the other tests of this process use meanwhile, whose time is its own.
        let burnt = match noisy(slice) {
            true => Duration::from_secs(100_000),
            false => Duration::ZERO,
        };
        let mut times = host.core_times.lock().expect("lock");
        *times = times.map(|time| time + burnt);
        if burnt.is_zero() { 1.0 } else { 0.5 }
    })
}

#[test]
fn turns_that_strangers_disturb_do_not_count_for_any_target() {
    let mut bench = Bench::new();
    *bench.host.core_times.lock().expect("lock") = Some(Duration::ZERO);
    let options = bench.options();
    // In every eighth slice of 50 ms: that of one of both targets, in a quarter of the turns.
    let during =
        strangers(|slice| slice.length < Duration::from_millis(100) && slice.number % 8 == 3);
    let slices = run(&mut bench, &options, &plan(&["a", "b"], 1), during);
    let hit = slices
        .iter()
        .filter(is_counted)
        .filter(|slice| slice.number % 8 == 3)
        .count();
    let results = bench.results();
    let mut set_aside = 0;
    for line in &results.lines {
        let turns = line.turns.as_ref().expect("turns");
        let disturbed = turns.turns.iter().filter(|turn| turn.disturbed.is_some());
        assert!(
            disturbed
                .clone()
                .all(|turn| turn.disturbed == Some(Disturbed::OtherProcesses))
        );
        assert_eq!(turns.made() - turns.kept(), disturbed.count());
        set_aside += turns.made() - turns.kept();
        // What counts is what was measured without them.
        let measurement = line.measurement.as_ref().expect("a measurement");
        assert_eq!(
            measurement.throughput_rps,
            f64::from(line.load.connections()) * 1_000.0
        );
        assert_eq!(measurement.windows.len(), turns.kept());
    }
    // A turn goes for both.
    assert!(hit > 8);
    assert_eq!(set_aside, 2 * hit);
    let all: f64 = results
        .lines
        .iter()
        .filter_map(|line| line.turns.as_ref()?.all_turns_rps())
        .sum();
    assert!(all < 2.0 * 272_000.0, "{all}");
}

#[test]
fn turns_go_on_until_enough_were_undisturbed() {
    let mut bench = Bench::new();
    *bench.host.core_times.lock().expect("lock") = Some(Duration::ZERO);
    let options = bench.options();
    // A spell that is longer than the 20 turns that are planned for a level; then peace.
    let during =
        strangers(|slice| slice.length < Duration::from_millis(100) && slice.number < 2 + 2 * 30);
    run(&mut bench, &options, &plan(&["a", "b"], 1), during);
    let results = bench.results();
    let (of_first, of_second): (Vec<_>, Vec<_>) =
        results.lines.iter().partition(|line| line.order == 1);
    for line in of_first {
        let turns = line.turns.as_ref().expect("turns");
        // Half of those that were planned.
        assert_eq!((turns.made(), turns.kept()), (40, 10));
        let measurement = line.measurement.as_ref().expect("a measurement");
        assert_eq!(
            measurement.throughput_rps,
            f64::from(line.load.connections()) * 1_000.0
        );
    }
    for line in of_second {
        let turns = line.turns.as_ref().expect("turns");
        assert_eq!((turns.made(), turns.kept()), (20, 20));
    }
}

#[test]
fn where_no_turn_is_undisturbed_all_that_are_alike_count() {
    let mut bench = Bench::new();
    *bench.host.core_times.lock().expect("lock") = Some(Duration::ZERO);
    let options = bench.options();
    run(
        &mut bench,
        &options,
        &plan(&["a", "b"], 1),
        strangers(|_| true),
    );
    for line in &bench.results().lines {
        let turns = line.turns.as_ref().expect("turns");
        // 40 turns of two slices of 75 ms are 6 s, as long as a spell; nothing is left for the second level then.
        let made = if line.order == 1 { 40 } else { 20 };
        assert_eq!((turns.made(), turns.kept()), (made, made));
        assert!(turns.turns.iter().all(|turn| turn.spared));
        let measurement = line.measurement.as_ref().expect("a measurement");
        assert_eq!(
            measurement.throughput_rps,
            f64::from(line.load.connections()) * 500.0
        );
    }
}

#[test]
fn a_bystander_that_works_fails_the_check_of_the_others() {
    let mut bench = Bench::new();
    let options = bench.options();
    // The first server works in every slice of the second.
    let during = |host: &FakeHost, slice: Slice| {
        if slice.server == 1 {
            *host.life(0).cpu.lock().expect("lock") += Duration::from_secs(1);
        }
        1.0
    };
    run(
        &mut bench,
        &options,
        &plan(&["a", "b"], 1),
        Box::new(during),
    );
    the_first_alone_had_rest_beside_it(&bench.results());
}

/// The server of the first trial worked while the others were measured, and they rested while it was.
fn the_first_alone_had_rest_beside_it(results: &Results) {
    let first = (results.trials.iter()).find(|trial| trial.trial == 1);
    let first = &first.expect("a trial").target;
    for line in &results.lines {
        let measurement = line.measurement.as_ref().expect("a measurement");
        let rest = measurement.check(check::BYSTANDERS).expect("the check");
        assert_eq!(rest.ok, Some(&line.target == first), "{}", rest.says);
    }
}

#[test]
fn others_are_stopped_during_a_slice_where_that_is_asked_for() {
    let frozen = |host: &FakeHost, place: usize| host.life(place).frozen.load(Ordering::SeqCst);
    for freeze in [true, false] {
        let mut bench = Bench::new();
        let options = bench.options();
        let during = move |host: &FakeHost, slice: Slice| {
            assert!(!frozen(host, slice.server));
            let others = (0..3).filter(|other| *other != slice.server);
            others.for_each(|other| assert_eq!(frozen(host, other), freeze));
            // The second level is too slow for slices, and measured in one piece.
            if slice.number > 80 { 0.001 } else { 1.0 }
        };
        let plan = Plan {
            freeze,
            ..plan(&["a", "b", "c"], 1)
        };
        run(&mut bench, &options, &plan, Box::new(during));
        assert!((0..3).all(|place| !frozen(&bench.host, place)));
        let results = bench.results();
        assert_eq!(results.lines.len(), 6);
        for line in &results.lines {
            let turns = line.turns.as_ref();
            assert_eq!(turns.is_none(), line.one_piece.is_some());
            assert!(turns.is_none_or(|turns| turns.frozen == freeze));
        }
    }
}

#[test]
fn a_bystander_that_works_beside_one_piece_fails_its_check_too() {
    let mut bench = Bench::new();
    let options = bench.options();
    let during = |host: &FakeHost, slice: Slice| {
        if slice.server == 1 {
            *host.life(0).cpu.lock().expect("lock") += Duration::from_secs(1_000);
        }
        0.001
    };
    run(
        &mut bench,
        &options,
        &plan(&["a", "b"], 1),
        Box::new(during),
    );
    let results = bench.results();
    let pieces = results.lines.iter().map(|line| line.one_piece);
    assert!(pieces.eq([Some(OnePiece::Slow); 4]));
    the_first_alone_had_rest_beside_it(&results);
}

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
            .say(Language::En)
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
        &*bench.host,
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

#[test]
fn what_is_too_slow_for_slices_is_measured_in_one_piece() {
    let mut bench = Bench::new();
    let options = bench.options();
    // 16 × 1,000 × 0.03 = 480 responses per second: 300 take longer than 400 ms.
    let during = |_: &FakeHost, slice: Slice| if slice.connections == 16 { 0.03 } else { 1.0 };
    let slices = run(
        &mut bench,
        &options,
        &plan(&["a", "b"], 3),
        Box::new(during),
    );
    assert_eq!(bench.results().lines.len(), 3 * 2 * 2);
    for line in &bench.results().lines {
        let slow = (line.load.connections() == 16).then_some(OnePiece::Slow);
        assert_eq!(line.one_piece, slow);
        assert_eq!(line.turns.is_some(), slow.is_none());
        assert!(line.measurement.is_some());
    }
    // The first round tries that level out, once for each, and the others know. What can be cut is tried out each time.
    let pilots = |slow: bool| {
        let pilots = slices.iter().filter(|slice| slice.length == PILOT);
        pilots
            .filter(|slice| (slice.connections == 16) == slow)
            .count()
    };
    assert_eq!((pilots(true), pilots(false)), (2, 6));
}

#[test]
fn servers_that_cannot_be_up_together_are_measured_solo() {
    let solo = |bend: &dyn Fn(&mut Bench, &mut Plan)| {
        let mut bench = Bench::new();
        let mut plan = plan(&["a", "b"], 1);
        bend(&mut bench, &mut plan);
        bench.run(&plan);
        assert!(
            bench
                .results()
                .lines
                .iter()
                .all(|line| line.turns.is_none())
        );
        bench.events.into_iter().find_map(|event| match event {
            Event::Warning(Warning::Solo(why)) => Some(why),
            _ => None,
        })
    };
    let mib = 1_u64 << 20;
    let little = solo(&|bench, _| *bench.host.memory.lock().expect("lock") = Some(1_000 * mib));
    let expected = Solo::Memory {
        needed: 1_024 * mib,
        available: 1_000 * mib,
    };
    assert_eq!(little, Some(expected));
    let port = solo(&|_, plan| {
        for target in &mut plan.targets {
            target.start.listen = Listen::Port(1);
        }
    });
    assert!(matches!(
        port,
        Some(Solo::Listen {
            at: Listen::Port(1),
            ..
        })
    ));
    // What nobody wanted is no cause to warn.
    assert_eq!(solo(&|_, plan| plan.turns = false), None);
    assert_eq!(solo(&|_, plan| plan.targets.truncate(1)), None);
}

#[test]
fn a_plan_says_why_its_targets_take_no_turns() {
    let why = |bend: fn(&mut Plan)| {
        let mut plan = plan(&["a", "b"], 1);
        bend(&mut plan);
        crate::solo(&plan)
    };
    assert_eq!(why(|_| ()), None);
    assert_eq!(why(|plan| plan.turns = false), Some(Solo::Asked));
    assert_eq!(why(|plan| plan.smoke = true), Some(Solo::Smoke));
    let one = why(|plan| plan.targets.truncate(1));
    assert_eq!(one, Some(Solo::OneTarget));
    let searches = why(|plan| {
        let objective = Objective::parse("p99 < 10ms").expect("an objective");
        plan.workloads[0].loads = vec![Load::Capacity(Search::new(objective, 7))];
    });
    assert_eq!(searches, Some(Solo::Searches));
}

#[test]
fn arrivals_of_a_turn_are_the_same_for_all_targets_and_others_in_the_next() {
    assert_ne!(order::slice_seed(5, 0), order::slice_seed(5, 1));
    assert_eq!(order::slice_seed(5, 1), order::slice_seed(5, 1));
}

/// Turns that differ by chance and servers that take long to start: the fourth round has three times as many turns as the plan asks for.
#[test]
fn rounds_that_are_added_have_as_many_turns_as_are_best() {
    let mut bench = Bench::new();
    let options = bench.options();
    let trials = options.results.join(photofinish_model::store::TRIALS);
    let during = move |_: &FakeHost, slice: Slice| {
        // Fakes start at once; of the first two rounds it is written down that they did not.
        if let Ok(text) = std::fs::read_to_string(&trials) {
            let ready = |line: &str| {
                let mut trial: serde_json::Value = serde_json::from_str(line).expect("a trial");
                trial["ready_s"] = 1_000.0.into();
                trial.to_string() + "\n"
            };
            if text.lines().count() == 4 && !text.contains("1000.0") {
                let slow: String = text.lines().map(ready).collect();
                std::fs::write(&trials, slow).expect("written");
            }
        }
        Random::stream(3, slice.number as u64).within(1, 2) as f64
    };
    let plan = Plan {
        until_decided: true,
        ..plan(&["a", "b"], 4)
    };
    run(&mut bench, &options, &plan, Box::new(during));
    for line in bench.results().lines {
        let made = line.turns.map_or(0, |turns| turns.made());
        assert_eq!(made, if line.round < 4 { 20 } else { 60 }, "{}", line.round);
    }
}
