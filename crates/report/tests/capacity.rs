//! Reports of made-up searches for what servers sustain, as they are printed.

use photofinish_judge::comparison::Comparison;
use photofinish_model::capacity::Found;
use photofinish_model::samples;
use photofinish_model::store::Results;
use photofinish_report as report;

mod parts;

use parts::without_evidence;

/// B's rates; A's are 1.10 × those × exp(e), e = 0.01, -0.02, 0, 0.02, -0.01: [1.0786 … 1.1218].
const B: [f64; 5] = [19_700.0, 19_900.0, 19_500.0, 19_800.0, 19_600.0];
const NOISE: [f64; 5] = [0.01, -0.02, 0.0, 0.02, -0.01];

fn found(rate: f64) -> Found {
    samples::found(Some(rate), Some(rate * 1.01))
}

fn sure() -> Results {
    let a: Vec<Found> = B
        .iter()
        .zip(NOISE)
        .map(|(b, e)| found(b * 1.10 * f64::exp(e)))
        .collect();
    let b: Vec<Found> = B.iter().map(|rate| found(*rate)).collect();
    samples::capacity_race(&["new", "old"], &[&a, &b])
}

/// A lower bound against a server that holds nothing in one round.
fn doubtful() -> Results {
    let mut a = [found(20_000.0), found(20_000.0)];
    a[1].generator_limited = true;
    let b = [found(19_000.0), samples::found(None, Some(1.0))];
    samples::capacity_race(&["new", "old"], &[&a, &b])
}

#[test]
fn a_report_says_who_sustains_more_and_shows_the_curves() {
    let text = report::terminal(&Comparison::from(&sure()), report::Screen::plain(100));
    insta::assert_snapshot!(
        "sustained",
        without_evidence(text.split("MAY I TRUST").next().unwrap_or_default())
    );
}

#[test]
fn markdown_folds_the_curves() {
    let text = report::markdown(&Comparison::from(&sure()));
    let curves = text.split("## Capacity").nth(1).expect("curves");
    insta::assert_snapshot!("curves", curves.split("\n### ").next().unwrap_or_default());
}

#[test]
fn lower_bounds_and_rounds_without_a_rate_are_reported() {
    let text = report::terminal(&Comparison::from(&doubtful()), report::Screen::plain(100));
    insta::assert_snapshot!(
        "doubtful",
        without_evidence(text.split("MAY I TRUST").next().unwrap_or_default())
    );
}

#[test]
fn csv_and_json_have_the_rate_and_what_it_is_worth() {
    let results = doubtful();
    let csv = report::csv(&results).expect("CSV");
    let mut lines = csv.lines();
    let header: Vec<&str> = lines.next().expect("a header").split(',').collect();
    let column = |name: &str| {
        let place = header.iter().position(|column| *column == name);
        place.unwrap_or_else(|| panic!("no {name}"))
    };
    let rows: Vec<Vec<&str>> = lines.map(|line| line.split(',').collect()).collect();
    let of = |target: &str, round: &str, name: &str| {
        let mut rows = rows.iter();
        let row = rows.find(|row| row[column("target")] == target && row[0] == round);
        row.expect("a row")[column(name)]
    };
    assert_eq!(of("new", "1", "load"), "capacity");
    assert_eq!(of("new", "1", "objective"), "p99 < 10ms");
    assert_eq!(of("new", "1", "throughput_rps"), "20000");
    assert_eq!(of("new", "1", "sustained_is_lower_bound"), "false");
    assert_eq!(of("new", "2", "sustained_is_lower_bound"), "true");
    assert_eq!(of("old", "2", "sustained_rps"), "");
    assert_eq!(of("old", "2", "failed_rps"), "1");
    assert_eq!(of("old", "2", "search_ended"), "found");
    let json: serde_json::Value =
        serde_json::from_str(&report::json(&Comparison::from(&results))).expect("JSON");
    let sustained = &json["cells"][0]["targets"][0]["sustained"];
    assert_eq!(sustained["lower_bound"], serde_json::json!([2]));
    assert_eq!(sustained["curve"].as_array().map(Vec::len), Some(2));
}

#[test]
fn a_page_can_be_made() {
    let results = sure();
    let comparison = Comparison::from(&results);
    let page =
        report::html(&results, &comparison, Some(photofinish_voice::Language::En)).expect("a page");
    assert!(page.contains("capacity"));
}
