//! Runs that the user ends.

use photofinish_judge::comparison::Comparison;

use super::*;
use crate::fake;

/// Runs with a generator in which the user interrupts during load run `at`, counted from 0.
fn interrupted_at(bench: &mut Bench, plan: &Plan, at: u32) -> Finished {
    let load = FakeLoad::interrupted(&bench.interrupt, at, fake::measured);
    bench.race(plan, &load)
}

#[test]
fn what_is_finished_is_kept_and_what_was_cut_short_is_not_recorded() {
    let mut bench = Bench::new();
    let finished = interrupted_at(&mut bench, &fake::plan(&["a", "b"], 3), 5);
    assert_eq!((finished.failed, finished.interrupted), (0, true));
    let results = bench.results();
    assert_eq!(results.lines.len(), 5);
    assert!(results.lines.iter().all(|line| line.measurement.is_some()));
    // Two whole trials, and the third, which had measured one of its two levels.
    assert_eq!(results.trials.len(), 3);
    assert!(bench.host.all_stopped());
}

#[test]
fn rounds_of_a_run_with_a_limit_of_time_that_was_interrupted_are_missing() {
    let mut bench = Bench::new();
    let mut plan = fake::plan(&["a", "b"], 3);
    plan.settings.within = Some(Duration::from_secs(3600));
    // Its second round begins, and nothing of that is recorded.
    assert!(interrupted_at(&mut bench, &plan, 4).interrupted);
    let results = bench.results();
    assert_eq!(results.lines.len(), 4);
    assert!(results.lines.iter().all(|line| line.round == 1));
    let missing = Comparison::from(&results).missing;
    assert_eq!(missing.len(), 4);
    assert!(missing.iter().all(|missing| missing.rounds == [2, 3]));
}

#[test]
fn an_interruption_during_the_warm_up_leaves_nothing_of_the_trial() {
    let mut bench = Bench::new();
    let mut plan = fake::plan(&["a"], 1);
    plan.settings.warmup_min = Duration::ZERO;
    plan.settings.warmup_max = Duration::from_secs(5);
    let finished = interrupted_at(&mut bench, &plan, 0);
    assert!(finished.interrupted);
    let results = bench.results();
    assert_eq!((results.lines.len(), results.trials.len()), (0, 0));
    assert!(bench.host.all_stopped());
}

#[test]
fn an_interruption_before_anything_starts_nothing() {
    let mut bench = Bench::new();
    bench.interrupt.store(true, Ordering::SeqCst);
    assert!(bench.run(&fake::plan(&["a"], 1)).interrupted);
    assert!(bench.host.started.lock().expect("lock").is_empty());
}

#[test]
fn an_interruption_ends_the_wait_for_a_server() {
    let mut bench = Bench::new();
    let mut plan = fake::plan(&["a"], 1);
    plan.targets[0].start.command = vec!["mute".to_owned()];
    let (host, interrupt) = (Arc::clone(&bench.host), Arc::clone(&bench.interrupt));
    // The server that is waited for has been started; there the user gives up.
    let user = std::thread::spawn(move || {
        while host.started.lock().expect("lock").is_empty() {
            std::thread::yield_now();
        }
        interrupt.store(true, Ordering::SeqCst);
    });
    assert!(bench.run(&plan).interrupted);
    user.join().expect("it ends");
    assert!(is_set(&bench.host.last().stopped));
}
