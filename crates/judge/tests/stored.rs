//! Results folders that lie on disk, and what they were judged to be before judging was rebuilt: every number must still be the
//! same, to the last digit. `before.json` is the JSON report of each folder, version 1.
//!
//! Numbers are looked up by their meaning (this target's p99 at that place), so that the report may change its shape. Not held
//! here are the counts of the validity checks: several of them were wrong, and their own tests hold the right ones.
//!
//! `quickstart` and `compare` are runs of the built-in servers, the others are made up. Windows were left out of all of them.

mod stored {
    pub mod after;
    pub mod before;
    pub mod mended;
}

use std::collections::BTreeMap;
use std::path::PathBuf;

use photofinish_judge::comparison::Comparison;
use photofinish_model::store::Results;

/// Every number (and name, such as that of who is ahead) of a comparison by its meaning.
type Facts = BTreeMap<String, String>;

fn check(folder: &str) {
    let dir = PathBuf::from(env!("CARGO_MANIFEST_DIR"))
        .join("tests/stored")
        .join(folder);
    let text = std::fs::read_to_string(dir.join("before.json")).expect("what was said before");
    let before = stored::before::facts(&serde_json::from_str(&text).expect("JSON"));
    let results = Results::read(&dir).expect("a results folder");
    let after = stored::after::facts(&Comparison::from(&results));
    assert!(before.len() > 50, "{folder}: {} facts only", before.len());
    let differ: Vec<String> = before
        .iter()
        .filter(|(what, value)| after.get(*what) != Some(value))
        .filter(|(what, value)| stored::mended::why(folder, what, value, &after).is_none())
        .map(|(what, value)| format!("{what}: {value}, now {:?}", after.get(what)))
        .collect();
    assert!(
        differ.is_empty(),
        "{folder}: {} of {} facts differ:\n{}",
        differ.len(),
        before.len(),
        differ.join("\n")
    );
}

#[test]
fn a_run_of_the_quickstart() {
    check("quickstart");
}

#[test]
fn a_run_of_compare() {
    check("compare");
}

#[test]
fn the_usual_race() {
    check("usual");
}

#[test]
fn a_race_with_everything() {
    check("rich");
}

#[test]
fn searches_for_capacities() {
    check("sustained");
}

#[test]
fn one_round() {
    check("one-round");
}

#[test]
fn a_smoke_run() {
    check("smoke");
}
