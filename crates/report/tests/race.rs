//! Reports of made-up races, as they are printed.

use std::collections::BTreeMap;

use photofinish_judge::comparison::Comparison;
use photofinish_judge::threshold::{Condition, Gate};
use photofinish_model::finding::left_out::LeftOut;
use photofinish_model::samples::{self, CLOSED_100, assert_contains};
use photofinish_model::settings::Undecided;
use photofinish_model::store::Results;
use photofinish_model::{Check, Claim, ClaimDirection, Load, Metric, ServiceRecord, check};
use photofinish_report as report;
use photofinish_voice::{checks, errors};

mod parts;

use parts::without_evidence;

const EVENT: &str = "tio-boot@virtual-threads";
const QUARKUS: &str = "quarkus";

/// B's throughputs of five rounds; A's are 1.10 × those × exp(e), e = 0.01, -0.02, 0, 0.02, -0.01,
/// so the ratio is 1.10 and its interval 1.10 × exp(∓ 0.0196324) = [1.0786 … 1.1218].
const B: [f64; 5] = [197_000.0, 199_000.0, 195_000.0, 198_000.0, 196_000.0];
const NOISE: [f64; 5] = [0.01, -0.02, 0.0, 0.02, -0.01];

fn a_over_b(ratio: f64) -> Vec<f64> {
    let b = B.iter().zip(NOISE);
    b.map(|(b, e)| b * ratio * f64::exp(e)).collect()
}

fn two() -> Results {
    samples::race(&[EVENT, QUARKUS], &[&a_over_b(1.10), &B])
}

fn claim(id: &str, metric: Metric, ratio: f64, connections: u32) -> Claim {
    Claim {
        id: id.to_owned(),
        load: Load::Closed { connections },
        ..samples::claim(metric, EVENT, QUARKUS, ratio)
    }
}

fn database(name: &str, version: &str, origin: &str) -> ServiceRecord {
    ServiceRecord {
        name: name.to_owned(),
        kind: "postgresql".to_owned(),
        version: version.to_owned(),
        origin: origin.to_owned(),
        settings: [("fsync", "on"), ("max_connections", "300")]
            .map(|(name, value)| (name.to_owned(), value.to_owned()))
            .into(),
        cpus: vec![0],
        schema: vec!["schemas/menu.sql".to_owned()],
        rows: [("menu".to_owned(), 11)].into(),
        targets: Vec::new(),
    }
}

/// Five rounds with a claim of each outcome, an error, and a rule that fails.
fn full() -> Results {
    let mut results = two();
    results.study.source = Some("a blog, 2025".to_owned());
    results.study.notes = Some("They measured\nonce.\n\nNobody knows why.".to_owned());
    results.study.left_out = vec![LeftOut::Target {
        target: "jetty".to_owned(),
    }];
    results.study.services = vec![
        database("db", "15.14", "/usr/lib/postgresql/15/bin/postgres"),
        database("other", "", ""),
    ];
    results.study.claims = vec![
        claim("a", Metric::Throughput, 1.09, 100),
        claim("b", Metric::Mean, 0.5, 100),
        claim("c", Metric::Max, 0.23, 100),
        claim("d", Metric::Throughput, 0.9, 100),
        claim("e", Metric::Throughput, 1.1, 7),
    ];
    let measurement = results.lines[0].measurement.as_mut().expect("measured");
    measurement.errors = BTreeMap::from([("timeout".to_owned(), 3)]);
    measurement.checks[2] = Check {
        name: check::ERRORS.to_owned(),
        ok: Some(false),
        says: Some(checks::errors(
            3_u64,
            1_094_000_u64,
            errors::counted(&measurement.errors),
            None,
        )),
    };
    for trial in results.trials.iter_mut().filter(|t| t.target == QUARKUS) {
        trial.verified[0].wire_bytes = 116;
    }
    results
}

fn coloured(width: usize) -> report::Screen {
    report::Screen {
        colour: true,
        ..report::Screen::plain(width)
    }
}

fn terminal(results: &Results, width: usize) -> String {
    let text = report::terminal(&Comparison::from(results), report::Screen::plain(width));
    for line in text.lines() {
        assert!(line.chars().count() <= width, "wider than {width}: {line}");
        assert_eq!(line, line.trim_end(), "spaces at the end");
    }
    text
}

#[test]
fn a_full_race_at_120_columns() {
    insta::assert_snapshot!(without_evidence(&terminal(&full(), 120)));
}

#[test]
fn a_full_race_at_80_columns() {
    insta::assert_snapshot!(terminal(&full(), 80));
}

#[test]
fn a_full_race_in_markdown() {
    let markdown = report::markdown(&Comparison::from(&full()));
    insta::assert_snapshot!(without_evidence(&markdown));
}

/// What a pull request's comment shows before a reader unfolds anything.
fn unfolded(markdown: &str) -> Vec<&str> {
    let mut depth = 0;
    let lines = markdown.lines().filter(|line| {
        depth += line.matches("<details>").count();
        let is_shown = depth == 0 && !line.is_empty();
        depth -= line.matches("</details>").count();
        is_shown
    });
    lines.collect()
}

#[test]
fn below_the_table_of_a_pull_request_s_comment_all_is_folded() {
    let markdown = report::markdown(&Comparison::from(&full()));
    let shown = unfolded(&markdown);
    let tables: Vec<usize> = (shown.iter().enumerate())
        .filter(|(_, line)| line.starts_with("| ---"))
        .map(|(at, _)| at)
        .collect();
    assert_eq!(tables.len(), 1, "{shown:#?}");
    assert!(
        !shown.iter().any(|line| line.starts_with("##")),
        "{shown:#?}"
    );
    // The cost, response times that stand still, and what was measured: a line each.
    let below = shown.iter().rev().take_while(|line| !line.starts_with('|'));
    assert!(below.count() <= 5 && shown.len() <= 25, "{shown:#?}");
}

#[test]
fn one_round() {
    let results = samples::race(&["a", "b"], &[&[1100.0], &[1000.0]]);
    insta::assert_snapshot!(without_evidence(&terminal(&results, 80)));
}

#[test]
fn a_smoke_run() {
    let mut results = samples::race(&["a", "b"], &[&[1100.0], &[1000.0]]);
    results.study.settings.smoke = true;
    insta::assert_snapshot!(without_evidence(&terminal(&results, 80)));
}

#[test]
fn failures_and_gaps() {
    let mut results = samples::race(&["a", "b"], &[&[1100.0, 1110.0, 1090.0], &[1000.0]]);
    results.study.settings.rounds = 4;
    results.trials[2].failure = Some(samples::failure("exit status 1"));
    results
        .lines
        .push(samples::failed_line("b", 2, 3, "exit status 1"));
    insta::assert_snapshot!(without_evidence(&terminal(&results, 80)));
}

#[test]
fn no_measurement_at_all() {
    let mut results = samples::race(&["a", "b"], &[&[], &[]]);
    results.study.settings.rounds = 1;
    results
        .lines
        .push(samples::failed_line("a", 1, 1, "exit status 1"));
    insta::assert_snapshot!(terminal(&results, 80));
    let markdown = report::markdown(&Comparison::from(&results));
    assert!(markdown.contains("No verdict: nothing was measured"));
}

#[test]
fn three_targets_at_two_levels() {
    let a = a_over_b(1.5);
    let c = a_over_b(1.0);
    let mut results = samples::race(&["a", "b", "c"], &[&a, &B, &c]);
    results.study.workloads[0].loads = vec![CLOSED_100, Load::Closed { connections: 16 }];
    let mut more = results.lines.clone();
    for line in &mut more {
        line.load = Load::Closed { connections: 16 };
    }
    results.lines.extend(more);
    insta::assert_snapshot!(without_evidence(&terminal(&results, 100)));
}

#[test]
fn hostile_names_do_no_harm() {
    let name = "a|b\u{1b}[2J\n# c\u{202e}<i>";
    let mut results = samples::race(&[name, "b"], &[&[1500.0, 1510.0], &[1000.0, 1010.0]]);
    results.study.title = "title\n| x | y |\u{7}".to_owned();
    let comparison = Comparison::from(&results);
    let text = report::terminal(&comparison, coloured(120));
    assert!(!text.contains('\u{7}') && !text.contains("\u{1b}[2J") && !text.contains('\u{202e}'));
    let markdown = report::markdown(&comparison);
    for line in markdown.lines().filter(|line| line.starts_with('|')) {
        let bars = line.replace("\\|", "").matches('|').count();
        assert!([4, 5, 6, 10].contains(&bars), "{bars} in {line}");
    }
    insta::assert_snapshot!(without_evidence(&markdown));
    let csv = report::csv(&results).expect("CSV");
    assert!(csv.contains("a|b\\u{1b}[2J\\n# c\\u{202e}<i>"), "{csv}");
    assert!(!csv.contains(['\u{1b}', '\u{202e}']), "{csv}");
}

#[test]
fn colours_are_there_only_when_asked_for() {
    let comparison = Comparison::from(&full());
    assert!(!report::terminal(&comparison, report::Screen::plain(80)).contains('\u{1b}'));
    let coloured = report::terminal(&comparison, coloured(80));
    let passed = coloured
        .lines()
        .find(|line| line.ends_with(" passed\u{1b}[0m"));
    let passed = passed.expect("the checks that passed");
    assert!(passed.starts_with("\u{1b}[32m- "), "{passed:?}");
    assert!(!report::colour_allowed(false));
}

#[test]
fn what_a_container_ran_from_is_reported() {
    let mut results = full();
    let image = "docker.io/library/caddy@sha256:0af1 (sha256:12ab)";
    let label = results.study.targets[0].label.clone();
    for trial in results.trials.iter_mut().filter(|t| t.target == label) {
        trial.image = Some(image.to_owned());
    }
    let comparison = Comparison::from(&results);
    let markdown = report::markdown(&comparison);
    assert_contains(&markdown, "image: docker.io/library/caddy@sha256:0af1");
    let json: serde_json::Value = serde_json::from_str(&report::json(&comparison)).expect("JSON");
    assert_eq!(json["images"][0]["images"][0], image);
    let without = report::json(&Comparison::from(&full()));
    assert!(!without.contains("\"images\""));
}

#[test]
fn json_is_the_comparison() {
    let json: serde_json::Value =
        serde_json::from_str(&report::json(&Comparison::from(&full()))).expect("JSON");
    let verdict = &json["cells"][0]["verdicts"][0];
    assert_eq!(verdict["metric"], "throughput");
    assert_eq!(verdict["judgement"]["kind"], "judged");
    assert_eq!(verdict["judgement"]["direction"], "above");
    assert_eq!(verdict["judgement"]["ahead"], EVENT);
    assert_eq!(verdict["says"]["id"], "verdict.faster");
    assert_eq!(
        verdict["says"]["en"],
        "tio-boot@virtual-threads is 10.0% faster than quarkus [7.9% … 12.2%]"
    );
    let low = verdict["interval"]["low"].as_f64().expect("a number");
    assert!((low - 1.078_614_932_5).abs() < 1e-9, "{low}");
    assert_eq!(json["claims"][2]["verdict"], "shown");
    assert_eq!(json["checks"][3]["status"], "not-checked");
    assert_eq!(
        json["cells"][0]["targets"][0]["figures"]["throughput"]["unit"],
        "requests-per-second"
    );
}

#[test]
fn csv_has_a_row_a_line_and_every_figure() {
    let mut results = two();
    results.lines = vec![samples::line(EVENT, 1, 1, 200_000.0)];
    results
        .lines
        .push(samples::failed_line("b", 1, 2, "died, at once"));
    let csv = report::csv(&results).expect("CSV");
    let rows: Vec<&str> = csv.lines().collect();
    assert_eq!(rows.len(), 3);
    let columns = rows[0].split(',').count();
    assert_eq!(rows[1].split(',').count(), columns);
    let pairs: Vec<String> = rows[0]
        .split(',')
        .zip(rows[1].split(','))
        .map(|(name, value)| format!("{name}: {value}"))
        .collect();
    insta::assert_snapshot!(pairs.join("\n"));
    assert!(rows[2].contains("(died, at once)\""));
    // The trial's 0.5 s from start to ready are of each of its measurements.
    assert!(pairs.contains(&"start_up_s: 0.5".to_owned()), "{pairs:?}");
    results.lines.clear();
    assert_eq!(
        report::csv(&results).expect("CSV").lines().next(),
        Some(rows[0])
    );
}

#[test]
fn junit_fails_just_where_the_job_does() {
    let results = full();
    let comparison = Comparison::from(&results);
    let labels = [EVENT, QUARKUS];
    let conditions: Vec<Condition> = [
        "quarkus.p99 > tio-boot@virtual-threads.p99 * 1.05",
        "tio-boot@virtual-threads.p99 > quarkus.p99",
        "tio-boot@virtual-threads.throughput > quarkus.throughput * 1.1",
    ]
    .map(|text| Condition::parse(text, &labels).expect("a condition"))
    .into();
    let reported: Vec<_> = conditions
        .iter()
        .map(|condition| Gate::new(condition, &results, &comparison, Undecided::Pass))
        .collect();
    insta::assert_snapshot!(report::junit(&comparison, &reported).expect("XML"));
    insta::assert_snapshot!("gates_as_markdown", report::gates_markdown(&reported));
}

#[test]
fn what_was_never_measured_is_an_error_of_junit() {
    let mut results = full();
    results
        .lines
        .retain(|line| line.target != QUARKUS || line.round < 4);
    let comparison = Comparison::from(&results);
    let junit = report::junit(&comparison, &[]).expect("XML");
    assert_contains(&junit, "<error message=\"not measured in rounds 4, 5\"/>");
}

#[test]
fn a_noise_floor_beside_every_verdict() {
    let a = a_over_b(1.10);
    let again: Vec<f64> = a
        .iter()
        .zip(NOISE)
        .map(|(a, e)| a * f64::exp(0.001 + e / 4.0))
        .collect();
    let mut results = samples::race(&[EVENT, QUARKUS, "tio-boot-again"], &[&a, &B, &again]);
    results.study.targets[2].same_as = Some(EVENT.to_owned());
    let text = report::terminal(&Comparison::from(&results), report::Screen::plain(110));
    // The copy is no contender, even where it is the fastest.
    assert!(text.contains("tio-boot@virtual-threads +"), "{text}");
    let verdicts = text
        .split("All verdicts")
        .nth(1)
        .and_then(|rest| rest.split("HOW IT WAS MADE").next());
    insta::assert_snapshot!(verdicts.unwrap_or_default());
}

/// Two that lead together, one behind, and a limit of which the first is half.
fn limited() -> Results {
    let a = a_over_b(2.05);
    let other = [-0.01, 0.02, 0.01, -0.02, 0.0];
    let second: Vec<f64> = B
        .iter()
        .zip(other)
        .map(|(b, e)| b * 2.04 * f64::exp(e))
        .collect();
    let limit = B.map(|b| b * 4.1);
    let mut results = samples::race(
        &[EVENT, "tio-boot", QUARKUS, "limit"],
        &[&a, &second, &B, &limit],
    );
    results.study.targets[3].limit = true;
    results
}

#[test]
fn what_compilers_used_is_reported_where_there_are_any() {
    let columns = |results: &Results| terminal(results, 200).matches("compiler").count();
    let mut results = two();
    assert_eq!(columns(&results), 0);
    // A tenth of 0.98 cores in each round, and nothing for the other target.
    for line in results.lines.iter_mut().filter(|l| l.target == EVENT) {
        line.server
            .as_mut()
            .expect("it was looked at")
            .compiling_share = Some(0.1);
    }
    assert_eq!(columns(&results), 1);
    assert_contains(&terminal(&results, 200), "0.0980 cores");
}

#[test]
fn that_the_generator_held_the_limit_back_is_reported() {
    let mut results = limited();
    let reported = |results: &Results| {
        let text = report::markdown(&Comparison::from(results));
        text.contains("In 1 of 5 rounds the load generator was the bottleneck for the limit, which could do more: the shares are upper bounds.")
    };
    assert!(!reported(&results));
    let line = results.lines.iter_mut().find(|line| line.target == "limit");
    let measurement = line.and_then(|line| line.measurement.as_mut());
    for check in &mut measurement.expect("a measurement").checks {
        check.ok = Some(check.name != check::GENERATOR);
    }
    assert!(reported(&results));
}

#[test]
fn a_claim_says_how_exactly_it_was_published() {
    let mut results = two();
    results.study.claims = vec![Claim {
        margin: Some(0.05),
        ..claim("a", Metric::Throughput, 0.968, 100)
    }];
    let text = report::markdown(&Comparison::from(&results));
    assert!(text.contains(" = 0.968 ± 5%, "), "{text}");
}

#[test]
fn a_claim_without_a_figure_states_its_direction() {
    let mut results = two();
    results.study.claims = vec![Claim {
        ratio: None,
        direction: Some(ClaimDirection::More),
        ..claim("a", Metric::Throughput, 1.0, 100)
    }];
    let text = report::markdown(&Comparison::from(&results));
    assert!(text.contains(": holds"), "{text}");
    assert!(
        text.contains(&format!(
            "throughput of {EVENT} over {QUARKUS}: more (no figure given), "
        )),
        "{text}"
    );
}

#[test]
fn a_group_ahead_and_shares_of_the_limit() {
    let text = terminal(&limited(), 110);
    let top = text.split("MAY I TRUST").next();
    insta::assert_snapshot!(without_evidence(top.unwrap_or_default()));
    let markdown = report::markdown(&Comparison::from(&limited()));
    let figures = markdown.split("## Throughput").nth(1);
    let figures = figures.and_then(|rest| rest.split("\n### ").next());
    insta::assert_snapshot!(figures.unwrap_or_default());
    let csv = report::csv(&limited()).expect("CSV");
    let last = |line: &str| line.rsplit(',').next().map(str::to_owned);
    let column: Vec<String> = csv.lines().filter_map(last).collect();
    assert_eq!(column[0], "share_of_limit");
    // B / (4.1 B), and the limit's own, in the first round.
    assert!(column[3].starts_with("0.24390"), "{column:?}");
    assert_eq!(column[4], "1");
}
