//! A server that stops answering while its connections stay: every request to it takes as long as one may.

use super::*;
use crate::fake;

/// Whether a server hangs from this of its load runs on, by its number and length.
type Begins = fn(usize, Duration) -> bool;

/// The load on the server that was started second finds no response once that `begins`; `noted` are the lengths of all runs on it, and how
/// many of these were in vain.
fn hangs(bench: &Bench, begins: Begins, noted: &Arc<Mutex<(Vec<Duration>, usize)>>) -> FakeLoad {
    let (host, noted) = (bench.host.clone(), noted.clone());
    FakeLoad(Box::new(move |config, control| {
        let outcome = fake::measured(config, control);
        if host.place(&config.address) != 1 {
            return Ok(outcome);
        }
        let mut noted = noted.lock().expect("lock");
        let (runs, in_vain) = &mut *noted;
        runs.push(outcome.duration);
        if *in_vain == 0 && !begins(runs.len(), outcome.duration) {
            return Ok(outcome);
        }
        *in_vain += 1;
        let mut silent = fake::outcome(config.connections(), outcome.duration, 0, Duration::ZERO);
        silent.sent = u64::from(config.connections());
        silent.draining = config.timeout;
        Ok(silent)
    }))
}

/// One round of two targets in turns, the second of which hangs; how many of its runs were in vain, and why its levels failed.
fn race(plan: &Plan, begins: Begins) -> (usize, Vec<String>) {
    let (mut bench, noted) = (Bench::new(), Arc::default());
    let load = hangs(&bench, begins, &noted);
    let finished = bench.race(plan, &load);
    assert!(bench.host.all_stopped());
    let says = [bench.failures("a"), bench.failures("b")].concat();
    let lines = bench.results().lines;
    let good = lines.iter().filter(|line| line.measurement.is_some());
    assert_eq!(good.count() + says.len(), lines.len());
    assert_eq!(finished.failed, says.len());
    (noted.lock().expect("lock").1, says)
}

#[test]
fn a_server_that_hangs_is_waited_for_once_at_each_level() {
    let plan = turns::plan(&["a", "b"], 1);
    // In its first try, and in its third turn.
    let begins: [Begins; 2] = [|number, _| number == 1, |number, _| number == 4];
    for begins in begins {
        let (in_vain, says) = race(&plan, begins);
        assert_eq!((in_vain, says.len()), (2, 2), "{says:?}");
        for why in says {
            assert!(why.starts_with("no good response in "), "{why}");
        }
    }
}

#[test]
fn a_server_that_hangs_after_its_turns_keeps_what_they_measured() {
    let mut plan = turns::plan(&["a", "b"], 1);
    plan.workloads[0].loads.truncate(1);
    plan.settings.profile = Some(true);
    // In the piece beside them; no profiled slice follows.
    let beside: Begins = |_, length| length == Duration::from_millis(300);
    assert_eq!(race(&plan, beside), (1, Vec::new()));
}

#[test]
fn a_server_that_hangs_while_it_is_warmed_up_and_answers_nobody_has_failed() {
    let mut plan = turns::plan(&["a", "b"], 1);
    let at_most = Duration::from_secs(1);
    plan.settings.warmup_min = at_most;
    plan.settings.warmup_max = at_most;
    let mut bench = Bench::new();
    let host = bench.host.clone();
    let load = FakeLoad(Box::new(move |config, control| {
        let mut outcome = fake::measured(config, control);
        if host.place(&config.address) == 1 {
            let lives = host.lives.lock().expect("lock");
            lives[1].close();
            outcome = fake::outcome(config.connections(), outcome.duration, 0, Duration::ZERO);
            outcome.draining = config.timeout;
        }
        Ok(outcome)
    }));
    let finished = bench.race(&plan, &load);
    assert_eq!(finished.failed, 2);
    let says = [bench.failures("a"), bench.failures("b")].concat();
    for why in says {
        assert!(
            why.starts_with("no good response in ")
                && why.contains("then the server did not respond"),
            "{why}"
        );
    }
}
