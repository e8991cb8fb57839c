use super::*;
use photofinish_model::samples::assert_starts;
use photofinish_model::{Line, Role, check};

/// A and B of [`two`] with a limit; A is this share of it, with [`NOISE`].
fn limited(share: f64) -> Results {
    let b = a_over_b(1.0 / 1.10);
    let limit: Vec<f64> = B.iter().map(|rate| rate * 2.5).collect();
    let a: Vec<f64> = limit
        .iter()
        .zip(NOISE)
        .map(|(limit, e)| limit * share * f64::exp(e))
        .collect();
    let mut results = samples::race(&["a", "b", "limit"], &[&a, &b, &limit]);
    results.study.targets[2].limit = true;
    results
}

fn of<'c>(comparison: &'c Comparison, label: &str) -> &'c TargetFigures {
    let targets = comparison.cells[0].targets.iter();
    let mut found = targets.filter(|target| target.target == label);
    found.next().expect("a target")
}

#[test]
fn a_share_is_a_ratio_over_the_rounds_with_the_interval_of_the_formula() {
    let comparison = Comparison::from(&limited(0.42));
    let share = of(&comparison, "a").share_of_limit.clone().expect("one");
    // As for a verdict: half = 0.0196324; 0.42 × exp(∓half).
    assert!(near(share.ratio, 0.42) && share.rounds == 5);
    let Interval { low, high } = share.interval.expect("an interval");
    assert!((low - 0.411_835).abs() < 1e-6 && (high - 0.428_327).abs() < 1e-6);
    assert_eq!(share.text(), "42.0%");
    assert_eq!(share.bounds().as_deref(), Some("[41.2% … 42.8%]"));
    let limit = of(&comparison, "limit");
    assert_eq!(
        (limit.role, limit.share_of_limit.clone()),
        (Role::Limit, None)
    );
}

#[test]
fn more_than_the_limit_is_reported_as_it_is() {
    let comparison = Comparison::from(&limited(1.04));
    let share = of(&comparison, "a").share_of_limit.clone().expect("one");
    assert_eq!(share.text(), "104%");
    assert_eq!(share.bounds().as_deref(), Some("[102% … 106%]"));
}

#[test]
fn that_the_generator_held_the_limit_back_is_counted() {
    let mut results = limited(0.42);
    assert_eq!(Comparison::from(&results).cells[0].limit_held_back, 0);
    let held = |target: &'static str, round: u32| {
        move |line: &&mut Line| line.target == target && line.round == round
    };
    for of in [held("limit", 2), held("limit", 5), held("a", 1)] {
        let line = results.lines.iter_mut().find(of).expect("a line");
        let measurement = line.measurement.as_mut().expect("a measurement");
        let mut checks = measurement.checks.iter_mut();
        let generator = checks.find(|c| c.name == check::GENERATOR);
        generator.expect("a check").ok = Some(false);
    }
    let comparison = Comparison::from(&results);
    assert_eq!(comparison.cells[0].limit_held_back, 2);
    // It is no failure of what the targets are compared by, as that of A is.
    let mut checks = comparison.checks.iter();
    let generator = checks.find(|check| check.name == check::GENERATOR);
    let generator = generator.expect("a check");
    let failing: Vec<&str> = (generator.failing.iter())
        .filter_map(|failing| failing.target.as_deref())
        .collect();
    assert_eq!(
        (failing, generator.checked, generator.of),
        (vec!["a"], 13, 13)
    );
}

#[test]
fn each_line_has_its_round_s_share() {
    let results = limited(0.42);
    let reported: Vec<(&str, f64)> = results
        .lines
        .iter()
        .zip(shares(&results))
        .map(|(line, share)| (line.target.as_str(), share.expect("a share")))
        .collect();
    assert_eq!(reported.len(), 15);
    // Round 1: A's noise is +0.01.
    assert!(reported[0].0 == "a" && near(reported[0].1, 0.42 * f64::exp(0.01)));
    assert_eq!(reported[2], ("limit", 1.0));
    let without = samples::race(&["a"], &[&B]);
    assert_eq!(shares(&without), [None; 5]);
}

#[test]
fn the_limit_is_no_contender() {
    let with = Comparison::from(&limited(0.44));
    let mut results = limited(0.44);
    results.study.targets.truncate(2);
    results.lines.retain(|line| line.target != "limit");
    results.trials.retain(|trial| trial.target != "limit");
    let without = Comparison::from(&results);
    // The verdicts, their levels by Holm's procedure, and what follows from them are as without it.
    assert_eq!(with.cells[0].verdicts, without.cells[0].verdicts);
    assert_eq!(with.cells[0].leads, without.cells[0].leads);
    assert_eq!(with.headline, without.headline);
    assert_eq!(with.progress(), without.progress());
    // The validity rules hold for it as for any other.
    assert_eq!(with.checks[0].of, 15);
}

#[test]
fn no_share_where_throughput_does_not_show_what_a_server_can_do() {
    let mut smoke = limited(0.42);
    smoke.study.settings.smoke = true;
    let comparison = Comparison::from(&smoke);
    assert_eq!(of(&comparison, "a").share_of_limit, None);
    assert_eq!(shares(&smoke), vec![None; 15]);
    assert_eq!(
        comparison.headline.en,
        "Smoke run: 3 of 3 measurements completed; it does not measure speed"
    );
    let mut open = limited(0.42);
    let load = Load::Open {
        rate: 1000.0,
        arrivals: photofinish_model::Arrivals::Poisson,
        connections: 100,
    };
    open.study.workloads[0].loads = vec![load.clone()];
    for line in &mut open.lines {
        line.load = load.clone();
    }
    let comparison = Comparison::from(&open);
    assert_eq!(of(&comparison, "a").share_of_limit, None);
}

#[test]
fn a_limit_that_failed_takes_only_the_shares_away() {
    let mut results = limited(0.42);
    results.lines.retain(|line| line.target != "limit");
    let failed = samples::failed_line("limit", 1, 3, "exit status 1");
    results.lines.push(failed);
    let comparison = Comparison::from(&results);
    assert_eq!(of(&comparison, "a").share_of_limit, None);
    assert_eq!(comparison.failures[0].target, "limit");
    assert_starts(&comparison.headline.en, "a is ");
    let mut only = limited(0.42);
    only.lines.retain(|line| line.target == "limit");
    assert_eq!(
        Comparison::from(&only).headline.en,
        "No verdict: only the reference server was measured"
    );
}

#[test]
fn a_claim_may_name_the_limit() {
    let mut results = limited(0.42);
    results.study.claims = vec![photofinish_model::Claim {
        id: "a".to_owned(),
        says: "half of the limit".to_owned(),
        metric: Metric::Throughput,
        of: "a".to_owned(),
        over: "limit".to_owned(),
        ratio: Some(0.42),
        direction: None,
        margin: None,
        workload: samples::WORKLOAD.to_owned(),
        load: CLOSED_100,
        measured_at: None,
        over_workload: None,
        over_load: None,
        figures: String::new(),
        source: "a blog".to_owned(),
        decimals: None,
        judged: true,
    }];
    let comparison = Comparison::from(&results);
    assert_eq!(comparison.claims[0].verdict, ClaimVerdict::Holds);
}
