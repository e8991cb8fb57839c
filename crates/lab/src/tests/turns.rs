//! Rounds whose targets are measured in turns.

use photofinish_model::{Load, Objective, OnePiece, Search, check};
use photofinish_stats::Random;
use photofinish_study::plan::Listen;

use super::*;
use crate::events::{Sequential, Warning};
use crate::fake;
use crate::turns::cut::PILOT_TIME;

/// A plan whose targets are measured in turns of 50 ms, 20 of them at each of two levels.
pub(super) fn plan(targets: &[&str], rounds: u32) -> Plan {
    fake::with(fake::plan(targets, rounds), |settings| {
        settings.turns = true;
        // Of which two thirds count.
        settings.duration = Duration::from_millis(1_500);
    })
}

/// A slice of a run, or one of its pilots.
#[derive(Clone, Copy, Debug)]
pub(super) struct Slice {
    /// Of all that were sent so far, pilots and pieces included, counted from 0.
    pub(super) number: usize,
    /// The server's place among all that were started.
    pub(super) server: usize,
    pub(super) connections: u32,
    pub(super) length: Duration,
}

/// Runs the plan with a generator that does this in each slice, and bends the outcome by the factor that it returns. Returns all slices.
pub(super) fn run(
    bench: &mut Bench,
    plan: &Plan,
    during: impl Fn(&FakeHost, Slice) -> f64 + Send + Sync + 'static,
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
        let takes = match slice.length == PILOT_TIME {
            true => Duration::from_micros(2_400),
            false => Duration::from_millis(1),
        };
        outcome = fake::outcome(config.connections(), outcome.duration, responses, takes);
        Ok(outcome)
    }));
    bench.race(plan, &load);
    drop(load);
    Arc::into_inner(slices)
        .expect("the generator is gone")
        .into_inner()
        .expect("lock")
}

pub(super) fn quiet(_: &FakeHost, _: Slice) -> f64 {
    1.0
}

pub(super) fn is_counted(slice: &&Slice) -> bool {
    slice.length == Duration::from_millis(50)
}

#[test]
fn all_targets_are_up_together_and_each_leads_equally_often() {
    let mut bench = Bench::new();
    let all_up = |host: &FakeHost, _| {
        assert_eq!(host.lives.lock().expect("lock").len() % 2, 0);
        assert!(!is_set(&host.last().stopped));
        1.0
    };
    let slices = run(&mut bench, &plan(&["a", "b"], 2), all_up);
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
    run(&mut bench, &plan(&["a", "b"], 1), quiet);
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
    let cores = server.cpu_cores.expect("cores");
    assert!((cores - 20.0 / 1.5).abs() < 1e-9, "{cores}");
    let turns = line.turns.as_ref().expect("turns");
    assert_eq!(turns.all_turns_rps().map(f64::round), Some(16_000.0));
    assert_eq!(turns.turns[0].p50_us.map(f64::round), Some(1_000.0));
    // 800 requests have no ten beyond their 99th percentile.
    assert_eq!(turns.turns[0].p99_us, None);
    let law = measurement.check(check::LITTLES_LAW).expect("the law");
    assert_eq!(law.ok, Some(true), "{:?}", law.says);
}

#[test]
fn what_is_too_slow_for_slices_is_measured_in_one_piece() {
    let mut bench = Bench::new();
    // 16 × 1,000 × 0.03 = 480 responses per second: 300 take longer than 400 ms.
    let during = |_: &FakeHost, slice: Slice| if slice.connections == 16 { 0.03 } else { 1.0 };
    let slices = run(&mut bench, &plan(&["a", "b"], 3), during);
    assert_eq!(bench.results().lines.len(), 3 * 2 * 2);
    for line in &bench.results().lines {
        let slow = (line.load.connections() == 16).then_some(OnePiece::Slow);
        assert_eq!(line.one_piece, slow);
        assert_eq!(line.turns.is_some(), slow.is_none());
        assert!(line.measurement.is_some());
    }
    // The first round tries that level out, once for each, and the others know. What can be cut is tried out each time.
    let pilots = |slow: bool| {
        let pilots = slices.iter().filter(|slice| slice.length == PILOT_TIME);
        pilots
            .filter(|slice| (slice.connections == 16) == slow)
            .count()
    };
    assert_eq!((pilots(true), pilots(false)), (2, 6));
}

#[test]
fn servers_that_cannot_be_up_together_are_measured_solo() {
    let sequential = |bend: &dyn Fn(&mut Bench, &mut Plan)| {
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
            Event::Warning(Warning::Sequential(why)) => Some(why),
            _ => None,
        })
    };
    let mib = 1_u64 << 20;
    let little =
        sequential(&|bench, _| *bench.host.memory.lock().expect("lock") = Some(1_000 * mib));
    let expected = Sequential::Memory {
        needed: 1_024 * mib,
        available: 1_000 * mib,
    };
    assert_eq!(little, Some(expected));
    let port = sequential(&|_, plan| {
        for target in &mut plan.targets {
            target.start.listen = Listen::Port(1);
        }
    });
    assert!(matches!(
        port,
        Some(Sequential::Listen {
            at: Listen::Port(1),
            ..
        })
    ));
    // What nobody wanted is no cause to warn.
    assert_eq!(sequential(&|_, plan| plan.settings.turns = false), None);
    assert_eq!(sequential(&|_, plan| plan.targets.truncate(1)), None);
}

#[test]
fn a_plan_says_why_its_targets_take_no_turns() {
    let why = |bend: fn(&mut Plan)| {
        let mut plan = plan(&["a", "b"], 1);
        bend(&mut plan);
        crate::sequential(&plan)
    };
    assert_eq!(why(|_| ()), None);
    assert_eq!(
        why(|plan| plan.settings.turns = false),
        Some(Sequential::Asked)
    );
    assert_eq!(
        why(|plan| plan.settings.smoke = true),
        Some(Sequential::Smoke)
    );
    let one = why(|plan| plan.targets.truncate(1));
    assert_eq!(one, Some(Sequential::OneTarget));
    let searches = why(|plan| {
        let objective = Objective::parse("p99 < 10ms").expect("an objective");
        plan.workloads[0].loads = vec![Load::Capacity(Search::new(objective, 7))];
    });
    assert_eq!(searches, Some(Sequential::Searches));
}

/// Turns that differ by chance and servers that take long to start: the fourth round has three times as many turns as the plan asks for.
#[test]
fn rounds_that_are_added_have_as_many_turns_as_are_best() {
    let mut bench = Bench::new();
    let trials = bench
        .options()
        .results
        .join(photofinish_model::store::TRIALS);
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
    let mut plan = plan(&["a", "b"], 4);
    // Another server, or there would be a noise floor in place of a verdict.
    let env = &mut plan.targets[1].start.env;
    env.insert("MODE".to_owned(), "b".into());
    plan.settings.until_decided = true;
    plan.settings.max_rounds = Some(4);
    run(&mut bench, &plan, during);
    for line in bench.results().lines {
        let made = line.turns.map_or(0, |turns| turns.made());
        assert_eq!(made, if line.round < 4 { 20 } else { 60 }, "{}", line.round);
    }
}
