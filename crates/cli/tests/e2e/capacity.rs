//! A study that compares servers by what they sustain.

use serde_json::Value;

use crate::support::{Ended, Yard, measurements};

/// A server that responds after so many milliseconds: over 4 connections it sustains 4,000 / ms a second.
fn delayed(ms: u32) -> String {
    format!(
        r#"
title = "responds after {ms} ms"
[start]
command = ["{{photofinish}}", "server", "delay", "--delay", "{ms}ms", "--port", "{{port}}"]
[ready]
path = "/plaintext"
"#
    )
}

/// `quick` sustains 2,000/s and `slow` 500/s. What fails above that is the rate itself, however busy this machine is: no
/// response takes a minute.
fn yard() -> Yard {
    let yard = Yard::new();
    yard.target("quick", &delayed(2))
        .target("slow", &delayed(8));
    let load = "load = { capacity = \"mean < 60s\", connections = 4, start = 250, step = \"100ms\", precision = 0.5 }";
    yard.study("s", &["quick", "slow"], load);
    yard
}

fn found(line: &Value) -> &Value {
    &line["measurement"]["capacity"]
}

fn run(yard: &Yard, flags: &str) -> Ended {
    yard.run(&format!("run s {flags}"))
}

/// Whether the quicker server sustained more in both rounds.
fn is_ordered(lines: &[Value]) -> bool {
    let of = |target: &str, round: u32| {
        let mut lines = lines.iter();
        let line = lines.find(|line| line["target"] == target && line["round"] == round);
        line.and_then(|line| found(line)["sustained_rps"].as_f64())
    };
    (1..=2).all(|round| of("quick", round) > of("slow", round))
}

#[test]
fn the_server_that_sustains_more_is_reported_with_its_curve() {
    // A machine that stands still twice within 200 ms ends a search far too low.
    let ordered = (0..6).find_map(|_| {
        let yard = yard();
        let ended = run(&yard, "-v").code(0);
        let is_ordered = is_ordered(&measurements(&yard.result("s")));
        is_ordered.then_some((yard, ended))
    });
    let (yard, ended) = ordered.expect("the quicker server sustains more");
    ended
        .says(&["quick: plaintext, capacity (mean < 60s): sustains "])
        .prints(&["capacity (mean < 60s)", "sustained/s", "quick", "slow"]);
    let dir = yard.result("s");
    let lines = measurements(&dir);
    assert_eq!(lines.len(), 4);
    for line in &lines {
        assert_eq!(line["load"]["kind"], "capacity", "{line}");
        assert_eq!(line["load"]["objective"], "mean < 60s");
        assert_eq!(line["measurement"]["load"]["kind"], "open");
        assert_eq!(
            line["measurement"]["throughput_rps"],
            found(line)["sustained_rps"]
        );
        assert_eq!(found(line)["ended"], "found");
        assert!(
            found(line)["steps"]
                .as_array()
                .is_some_and(|steps| steps.len() > 1)
        );
        // Nothing is sustained beyond what the delay allows, but for what is in flight when a step of 100 ms ends.
        let limit = if line["target"] == "quick" {
            2_000.0
        } else {
            500.0
        };
        let held = found(line)["sustained_rps"].as_f64().expect("a rate");
        assert!(held < limit * 1.5, "{line}");
    }
    let folder = dir.display().to_string();
    let markdown = yard.run(&["report", &folder, "--markdown", "-"]).code(0);
    markdown.prints(&["<details><summary>quick: plaintext"]);
    yard.wait_empty();
}

#[test]
fn a_smoke_run_makes_few_steps_and_judges_nothing() {
    let yard = yard();
    run(&yard, "--smoke")
        .code(0)
        .prints(&["Smoke run: 2 of 2 measurements completed"]);
    for line in measurements(&yard.result("s")) {
        let steps = found(&line)["steps"].as_array().map(Vec::len);
        assert!(
            steps.is_some_and(|steps| (1..=4).contains(&steps)),
            "{line}"
        );
    }
    yard.wait_empty();
}

#[test]
fn ctrl_c_within_a_search_keeps_what_is_finished_and_resume_makes_the_rest() {
    let yard = yard();
    let running = yard.start(&["run", "s"]);
    running.wait_for("(1 of 4");
    running.signal("INT");
    running.end().code(3);
    yard.wait_empty();
    let dir = yard.result("s");
    let before = measurements(&dir);
    assert!((1..4).contains(&before.len()), "{}", before.len());
    assert!(before.iter().all(|line| found(line)["ended"] == "found"));
    let folder = dir.display().to_string();
    run(&yard, &format!("--resume {folder}")).code(0);
    let after = measurements(&dir);
    assert_eq!(after.len(), 4);
    assert_eq!(after[..before.len()], before[..]);
    yard.wait_empty();
}
