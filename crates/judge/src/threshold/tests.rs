use photofinish_model::settings::Undecided;
use photofinish_model::{Metric, samples};
use photofinish_stats::{Bounds, Paired, Schedule};

use super::*;
use crate::pooled::PairRuns;

const LABELS: [&str; 3] = ["a", "tio-boot@virtual-threads", "tio-boot"];

fn parse(text: &str) -> Result<Condition, Error> {
    Condition::parse(text, &LABELS)
}

/// Whether it holds where a's throughput is 1.10 times tio-boot's with some noise (so its times are 1 / 1.10), and
/// tio-boot's are 1,000/s with a p99 of 200 ms.
fn holds(text: &str) -> bool {
    check(text, &close()).holds()
}

fn check(text: &str, results: &Results) -> Outcome {
    let condition = parse(text).unwrap_or_else(|error| panic!("{text}: {error}"));
    condition.check(results, &Comparison::from(results))
}

fn in_english(outcome: &Outcome) -> Vec<&str> {
    outcome.says.iter().map(|says| &*says.en).collect()
}

#[test]
fn a_comparison_holds_only_where_the_rounds_leave_no_doubt() {
    // The ratio is 1.10 [1.079 … 1.122].
    assert!(holds("a.throughput > tio-boot.throughput"));
    assert!(holds("a.throughput > tio-boot.throughput * 1.05"));
    assert!(!holds("a.throughput > tio-boot.throughput * 1.09"));
    assert!(!holds("a.throughput < tio-boot.throughput"));
    assert!(!holds("a.throughput < tio-boot.throughput * 1.11"));
    assert!(holds("a.throughput < tio-boot.throughput * 1.13"));
    assert!(holds("tio-boot.p99 / a.p99 > 105%"));
    assert!(holds("tio-boot.p99 - a.p99 > 1ms"));
}

#[test]
fn figures_are_held_against_numbers_with_units() {
    assert!(holds("tio-boot.p99 > 150ms"));
    assert!(holds("tio-boot.p99 > 150_000us"));
    assert!(holds("tio-boot.p99 < 0.25s"));
    assert!(!holds("tio-boot.p99 > 0.25 * 1s"));
    assert!(holds("tio-boot.throughput < 1_100"));
    // Thousands and millions, as `-n 10k` has them.
    assert!(holds(
        "tio-boot.throughput < 1.1k and tio-boot.throughput > 0.9k"
    ));
    assert!(holds("tio-boot.throughput < 0.0011M"));
    assert!(holds("(a.p50 + a.p99) / 2 < 150ms"));
}

#[test]
fn and_binds_more_than_or() {
    let (yes, no) = ("a.throughput > 1", "a.throughput < 1");
    assert!(holds(&format!("{yes} or {no} and {no}")));
    assert!(!holds(&format!("({yes} or {no}) and {no}")));
    assert!(holds(&format!("{no} or ({yes} and ({yes}))")));
}

#[test]
fn names_with_signs_are_found_by_the_longest_label() {
    assert!(parse("tio-boot@virtual-threads.p99 > tio-boot.p99").is_ok());
    assert!(parse("'tio-boot@virtual-threads'.p999 > tio-boot.p99*1.5").is_ok());
    assert!(parse("tio-boot.context-switches - tio-boot.context-switches > 1").is_ok());
    assert!(parse("tio-boot.memory > 64MiB").is_ok());
}

#[test]
fn a_revision_is_called_as_it_was_given() {
    let labels = ["main@1a2b3c4", "HEAD~1@5d6e7f8", "x@1", "x@2"];
    let figures = |text: &str| match Condition::parse(text, &labels) {
        Ok(condition) => format!("{condition:?}"),
        Err(error) => error.to_string(),
    };
    let asked = figures("HEAD~1.p99 > main.p99 * 1.05");
    assert!(asked.contains("target: \"HEAD~1@5d6e7f8\""), "{asked}");
    assert!(asked.contains("target: \"main@1a2b3c4\""), "{asked}");
    // Where two begin alike neither is meant.
    assert_eq!(figures("x.p99 > main.p99"), "there is no target `x`");
}

#[test]
fn every_metric_can_be_asked_by_its_name() {
    for metric in Metric::ALL {
        let name = metric.spec().key;
        parse(&format!("a.{name} > tio-boot.{name} * 1.1"))
            .unwrap_or_else(|e| panic!("{name}: {e}"));
    }
    assert!(holds("a.server-cores + tio-boot.server-cores > 1.5"));
    assert!(holds("a.network > tio-boot.network"));
}

#[test]
fn the_rules_and_claims_can_be_asked() {
    assert!(holds("different"));
    assert!(!holds("claims"));
    assert!(!holds("checks"));
    assert!(holds("claims or different"));
    let mut results = samples::race(&["a", "tio-boot"], &[&[1.0; 5], &[1.0; 5]]);
    let measurement = results.lines[0].measurement.as_mut().expect("one");
    measurement.checks[0].ok = Some(false);
    let reported = check("checks", &results);
    assert!(
        reported.holds() && reported.says[0].en.starts_with("Little's law"),
        "{reported:?}"
    );
    assert!(!check("different", &results).holds());
}

#[test]
fn what_is_undecided_does_not_hold_and_is_said() {
    let results = samples::race(&["a", "tio-boot"], &[&[2000.0], &[1000.0]]);
    let reported = check("a.throughput > tio-boot.throughput", &results);
    assert_eq!(reported.status, Status::Undecided);
    assert_eq!(
        in_english(&reported),
        [
            "plaintext, 100 connections: 1 round with all of its figures, which is too few to decide it"
        ]
    );
}

/// a's throughput is 1.1 times tio-boot's, within 2% or so: see [`holds`].
fn close() -> Results {
    let b = [1000.0, 1010.0, 990.0, 1005.0, 995.0];
    let a: Vec<f64> = (b.iter())
        .zip([0.01, -0.02, 0.0, 0.02, -0.01])
        .map(|(b, e)| b * 1.1 * f64::exp(e))
        .collect();
    samples::race(&["a", "tio-boot"], &[&a, &b])
}

#[test]
fn each_outcome_says_where_the_figure_stands_however_it_was_written() {
    // mean d = ln 1.1, s = √(0.001 / 4), t = 2.776: 1.1 × exp(± 2.776 × s / √5) = 1.079 to 1.122.
    let results = close();
    let reported = |text: &str| {
        let outcome = check(text, &results);
        (outcome.status, in_english(&outcome).concat())
    };
    let stands = |limit: &str, verb: &str| {
        format!(
            "plaintext, 100 connections: a.throughput {verb} +7.9% to +12% compared with tio-boot.throughput; the limit is {limit}"
        )
    };
    for passed in [
        "a.throughput < tio-boot.throughput * 1.05",
        "1.05 * tio-boot.throughput > a.throughput",
    ] {
        assert_eq!(reported(passed), (Status::DoesNotHold, stands("+5%", "is")));
    }
    assert_eq!(
        reported("a.throughput > tio-boot.throughput * 0.95"),
        (Status::Holds, stands("−5%", "is"))
    );
    assert_eq!(
        reported("110% * tio-boot.throughput < a.throughput"),
        (Status::Undecided, stands("+10%", "could be"))
    );
    let (status, says) = reported("a.throughput > 500");
    assert_eq!(status, Status::Holds);
    assert!(says.ends_with("compared with 500"), "{says}");
}

/// FAILED asks of one end of the interval what PASSED asks of the other, by the limit of the condition and not by the margin of a
/// verdict: whichever way it is written, at one look or at several.
#[test]
fn both_sides_of_a_gate_are_called_by_one_interval_beside_its_own_limit() {
    let rounds = [0.01, -0.02, 0.0, 0.02, -0.01].map(|e| (1.1 * f64::exp(e), 1.0));
    for (max_rounds, margin) in [(None, 0.02), (None, 0.5), (Some(6), 0.5)] {
        let mut results = close();
        (
            results.study.settings.max_rounds,
            results.study.settings.margin,
        ) = (max_rounds, margin);
        let comparison = Comparison::from(&results);
        // Of at most 6 rounds the analysis after the fifth has a bound of its own.
        let level = max_rounds.map_or(0.05, |max| {
            Bounds::new(&Schedule::up_to(max as usize), 0.05).level_after(5)
        });
        let paired = Paired::new(&rounds).expect("rounds");
        let interval = paired.interval(level, 0.0).expect("an interval");
        let beside = |end: f64| [end * (1.0 - 1e-6), end * (1.0 + 1e-6)];
        let [below, inside] = beside(interval.low);
        let [within, above] = beside(interval.high);
        for (limit, of_more, of_less) in [
            (below, Status::Holds, Status::DoesNotHold),
            (inside, Status::Undecided, Status::Undecided),
            (within, Status::Undecided, Status::Undecided),
            (above, Status::DoesNotHold, Status::Holds),
        ] {
            let a = "a.throughput";
            let other = "tio-boot.throughput";
            for (text, expected) in [
                (format!("{a} > {other} * {limit:.12}"), of_more),
                (format!("{limit:.12} * {other} < {a}"), of_more),
                (format!("{a} < {other} * {limit:.12}"), of_less),
                (format!("{other} > {a} / {limit:.12}"), of_less),
            ] {
                let condition = [parse(&text).expect(&text)];
                let outcome = condition[0].check(&results, &comparison);
                assert_eq!(outcome.status, expected, "{text}, {max_rounds:?}, {margin}");
                let waits = progress(&condition, &results, &comparison).open == 1;
                assert_eq!(waits, expected == Status::Undecided, "{text}");
            }
        }
    }
}

/// By turns a's median is 1.02 times b's; by all requests of each it is another ratio.
#[test]
fn a_ratio_of_two_targets_is_that_of_the_verdict() {
    let results =
        crate::comparison::tests::turns::with_medians([1.02, 1.02, 1.02, 1.02, 9.0], 40_000.0);
    let comparison = Comparison::from(&results);
    let reported = |text: &str| {
        let condition = Condition::parse(text, &["a", "b"]).expect(text);
        let outcome = condition.check(&results, &comparison);
        (outcome.status, in_english(&outcome).concat())
    };
    let verdict = comparison.cells[0].verdicts.iter();
    let ratio = verdict.clone().find(|v| v.metric == Metric::P50);
    let ratio = ratio.and_then(|v| v.ratio).expect("a ratio");
    assert!((ratio - 1.02).abs() < 1e-9, "{ratio}");
    for above in [
        "a.p50 > b.p50 * 1.018",
        "a.p50 / b.p50 > 1.018",
        "1.018 < a.p50 / b.p50",
        "a.p50 - b.p50 > b.p50 * 0.018",
    ] {
        assert_eq!(reported(above).0, Status::Holds, "{above}");
    }
    let (status, says) = reported("a.p50 > b.p50 * 1.05");
    assert_eq!(status, Status::DoesNotHold);
    assert!(says.contains("a.p50 is +1.9% to +2.1%"), "{says}");
    // A figure beside a number is that of all requests, and so is each side where more than the ratio is asked.
    let own = comparison.cells[0].targets[0].figure(Metric::P50);
    let own = own.and_then(|figure| figure.mean).expect("a mean");
    assert_eq!(
        reported(&format!("a.p50 > {}us", own * 1.01)).0,
        Status::DoesNotHold
    );
    assert_eq!(
        reported(&format!("a.p50 > {}us", own * 0.99)).0,
        Status::Holds
    );
    assert_eq!(reported("b.p50 - a.p50 > 1us").0, Status::Holds);
}

#[test]
fn two_uneven_rounds_leave_a_condition_open() {
    let results = samples::race(&["a", "tio-boot"], &[&[1000.0, 2000.0], &[1000.0, 1000.0]]);
    for text in [
        "a.throughput > tio-boot.throughput",
        "a.throughput - tio-boot.throughput > 1",
    ] {
        assert_eq!(check(text, &results).status, Status::Undecided, "{text}");
    }
}

#[test]
fn a_gate_fails_by_what_is_proven_and_if_asked_by_what_is_not() {
    let results = close();
    let comparison = Comparison::from(&results);
    let fails = |text: &str, undecided| {
        let condition = parse(text).expect(text);
        Gate::new(&condition, &results, &comparison, undecided).fails
    };
    let (failed, passed) = ("different", "a.throughput < tio-boot.throughput");
    let undecided = "a.throughput > tio-boot.throughput * 1.1";
    for (text, pass, fail) in [
        (failed, true, true),
        (passed, false, false),
        (undecided, false, true),
    ] {
        assert_eq!(fails(text, Undecided::Pass), pass, "{text}");
        assert_eq!(fails(text, Undecided::Fail), fail, "{text}");
    }
}

#[test]
fn a_run_waits_for_its_conditions_and_not_for_its_verdicts() {
    let results = close();
    let comparison = Comparison::from(&results);
    let open = |texts: &[&str]| {
        let conditions: Vec<Condition> = texts.iter().map(|text| parse(text).unwrap()).collect();
        let progress = progress(&conditions, &results, &comparison);
        (progress.open, progress.of)
    };
    let undecided = "tio-boot.p99 > a.p99 * 1.1";
    assert_eq!(open(&["tio-boot.p99 > a.p99", undecided]), (1, 2));
    // The sample's verdict on throughput is decided; what no round decides is not waited for.
    assert_eq!(open(&["checks"]), (0, 1));
    assert_eq!(open(&["checks", undecided]), (1, 1));
    let one = samples::race(&["a", "tio-boot"], &[&[2000.0], &[1000.0]]);
    let different = check("different", &one);
    assert_eq!(different.status, Status::Undecided);
}

#[test]
fn mistakes_are_reported() {
    let reported = |text: &str| parse(text).expect_err(text).to_string();
    assert_eq!(reported("b.p99 > a.p99"), "there is no target `b`");
    assert_eq!(reported("'b'.p99 > a.p99"), "there is no target `b`");
    assert_eq!(reported("a.p98 > a.p99"), "there is no metric `p98`");
    assert_eq!(
        reported("a.p99"),
        "expected `>`, `>=`, `<` or `<=`, found the end"
    );
    assert_eq!(
        reported("a.p99 > "),
        "expected a number, or TARGET.METRIC, found the end"
    );
    assert_eq!(
        reported("a.p99 > 5m"),
        "expected a unit (us, ms, s, %, k, M, KiB, MiB or GiB), found `m`"
    );
    assert_eq!(
        reported("a.p99 > 5ms x"),
        "expected `and`, `or` or the end, found `x`"
    );
    assert_eq!(
        reported("a.p99 > 1.2.3ms"),
        "expected a number, found `1.2.3ms`"
    );
    assert!(reported("a.p99 > 5").starts_with("times, sizes and plain numbers cannot be mixed"));
    assert!(reported("a.p99 * a.p99 > 5ms").starts_with("times, sizes"));
    assert!(reported(&"(".repeat(1_000)).starts_with("too many parentheses"));
}

#[test]
fn equal_figures_are_told_from_larger_ones() {
    let results = samples::race(&["a", "tio-boot"], &[&[1000.0; 5], &[1000.0; 5]]);
    let threads = results.lines[0]
        .server
        .as_ref()
        .map(|server| server.threads_max)
        .expect("sampled");
    for (sign, holds) in [(">", false), (">=", true), ("<", false), ("<=", true)] {
        let status = check(&format!("a.threads {sign} {threads}"), &results).status;
        let expected = if holds {
            Status::Holds
        } else {
            Status::DoesNotHold
        };
        assert_eq!(status, expected, "{sign}");
    }
}

#[test]
fn what_is_zero_is_judged_by_its_difference() {
    let mut results = samples::race(&["a", "tio-boot"], &[&[1000.0; 5], &[1000.0; 5]]);
    for line in &mut results.lines {
        line.server
            .as_mut()
            .expect("sampled")
            .faults_major_per_request = Some(0.0);
    }
    let status = |text: &str| check(text, &results).status;
    assert_eq!(status("a.faults-major > 0"), Status::DoesNotHold);
    assert_eq!(status("a.faults-major >= 0"), Status::Holds);
    assert_eq!(status("a.faults-major < 1"), Status::Holds);
    let says = check("a.faults-major > 1", &results);
    assert_eq!(
        in_english(&says),
        ["plaintext, 100 connections: a.faults-major − 1 is −1.00"]
    );
    // 1000 − 1000 − 2000 /s in every round: a sum below zero has no ratio either.
    assert_eq!(
        status("a.throughput - tio-boot.throughput - 2000 < 0"),
        Status::Holds
    );
    // Each in one of five rounds: mean 0.2 ± 2.776 × 0.447 / √5.
    for line in results.lines.iter_mut().filter(|line| line.round == 1) {
        line.server
            .as_mut()
            .expect("sampled")
            .faults_major_per_request = Some(1.0);
    }
    let open = check("a.faults-major > 0", &results);
    assert_eq!(open.status, Status::Undecided);
    assert_eq!(
        in_english(&open),
        ["plaintext, 100 connections: a.faults-major − 0 could be −0.355 to 0.755"]
    );
}

/// Three pairs of machines on which a's throughput is this many times tio-boot's, with some noise.
fn on_pairs(ratios: [f64; 3]) -> PairRuns {
    let runs = ratios.iter().zip(["m0", "m1", "m2"]);
    let runs = runs.map(|(ratio, pair)| {
        let a = [0.99, 1.0, 1.01].map(|noise| 1000.0 * ratio * noise);
        let mut run = samples::race(&["a", "tio-boot"], &[&a, &[1000.0; 3]]);
        run.study.pair = Some(pair.to_owned());
        run
    });
    PairRuns::judged(runs.collect()).expect("runs")
}

/// Nine rounds with a spread of 1% within three machines: ±0.8%, however much the machines differ.
#[test]
fn several_pairs_of_machines_decide_together() {
    let status = |text: &str, pairs: &PairRuns| {
        let condition = parse(text).expect("a condition");
        condition.check_on_pairs(pairs).status
    };
    let pairs = on_pairs([1.0, 1.1, 1.21]);
    for (text, expected) in [
        ("a.throughput > tio-boot.throughput * 1.08", Status::Holds),
        (
            "a.throughput > tio-boot.throughput * 1.1",
            Status::Undecided,
        ),
        (
            "a.throughput > tio-boot.throughput * 1.12",
            Status::DoesNotHold,
        ),
        ("a.throughput > 1080", Status::Holds),
        ("different", Status::Holds),
        ("checks", Status::DoesNotHold),
        // It is no ratio: the difference is 103 on the mean of the machines.
        (
            "a.throughput - tio-boot.throughput > 80 and a.throughput > 1",
            Status::Holds,
        ),
        ("a.throughput - a.throughput < 1", Status::Holds),
    ] {
        assert_eq!(status(text, &pairs), expected, "{text}");
    }
    let equal = on_pairs([1.0; 3]);
    assert_eq!(status("different", &equal), Status::DoesNotHold);
    let condition = parse("claims or a.p99 > 1s").expect("a condition");
    assert!(condition.is_of_claims());
}

#[test]
fn a_check_that_fails_on_one_pair_of_machines_names_it() {
    let mut runs = on_pairs([1.1; 3]).runs;
    let measurement = runs[1].lines[0].measurement.as_mut().expect("one");
    measurement.checks[0].ok = Some(false);
    let pairs = PairRuns::judged(runs).expect("runs");
    let condition = parse("checks").expect("a condition");
    let outcome = condition.check_on_pairs(&pairs);
    assert_eq!(outcome.status, Status::Holds);
    let says = in_english(&outcome);
    assert!(
        !says.is_empty() && says.iter().all(|says| says.starts_with("m1: ")),
        "{says:?}"
    );
}

#[test]
fn a_run_on_pairs_waits_for_its_conditions() {
    let pairs = on_pairs([1.1; 3]);
    let progress = |text: &str| progress_on_pairs(&[parse(text).expect("a condition")], &pairs);
    let open = |text: &str| (progress(text).open, progress(text).of);
    assert_eq!(open("a.throughput > tio-boot.throughput * 1.1"), (1, 1));
    assert_eq!(open("a.throughput > tio-boot.throughput"), (0, 1));
    // Rounds do not decide checks: the verdict is waited for.
    assert_eq!(open("checks"), (0, 1));
}
