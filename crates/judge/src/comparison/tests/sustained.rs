//! Verdicts at a capacity, by arithmetic.

use super::claims::claim;
use super::*;
use crate::comparison::Sustained;
use crate::threshold::{Condition, Status};
use photofinish_model::capacity::{Ended, Found};
use photofinish_model::finding::capacity::Broken;
use photofinish_model::message::Message;
use photofinish_model::samples::assert_starts;
use photofinish_voice::verdict::reason;

/// Searches that held these rates and failed 1% above.
fn exact(rates: &[f64]) -> Vec<Found> {
    let found = |rate: &f64| samples::found(Some(*rate), Some(rate * 1.01));
    rates.iter().map(found).collect()
}

fn compare(a: &[Found], b: &[Found]) -> Comparison {
    Comparison::from(&samples::capacity_race(&["a", "b"], &[a, b]))
}

fn english(doubts: &[Message]) -> Vec<String> {
    doubts.iter().map(|doubt| doubt.en.clone()).collect()
}

fn sustained(comparison: &Comparison, target: usize) -> &Sustained {
    let sustained = comparison.cells[0].targets[target].sustained.as_ref();
    sustained.expect("a search")
}

fn says(comparison: &Comparison, target: usize) -> &str {
    &sustained(comparison, target).says.en
}

#[test]
fn who_sustains_more_is_judged_by_rounds_and_nothing_else_is() {
    // The rates have the noise of any other throughput, so the interval is the formula's.
    let comparison = compare(&exact(&a_over_b(1.10)), &exact(&B));
    let verdicts = &comparison.cells[0].verdicts;
    assert_eq!(verdicts.len(), 1);
    let verdict = &verdicts[0];
    assert_eq!(verdict.metric, Metric::Throughput);
    assert!(near(verdict.ratio.expect("a ratio"), 1.10));
    let interval = verdict.interval.expect("an interval");
    assert!(near(interval.low, 1.078_614_932_5) && near(interval.high, 1.121_809_056_7));
    assert_eq!(
        verdict.says.en,
        "a sustains 10.0% more than b [7.9% … 12.2%]"
    );
    assert_eq!(
        comparison.headline.en,
        "a sustains 10.0% more than b, 95% CI 7.9–12.2%"
    );
    assert_eq!(comparison.cells[0].level.en, "capacity (p99 < 10ms)");
}

#[test]
fn no_interval_is_narrower_than_the_searches() {
    // Each search stops on the same rates: without their gap this would be as sure as can be.
    let comparison = compare(&exact(&[1005.0; 5]), &exact(&[1000.0; 5]));
    let verdict = &comparison.cells[0].verdicts[0];
    let Interval { low, high } = verdict.interval.expect("an interval");
    assert!(
        near(low, 1.005 / 1.01) && near(high, 1.005 * 1.01),
        "{low} {high}"
    );
    // Within [1/1.02, 1.02].
    assert_eq!(verdict.direction(), Some(Direction::Tie));
    assert_eq!(
        says(&comparison, 1),
        "sustains 1,000/s [990 … 1,010] at p99 < 10ms"
    );
    // 1.02 / 1.04 and 1.02 × 1.04 hold 1 and are no tie: more rounds would say the same.
    let coarse = |rate: f64| vec![samples::found(Some(rate), Some(rate * 1.04)); 5];
    let comparison = compare(&coarse(1020.0), &coarse(1000.0));
    let verdict = &comparison.cells[0].verdicts[0];
    assert_eq!(verdict.direction(), Some(Direction::Undecided));
    assert_eq!(verdict.rounds_needed(), None);
    let notes: Vec<&str> = verdict.notes.iter().map(|note| &*note.says.en).collect();
    assert!(
        notes[0].contains("cannot resolve a difference below 4.0%"),
        "{notes:?}"
    );
}

#[test]
fn a_lower_bound_is_called_one_and_not_judged() {
    let mut a = exact(&a_over_b(1.10));
    a[1] = samples::found(Some(1100.0), None);
    a[3].generator_limited = true;
    let comparison = compare(&a, &exact(&B));
    let verdict = &comparison.cells[0].verdicts[0];
    let why = "the rate of a is a lower bound (rounds 2, 4)";
    let void = verdict.void().expect("it is void");
    assert_eq!(void.kind, InvalidKind::NotComparable);
    assert_eq!(void.reason, reason::lower_bound("a", vec![2, 4]));
    assert_eq!((verdict.ratio, verdict.direction()), (None, None));
    assert_eq!(verdict.says.en, format!("no verdict: {why}"));
    assert_eq!(comparison.headline.en, format!("No verdict: {why}"));
    assert!(says(&comparison, 0).starts_with("sustains at least 1,1"));
    let doubts = english(&sustained(&comparison, 0).doubts);
    assert_eq!(
        doubts[0],
        "round 2: 1,100/s is a lower bound: the search ran out of time and no rate had failed"
    );
    assert!(
        doubts[1].contains("the load generator was the bottleneck"),
        "{doubts:?}"
    );
    // Nothing is waited for that rounds cannot decide.
    assert_eq!(comparison.progress().of, 0);
}

#[test]
fn no_rate_that_held_is_said_and_no_round_is_left_out() {
    let mut b = exact(&B);
    b[2] = samples::found(None, Some(1.0));
    let comparison = compare(&exact(&a_over_b(1.10)), &b);
    let verdict = &comparison.cells[0].verdicts[0];
    assert_eq!(
        verdict.says.en,
        "no verdict: no rate of b met the objective (round 3)"
    );
    assert!(says(&comparison, 1).ends_with("at p99 < 10ms, but no rate met it in round 3"));
    let none = vec![samples::found(None, Some(1.0)); 5];
    let comparison = compare(&exact(&B), &none);
    assert_eq!(
        says(&comparison, 1),
        "did not meet p99 < 10ms at any rate, down to 1.00/s"
    );
    assert_eq!(
        comparison.headline.en,
        "No verdict: no rate of b met the objective (rounds 1–5)"
    );
    let b = comparison.cells[0].targets[1].clone();
    assert_eq!(b.figure(Metric::Throughput), None);
    assert_eq!(b.figure(Metric::P99), None);
    let doubts = english(&b.sustained.expect("one").doubts);
    assert_eq!(
        doubts[0],
        "round 1: no rate met the objective at 1.00/s: p99 20.0 ms"
    );
    // A lower rate that was tried once has a figure of its own.
    let mut once = samples::found(None, Some(1.0));
    let mut lower = once.steps.last().expect("a step").clone();
    lower.offered_rps = 0.5;
    lower.why = Some(Broken::NotAchieved { ratio: 0.4 });
    once.steps.push(lower);
    let comparison = compare(&exact(&B), &vec![once; 5]);
    let b = comparison.cells[0].targets[1].clone();
    let doubts = english(&b.sustained.expect("one").doubts);
    assert!(
        doubts[0].starts_with("round 1: no rate met the objective at 1.00/s: p99 20.0 ms"),
        "{doubts:?}"
    );
}

#[test]
fn a_search_that_ended_early_between_two_rates_is_as_coarse_as_they_are() {
    let mut a = exact(&[1000.0; 5]);
    a[0] = samples::found(Some(1000.0), Some(2000.0));
    a[0].ended = Ended::Time;
    let comparison = compare(&a, &exact(&[1500.0; 5]));
    assert_eq!(sustained(&comparison, 0).gap, 1.0);
    assert_eq!(
        comparison.cells[0].verdicts[0].direction(),
        Some(Direction::Undecided)
    );
    let doubts = english(&sustained(&comparison, 0).doubts);
    assert_eq!(
        doubts[..],
        ["round 1: the search ran out of time: the limit is between 1,000/s and 2,000/s"]
    );
}

#[test]
fn the_curve_has_the_steps_of_all_rounds_by_rate() {
    let mut a = exact(&[1000.0, 1000.0]);
    a[1].steps[0].p99_us = Some(4_000.0);
    a[1].steps[1].errors = 3;
    let comparison = compare(&a, &exact(&[900.0, 900.0]));
    let curve = &sustained(&comparison, 0).curve;
    let rates: Vec<(f64, u32, u32, u64)> = curve
        .iter()
        .map(|point| (point.offered_rps, point.steps, point.held, point.errors))
        .collect();
    assert_eq!(rates, [(1000.0, 2, 2, 0), (1010.0, 2, 0, 3)]);
    assert_eq!(curve[0].p99_us, Interval::new(4_000.0, 9_000.0));
    let why = curve[1]
        .why
        .as_ref()
        .map(|why| (why.en.as_str(), why.zh.as_str()));
    assert_eq!(why, Some(("p99 20.0 ms", "p99 20.0 ms")));
}

#[test]
fn a_claim_about_a_capacity_is_held_against_the_sustained_rates() {
    let claimed = |a: &[Found], ratio| {
        let mut results = samples::capacity_race(&["a", "b"], &[a, &exact(&B)]);
        results.study.claims = vec![photofinish_model::Claim {
            load: samples::capacity_level(),
            ..claim(Metric::Throughput, ratio)
        }];
        Comparison::from(&results).claims.remove(0)
    };
    assert_eq!(
        claimed(&exact(&a_over_b(1.10)), 1.10).verdict,
        ClaimVerdict::Holds
    );
    let bound = vec![samples::found(Some(2000.0), None); 5];
    let result = claimed(&bound, 1.10);
    assert_eq!((result.verdict, result.ratio), (ClaimVerdict::Void, None));
    assert_starts(&result.says.en, "the rate of a is a lower bound");
}

#[test]
fn conditions_about_response_times_of_different_rates_are_not_held() {
    let results = samples::capacity_race(&["a", "b"], &[&exact(&a_over_b(1.5)), &exact(&B)]);
    let comparison = Comparison::from(&results);
    let check = |text: &str| {
        let condition = Condition::parse(text, &["a", "b"]).expect("a condition");
        condition.check(&results, &comparison)
    };
    assert!(check("a.throughput > b.throughput * 1.2").holds());
    let times = check("a.p99 < b.p99");
    assert_eq!(times.status, Status::Void);
    assert!(
        times.says[0]
            .en
            .contains("at a different rate for each server"),
        "{:?}",
        times.says
    );
    let bound = vec![samples::found(Some(2000.0), None); 5];
    let results = samples::capacity_race(&["a", "b"], &[&bound, &exact(&B)]);
    let comparison = Comparison::from(&results);
    let condition = Condition::parse("a.throughput > b.throughput", &["a", "b"]);
    let reported = condition.expect("a condition").check(&results, &comparison);
    assert!(
        reported.status == Status::Void && reported.says[0].en.contains("a lower bound"),
        "{:?}",
        reported.says
    );
}
