//! Runs that are continued.

use photofinish_model::store;

use super::*;
use crate::fake;

#[test]
fn missing_and_failed_measurements_are_made_in_the_same_order() {
    let plan = fake::plan(&["a", "b", "c"], 3);
    let mut whole = Bench::new();
    whole.run(&plan);
    let mut bench = Bench::new();
    bench.race(&plan, &FakeLoad::failing_from(7));
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

    let finished = bench.resume(&plan);
    assert_eq!((finished.failed, finished.interrupted), (0, false));
    let after = bench.results();
    assert!(after.lines.iter().all(|line| line.measurement.is_some()));
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
    let finished = bench.resume(&plan);
    assert_eq!(finished.failed, 0);
    assert_eq!(bench.host.started.lock().expect("lock").len(), started);
}

#[test]
fn another_study_is_refused_with_what_differs() {
    let plan = fake::plan(&["a", "b"], 2);
    let mut bench = Bench::new();
    bench.run(&plan);
    let options = bench.resumed();
    let mut refused = |change: fn(&mut Plan, &mut RunOptions), expected: &str| {
        let (mut plan, mut options) = (plan.clone(), options.clone());
        change(&mut plan, &mut options);
        let says = bench.refusal(&plan, &options);
        assert!(says.contains(expected), "{says}");
    };
    refused(
        |plan, _| plan.settings.rounds = 9,
        "begun with another study: rounds was 2, is now 9; undo that",
    );
    refused(
        |plan, _| {
            let prepare = ["end", "exit status 0"].map(str::to_owned);
            plan.targets[1].start.prepare = prepare.to_vec();
        },
        "targets[1].prepare was null, is now [\"end\",\"exit status 0\"]; undo",
    );
    refused(
        |_, options| options.seed = Some(12),
        "seed was 11, is now 12",
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
