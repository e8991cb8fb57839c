use std::collections::BTreeMap;

use photofinish_stats::{Direction, Interval};

use super::*;
use photofinish_model::Place;
use photofinish_model::finding::asked::Asked;
use photofinish_model::finding::claim::ClaimVerdict;
use photofinish_model::samples::{self, CLOSED_100, assert_starts};
use photofinish_model::{Metric, WorkloadRecord};
use photofinish_voice::headline::also;

mod checks;
mod claims;
mod cost;
mod headline;
mod hedges;
mod layers;
mod lead;
mod noise;
mod placement;
mod programs;
mod scaling;
mod share;
mod sustained;
pub(crate) mod turns;
mod void;

/// B's throughputs, and A's: 1.10 × B × exp(e) with e = -0.02, -0.01, 0, 0.01, 0.02 in mixed order.
const NOISE: [f64; 5] = [0.01, -0.02, 0.0, 0.02, -0.01];
const B: [f64; 5] = [1000.0, 1010.0, 990.0, 1005.0, 995.0];

fn a_over_b(ratio: f64) -> Vec<f64> {
    B.iter()
        .zip(NOISE)
        .map(|(b, e)| b * ratio * f64::exp(e))
        .collect()
}

fn two(ratio: f64) -> Results {
    samples::race(&["a", "b"], &[&a_over_b(ratio), &B])
}

fn find(comparison: &Comparison, metric: Metric) -> &Verdict {
    let verdicts = comparison.cells[0].verdicts.iter();
    verdicts
        .into_iter()
        .find(|verdict| verdict.metric == metric)
        .expect("a verdict")
}

fn near(left: f64, right: f64) -> bool {
    (left - right).abs() < 1e-9 * right.abs()
}

#[test]
fn a_ratio_with_known_noise_has_the_interval_that_the_formula_gives() {
    let comparison = Comparison::from(&two(1.10));
    let verdict = find(&comparison, Metric::Throughput);
    // s = √(0.001 / 4), t(4, 97.5%) = 2.776445, half = t·s/√5 = 0.0196324; 1.10 × exp(∓half).
    assert!(near(verdict.ratio.expect("a ratio"), 1.10));
    let Interval { low, high } = verdict.interval.expect("an interval");
    assert!(
        near(low, 1.078_614_932_5) && near(high, 1.121_809_056_7),
        "{low} {high}"
    );
    assert_eq!(verdict.level, 0.95);
    assert_eq!(verdict.direction(), Some(Direction::Above));
    assert_eq!(verdict.ahead(), Some("a"));
    assert_eq!(verdict.says.en, "a is 10.0% faster than b [7.9% … 12.2%]");
    assert_eq!(verdict.outcome.en, "a ahead");
    assert_eq!(verdict.says.zh, "a 比 b 快 10.0% [7.9% … 12.2%]");
    assert_eq!(
        comparison.headline.en,
        "a is 10.0% faster than b, 95% CI 7.9–12.2%"
    );
}

#[test]
fn less_time_is_ahead_and_the_one_ahead_is_named_first() {
    let comparison = Comparison::from(&two(1.10));
    // The samples' mean is 100 / throughput, so its ratio is the throughput's, turned over.
    let mean = find(&comparison, Metric::Mean);
    assert_eq!(mean.direction(), Some(Direction::Below));
    assert_eq!(mean.ahead(), Some("a"));
    assert_eq!(
        mean.says.en,
        "a's mean is 9.1% lower than b's [7.3% … 10.9%]"
    );
    let turned = Comparison::from(&two(1.0 / 1.10));
    assert_eq!(
        find(&turned, Metric::Throughput).says.en,
        "b is 10.0% faster than a [7.9% … 12.2%]"
    );
}

#[test]
fn percentiles_are_never_surer_than_their_histogram() {
    let equal = [1000.0; 5];
    let comparison = Comparison::from(&samples::race(&["a", "b"], &[&equal, &equal]));
    let interval = find(&comparison, Metric::P99).interval.expect("one");
    assert!(near(interval.high, 1.001), "{interval:?}");
    assert_eq!(
        find(&comparison, Metric::P99).says.en,
        "a and b tie within 2%: a's p99 is 1.000 × b's [0.999 … 1.001]"
    );
    let exact = find(&comparison, Metric::Throughput).interval;
    assert_eq!(exact, Interval::new(1.0, 1.0));
    assert_eq!(
        comparison.headline.en,
        "a and b tie within 2%, 95% CI ±0.00% to ±0.00%"
    );
}

#[test]
fn what_is_undecided_says_how_many_rounds_would_decide() {
    let comparison = Comparison::from(&two(1.012));
    let verdict = find(&comparison, Metric::Throughput);
    assert_eq!(verdict.direction(), Some(Direction::Undecided));
    let needed = verdict.rounds_needed().expect("a number");
    assert!(needed > 5);
    assert_eq!(
        verdict.says.en,
        format!(
            "undecided after 5 rounds: a's throughput is 1.012 × b's [0.992 … 1.032]; \
             about {} more rounds would decide it",
            needed - 5
        )
    );
    assert_eq!(
        comparison.headline.en,
        "Undecided between a and b: a is at most 0.77% slower or 3.2% faster (95% CI)"
    );
    // Ten trials of 6 s in 5 rounds: 12 s each.
    let more = needed - 5;
    assert_eq!(
        comparison.next,
        Some(also::more_rounds_time(more, needed, f64::from(more) * 12.0))
    );
}

#[test]
fn figures_have_geometric_means_ranges_and_every_round() {
    let comparison = Comparison::from(&samples::race(&["a"], &[&[1000.0, 4000.0]]));
    let target = &comparison.cells[0].targets[0];
    let throughput = target.figure(Metric::Throughput).expect("a figure");
    assert!(near(throughput.mean.expect("a mean"), 2000.0));
    assert_eq!((throughput.min, throughput.max), (1000.0, 4000.0));
    assert_eq!(throughput.rounds, [Some(1000.0), Some(4000.0)]);
    let max = target.figure(Metric::Max).expect("a figure");
    assert_eq!(max.mean, None);
    // 10 × 100 / 4000 s and 10 × 100 / 1000 s.
    assert_eq!(max.range(), "0.250 … 1.00 s");
    let bytes = target.figure(Metric::BytesPerResponse).expect("a figure");
    assert_eq!(bytes.short(), "128 B");
    // A zero has no logarithm: the range is shown instead.
    let faults = target.figure(Metric::FaultsMajor).expect("a figure");
    assert_eq!((faults.mean, faults.text().as_str()), (None, "0"));
}

#[test]
fn one_round_and_a_smoke_run_give_no_verdict() {
    let mut results = samples::race(&["a", "b"], &[&[1100.0], &[1000.0]]);
    let comparison = Comparison::from(&results);
    let verdict = find(&comparison, Metric::Throughput);
    assert_eq!((verdict.direction(), verdict.interval), (None, None));
    assert_eq!(
        (verdict.ratio.is_some(), &*verdict.says.en),
        (true, "no verdict: one round only")
    );
    assert_eq!(
        comparison.headline.en,
        "One round only, no verdict: a 1,100 requests/s, b 1,000 requests/s"
    );
    results.study.settings.smoke = true;
    let comparison = Comparison::from(&results);
    assert!(comparison.cells[0].verdicts.is_empty());
    assert_eq!(
        comparison.headline.en,
        "Smoke run: 2 of 2 measurements completed; it does not measure speed"
    );
}

#[test]
fn three_targets_are_judged_at_holm_s_levels() {
    let equal_to_b: Vec<f64> = B
        .iter()
        .zip([0.03, -0.03, 0.01, -0.01, 0.0])
        .map(|(b, e)| b * f64::exp(e))
        .collect();
    let a = a_over_b(1.5);
    let comparison = Comparison::from(&samples::race(&["a", "b", "c"], &[&a, &B, &equal_to_b]));
    let verdicts: Vec<&Verdict> = comparison.cells[0]
        .verdicts
        .iter()
        .filter(|verdict| verdict.metric == Metric::Throughput)
        .collect();
    let pairs: Vec<(&str, &str)> = verdicts
        .iter()
        .map(|v| (v.of.as_str(), v.over.as_str()))
        .collect();
    assert_eq!(pairs, [("a", "b"), ("a", "c"), ("b", "c")]);
    let mut levels: Vec<f64> = verdicts.iter().map(|v| v.level).collect();
    // The pair that is level comes last and keeps 95%; the first is held against 5% / 3.
    assert!(near(levels[2], 0.95), "{levels:?}");
    levels.sort_by(f64::total_cmp);
    assert!(
        near(levels[2], 1.0 - 0.05 / 3.0) && near(levels[1], 0.975),
        "{levels:?}"
    );
    assert_starts(&comparison.headline.en, "a is 1.5");
}

#[test]
fn errors_are_summed_and_their_rounds_named() {
    let mut results = two(1.1);
    for (index, kind) in [(0, "timeout"), (2, "reset"), (3, "timeout")] {
        // The order is a b b a …: lines 0 and 3 are a's in rounds 1 and 2, line 2 is b's in round 2.
        let measurement = results.lines[index].measurement.as_mut().expect("one");
        measurement.errors = BTreeMap::from([(kind.to_owned(), 3)]);
    }
    let comparison = Comparison::from(&results);
    let a = &comparison.cells[0].targets[0];
    assert_eq!(a.errors, BTreeMap::from([("timeout".to_owned(), 6)]));
    assert_eq!(a.rounds_with_errors, [1, 2]);
    assert_eq!(comparison.cells[0].targets[1].error_count(), 3);
}

#[test]
fn failures_and_missing_measurements_are_listed() {
    let mut results = samples::race(&["a", "b"], &[&[1000.0, 1000.0], &[]]);
    results
        .lines
        .push(samples::failed_line("b", 1, 2, "exit status 1"));
    results.trials[1].failure = Some(samples::failure("exit status 1"));
    let comparison = Comparison::from(&results);
    assert_eq!(
        comparison.failures,
        [Failure {
            target: "b".to_owned(),
            round: 1,
            measurements: vec![photofinish_voice::place::at(Place {
                workload: Some(samples::WORKLOAD.to_owned()),
                load: CLOSED_100,
            })],
            why: photofinish_voice::failure::because(
                "the server ended while load was sent (exit status 1)"
            ),
            cause: samples::failure("exit status 1"),
        }]
    );
    assert_eq!(comparison.missing.len(), 1);
    assert_eq!(comparison.missing[0].rounds, [2]);
    assert_eq!(
        (comparison.head.rounds_done, comparison.head.rounds_asked),
        (1, 2)
    );
    assert_eq!(
        find(&comparison, Metric::P50).says.en,
        "no verdict: no round has a figure of both a and b"
    );
}

#[test]
fn rounds_that_there_was_no_time_for_are_not_missing_but_those_of_an_interrupted_run_are() {
    let both = [1000.0, 1000.0];
    let rounds = |b: &[f64], over: &[u32]| {
        let mut results = samples::race(&["a", "b"], &[&both, b]);
        results.study.settings.rounds = 5;
        results.study.settings.within = Some(std::time::Duration::from_secs(60));
        results.time_over = over.iter().copied().map(samples::time_over).collect();
        let comparison = Comparison::from(&results);
        let head = &comparison.head;
        let missing: Vec<Vec<u32>> = comparison.missing.into_iter().map(|m| m.rounds).collect();
        (head.rounds_done, head.rounds_asked, missing)
    };
    assert_eq!(rounds(&both, &[2]), (2, 2, vec![]));
    assert_eq!(rounds(&both, &[1, 2]), (2, 2, vec![]));
    let between_rounds = (2, 5, vec![vec![3, 4, 5]; 2]);
    assert_eq!(rounds(&both, &[]), between_rounds);
    // Resumed after its time was over, and interrupted then.
    assert_eq!(rounds(&both, &[1]), between_rounds);
    let interrupted = (1, 5, vec![vec![3, 4, 5], vec![2, 3, 4, 5]]);
    assert_eq!(rounds(&[1000.0], &[]), interrupted);
    assert_eq!(rounds(&[], &[]).1, 5);
    // More than the study asks for: nobody wrote that.
    assert_eq!(rounds(&both, &[9]).1, 5);
}

#[test]
fn nothing_measured_is_said() {
    let mut results = samples::race(&["a", "b"], &[&[], &[]]);
    results.study.settings.rounds = 5;
    let comparison = Comparison::from(&results);
    assert_eq!(comparison.headline.en, "No verdict: nothing was measured");
    assert_eq!(comparison.head.rounds_done, 0);
    assert!(
        comparison
            .checks
            .iter()
            .all(|c| c.status == CheckStatus::NotChecked)
    );
    results
        .lines
        .push(samples::failed_line("a", 1, 1, "exit status 1"));
    assert_eq!(
        Comparison::from(&results).headline.en,
        "No verdict: nothing was measured (1 failure recorded)"
    );
}

#[test]
fn equal_levels_are_reported_once() {
    let mut results = two(1.1);
    let load = Load::Closed { connections: 1 };
    results.study.workloads[0].loads.push(load.clone());
    for mut line in two(1.1).lines {
        line.load = load.clone();
        results.lines.push(line);
    }
    assert_eq!(
        Comparison::from(&results).headline.en,
        "a is 10.0% faster than b at both levels"
    );
}

#[test]
fn one_target_has_a_figure_and_no_verdict() {
    let comparison = Comparison::from(&samples::race(&["a"], &[&[1000.0; 3]]));
    assert_eq!(
        comparison.headline.en,
        "One server, no verdict: a 1,000 requests/s [1,000 … 1,000]"
    );
}

#[test]
fn from_twice_on_a_factor_is_reported() {
    let comparison = Comparison::from(&two(3.0));
    assert_eq!(
        find(&comparison, Metric::Throughput).says.en,
        "a is 3.00× as fast as b [2.94 … 3.06]"
    );
}

#[test]
fn an_absurd_round_takes_no_room() {
    let mut results = two(1.1);
    results.lines[0].round = u32::MAX;
    let comparison = Comparison::from(&results);
    let throughput = comparison.cells[0].targets[0].figure(Metric::Throughput);
    assert_eq!(throughput.expect("a figure").rounds.len(), 5);
}

#[test]
fn a_workload_that_only_some_take_has_only_those() {
    let mut results = two(1.1);
    results.study.workloads.push(WorkloadRecord {
        name: "json".to_owned(),
        request: Asked::get("/json"),
        loads: vec![CLOSED_100],
        targets: vec!["b".to_owned()],
        responses_vary: false,
        digests: None,
        sweep: None,
    });
    let comparison = Comparison::from(&results);
    let targets: Vec<&str> = comparison.cells[1]
        .targets
        .iter()
        .map(|t| t.target.as_str())
        .collect();
    assert_eq!(targets, ["b"]);
    assert!(comparison.cells[1].verdicts.is_empty());
}

#[test]
fn json_holds_no_number_that_is_none() {
    let mut results = two(1.1);
    results.lines[0]
        .measurement
        .as_mut()
        .expect("one")
        .throughput_rps = 0.0;
    let json = serde_json::to_string(&Comparison::from(&results)).expect("JSON");
    assert!(!json.contains("NaN") && !json.contains("inf\""), "{json}");
    assert_eq!(
        find(&Comparison::from(&results), Metric::Throughput)
            .says
            .en,
        "no verdict: a figure of a is zero"
    );
}
