//! Rounds that are dealt out over pairs of machines.

use std::thread;

use photofinish_judge::comparison::Comparison;
use photofinish_judge::pooled::{Pooled, measured_rounds};
use photofinish_model::store;

use super::*;
use crate::fake;
use crate::run::{Deal, Dealt};

/// Runs a plan on a pair of machines for each of these generators, and returns how each run ended, and its results.
fn deal(
    bench: &Bench,
    plan: &Plan,
    rounds: u32,
    loads: &[FakeLoad],
) -> Vec<(Result<Finished, Error>, Results)> {
    on_pairs(bench, plan, Deal::new(rounds, loads.len()), loads)
}

/// The same with rounds that are dealt out in another way.
fn on_pairs(
    bench: &Bench,
    plan: &Plan,
    deal: Deal,
    loads: &[FakeLoad],
) -> Vec<(Result<Finished, Error>, Results)> {
    let deal = Arc::new(deal);
    let (usual, interrupt) = (&bench.options(), &*bench.interrupt);
    let folder = bench.folder.path();
    let on_pair = |number: usize, load: &FakeLoad| {
        let pair = format!("pair-{number}");
        let results = folder.join(&pair);
        let deal = Arc::clone(&deal);
        let options = RunOptions {
            resume: results.exists(),
            results: results.clone(),
            dealt: Some(Dealt {
                pair,
                number,
                deal: Arc::clone(&deal),
            }),
            ..usual.clone()
        };
        let host = Arc::<FakeHost>::default();
        let ended = run(plan, &options, &host.host(), load, &mut |_| {}, interrupt);
        deal.leave(number);
        (ended, Results::read(&results).expect("results"))
    };
    thread::scope(|scope| {
        let runs: Vec<_> = (loads.iter().enumerate())
            .map(|(number, load)| {
                let on_pair = &on_pair;
                scope.spawn(move || on_pair(number, load))
            })
            .collect();
        let ended = runs.into_iter().map(|run| run.join().expect("a run"));
        ended.collect()
    })
}

#[test]
fn pairs_measure_all_rounds_between_them() {
    let bench = Bench::new();
    let plan = fake::plan(&["a", "b"], 5);
    let ended = deal(&bench, &plan, 5, &[FakeLoad::steady(), FakeLoad::steady()]);
    let mut all = 0;
    for (number, (finished, results)) in ended.iter().enumerate() {
        let finished = finished.as_ref().expect("a run");
        assert_eq!((finished.failed, &finished.lost), (0, &None));
        assert_eq!(results.study.pair, Some(format!("pair-{number}")));
        // A pair lacks nothing of what others have measured.
        assert_eq!(Comparison::from(results).missing, []);
        all += measured_rounds(results);
    }
    assert_eq!(all, 5);
    let runs: Vec<Results> = ended.into_iter().map(|(_, results)| results).collect();
    let pooled = Pooled::from(&runs).expect("runs");
    let rounds = pooled.machines.iter().map(|machine| machine.rounds);
    assert_eq!(rounds.sum::<u32>(), 5);
}

#[test]
fn a_pair_that_fails_is_named_and_others_have_its_rounds() {
    let bench = Bench::new();
    let plan = fake::plan(&["a", "b"], 4);
    // The good pair measures nothing before the bad one has failed, or it might have all rounds by then.
    let failed = Arc::<AtomicBool>::default();
    let seen = Arc::clone(&failed);
    let waiting = FakeLoad(Box::new(move |config, control| {
        while !is_set(&seen) {
            thread::yield_now();
        }
        Ok(fake::measured(config, control))
    }));
    let failing = FakeLoad(Box::new(move |_, _| {
        failed.store(true, Ordering::SeqCst);
        Err(fake::refused())
    }));
    let ended = deal(&bench, &plan, 4, &[waiting, failing]);
    let [(good, whole), (bad, lost)] = ended.as_slice() else {
        panic!("not two")
    };
    assert_eq!(good.as_ref().expect("a run").lost, None);
    assert_eq!(measured_rounds(whole), 4);
    let finished = bad.as_ref().expect("a run");
    let why = finished.lost.as_ref().expect("a reason");
    assert_eq!(Some(why), bad_reasons(lost).first(), "{why}");
    assert_eq!(measured_rounds(lost), 0);
    // Its next run takes the rounds that are left then, and those that failed come first.
    let again = deal(&bench, &plan, 2, &[FakeLoad::steady(), FakeLoad::steady()]);
    let measured = again.iter().map(|(_, results)| measured_rounds(results));
    assert_eq!(measured.sum::<u32>(), 6);
}

/// Why measurements failed, the last first.
fn bad_reasons(results: &Results) -> Vec<String> {
    let lines = results.lines.iter().rev();
    lines
        .filter_map(|line| Some(line.failure.as_ref()?.to_string()))
        .collect()
}

/// The verdicts of all pairs together decide when the rounds end.
#[test]
fn rounds_are_added_until_all_pairs_together_are_decided() {
    let bench = Bench::new();
    let mut plan = fake::plan(&["a", "b"], 20);
    plan.settings.until_decided = true;
    plan.settings.max_rounds = Some(20);
    // Else they would be the same target twice.
    let env = &mut plan.targets[1].start.env;
    env.insert("MODE".to_owned(), "b".into());
    let folder = bench.folder.path().to_owned();
    let analyze = move || {
        let runs = ["pair-0", "pair-1"].map(|pair| Results::read(&folder.join(pair)));
        let runs: Vec<Results> = runs.into_iter().collect::<Result<_, store::Error>>()?;
        let pooled = Pooled::from(&runs).expect("runs");
        let progress = pooled.progress();
        assert!(progress.of > 0);
        Ok(progress.open == progress.hopeless)
    };
    let deal = Deal::new(20, 2).until_decided(Box::new(analyze), false);
    let ended = on_pairs(
        &bench,
        &plan,
        deal,
        &[FakeLoad::steady(), FakeLoad::steady()],
    );
    let runs: Vec<Results> = (ended.into_iter())
        .map(|(finished, results)| {
            let finished = finished.expect("a run");
            assert_eq!((finished.failed, finished.lost), (0, None));
            results
        })
        .collect();
    // Equal to the last digit: a tie at the first analysis, after two rounds of each.
    assert_eq!(runs.iter().map(measured_rounds).collect::<Vec<_>>(), [2, 2]);
    let pooled = Pooled::from(&runs).expect("runs");
    let ratio = pooled.ratios.iter().find(|ratio| ratio.is_headline);
    let verdict = ratio.and_then(|ratio| ratio.on_these.as_ref());
    let verdict = verdict.expect("a verdict");
    assert_eq!((verdict.decided_after(), verdict.rounds), (Some(4), 4));
}
