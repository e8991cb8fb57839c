//! Rounds in which a virtual machine's cores lay otherwise.

use super::turns::turns;
use super::*;
use crate::threshold::{Condition, Status};

/// Rounds in which `a` has twice `b`'s throughput, but 1.5 times where the cores are 180 ns apart.
fn moved(latencies: &[f64]) -> Results {
    let of_a: Vec<f64> = (latencies.iter().zip([0.0, 1.0, -1.0].into_iter().cycle()))
        .map(|(latency, noise)| if *latency > 100.0 { 150.0 } else { 200.0 } + noise)
        .collect();
    let of_b = vec![100.0; latencies.len()];
    let mut results = samples::race(&["a", "b"], &[&of_a, &of_b]);
    for line in &mut results.lines {
        let measurement = line.measurement.as_ref().expect("a measurement");
        let mut made = turns([measurement.throughput_rps; 5], &[], false);
        for turn in &mut made.turns {
            turn.core_to_core_ns = Some(latencies[line.round as usize - 1]);
        }
        line.turns = Some(made);
    }
    results
}

#[test]
fn rounds_in_which_the_cores_lay_otherwise_do_not_count() {
    let comparison = Comparison::from(&moved(&[40.0, 44.0, 180.0, 39.0, 178.0]));
    let verdict = find(&comparison, Metric::Throughput);
    assert_eq!(verdict.rounds, 3);
    // 200, 201 and 200 over 100.
    let expected = (2.0_f64 * 2.01 * 2.0).cbrt();
    assert!((verdict.ratio.expect("a ratio") - expected).abs() < 1e-12);
    let figures = &comparison.cells[0].targets[0].figures[&Metric::Throughput];
    assert_eq!(
        figures.rounds,
        [Some(200.0), Some(201.0), None, Some(200.0), None]
    );
    let reported = verdict.turns.as_ref().expect("turns");
    assert!((reported.trimmed_ratio.expect("a ratio") - expected).abs() < 1e-12);
    assert!(reported.all_turns_ratio.expect("a ratio") < 1.8);
    assert_eq!(
        verdict.notes[0].says.en,
        "in rounds 3, 5 the core-to-core latency between server and load generator was 180 ns (40 ns in the others), as after a vCPU migration: these rounds are excluded"
    );
}

#[test]
fn rounds_are_set_aside_only_where_two_are_left_and_the_usual_ones_are_the_most() {
    let judged = |latencies: &[f64]| {
        let comparison = Comparison::from(&moved(latencies));
        let verdict = find(&comparison, Metric::Throughput);
        let notes: Vec<&str> = verdict
            .notes
            .iter()
            .map(|note| note.says.en.as_str())
            .collect();
        (verdict.rounds, notes.join("; "))
    };
    let (rounds, note) = judged(&[40.0, 180.0, 40.0]);
    assert_eq!(rounds, 3);
    assert!(
        note.contains("in round 2 ")
            && note.contains("they are kept, because too few rounds would be left"),
        "{note}"
    );
    // Of two equally frequent ones the nearer is usual.
    let (rounds, note) = judged(&[180.0, 40.0, 180.0, 44.0]);
    assert_eq!(rounds, 2);
    assert!(
        note.contains("in rounds 1, 3 ")
            && note.contains("the ratio is that of the other rounds, and the spread that of all"),
        "{note}"
    );
    let (rounds, note) = judged(&[180.0, 40.0, 170.0, 190.0]);
    assert_eq!(rounds, 3);
    assert!(
        note.contains("was 40 ns (180 ns in the others)")
            && note.contains("these rounds are excluded"),
        "{note}"
    );
    // As far apart as cores of one cache may be.
    let (rounds, note) = judged(&[40.0, 65.0, 75.0, 50.0]);
    assert_eq!(rounds, 4);
    assert!(!note.contains("core-to-core"), "{note}");
}

/// Two rounds of the usual kind, 200 and 201 over 100, and two of the other, 151 and 149 over 100: the ratio is the first's, and what the rounds
/// of either kind differ by says how sure it is, whichever come last.
#[test]
fn where_two_rounds_are_left_those_of_the_other_kind_say_how_much_rounds_differ() {
    two_are_left([40.0, 180.0, 180.0, 44.0], [200.0, 151.0, 149.0, 201.0]);
    two_are_left([40.0, 44.0, 180.0, 180.0], [200.0, 201.0, 151.0, 149.0]);
}

fn two_are_left(latencies: [f64; 4], rps: [f64; 4]) {
    let mut results = moved(&latencies);
    for line in results.lines.iter_mut().filter(|line| line.target == "a") {
        let measurement = line.measurement.as_mut().expect("a measurement");
        measurement.throughput_rps = rps[line.round as usize - 1];
    }
    let comparison = Comparison::from(&results);
    let verdict = find(&comparison, Metric::Throughput);
    assert!((verdict.ratio.expect("a ratio") - (2.0_f64 * 2.01).sqrt()).abs() < 1e-12);
    let squares = (2.01_f64 / 2.0).ln().powi(2) / 2.0 + (1.51_f64 / 1.49).ln().powi(2) / 2.0;
    // t at 97.5% with 2 degrees of freedom, and the standard error of a mean of two.
    let half = 4.302_652_73 * (squares / 2.0 / 2.0).sqrt();
    let interval = verdict.interval.expect("an interval");
    let expected = ((2.0_f64 * 2.01).sqrt().ln() + half).exp();
    assert!(
        (interval.high / expected - 1.0).abs() < 1e-6,
        "{interval:?}"
    );
    // Two rounds call nothing below 10%: by a gate, of the two or of one and a number, neither.
    let ratio = verdict.ratio.expect("a ratio");
    for (limit, status) in [
        (ratio / 1.101, Status::Holds),
        (ratio / 1.099, Status::Undecided),
    ] {
        for condition in [
            format!("a.throughput > {limit} * b.throughput"),
            format!("a.throughput > {}", 100.0 * limit),
        ] {
            let condition = Condition::parse(&condition, &["a", "b"]).expect("a condition");
            let found = condition.check(&results, &comparison).status;
            assert_eq!(found, status, "{}", condition.text());
        }
    }
}

#[test]
fn a_round_in_one_piece_counts_where_the_cores_stayed_for_all_of_its_targets() {
    let mut results = moved(&[40.0, 44.0, 180.0, 39.0, 45.0]);
    for line in &mut results.lines {
        line.turns = None;
        let machine = line.machine.as_mut().expect("what the machine did");
        machine.core_to_core_ns = Some(match (line.round, line.target.as_str()) {
            (3, "b") => [40.0, 180.0],
            (5, "a") => [180.0; 2],
            _ => [40.0, 44.0],
        });
    }
    let comparison = Comparison::from(&results);
    let verdict = find(&comparison, Metric::Throughput);
    assert_eq!(verdict.rounds, 3);
    let notes: Vec<&str> = verdict
        .notes
        .iter()
        .map(|note| note.says.en.as_str())
        .collect();
    let expected = "in rounds 3, 5 the core-to-core latency between server and load generator was 180 ns (40 ns in the others), as after a vCPU migration: these rounds are excluded";
    assert!(notes.contains(&expected), "{notes:?}");
}
