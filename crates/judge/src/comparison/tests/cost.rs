//! The cost line.

use photofinish_model::ServerUse;
use photofinish_model::samples::assert_starts;

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

fn cost(results: &Results) -> Option<String> {
    Comparison::from(results).cost.map(|cost| cost.en)
}

const SAME: [f64; 5] = [1.0; 5];

#[test]
fn the_line_is_the_difference_of_figures_in_parts_that_add_up() {
    // User CPU: 5 times, 12 µs more, of 5 µs; switches: 7 times, 1.5 more, which cost some 4.5 µs.
    let results = taking([5.0; 5], [7.0; 5]);
    assert_eq!(
        cost(&results).as_deref(),
        Some(
            "b +12 µs CPU per request: user CPU 12; 1.50 more voluntary switches, which usually cost 4.50 µs"
        )
    );
    // The table shows 5 and 17 µs.
    let comparison = Comparison::from(&results);
    let cpu = |at: usize| comparison.cells[0].targets[at].figure(Metric::ServerCpu);
    let means = [0, 1].map(|at| cpu(at).expect("a figure").mean.expect("a mean"));
    assert!(near(means[1] - means[0], 12.0), "{means:?}");
}

#[test]
fn what_parts_leave_is_unexplained() {
    // User CPU is 12 µs more in each round; the sum scatters with system CPU, whose share is not certain.
    let mut results = taking([5.0; 5], SAME);
    let system = [0.5, 5.0, 1.0, 6.0, 0.5];
    for line in results.lines.iter_mut().filter(|line| line.target == "b") {
        let server = line.server.as_mut().expect("sampled");
        server.cpu_system_us_per_request = Some(2.0 + system[line.round as usize - 1]);
    }
    let line = cost(&results).expect("b takes more");
    // Its mean is 19.4 µs: 14.4 more than 5, of which 12 are known.
    assert_starts(
        &line,
        "b +14 µs CPU per request: user CPU 12, unexplained 2",
    );
}

#[test]
fn a_ratio_of_next_to_nothing_explains_nothing() {
    // As it was seen: 102 times the forced switches, 0.108 more, which cost 0.3 µs of 15.
    let mut results = taking([6.0; 5], SAME);
    for line in &mut results.lines {
        let server = line.server.as_mut().expect("sampled");
        let is_behind = line.target == "b";
        server.switches_forced_per_request = Some(if is_behind { 0.109 } else { 0.00106 });
    }
    assert_eq!(
        cost(&results).as_deref(),
        Some("b +15 µs CPU per request: user CPU 15")
    );
    // Where CPU time does not differ, switches are no part of a difference in it.
    assert_eq!(cost(&taking(SAME, [100.0; 5])), None);
}

#[test]
fn what_counts_cost_is_no_more_than_the_gap_that_they_are_part_of() {
    // 30 switches more: 90 µs, of 12.
    let line = cost(&taking([5.0; 5], [121.0; 5])).expect("a cost");
    assert!(
        line.ends_with("30.0 more voluntary switches, which usually cost 12.0 µs"),
        "{line}"
    );
}

#[test]
fn the_largest_time_comes_first_whoever_spends_it() {
    // 3 µs more in the server, 20 µs more in its database, which says nothing of what switches cost there.
    let mut results = taking([2.0; 5], [3.0; 5]);
    for line in &mut results.lines {
        let mut service = line.server.clone().expect("sampled");
        let is_behind = line.target == "b";
        service.cpu_user_us_per_request = Some(if is_behind { 30.0 } else { 10.0 });
        line.service = Some(service);
    }
    assert_eq!(
        cost(&results).as_deref(),
        Some("b +20 µs service CPU per request")
    );
}

#[test]
fn nothing_is_named_that_does_not_explain() {
    // The same, or within the margin, or less of it, or too scattered.
    assert_eq!(cost(&taking(SAME, SAME)), None);
    assert_eq!(cost(&taking([1.01; 5], SAME)), None);
    assert_eq!(cost(&taking([0.5; 5], SAME)), None);
    assert_eq!(cost(&taking([0.2, 9.0, 1.0, 7.0, 0.5], SAME)), None);
}

#[test]
fn a_tie_in_throughput_has_the_cost_of_the_cpu_time_that_differs() {
    let mut tie = two(1.0);
    for line in tie.lines.iter_mut().filter(|line| line.target == "b") {
        let server = line.server.as_mut().expect("sampled");
        server.cpu_user_us_per_request = Some(9.0);
    }
    let comparison = Comparison::from(&tie);
    assert_eq!(
        comparison.cost.map(|cost| cost.en).as_deref(),
        Some("b +6.0 µs CPU per request: user CPU 6.0")
    );
    // 5 of 11 µs.
    let headline = comparison.headline.en;
    assert!(
        headline.ends_with("; a uses 54.5% less CPU per request than b, 95% CI 54.5–54.5%"),
        "{headline}"
    );
}

#[test]
fn a_count_that_is_not_certain_is_not_named() {
    // User CPU 12 µs more in each round; switches 1.5 more on average, but in one round none.
    let line = cost(&taking([5.0; 5], [1.0, 16.0, 2.0, 12.0, 4.0]));
    assert_eq!(
        line.as_deref(),
        Some("b +12 µs CPU per request: user CPU 12")
    );
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
            server.cpu_user_us_per_request = Some(13.0);
        }
        results.lines.push(line);
    }
    // 15 of 5 µs there, 14 at the other.
    assert_eq!(
        cost(&results).as_deref(),
        Some("b +10 µs CPU per request at 7 connections: user CPU 10")
    );
}
