//! `photofinish compare`: two commands, one URL.

use crate::support::{Yard, measurements};

const EVENT_LOOP: &str = "{photofinish} server event-loop --threads 1 --port {port}";
const URL: &str = "http://127.0.0.1:{port}/plaintext";
/// Begins to serve only when it has said so in a file of its own, which the shell makes.
const BY_SHELL: &str = "cd /; test -n \"$GREETING\" && exec {photofinish} server event-loop --threads {threads} --port {port}";

#[test]
fn a_server_against_itself_ends_with_a_table() {
    let yard = Yard::new();
    let ended = yard
        .compare(&[
            EVENT_LOOP, EVENT_LOOP, "--url", URL, "-c", "2,4", "-n", "old", "-n", "new", "-v",
        ])
        .code(0);
    let ended = ended.prints(&[
        "A noise floor, no verdict: old against itself differed by ",
        "requests/s",
        "2 connections",
        "4 connections",
    ]);
    assert!(
        ended.out.lines().any(|line| line.starts_with("old "))
            && ended.out.lines().any(|line| line.starts_with("new "))
    );
    assert_eq!(measurements(&yard.result("compare")).len(), 2 * 2 * 2);
    yard.wait_empty();
}

#[test]
fn what_is_asked_for_must_come_back() {
    let yard = Yard::new();
    let json = ["--url", "http://127.0.0.1:{port}/json", "-c", "2"];
    let mut args = vec![EVENT_LOOP, EVENT_LOOP];
    args.extend(json);
    let expect = [
        "--expect-body",
        "{\"message\":\"Hello, World!\"}",
        "-H",
        "Accept: application/json",
    ];
    yard.compare(&[args.as_slice(), &expect].concat()).code(0);
    yard.compare(&[args.as_slice(), &["--expect-body", "{}"]].concat())
        .code(3)
        .says(&[
            "A failed in round 1",
            "wrong body: expected 2 bytes, got 27",
        ]);
}

#[test]
fn wrong_arguments_are_named() {
    let yard = Yard::new();
    // One of each kind: study/src/tests/compare.rs has all.
    let two = [EVENT_LOOP, EVENT_LOOP];
    let quote = [EVENT_LOOP, "server \"", "--url", URL];
    let cases: [(&[&str], &[&str]); 4] = [
        (&two, &["--url"]),
        (&quote, &["command server", "never closed"]),
        (
            &[EVENT_LOOP, "--url", URL],
            &["the number of commands cannot be 1"],
        ),
        (
            &[&two[..], &["--url", URL, "-H", "nocolon"]].concat(),
            &["-H: there is no colon"],
        ),
    ];
    for (args, says) in cases {
        yard.compare(args).code(2).says(says);
    }
    assert!(yard.results("compare").is_empty());
}

#[test]
fn a_shell_runs_a_command_for_each_value_and_files_are_written() {
    let yard = Yard::new();
    let args = [
        BY_SHELL,
        "-L",
        "threads",
        "1,2",
        "--env",
        "GREETING=hello {port}",
        "--ready-path",
        "/plaintext",
        "--start-timeout",
        "2m",
        "--url",
        URL,
        "-c",
        "2",
        "--json",
        "race.json",
    ];
    yard.compare(&args).code(0).says(&["threads-1, threads-2"]);
    let json = std::fs::read_to_string(yard.path("race.json")).expect("the report");
    let json: serde_json::Value = serde_json::from_str(&json).expect("JSON");
    assert_eq!(json["head"]["targets"].as_array().map(Vec::len), Some(2));
    assert_eq!(measurements(&yard.result("compare")).len(), 2 * 2);

    // Without one the first word is no program.
    let args = [
        BY_SHELL, "-N", "-L", "threads", "1,2", "--url", URL, "-c", "2",
    ];
    yard.compare(&args)
        .code(3)
        .says(&["threads-1 failed in round 1", "cd"]);
    yard.wait_empty();
}

#[test]
fn rates_and_objectives_are_levels_and_a_comparison_is_resumed() {
    let yard = Yard::new();
    let at = |flags: &[&str]| -> crate::support::Ended {
        let common = [EVENT_LOOP, EVENT_LOOP, "--url", URL, "-c", "4"];
        yard.compare(&[&common, flags].concat())
    };
    at(&["--rate", "500,1000", "--arrivals", "constant"]).code(0);
    let dir = yard.result("compare");
    let measured = measurements(&dir);
    assert_eq!(measured.len(), 2 * 2 * 2);
    // A measurement that is missing is made again, and no other.
    let lines = std::fs::read_to_string(dir.join("measurements.jsonl")).expect("measurements");
    let kept: Vec<&str> = lines.lines().take(4).collect();
    std::fs::write(dir.join("measurements.jsonl"), kept.join("\n") + "\n").expect("write");
    at(&["--rate", "500,1000", "--arrivals", "constant", "--resume"]).code(0);
    assert_eq!(measurements(&dir).len(), 2 * 2 * 2);
    at(&["--rate", "500", "--resume"])
        .code(2)
        .says(&["begun with another study"]);
    at(&["--capacity", "p99 > 10ms"])
        .code(2)
        .says(&["--capacity 'p99 > 10ms'"]);
    at(&["--rate", "0"]).code(2).says(&["--rate"]);
    yard.wait_empty();
}
