//! A study's limit: it races along, and the others are shown as a share of it.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::support::{GOOD, Yard, measurements, script};

/// A study of `a` and `b`, with this server as the limit.
fn yard(limit: &str) -> Yard {
    let yard = Yard::new();
    yard.target("a", GOOD).target("b", GOOD);
    yard.target("top", limit);
    yard.study("s", &["a", "b"], "limit = \"top\"");
    yard
}

/// The targets that were measured, and in how many lines.
fn measured(lines: &[Value]) -> (Vec<&str>, usize) {
    let made: Vec<&Value> = lines
        .iter()
        .filter(|line| line["measurement"].is_object())
        .collect();
    let targets: BTreeSet<&str> = made
        .iter()
        .filter_map(|line| line["target"].as_str())
        .collect();
    (targets.into_iter().collect(), made.len())
}

#[test]
fn it_is_measured_and_every_target_is_a_share_of_it() {
    let yard = yard(GOOD);
    // Two rounds that differ much would decide nothing, which a busy machine may bring about.
    yard.run(&["run", "s", "--aa", "-v", "--rounds", "3"])
        .code(0)
        .says(&["s: a, b, a-again; the limit: top"]);
    let folder = yard.result("s");
    let lines = measurements(&folder);
    assert_eq!(measured(&lines), (vec!["a", "a-again", "b", "top"], 12));
    let place = folder.display().to_string();
    yard.run(&["report", &place, "--markdown", "-"])
        .code(0)
        .prints(&["share of limit"]);
    let json = yard.run(&["report", &place, "--json", "-"]).code(0).json();
    assert_eq!(json["head"]["targets"][3]["limit"], true);
    let targets = json["cells"][0]["targets"].as_array().expect("targets");
    let roles: Vec<&str> = targets.iter().filter_map(|t| t["role"].as_str()).collect();
    assert_eq!(roles, ["contender", "contender", "copy", "limit"]);
    for target in &targets[..3] {
        let rate = |line: &&Value| line["measurement"]["throughput_rps"].as_f64().map(f64::ln);
        let of = |label: &Value| -> f64 {
            let lines = lines.iter().filter(|line| line["target"] == *label);
            lines.filter_map(|line| rate(&line)).sum::<f64>() / 3.0
        };
        let expected = (of(&target["target"]) - of(&"top".into())).exp();
        let share = target["share_of_limit"]["ratio"].as_f64().expect("a share");
        assert!(
            (share - expected).abs() < 1e-9 * expected,
            "{share} {expected}"
        );
    }
    assert!(targets[3]["share_of_limit"].is_null());
    // One pair of contenders, by six metrics.
    let verdicts = json["cells"][0]["verdicts"].as_array().expect("verdicts");
    assert_eq!(verdicts.len(), 6);
    yard.run(&["report", &place, "--csv", "-"])
        .code(0)
        .prints(&[",share_of_limit\n"]);
    yard.wait_empty();
}

#[test]
fn flags_keep_it_or_leave_it_out() {
    let yard = yard(GOOD);
    yard.run(&["run", "s", "--smoke", "--only", "b"])
        .code(0)
        .prints(&["Smoke run: 2 of 2 measurements completed"]);
    yard.run(&["run", "s", "--smoke", "--no-limit", "-v"])
        .code(0)
        .says(&["note: limit top: --no-limit leaves it out"])
        .prints(&["1 part of the study left out"]);
    let runs = yard.results("s");
    let targets = runs.iter().map(|run| measurements(run));
    let targets: Vec<Vec<Value>> = targets.collect();
    assert_eq!(measured(&targets[0]), (vec!["b", "top"], 2));
    assert_eq!(measured(&targets[1]), (vec!["a", "b"], 2));
    yard.run(&["run", "s", "--only", "top"])
        .code(2)
        .says(&["no target is left to race against the study's limit"]);
}

#[test]
fn one_that_fails_leaves_the_race_to_the_others() {
    let yard = yard(&script("echo no luck on {port} >&2; exit 1"));
    let ended = yard.run(&["run", "s", "-v"]).code(3).prints(&["no luck"]);
    ended.never_prints("share of limit");
    let lines = measurements(&yard.result("s"));
    assert_eq!(measured(&lines), (vec!["a", "b"], 4));
    yard.wait_empty();
}
