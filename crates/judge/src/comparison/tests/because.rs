//! Why the leader is ahead.

use photofinish_model::ServerUse;
use photofinish_model::finding::because::Because;

use super::*;

/// The race of two, `a` ahead, in which the server of `b` takes so many times as much user CPU and so many times the voluntary
/// switches for a request as that of `a`, which takes 3 µs and 0.25.
fn taking(cpu: [f64; 5], switches: [f64; 5]) -> Results {
    let mut results = two(1.5);
    for line in results.lines.iter_mut().filter(|line| line.target == "b") {
        let round = line.round as usize - 1;
        let server: &mut ServerUse = line.server.as_mut().expect("sampled");
        server.cpu_user_us_per_request = Some(3.0 * cpu[round]);
        server.switches_voluntary_per_request = Some(0.25 * switches[round]);
    }
    results
}

fn because(results: &Results) -> Option<Because> {
    Comparison::from(results)
        .because
        .map(|because| because.finding)
}

const SAME: [f64; 5] = [1.0; 5];

#[test]
fn what_stands_out_most_from_its_own_scatter_is_named_with_its_figures() {
    // Switches: 4 × in every round. User CPU: twice to six times.
    let results = taking([2.0, 6.0, 3.0, 4.0, 5.0], [4.0; 5]);
    let Some(Because::TakesMore {
        ahead,
        behind,
        metric,
        ratio,
        interval,
        ahead_takes,
        behind_takes,
        place,
    }) = because(&results)
    else {
        panic!("b takes more of both");
    };
    assert_eq!((ahead.as_str(), behind.as_str()), ("a", "b"));
    assert_eq!(metric, Metric::SwitchesVoluntary);
    assert!(near(ratio, 4.0) && near(ahead_takes, 0.25) && near(behind_takes, 1.0));
    assert!(interval.low <= 4.0 && interval.high >= 4.0 && interval.high / interval.low < 1.01);
    assert_eq!(place, None);
    let said = Comparison::from(&results).because.expect("said");
    assert_eq!(
        said.en,
        "b takes 4.00 × the voluntary switches per request of a [4.00 … 4.00]: 1.00 against 0.250"
    );
}

#[test]
fn the_interval_allows_for_the_choice_among_metrics() {
    // d = ln 2 ± 0.1 in mixed order: mean ln 2, s = 0.1 · √(4/4) = 0.1 over four of five rounds, the fifth in the middle.
    let e = [0.1, -0.1, 0.0, 0.1, -0.1].map(|e: f64| 2.0 * e.exp());
    let Some(Because::TakesMore {
        metric,
        ratio,
        interval,
        ..
    }) = because(&taking(e, SAME))
    else {
        panic!("b takes twice as much");
    };
    assert_eq!(metric, Metric::CpuUser);
    assert!(near(ratio, 2.0));
    // s = √(4 · 0.01 / 4) = 0.1, error = 0.1 / √5 = 0.044721. A t quantile of 95% alone is 2.776445: wider than that.
    let half = (interval.high / interval.low).ln() / 2.0;
    assert!(half > 2.776_445 * 0.044_721, "{half}");
}

#[test]
fn nothing_is_named_that_does_not_explain() {
    // The same, or within the margin, or less of it, or too scattered.
    assert_eq!(because(&taking(SAME, SAME)), None);
    assert_eq!(because(&taking([1.01; 5], SAME)), None);
    assert_eq!(because(&taking([0.5; 5], SAME)), None);
    assert_eq!(because(&taking([0.2, 9.0, 1.0, 7.0, 0.5], SAME)), None);
    // Nobody is ahead.
    let mut tie = two(1.0);
    for line in tie.lines.iter_mut().filter(|line| line.target == "b") {
        line.server
            .as_mut()
            .expect("sampled")
            .switches_voluntary_per_request = Some(9.0);
    }
    assert_eq!(because(&tie), None);
}

#[test]
fn with_several_places_the_one_is_named_where_the_leader_is_furthest_ahead() {
    let mut results = taking([4.0; 5], SAME);
    let further = samples::race(&["a", "b"], &[&a_over_b(3.0), &B]);
    let load = Load::Closed { connections: 7 };
    results.study.workloads[0].loads.push(load.clone());
    for mut line in further.lines {
        line.load = load.clone();
        line.order = 2;
        if line.target == "b" {
            let server = line.server.as_mut().expect("sampled");
            server.switches_voluntary_per_request = Some(0.5);
        }
        results.lines.push(line);
    }
    let Some(Because::TakesMore { metric, place, .. }) = because(&results) else {
        panic!("b takes more");
    };
    assert_eq!(metric, Metric::SwitchesVoluntary);
    assert_eq!(place.map(|place| place.load), Some(load));
}

#[test]
fn what_has_a_ratio_of_unknown_size_is_no_evidence() {
    // CPU: 4 × in every round. Switches: 10 to 100,000 times, of next to nothing.
    let results = taking([4.0; 5], [10.0, 100_000.0, 50.0, 20_000.0, 1_000.0]);
    let Some(Because::TakesMore { metric, ratio, .. }) = because(&results) else {
        panic!("b takes more CPU");
    };
    assert_eq!(metric, Metric::CpuUser);
    assert!(near(ratio, 4.0), "{ratio}");
}
