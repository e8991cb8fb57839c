//! Verdicts computed a second time by docs/statistics.md, in another language (`scripts/recompute.py`): each must be the same.

use std::path::{Path, PathBuf};
use std::process::Command;

use photofinish_judge::comparison::{Comparison, Verdict};
use photofinish_model::Metric;
use photofinish_model::store::Results;
use photofinish_stats::Direction;
use serde_json::{Value, json};

/// The chain that gives the bounds is followed on another grid there.
const CLOSE: f64 = 1e-3;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// What the script computes of a folder whose pairs are invalid as listed.
fn recomputed(folder: &Path, invalid: &[Value]) -> Vec<Value> {
    let temp = tempfile::tempdir().expect("a folder");
    let file = temp.path().join("invalid.json");
    std::fs::write(&file, json!(invalid).to_string()).expect("a file");
    let done = Command::new("python3")
        .arg(root().join("scripts/recompute.py"))
        .args([folder, &file])
        .output()
        .expect("python3 runs: install it, the test needs nothing but its standard library");
    let errors = String::from_utf8_lossy(&done.stderr);
    assert!(done.status.success(), "{}: {errors}", folder.display());
    serde_json::from_slice(&done.stdout).expect("JSON")
}

fn direction(direction: Direction) -> &'static str {
    match direction {
        Direction::Above => "above",
        Direction::Below => "below",
        Direction::Tie => "tie",
        Direction::Undecided => "undecided",
    }
}

/// Compares all verdicts of a folder; returns how many there are.
fn compare(folder: &Path) -> usize {
    let results = Results::read(folder).expect("a results folder");
    let comparison = Comparison::from(&results);
    let verdicts = || {
        comparison
            .cells
            .iter()
            .flat_map(|cell| cell.verdicts.iter().map(move |of| (cell, of)))
    };
    let invalid: Vec<Value> = verdicts()
        .filter(|(_, verdict)| verdict.void().is_some())
        .map(|(cell, of)| json!([of.metric, cell.workload, cell.load, of.of, of.over]))
        .collect();
    let found = recomputed(folder, &invalid);
    let mut seen = 0;
    for (cell, verdict) in verdicts() {
        let (Some(ratio), Some(interval), Some(of)) =
            (verdict.ratio, verdict.interval, verdict.direction())
        else {
            continue;
        };
        let is_it = |one: &&Value| {
            one["metric"] == json!(verdict.metric)
                && one["workload"] == json!(cell.workload)
                && one["load"] == json!(cell.load)
                && one["of"] == json!(verdict.of)
                && one["over"] == json!(verdict.over)
        };
        let what = format!(
            "{}, {} at {}: {:?} of {} over {}",
            folder.display(),
            cell.workload,
            cell.level.en,
            verdict.metric,
            verdict.of,
            verdict.over
        );
        let other = found
            .iter()
            .find(is_it)
            .unwrap_or_else(|| panic!("{what}: not recomputed"));
        assert_eq!(
            other["direction"],
            direction(of),
            "{what}: {other} {interval:?}"
        );
        for (name, own) in [
            ("ratio", ratio),
            ("low", interval.low),
            ("high", interval.high),
        ] {
            let theirs = other[name].as_f64().expect("a number");
            let off = (own.ln() - theirs.ln()).abs();
            let half = (interval.high / interval.low).ln().max(1e-9);
            assert!(
                off < CLOSE * half.max(1e-6) + 1e-9,
                "{what}: {name} is {own}, recomputed {theirs}"
            );
        }
        seen += 1;
    }
    assert_eq!(found.len(), seen, "{}", folder.display());
    seen
}

fn stored(name: &str) -> PathBuf {
    let tests = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/stored");
    tests.join(name)
}

#[test]
fn stored_runs_are_recomputed_in_another_language() {
    let folders = ["usual", "compare", "quickstart"];
    let all: usize = folders.iter().map(|name| compare(&stored(name))).sum();
    assert!(all > 100, "{all}");
}

/// In turns, with excluded turns, at unequal core speed, with more rounds than seven.
const RACES: [&str; 4] = [
    "equal-speed-own-1.03",
    "own-bursts-other",
    "undecided-within-margin",
    "eight-rounds",
];

/// The same race, had its rounds been added until it is decided, up to a cap.
fn until_decided(name: &str, cap: u32) -> tempfile::TempDir {
    let temp = tempfile::tempdir().expect("a folder");
    for entry in std::fs::read_dir(stored(name)).expect("files") {
        let path = entry.expect("a file").path();
        let to = temp.path().join(path.file_name().expect("a name"));
        std::fs::copy(&path, to).expect("a copy");
    }
    let file = temp.path().join("study.json");
    let mut study: Value =
        serde_json::from_slice(&std::fs::read(&file).expect("a study")).expect("JSON");
    study["settings"]["max_rounds"] = cap.into();
    std::fs::write(&file, study.to_string()).expect("a study");
    temp
}

/// As they were run, and had they been analysed until they were decided.
#[test]
fn races_in_turns_are_recomputed_in_another_language() {
    for name in RACES {
        assert!(compare(&stored(name)) > 0, "{name}");
        for cap in [7, 20] {
            assert!(compare(until_decided(name, cap).path()) > 0, "{name}");
        }
    }
}

fn throughput(name: &str) -> Vec<Verdict> {
    let results = Results::read(&stored(name)).expect("a results folder");
    let cells = Comparison::from(&results).cells;
    let all = cells.into_iter().flat_map(|cell| cell.verdicts);
    all.filter(|verdict| verdict.metric == Metric::Throughput)
        .collect()
}

/// The calibration loop is 3% slower next to the first server, by its own doing: what the turns can show of that is less than the margin, so
/// nothing is corrected, and none of these equal servers is called faster.
#[test]
fn a_server_is_not_forgiven_what_it_does_to_its_core() {
    let verdicts = throughput("equal-speed-own-1.03");
    assert_eq!(verdicts.len(), 10);
    assert!(verdicts.iter().all(|verdict| verdict.ahead().is_none()));
}

/// Without the turns in which it has bursts the first server is 5% faster; with them it is equal.
#[test]
fn a_server_with_bursts_of_its_own_is_hedged() {
    let verdicts = throughput("own-bursts-other");
    let notes = verdicts.iter().flat_map(|verdict| &verdict.notes);
    let mut ids = notes.map(|note| &*note.says.id);
    assert!(ids.any(|id| id == "note.if_interference"), "{verdicts:?}");
}

#[test]
fn pairs_whose_ordinary_intervals_lie_within_the_margin_tie() {
    let verdicts = throughput("undecided-within-margin");
    assert!(
        verdicts
            .iter()
            .all(|verdict| verdict.direction() == Some(Direction::Tie))
    );
}

/// From the eighth round on one correlation is estimated for all twelve pairs: intervals are no wider than with seven rounds (±1.06%, root mean square).
#[test]
fn intervals_do_not_widen_from_the_eighth_round_on() {
    let squares = |rounds: u32| {
        let mut results = Results::read(&stored("eight-rounds")).expect("a results folder");
        results.lines.retain(|line| line.round <= rounds);
        results.trials.retain(|trial| trial.round <= rounds);
        results.study.settings.rounds = rounds;
        let cells = Comparison::from(&results).cells;
        let verdicts = cells.iter().flat_map(|cell| &cell.verdicts);
        let intervals = verdicts.filter(|verdict| verdict.metric == Metric::Throughput);
        let halves = intervals.map(|verdict| {
            let interval = verdict.interval.expect("an interval");
            (interval.high / interval.low).ln() / 2.0
        });
        let halves: Vec<f64> = halves.collect();
        assert_eq!(halves.len(), 12);
        (halves.iter().map(|half| half * half).sum::<f64>() / 12.0).sqrt()
    };
    let (seven, eight) = (squares(7), squares(8));
    println!(
        "±{:.2}% with seven rounds, ±{:.2}% with eight",
        100.0 * seven,
        100.0 * eight
    );
    assert!(eight < 1.1 * seven, "{seven} {eight}");
}
