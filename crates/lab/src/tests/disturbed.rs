//! Turns that something else disturbs: other processes, and the servers of the other targets.

use photofinish_model::{Disturbed, OnePiece, check};

use super::turns::{Slice, is_counted, plan, run};
use super::*;
use crate::fake;
use crate::turns::cut::PILOT_TIME;

/// Lets other processes use the core in every slice for which `noisy` says so, which halves its throughput.
fn other_processes(noisy: impl Fn(Slice) -> bool) -> impl Fn(&FakeHost, Slice) -> f64 {
    move |host, slice| {
        // Far more than the other tests of this process use meanwhile, whose time is its own.
        let burnt = match noisy(slice) {
            true => Duration::from_secs(100_000),
            false => Duration::ZERO,
        };
        let mut times = host.core_times.lock().expect("lock");
        *times = times.map(|time| time + burnt);
        if burnt.is_zero() { 1.0 } else { 0.5 }
    }
}

/// In every eighth slice of 50 ms: that of one of both targets, in a quarter of the turns.
fn is_hit(slice: Slice) -> bool {
    slice.length < Duration::from_millis(100) && slice.number % 8 == 3
}

#[test]
fn turns_that_other_processes_disturb_do_not_count_for_any_target() {
    let bench = Bench::with_core_times();
    the_turns_that_are_hit_do_not_count(bench, other_processes(is_hit), Disturbed::OtherProcesses);
}

#[test]
fn turns_beside_a_server_that_works_do_not_count_for_any_target() {
    let works = |host: &FakeHost, slice: Slice| {
        if !is_hit(slice) {
            return 1.0;
        }
        let other = host.life(1 - slice.server);
        *other.cpu.lock().expect("lock") += Duration::from_secs(100_000);
        0.5
    };
    the_turns_that_are_hit_do_not_count(Bench::new(), works, Disturbed::Bystanders);
}

fn the_turns_that_are_hit_do_not_count(
    mut bench: Bench,
    during: impl Fn(&FakeHost, Slice) -> f64 + Send + Sync + 'static,
    why: Disturbed,
) {
    let slices = run(&mut bench, &plan(&["a", "b"], 1), during);
    let hit = slices
        .iter()
        .filter(is_counted)
        .filter(|slice| slice.number % 8 == 3)
        .count();
    let results = bench.results();
    let mut excluded = 0;
    for line in &results.lines {
        let turns = line.turns.as_ref().expect("turns");
        let disturbed = turns.turns.iter().filter(|turn| turn.disturbed.is_some());
        assert!(disturbed.clone().all(|turn| turn.disturbed == Some(why)));
        assert_eq!(turns.made() - turns.kept(), disturbed.count());
        excluded += turns.made() - turns.kept();
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
    assert_eq!(excluded, 2 * hit);
    let all: f64 = results
        .lines
        .iter()
        .filter_map(|line| line.turns.as_ref()?.all_turns_rps())
        .sum();
    assert!(all < 2.0 * 272_000.0, "{all}");
}

#[test]
fn turns_go_on_until_enough_were_undisturbed() {
    let mut bench = Bench::with_core_times();
    // A spell that is longer than the 20 turns that are planned for a level; then peace.
    let during = other_processes(|slice| {
        slice.length < Duration::from_millis(100) && slice.number < 2 + 2 * 24
    });
    run(&mut bench, &plan(&["a", "b"], 1), during);
    let results = bench.results();
    let (of_first, of_second): (Vec<_>, Vec<_>) =
        results.lines.iter().partition(|line| line.order == 1);
    for line in of_first {
        let turns = line.turns.as_ref().expect("turns");
        // Half of those that were planned.
        assert_eq!((turns.made(), turns.kept()), (34, 10));
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
    let mut bench = Bench::with_core_times();
    run(&mut bench, &plan(&["a", "b"], 1), other_processes(|_| true));
    for line in &bench.results().lines {
        let turns = line.turns.as_ref().expect("turns");
        // A third of the 40 turns that both levels are planned to take; nothing is left for the second level then.
        let made = if line.order == 1 { 34 } else { 20 };
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
fn how_long_slices_must_be_is_tried_out_again_less_often_once_it_is_known() {
    let mut bench = Bench::with_core_times();
    // The first round has peace, all others never.
    let slices = run(
        &mut bench,
        &plan(&["a", "b"], 3),
        other_processes(|slice| slice.server >= 2),
    );
    for (server, tries) in [(0, 1), (1, 1), (2, 2), (3, 2), (4, 2), (5, 2)] {
        for connections in [16, 256] {
            let tried = slices.iter().filter(|slice| {
                slice.length == PILOT_TIME
                    && slice.server == server
                    && slice.connections == connections
            });
            assert_eq!(tried.count(), tries, "{server} {connections}");
        }
    }
}

#[test]
fn an_idle_server_that_works_fails_the_check_of_the_others() {
    let mut bench = Bench::new();
    // The first server works in every slice of the second.
    let during = |host: &FakeHost, slice: Slice| {
        if slice.server == 1 {
            *host.life(0).cpu.lock().expect("lock") += Duration::from_secs(1);
        }
        1.0
    };
    run(&mut bench, &plan(&["a", "b"], 1), during);
    the_first_alone_had_rest_beside_it(&bench.results());
}

#[test]
fn a_level_waits_until_servers_rest() {
    let mut bench = Bench::new();
    // After the first level, of 2 · (1 + 20 + 1) slices, the first server has work left.
    let during = |host: &FakeHost, slice: Slice| {
        let works = &host.life(0).works;
        match slice.number {
            43 => works.store(10, Ordering::SeqCst),
            44.. => assert_eq!(works.load(Ordering::SeqCst), 0, "{slice:?}"),
            _ => {}
        }
        1.0
    };
    let plan = plan(&["a", "b"], 1);
    let slices = run(&mut bench, &plan, during);
    assert_eq!(slices.len(), 88);
    assert_eq!(undisturbed_turns(&bench.results()), 80);
}

/// How many turns there are, none of which anything disturbed.
fn undisturbed_turns(results: &Results) -> usize {
    let turns = results.lines.iter().filter_map(|line| line.turns.as_ref());
    let all: Vec<_> = turns.flat_map(|turns| &turns.turns).collect();
    assert!(all.iter().all(|turn| turn.disturbed.is_none()));
    all.len()
}

#[test]
fn a_slice_waits_for_a_server_that_works_on_after_its_own() {
    let mut bench = Bench::new();
    let during = |host: &FakeHost, slice: Slice| {
        for place in [0, 1] {
            assert_eq!(
                host.life(place).works.load(Ordering::SeqCst),
                0,
                "{slice:?}"
            );
        }
        // So often its clock is read after a slice and before the next, and some more often.
        if is_counted(&&slice) && slice.number.is_multiple_of(3) {
            let works = &host.life(slice.server).works;
            works.store(4, Ordering::SeqCst);
        }
        1.0
    };
    run(&mut bench, &plan(&["a", "b"], 1), during);
    assert_eq!(undisturbed_turns(&bench.results()), 80);
}

/// Whoever never rests is waited for once a level, and then disturbs each of its turns.
#[test]
fn a_server_that_never_rests_is_not_waited_for_again() {
    let mut bench = Bench::new();
    let during = |host: &FakeHost, slice: Slice| {
        if slice.number > 3 {
            host.life(0).works.store(u32::MAX, Ordering::SeqCst);
        }
        1.0
    };
    let slices = run(&mut bench, &plan(&["a", "b"], 1), during);
    assert!(slices.iter().filter(is_counted).count() >= 80);
    // Each look shows 10 ms: 200 in a wait at most, of which there is one between the slices of the first level and one before the second.
    let looks = bench.host.life(0).cpu.lock().expect("lock").as_millis() / 10;
    assert!(looks < 1_000, "{looks}");
}

/// The server of the first trial worked while the others were measured, and they rested while it was.
fn the_first_alone_had_rest_beside_it(results: &Results) {
    let first = (results.trials.iter()).find(|trial| trial.trial == 1);
    let first = &first.expect("a trial").target;
    for line in &results.lines {
        let measurement = line.measurement.as_ref().expect("a measurement");
        let rest = measurement.check(check::BYSTANDERS).expect("the check");
        assert_eq!(rest.ok, Some(&line.target == first), "{:?}", rest.says);
    }
}

#[test]
fn others_are_stopped_during_a_slice_where_that_is_asked_for() {
    let frozen = |host: &FakeHost, place: usize| host.life(place).frozen.load(Ordering::SeqCst);
    for freeze in [true, false] {
        let mut bench = Bench::new();
        let during = move |host: &FakeHost, slice: Slice| {
            assert!(!frozen(host, slice.server));
            let others = (0..3).filter(|other| *other != slice.server);
            others.for_each(|other| assert_eq!(frozen(host, other), freeze));
            // The second level is too slow for slices, and measured in one continuous run.
            if slice.number > 80 { 0.001 } else { 1.0 }
        };
        let plan = fake::with(plan(&["a", "b", "c"], 1), |settings| {
            settings.freeze = freeze;
        });
        run(&mut bench, &plan, during);
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
fn an_idle_server_that_works_during_a_sequential_level_fails_its_check_too() {
    let mut bench = Bench::new();
    let during = |host: &FakeHost, slice: Slice| {
        if slice.server == 1 {
            *host.life(0).cpu.lock().expect("lock") += Duration::from_secs(1_000);
        }
        0.001
    };
    run(&mut bench, &plan(&["a", "b"], 1), during);
    let results = bench.results();
    let pieces = results.lines.iter().map(|line| line.one_piece);
    assert!(pieces.eq([Some(OnePiece::Slow); 4]));
    the_first_alone_had_rest_beside_it(&results);
}
