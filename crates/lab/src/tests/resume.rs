//! Runs that are gone on with.

use photofinish_model::store;

use super::*;
use crate::fake;

fn resumed(bench: &Bench) -> RunOptions {
    RunOptions {
        resume: true,
        seed: None,
        ..bench.options()
    }
}

/// A run in which every measurement from number `from` on fails, counted from 0.
fn failing_from(bench: &mut Bench, plan: &Plan, from: u32) {
    let runs = std::sync::atomic::AtomicU32::new(0);
    let load = FakeLoad(Box::new(move |config, control| {
        match runs.fetch_add(1, Ordering::SeqCst) < from {
            true => Ok(fake::measured(config, control)),
            false => Err(fake::refused()),
        }
    }));
    let options = bench.options();
    bench.run_with(plan, &options, &load).expect("a run");
}

#[test]
fn missing_and_failed_measurements_are_made_in_the_same_order() {
    let plan = fake::plan(&["a", "b", "c"], 3);
    let mut whole = Bench::new();
    whole.run(&plan);
    let mut bench = Bench::new();
    failing_from(&mut bench, &plan, 7);
    let before = bench.results();
    assert_eq!(
        before
            .lines
            .iter()
            .filter(|line| line.measurement.is_some())
            .count(),
        7
    );
    bench.events.clear();

    let options = resumed(&bench);
    let finished = bench
        .run_with(&plan, &options, &FakeLoad::steady())
        .expect("a run");
    assert_eq!((finished.failed, finished.interrupted), (0, false));
    let after = bench.results();
    assert!(after.lines.iter().all(|line| line.measurement.is_some()));
    let keys = |results: &Results| {
        let mut keys: Vec<_> = results.lines.iter().map(key).collect();
        keys.sort();
        keys
    };
    assert_eq!(keys(&after), keys(&whole.results()));
    // What was measured before stands as it was.
    let good = before
        .lines
        .iter()
        .filter(|line| line.measurement.is_some());
    assert!(good.clone().all(|line| after.lines.contains(line)));
    // 7 of 18 were done: three trials and one level of the fourth.
    let Some(Event::Begins {
        trials,
        seed,
        progress,
        ..
    }) = bench.events.first()
    else {
        panic!("it does not begin")
    };
    assert_eq!(
        (*trials, *seed, progress.done, progress.total),
        (6, 11, 7, 18)
    );
}

#[test]
fn a_finished_run_starts_nothing() {
    let plan = fake::plan(&["a"], 2);
    let mut bench = Bench::new();
    bench.run(&plan);
    let started = bench.host.started.lock().expect("lock").len();
    let options = resumed(&bench);
    let finished = bench
        .run_with(&plan, &options, &FakeLoad::steady())
        .expect("a run");
    assert_eq!(finished.failed, 0);
    assert_eq!(bench.host.started.lock().expect("lock").len(), started);
}

#[test]
fn another_study_is_refused_with_what_differs() {
    let plan = fake::plan(&["a", "b"], 2);
    let mut bench = Bench::new();
    bench.run(&plan);
    let mut other = plan.clone();
    other.settings.rounds = 9;
    let options = resumed(&bench);
    let error = bench
        .run_with(&other, &options, &FakeLoad::steady())
        .expect_err("an error");
    let says = error.to_string();
    assert!(
        says.contains("begun with another study: rounds was 2, is now 9; undo that"),
        "{says}"
    );
    let mut other = plan.clone();
    other.targets[1].start.prepare = vec!["end".to_owned(), "exit status 0".to_owned()];
    let options = resumed(&bench);
    let says = bench
        .run_with(&other, &options, &FakeLoad::steady())
        .expect_err("an error")
        .to_string();
    assert!(
        says.contains("targets[1].prepare was null, is now [\"end\",\"exit status 0\"]; undo"),
        "{says}"
    );
    let options = RunOptions {
        seed: Some(12),
        ..resumed(&bench)
    };
    let error = bench
        .run_with(&plan, &options, &FakeLoad::steady())
        .expect_err("an error");
    assert!(
        error.to_string().contains("seed was 11, is now 12"),
        "{error}"
    );
}

#[test]
fn a_folder_that_holds_a_run_is_not_written_over() {
    let plan = fake::plan(&["a"], 1);
    let mut bench = Bench::new();
    bench.run(&plan);
    let options = bench.options();
    let error = bench
        .run_with(&plan, &options, &FakeLoad::steady())
        .expect_err("an error");
    assert!(
        matches!(error, Error::Results(store::Error::Exists { .. })),
        "{error}"
    );
}
