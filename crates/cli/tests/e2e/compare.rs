//! `photofinish compare`: two commands, one URL.

use crate::support::{Yard, measurements};

const EVENT_LOOP: &str = "{photofinish} server event-loop --threads 1 --port {port}";
const URL: &str = "--url http://127.0.0.1:{port}/plaintext";
/// Begins to serve only when it has said so in a file of its own, which the shell makes.
const BY_SHELL: &str = "cd /; test -n \"$GREETING\" && exec {photofinish} server event-loop --threads {threads} --port {port}";

#[test]
fn a_server_against_itself_ends_with_a_table() {
    let yard = Yard::new();
    let ended = yard.compare(&format!(
        "'{EVENT_LOOP}' '{EVENT_LOOP}' {URL} -c 2,4 -n old -n new -v"
    ));
    let ended = ended.code(0).prints(&[
        "A noise floor, no verdict: old against itself differed by ",
        "requests/s",
        "2 connections",
        "4 connections",
    ]);
    for name in ["old ", "new "] {
        assert!(ended.out.lines().any(|line| line.starts_with(name)));
    }
    assert_eq!(measurements(&yard.result("compare")).len(), 2 * 2 * 2);
    yard.wait_empty();
}

#[test]
fn what_is_asked_for_must_come_back() {
    let yard = Yard::new();
    let compare = |flags: &str| {
        let url = "--url http://127.0.0.1:{port}/json -c 2";
        yard.compare(&format!("'{EVENT_LOOP}' '{EVENT_LOOP}' {url} {flags}"))
    };
    let body = r#"--expect-body '{"message":"Hello, World!"}' -H 'Accept: application/json'"#;
    compare(body).code(0);
    let says = [
        "A failed in round 1",
        "wrong body: expected 2 bytes, got 27",
    ];
    compare("--expect-body {}").code(3).says(&says);
}

#[test]
fn a_shell_runs_a_command_for_each_value_and_files_are_written() {
    let yard = Yard::new();
    let values = format!("-L threads 1,2 {URL} -c 2");
    let started = "--env 'GREETING=hello {port}' --ready-path /plaintext --start-timeout 2m";
    yard.compare(&format!("'{BY_SHELL}' {values} {started} --json race.json"))
        .code(0)
        .says(&["threads-1, threads-2"]);
    let json = std::fs::read_to_string(yard.path("race.json")).expect("the report");
    let json: serde_json::Value = serde_json::from_str(&json).expect("JSON");
    assert_eq!(json["head"]["targets"].as_array().map(Vec::len), Some(2));
    assert_eq!(measurements(&yard.result("compare")).len(), 2 * 2);
    // Without one the first word is no program.
    let ended = yard.compare(&format!("'{BY_SHELL}' -N {values}"));
    ended.code(3).says(&["threads-1 failed in round 1", "cd"]);
    yard.wait_empty();
}

#[test]
fn rates_and_objectives_are_levels_and_a_comparison_is_resumed() {
    let yard = Yard::new();
    let at =
        |flags: &str| yard.compare(&format!("'{EVENT_LOOP}' '{EVENT_LOOP}' {URL} -c 4 {flags}"));
    at("--rate 500,1000 --arrivals constant").code(0);
    let dir = yard.result("compare");
    assert_eq!(measurements(&dir).len(), 2 * 2 * 2);
    // A measurement that is missing is made again, and no other.
    let file = dir.join("measurements.jsonl");
    let lines = std::fs::read_to_string(&file).expect("measurements");
    let kept: Vec<&str> = lines.lines().take(4).collect();
    std::fs::write(&file, kept.join("\n") + "\n").expect("write");
    at("--rate 500,1000 --arrivals constant --resume").code(0);
    assert_eq!(measurements(&dir).len(), 2 * 2 * 2);
    for (flags, says) in [
        ("--rate 500 --resume", "begun with another study"),
        ("--capacity 'p99 > 10ms'", "--capacity 'p99 > 10ms'"),
        ("--rate 0", "`0` is out of range"),
    ] {
        at(flags).code(2).says(&[says]);
    }
    yard.wait_empty();
}
