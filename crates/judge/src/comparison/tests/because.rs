//! Why the leader is ahead.

use photofinish_model::ServerUse;
use photofinish_model::message::Message;
use serde_json::Value;

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

fn because(results: &Results) -> Option<Message> {
    Comparison::from(results).because
}

/// What a server takes more of, by the arguments of the message.
struct Takes {
    metric: String,
    ratio: f64,
    interval: Interval,
    place: Option<Value>,
    ahead_takes: f64,
    behind_takes: f64,
    /// What else: metric, how much more, and what that costs if it is a count.
    also: Vec<(String, f64, Option<f64>)>,
}

fn number(value: &Value) -> f64 {
    value.as_f64().expect("a number")
}

fn takes(results: &Results) -> Takes {
    let message = because(results).expect("b takes more");
    let more = &message.args["more"]["args"];
    let is_factor = more.get("times").is_some();
    let offset = if is_factor { 0.0 } else { 1.0 };
    let [low, high] = ["low", "high"].map(|end| number(&more["interval"][end]) + offset);
    let key = |value: &Value| value.as_str().expect("a key").to_owned();
    let also = message.args.get("also").and_then(Value::as_array);
    let also = also.into_iter().flatten().map(|also| &also["args"]);
    Takes {
        metric: key(&more["metric"]),
        ratio: number(if is_factor {
            &more["times"]
        } else {
            &more["more"]
        }) + offset,
        interval: Interval { low, high },
        place: more.get("place").cloned(),
        ahead_takes: number(&message.args["ahead_takes"]),
        behind_takes: number(&message.args["behind_takes"]),
        also: also
            .map(|also| {
                let cost = also.get("cost").map(number);
                (key(&also["metric"]), number(&also["more"]), cost)
            })
            .collect(),
    }
}

/// The metrics of what else it takes more of.
fn also(takes: &Takes) -> Vec<&str> {
    takes
        .also
        .iter()
        .map(|(metric, ..)| metric.as_str())
        .collect()
}

const SAME: [f64; 5] = [1.0; 5];

#[test]
fn cpu_time_comes_first_with_what_explains_most_of_it() {
    // User CPU: 5 times, 12 µs more, of 5 µs; switches: 7 times, 1.5 more, which cost some 4.5 µs.
    let results = taking([5.0; 5], [7.0; 5]);
    let found = takes(&results);
    assert_eq!(found.metric, "server-cpu");
    assert!(near(found.ratio, 3.4));
    assert!(near(found.ahead_takes, 5.0) && near(found.behind_takes, 17.0));
    let ends = [found.interval.low, found.interval.high];
    assert!(ends.iter().all(|end| (3.399..3.401).contains(end)));
    assert_eq!(found.place, None);
    assert_eq!(
        found.also,
        [
            ("cpu-user".to_owned(), 12.0, None),
            ("switches-voluntary".to_owned(), 1.5, Some(4.5))
        ]
    );
    let said = Comparison::from(&results).because.expect("said");
    assert_eq!(
        said.en,
        "b takes 3.40 × the CPU per request of a [3.40 … 3.40]: 17.0 µs against 5.00 µs, with 12.0 µs more user CPU [12.0 … 12.0], \
         1.50 more voluntary switches [1.50 … 1.50] (which cost some 4.50 µs)"
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
    let found = takes(&results);
    assert_eq!(found.metric, "server-cpu");
    assert_eq!(also(&found), ["cpu-user"]);
    // Where CPU time does not differ, switches are no part of a difference in it.
    assert_eq!(because(&taking(SAME, [100.0; 5])), None);
}

#[test]
fn what_counts_cost_is_no_more_than_the_gap_that_they_are_part_of() {
    // 30 switches more: 90 µs, of 12.
    let found = takes(&taking([5.0; 5], [121.0; 5]));
    let switches = "switches-voluntary".to_owned();
    assert!(found.also.contains(&(switches, 30.0, Some(12.0))));
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
    let found = takes(&results);
    assert_eq!(found.metric, "service-cpu");
    // 0.5 switches more cost 1.5 µs, less than a tenth of 20 µs.
    assert_eq!(also(&found), ["cpu-user"]);
}

#[test]
fn the_interval_allows_for_the_choice_among_times() {
    // d of all CPU = ln 2 ± 0.1 in mixed order: mean ln 2, s = 0.1 · √(4/4) = 0.1 over four of five rounds, the fifth in the middle.
    let user = [0.1, -0.1, 0.0, 0.1, -0.1].map(|e: f64| (10.0 * e.exp() - 2.0) / 3.0);
    let found = takes(&taking(user, SAME));
    assert_eq!(found.metric, "server-cpu");
    assert!(near(found.ratio, 2.0));
    // s = √(4 · 0.01 / 4) = 0.1, error = 0.1 / √5 = 0.044721. A t quantile of 95% alone is 2.776445.
    let half = (found.interval.high / found.interval.low).ln() / 2.0;
    assert!(half > 2.776_445 * 0.044_721 - 1e-6, "{half}");
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
            .cpu_user_us_per_request = Some(9.0);
    }
    assert_eq!(because(&tie), None);
}

#[test]
fn a_count_that_is_not_certain_is_not_named() {
    // User CPU 12 µs more in each round; switches 1.5 more on average, but in one round none.
    let results = taking([5.0; 5], [1.0, 16.0, 2.0, 12.0, 4.0]);
    let found = takes(&results);
    assert_eq!(also(&found), ["cpu-user"]);
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
    let found = takes(&results);
    // 15 of 5 µs there, 14 at the other.
    assert!(near(found.ratio, 3.0), "{}", found.ratio);
    let load = serde_json::to_value(load).expect("JSON");
    assert_eq!(found.place.map(|place| place["load"].clone()), Some(load));
}
