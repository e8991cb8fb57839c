use super::*;
use photofinish_model::check;

/// A, B, and A again with this ratio to A.
fn with_copy(ratio: f64) -> Results {
    let a = a_over_b(1.10);
    let noise = [0.01, -0.01, 0.0, 0.005, -0.005];
    let again: Vec<f64> = a
        .iter()
        .zip(noise)
        .map(|(a, e)| a / ratio * f64::exp(e))
        .collect();
    let mut results = samples::race(&["a", "b", "a-again"], &[&a, &B, &again]);
    results.study.targets[2].same_as = Some("a".to_owned());
    results
}

fn check(comparison: &Comparison) -> CheckResult {
    let found = comparison
        .checks
        .iter()
        .find(|c| c.name == check::NOISE_FLOOR);
    found.expect("the rule").clone()
}

#[test]
fn a_copy_is_a_ruler_and_no_contender() {
    let comparison = Comparison::from(&with_copy(1.004));
    let cell = &comparison.cells[0];
    // One pair, so Holm has nothing to adjust, and the verdict is that without a copy.
    assert_eq!(cell.verdicts.len(), JUDGED.len());
    assert_eq!(
        find(&comparison, Metric::Throughput).says.en,
        "a is 10.0% faster than b [7.9% … 12.2%]"
    );
    assert!(
        comparison
            .headline
            .en
            .starts_with("a is 10.0% faster than b"),
        "{}",
        comparison.headline.en
    );
    // s = √(0.00025 / 4) = 0.0079057; half = 2.776445 · s / √5 = 0.0098162; 1.004 × exp(∓half).
    let floor = cell.noise_of(Metric::Throughput).expect("a floor");
    assert!(near(floor.ratio.expect("a ratio"), 1.004));
    assert_eq!(floor.different, Some(false));
    assert_eq!(
        floor.says.en,
        "a against itself: throughput differed by 0.40% [−0.58% … 1.4%]; a difference below 1.3% would seldom be detected"
    );
    let check = check(&comparison);
    assert_eq!(check.status, CheckStatus::Ok);
    // Too few requests for a p99.9: that comparison is void.
    assert_eq!((check.checked, check.of), (5, 5));
    assert_eq!(check.notes.len(), 1);
}

#[test]
fn whichever_copy_is_ahead_the_difference_is_reported_as_more() {
    let comparison = Comparison::from(&with_copy(1.0 / 1.004));
    let floor = comparison.cells[0]
        .noise_of(Metric::Throughput)
        .expect("a floor");
    assert_eq!(
        floor.size.as_ref().map(|size| &*size.en),
        Some("0.40% [−0.58% … 1.4%]")
    );
}

#[test]
fn a_target_that_differs_from_itself_gives_no_noise_floor() {
    let comparison = Comparison::from(&with_copy(1.05));
    let check = check(&comparison);
    assert_eq!(check.status, CheckStatus::Failed);
    let throughput = &check.failing[0];
    assert_eq!(throughput.place(), "a, plaintext, 100 connections");
    assert_eq!(
        throughput.says.en,
        "the throughput of its two copies differs by 5.0% [4.0% … 6.0%]: do not trust a smaller difference in throughput here"
    );
}

#[test]
fn without_a_copy_the_flag_is_named() {
    let says = check(&Comparison::from(&two(1.1))).says.en;
    assert_eq!(
        says,
        "not checked: no A/A pair in this study: run with --aa"
    );
    let mut smoke = with_copy(1.0);
    smoke.study.settings.smoke = true;
    let says = check(&Comparison::from(&smoke)).says.en;
    assert_eq!(says, "not checked: a smoke run has no noise floor");
}

/// Two rounds that agree to the last digit do not show a noise floor of zero.
#[test]
fn two_rounds_against_itself_show_a_wide_noise_floor() {
    let mut results = samples::race(&["a", "again"], &[&[100.0, 150.0], &[100.0, 150.0]]);
    results.study.targets[1].same_as = Some("a".to_owned());
    let comparison = Comparison::from(&results);
    let floor = comparison.cells[0].noise_of(Metric::Throughput);
    let reach = floor.and_then(|floor| floor.reach).expect("a reach");
    assert!((reach - 1.1).abs() < 1e-9, "{reach}");
}

#[test]
fn a_target_and_its_copy_alone_show_the_noise_floor() {
    let mut results = samples::race(&["a", "again"], &[&B, &B]);
    results.study.targets[1].same_as = Some("a".to_owned());
    assert_eq!(
        Comparison::from(&results).headline.en,
        "A noise floor, no verdict: a against itself differed by 0.00% [0.00% … 0.00%] at 100 connections"
    );
}

/// Without a verdict a run continues until the noise floor is known: three rounds, and an interval within the margin.
#[test]
fn a_run_waits_for_the_noise_floor_of_a_target_and_its_copy_alone() {
    let open = |rounds: &[f64]| {
        let mut results = samples::race(&["a", "again"], &[&B[..rounds.len()], rounds]);
        results.study.targets[1].same_as = Some("a".to_owned());
        results.study.settings.margin = 0.02;
        let progress = Comparison::from(&results).progress();
        assert_eq!(progress.of, 1);
        progress.open == 1
    };
    assert!(open(&B[..1]) && open(&B[..2]));
    assert!(!open(&B[..3]));
    let spread: Vec<f64> = (B.iter().zip([1.0, 1.2, 0.8, 1.1, 0.9]))
        .map(|(value, factor)| value * factor)
        .collect();
    assert!(open(&spread));
}

/// Or as narrow as was asked for, from five rounds on.
#[test]
fn a_half_width_is_waited_for_of_a_noise_floor_too() {
    let open = |rounds: &[f64], wanted: f64| {
        let mut results = samples::race(&["a", "again"], &[&B[..rounds.len()], rounds]);
        results.study.targets[1].same_as = Some("a".to_owned());
        results.study.settings.half_width = Some(wanted);
        let progress = Comparison::from(&results).progress();
        assert_eq!((progress.of, progress.hopeless), (1, 0));
        progress.open == 1
    };
    assert!(open(&B[..4], 0.02));
    assert!(!open(&B, 0.02));
    let spread: Vec<f64> = (B.iter().zip([1.0, 1.2, 0.8, 1.1, 0.9]))
        .map(|(value, factor)| value * factor)
        .collect();
    assert!(open(&spread, 0.02) && !open(&spread, 0.9));
}
