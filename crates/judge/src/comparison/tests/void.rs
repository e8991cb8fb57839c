//! Where nothing may be said, though figures were measured.

use photofinish_model::finding::claim::ClaimVerdict;
use photofinish_model::samples::{assert_contains, assert_starts};
use photofinish_model::{Claim, Line, Load, Measurement, Overloaded, check, samples};
use photofinish_voice::verdict::reason;

use super::claims::claim;
use super::*;
use crate::threshold::{Condition, Status};

/// The race of two with every measurement of one target changed.
fn changed(ratio: f64, target: &str, change: impl Fn(&mut Measurement)) -> Results {
    let mut results = two(ratio);
    for line in results.lines.iter_mut().filter(|l| l.target == target) {
        change(line.measurement.as_mut().expect("measured"));
    }
    results
}

fn reason_of(verdict: &Verdict) -> Option<&Message> {
    verdict.void().map(|void| &void.reason)
}

fn overloaded() -> Results {
    changed(1.1, "b", |measurement| {
        measurement.overloaded = Some(Overloaded {
            offered_rps: 2000.0,
            achieved_rps: 1000.0,
        });
    })
}

fn other_bodies() -> Results {
    let mut results = two(1.1);
    for trial in results.trials.iter_mut().filter(|t| t.target == "b") {
        trial.verified[0].body_sha256 = "0".repeat(64);
    }
    results
}

fn asked(text: &str, results: &Results) -> (Status, String) {
    let condition = Condition::parse(text, &["a", "b"]).expect("a condition");
    let outcome = condition.check(results, &Comparison::from(results));
    let says: Vec<String> = outcome.says.into_iter().map(|says| says.en).collect();
    (outcome.status, says.join("\n"))
}

#[test]
fn response_times_of_an_overloaded_open_loop_are_void_and_its_throughput_is_not() {
    let results = overloaded();
    let comparison = Comparison::from(&results);
    let reason = reason::overloaded("b", vec![1, 2, 3, 4, 5]);
    for metric in [Metric::Mean, Metric::P50, Metric::P99] {
        let verdict = find(&comparison, metric);
        assert_eq!(reason_of(verdict), Some(&reason));
        assert_eq!(
            (verdict.ratio, verdict.interval, verdict.ahead()),
            (None, None, None)
        );
        assert_eq!(comparison.cells[0].lead(metric), None);
    }
    assert_eq!(find(&comparison, Metric::Throughput).ahead(), Some("a"));
    assert_eq!(
        asked("b.throughput < a.throughput", &results).0,
        Status::Holds
    );
    // A gate is not green without a word.
    let (status, says) = asked("b.p99 > a.p99", &results);
    assert_eq!(status, Status::Void);
    assert_starts(
        &says,
        "plaintext, 100 connections: b was overloaded in rounds 1–5",
    );
}

#[test]
fn targets_with_different_bodies_are_not_ranked() {
    let results = other_bodies();
    let comparison = Comparison::from(&results);
    let reason = reason::not_the_same_job("a", "b");
    let verdicts = &comparison.cells[0].verdicts;
    assert!(
        verdicts
            .iter()
            .all(|verdict| reason_of(verdict) == Some(&reason))
    );
    assert_eq!(comparison.cells[0].leads, []);
    assert_eq!(
        comparison.headline.en,
        "No verdict: a and b did not do the same job: their responses differ"
    );
    assert_eq!(asked("different", &results).0, Status::Void);
    assert_eq!(
        asked("a.throughput > b.throughput", &results).0,
        Status::Void
    );
    // One target's own figure can be held against a number.
    assert_eq!(asked("a.throughput > 1", &results).0, Status::Holds);
}

#[test]
fn where_bodies_may_vary_only_the_status_makes_another_job() {
    let mut results = other_bodies();
    results.study.workloads[0].responses_vary = true;
    assert_eq!(
        find(&Comparison::from(&results), Metric::Throughput).void(),
        None
    );
    for trial in results.trials.iter_mut().filter(|t| t.target == "b") {
        trial.verified[0].status = 404;
    }
    assert!(
        find(&Comparison::from(&results), Metric::Throughput)
            .void()
            .is_some()
    );
}

#[test]
fn a_percentile_takes_ten_requests_beyond_it_in_every_round() {
    // 1 − 0.999 of 10,000 requests are ten.
    let of_b = |requests: u64| {
        let mut results = two(1.1);
        for line in &mut results.lines {
            let measurement = line.measurement.as_mut().expect("measured");
            measurement.requests = if line.target == "b" { requests } else { 50_000 };
        }
        Comparison::from(&results)
    };
    assert_eq!(find(&of_b(10_000), Metric::P999).void(), None);
    let few = of_b(9_999);
    assert_eq!(
        reason_of(find(&few, Metric::P999)),
        Some(&reason::few_beyond(
            "b",
            9_999_u64,
            Metric::P999,
            10_000_u64
        ))
    );
    assert_eq!(find(&few, Metric::P99).void(), None);
    assert!(find(&of_b(999), Metric::P99).void().is_some());
    assert_eq!(find(&of_b(1_000), Metric::P99).void(), None);
    assert_eq!(find(&of_b(20), Metric::P50).void(), None);
    assert!(find(&of_b(19), Metric::P50).void().is_some());
    // A mean and throughput need no tail.
    assert_eq!(find(&of_b(19), Metric::Mean).void(), None);
}

#[test]
fn a_target_of_which_nothing_may_be_said_is_in_no_order() {
    let mut results = samples::race(&["a", "b", "c"], &[&a_over_b(1.5), &B, &a_over_b(3.0)]);
    for trial in results.trials.iter_mut().filter(|t| t.target == "c") {
        trial.verified[0].status = 500;
    }
    let comparison = Comparison::from(&results);
    let lead = comparison.cells[0].lead(Metric::Throughput).expect("one");
    assert_eq!(
        (&lead.leaders[..], &lead.void[..]),
        (&["a".to_owned()][..], &["c".to_owned()][..])
    );
    // One pair is left, so it is judged at 95% by itself.
    assert_eq!(find(&comparison, Metric::Throughput).level, 0.95);
    assert!(
        comparison
            .headline
            .en
            .starts_with("a is 1.50× as fast as b, 95% CI 1.47–1.53; no verdict on c:"),
        "{}",
        comparison.headline.en
    );
}

#[test]
fn claims_and_noise_floors_are_void_too() {
    let mut results = overloaded();
    results.study.claims = vec![claim(Metric::P99, 0.9)];
    let claim = Comparison::from(&results).claims.remove(0);
    assert_eq!((claim.verdict, claim.ratio), (ClaimVerdict::Void, None));
    assert_starts(&claim.says.en, "b was overloaded");
    assert_eq!(asked("claims", &results).0, Status::Void);
    results.study.targets[1].same_as = Some("a".to_owned());
    let cell = Comparison::from(&results).cells.remove(0);
    let floor = cell.noise_of(Metric::P99).expect("a floor");
    assert_eq!((floor.ratio, floor.different), (None, None));
    assert!(floor.void.is_some());
}

#[test]
fn the_bottleneck_and_the_noise_stand_beside_a_verdict() {
    let bound = |ratio: f64| {
        let results = changed(ratio, "a", |measurement| {
            let checks = measurement.checks.iter_mut();
            for check in checks.filter(|check| check.name == check::GENERATOR) {
                check.ok = Some(false);
            }
        });
        find(&Comparison::from(&results), Metric::Throughput).clone()
    };
    let note = photofinish_voice::verdict::note::generator_bound("a", vec![1, 2, 3, 4, 5]);
    let faster = bound(1.1);
    assert_eq!(
        faster.notes.iter().map(|n| &n.says).collect::<Vec<_>>(),
        [&note]
    );
    // The slower one was not held back by it.
    assert_eq!(bound(1.0 / 1.1).notes, []);
    assert_eq!(bound(1.0).notes, []);
}

#[test]
fn a_condition_that_is_not_decided_is_no_pass() {
    let results = two(1.012);
    let (status, says) = asked("a.throughput > b.throughput", &results);
    assert_eq!(status, Status::Undecided);
    assert!(
        says.starts_with("plaintext, 100 connections: a.throughput could be −0.77% to +3.2% compared with b.throughput"),
        "{says}"
    );
    assert_eq!(asked("different", &results).0, Status::Undecided);
    // One term that is known is enough for `or`, and one that does not hold for `and`.
    let open = "a.throughput > b.throughput";
    assert_eq!(
        asked(&format!("{open} or a.throughput > 1"), &results).0,
        Status::Holds
    );
    assert_eq!(
        asked(&format!("{open} and a.throughput < 1"), &results).0,
        Status::DoesNotHold
    );
    assert_eq!(
        asked(&format!("{open} and a.throughput > 1"), &results).0,
        Status::Undecided
    );
}

#[test]
fn a_target_whose_responses_changed_after_it_was_verified_is_not_ranked() {
    // 1 in 100 is a slip, and more is another job; the sample has 5 requests for each response a second.
    let requests = changed(1.1, "b", |_| {}).lines[0]
        .measurement
        .as_ref()
        .expect("measured")
        .requests;
    for (share, void) in [(0, false), (requests / 200, false), (requests / 50, true)] {
        let results = changed(1.1, "b", |measurement| measurement.changed = share);
        let comparison = Comparison::from(&results);
        let reason = reason::changed_since("b", vec![1, 2, 3, 4, 5]);
        for metric in [Metric::Throughput, Metric::P50] {
            let got = reason_of(find(&comparison, metric));
            assert_eq!(got, void.then_some(&reason));
        }
        if void {
            assert_eq!(comparison.cells[0].leads, []);
            let (status, says) = asked("b.throughput < a.throughput", &results);
            assert_eq!(status, Status::Void);
            assert!(says.contains("b responded differently in"), "{says}");
        }
    }
}

/// The race of two by two generators that had half of it each, but for what one of them saw of `b` in place of its throughput.
fn by_two(seen: impl Fn(f64) -> f64) -> Results {
    let mut results = two(1.1);
    for line in &mut results.lines {
        let measurement = line.measurement.as_mut().expect("measured");
        let half = measurement.throughput_rps / 2.0;
        let other = if line.target == "b" { seen(half) } else { half };
        measurement.generators = vec![
            samples::generator_part("one", half),
            samples::generator_part("other", other),
        ];
    }
    results
}

#[test]
fn generators_that_contradict_each_other_leave_nothing_to_say() {
    let agreed = Comparison::from(&by_two(|half| half));
    let verdict = find(&agreed, Metric::Throughput);
    assert_eq!(verdict.ahead(), Some("a"));
    let generators = &agreed.cells[0].targets[0].generators;
    let names: Vec<&str> = generators.iter().map(|one| &*one.machine).collect();
    assert_eq!(names, ["one", "other"]);
    // By the other one b is the faster.
    let contradicting = Comparison::from(&by_two(|half| half * 1.5));
    let verdict = find(&contradicting, Metric::Throughput);
    let args = &reason_of(verdict).expect("it is void").args;
    assert_eq!(
        (&args["one"], &args["other"]),
        (&"one".into(), &"other".into())
    );
    let between = |low: &str, high: &str, ratio: f64| {
        let [low, high] = [low, high].map(|end| args[end].as_f64().expect("a ratio"));
        low <= ratio && ratio <= high
    };
    assert!(between("low", "high", 1.1), "{args:?}");
    assert!(between("other_low", "other_high", 1.1 / 1.5), "{args:?}");
    assert_contains(&verdict.says.en, "load generators disagree");
    // One percent is within what a tie allows.
    let near = Comparison::from(&by_two(|half| half * 1.01));
    assert_eq!(find(&near, Metric::Throughput).void(), None);
}

#[test]
fn a_generator_that_was_none_leaves_nothing_to_say() {
    let mut results = by_two(|half| half);
    let bad = results.lines.iter_mut().filter(|line| line.round == 2);
    for measurement in bad.filter_map(|line| line.measurement.as_mut()) {
        measurement.generators[1].shares_server = true;
    }
    let comparison = Comparison::from(&results);
    let verdict = find(&comparison, Metric::P50);
    assert!(reason_of(verdict).is_some_and(|reason| reason.id.ends_with(".generators")));
    let says = &verdict.says.en;
    assert_contains(
        says,
        "load generator other runs on the servers' machine (round 2)",
    );
}

#[test]
fn a_target_that_failed_at_a_level_is_named_in_the_headline() {
    let mut results = two(1.5);
    let few = Load::Closed { connections: 7 };
    let more: Vec<Line> = results
        .lines
        .iter()
        .filter(|line| line.target == "a")
        .map(|line| Line {
            load: few.clone(),
            ..line.clone()
        })
        .collect();
    results.lines.extend(more);
    results.study.workloads[0].loads.push(few);
    let headline = Comparison::from(&results).headline.en;
    assert_starts(
        &headline,
        "a is 1.50× as fast as b at 100 connections, 95% CI ",
    );
    assert!(
        headline.ends_with("; no verdict at 7 connections: b was not measured"),
        "{headline}"
    );
}

#[test]
fn what_was_not_measured_passes_no_gate() {
    let mut results = two(1.1);
    results.study.claims = vec![Claim {
        load: Load::Closed { connections: 7 },
        ..claim(Metric::Throughput, 1.1)
    }];
    let (status, says) = asked("claims", &results);
    assert_eq!(status, Status::Void);
    assert!(says.contains("not measured"), "{says}");
    results.lines.clear();
    for condition in ["checks", "different"] {
        let nothing = (Status::Void, "nothing was measured".to_owned());
        assert_eq!(asked(condition, &results), nothing, "{condition}");
    }
}
