//! Results folders that lie on disk, and the figures that are judged from them: each must stay the same, to the last digit.
//!
//! A folder's figures stand in its `figures.txt`: a line for each object with its figures, without messages.
//! `UPDATE_FIGURES=1` writes them anew, if figures change on purpose.
//!
//! `quickstart` and `compare` are runs of the built-in servers, from which windows were left out. The others are made up:
//! - `usual` has claims and a failed round, `sustained` has searches for a capacity.
//! - `equal-speed-own-1.03`: five servers of equal throughput; the calibration loop is 3% slower next to one of them.
//! - `own-bursts-other`: two servers of equal mean throughput; one has bursts that look like other processes.
//! - `undecided-within-margin`: two of three pairs are undecided although their intervals lie within the margin.
//! - `seven-rounds` and `eight-rounds`: the second is the first with one more round.
//! - `history-9-targets`: twelve runs; the throughput of one server doubles at the seventh.

use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;

use photofinish_judge::comparison::Comparison;
use photofinish_judge::history::History;
use photofinish_model::store::Results;
use serde_json::Value;

fn folder(name: &str) -> PathBuf {
    let tests = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/stored");
    tests.join(name)
}

/// Fails if the figures differ from those on disk.
fn check(name: &str, judged: impl serde::Serialize) {
    let judged = serde_json::to_value(judged).expect("JSON");
    let mut figures = Vec::new();
    add(&mut figures, "", &judged);
    assert!(figures.len() > 10, "{name}: {} lines only", figures.len());
    let path = folder(name).join("figures.txt");
    if std::env::var_os("UPDATE_FIGURES").is_some() {
        fs::write(&path, figures.join("\n") + "\n").expect("written");
    }
    let known = fs::read_to_string(&path).expect("the figures");
    let known: Vec<&str> = known.lines().collect();
    let paths: BTreeSet<&str> = known.iter().map(|line| path_of(line)).collect();
    // A metric that was added since has figures that nobody knows yet.
    figures.retain(|line| !line.contains("/figures/") || paths.contains(path_of(line)));
    let differ = (known.iter().zip(&figures)).find(|(known, now)| *known != now);
    assert_eq!(differ, None, "{name}: (known, now)");
    assert_eq!(known.len(), figures.len(), "{name}");
}

/// Where an object of a line stands.
fn path_of(line: &str) -> &str {
    line.split_once(": ").map_or(line, |(path, _)| path)
}

/// Adds a line for each object, with its own figures, and then those of what it holds.
fn add(figures: &mut Vec<String>, path: &str, value: &Value) {
    match value {
        message if message.get("en").is_some() => {}
        Value::Object(fields) => {
            let (own, nested): (Vec<_>, Vec<_>) = (fields.iter())
                .filter(|(name, value)| !is_left_out(&format!("{path}/{name}"), value))
                .partition(|(_, value)| is_plain(value));
            let own: Vec<String> = own
                .iter()
                .map(|(name, value)| format!("{name}={value}"))
                .collect();
            if !own.is_empty() {
                figures.push(format!("{path}: {}", own.join(" ")));
            }
            for (name, value) in nested {
                add(figures, &format!("{path}/{name}"), value);
            }
        }
        Value::Array(items) => {
            for (at, item) in items.iter().enumerate() {
                add(figures, &format!("{path}/{at}"), item);
            }
        }
        plain => figures.push(format!("{path}: {plain}")),
    }
}

/// Whether it fits on the line of its object.
fn is_plain(value: &Value) -> bool {
    match value {
        Value::Object(fields) => {
            let ends = ["low", "high"];
            fields.keys().all(|name| ends.contains(&name.as_str()))
        }
        Value::Array(items) => items.iter().all(is_plain),
        _ => true,
    }
}

/// Whether it is not there, or a part of the study or the machine.
fn is_left_out(path: &str, value: &Value) -> bool {
    let of_record = [
        "/version",
        "/head/version",
        "/head/title",
        "/head/targets",
        "/head/services",
        "/head/settings",
        "/head/machine",
        "/checks",
    ];
    // Where the results lie says nothing of what they say.
    value.is_null() || of_record.contains(&path) || path.ends_with("/folder")
}

fn check_run(name: &str) {
    let results = Results::read(&folder(name)).expect("a results folder");
    check(name, Comparison::from(&results));
}

#[test]
fn runs_of_the_built_in_servers() {
    check_run("quickstart");
    check_run("compare");
}

#[test]
fn a_race_with_claims_and_a_failed_round() {
    check_run("usual");
}

#[test]
fn searches_for_capacities() {
    check_run("sustained");
}

#[test]
fn runs_whose_truth_is_known() {
    for name in [
        "equal-speed-own-1.03",
        "own-bursts-other",
        "undecided-within-margin",
        "seven-rounds",
        "eight-rounds",
    ] {
        check_run(name);
    }
}

#[test]
fn a_history_whose_truth_is_known() {
    let name = "history-9-targets";
    let runs = fs::read_dir(folder(name)).expect("a folder");
    let runs = runs.map(|run| run.expect("an entry").path());
    let runs = runs.filter(|run| run.is_dir());
    let runs = runs.map(|run| Results::read(&run).expect("a results folder"));
    let history = History::from(runs.collect(), None).expect("a history");
    check(name, history);
}
