//! Ctrl-C and SIGTERM at every stage of a run: no process is left, what was measured is kept, and
//! `--resume` finishes the study without measuring anything twice.

use std::collections::BTreeSet;
use std::fs;

use crate::support::{GOOD, Yard, measurements, place, records, script, wait_until};

/// Targets × levels × rounds of the study below.
const ALL: usize = 2 * 3 * 2;

/// A study of `good` and `slow`; what makes `slow` slow ends when the file `quick` is there.
fn yard(slow: &str, more: &str) -> Yard {
    let yard = Yard::new();
    let slow = slow.replace("YARD", &yard.path("").display().to_string());
    yard.target("good", GOOD).target("slow", &slow);
    let duration = if more.contains("duration") {
        ""
    } else {
        "duration = \"100ms\"\n"
    };
    yard.study(
        "s",
        &["slow", "good"],
        &format!("connections = [1, 2, 3]\n{duration}{more}"),
    );
    yard
}

/// Runs the study, sends `signal` when `stage` is reached, and resumes it with `resume`.
fn interrupted(yard: &Yard, signal: &str, stage: impl Fn(&str) -> bool, resume: &[&str]) {
    let running = yard.start(&["run", "s"]);
    wait_until("the stage is reached", || {
        let err = running.err();
        if stage(&err) { Ok(()) } else { Err(err) }
    });
    running.signal(signal);
    let ended = running.end().code(3);
    yard.wait_empty();
    let dir = yard.result("s");
    let relative = dir
        .strip_prefix(yard.path(""))
        .expect("below")
        .display()
        .to_string();
    let ended = ended.says(&[&format!(
        "Resume with: photofinish run s --resume {relative}"
    )]);
    assert!(
        ended.out.contains(&format!("{relative}/report.html")),
        "{}",
        ended.out
    );

    let before = measurements(&dir);
    assert!(before.len() < ALL, "it was interrupted too late");
    for line in &before {
        assert!(
            line["measurement"].is_object(),
            "what was under way is not recorded: {line}"
        );
    }
    let seed = records_of(&dir)["seed"].clone();

    fs::write(yard.path("quick"), "").expect("a file");
    let mut args = vec!["run", "s", "--resume"];
    args.extend(resume);
    yard.run(&args).code(0);
    let after = measurements(&dir);
    assert_eq!(
        after[..before.len()],
        before,
        "what was measured is kept as it was"
    );
    let places: BTreeSet<String> = after.iter().map(place).collect();
    assert_eq!(
        (after.len(), places.len()),
        (ALL, ALL),
        "each is measured once"
    );
    assert_eq!(records_of(&dir)["seed"], seed);
    assert_eq!(yard.results("s").len(), 1);
    // Nothing is left to do, and nothing is done.
    yard.run(&args).code(0);
    assert_eq!(measurements(&dir), after);
    yard.wait_empty();
}

fn records_of(dir: &std::path::Path) -> serde_json::Value {
    let text = fs::read_to_string(dir.join("study.json")).expect("study.json");
    serde_json::from_str(&text).expect("JSON")
}

const SIGNALS: [&str; 2] = ["INT", "TERM"];

#[test]
fn while_a_target_is_built() {
    for signal in SIGNALS {
        let build = "[build]\ncommand = [\"sh\", \"-c\", \"touch YARD/begun; [ -e YARD/quick ] || sleep 600\"]\n[start]";
        let yard = yard(&GOOD.replace("[start]", build), "");
        let begun = yard.path("begun");
        interrupted(&yard, signal, |_| begun.exists(), &[]);
    }
}

#[test]
fn while_a_server_starts() {
    for signal in SIGNALS {
        let slow = "touch YARD/begun; [ -e YARD/quick ] || sleep 600\n\
                    exec {photofinish} server event-loop --threads 1 --port {port}";
        let yard = yard(&script(slow), "");
        let begun = yard.path("begun");
        interrupted(&yard, signal, |_| begun.exists(), &[]);
    }
}

#[test]
fn while_a_server_warms_up() {
    for signal in SIGNALS {
        let yard = yard(GOOD, "warmup = { min = \"30s\", max = \"60s\" }");
        interrupted(
            &yard,
            signal,
            |err| err.contains(": warming up on"),
            &["--warmup", "0"],
        );
    }
}

#[test]
fn in_the_middle_of_a_measurement() {
    for signal in SIGNALS {
        let yard = yard(GOOD, "duration = \"300ms\"");
        // The third measurement has just ended, and the next begins.
        interrupted(&yard, signal, |err| err.contains("(3 of 12,"), &[]);
    }
}

#[test]
fn a_second_signal_ends_it_at_once() {
    // It does not stop when it is asked to, and has long to do so.
    let stubborn = script("trap '' TERM; touch YARD/begun; echo {port}; while :; do sleep 1; done")
        .replace("[ready]", "[stop]\ngrace = \"300s\"\n[ready]");
    let yard = yard(&stubborn, "");
    let running = yard.start(&["run", "s"]);
    wait_until("the server starts", || {
        if yard.path("begun").exists() {
            Ok(())
        } else {
            Err(running.err())
        }
    });
    running.signal("INT");
    running.signal("TERM");
    let ended = running.end();
    assert_eq!(ended.status.code(), Some(130), "{}", ended.err);
    yard.wait_empty();
}

#[test]
fn a_second_signal_ends_a_server_that_does_not_stop() {
    // It says that it was asked to stop, and goes on; each twentieth of a second it leaves a line.
    let goes_on = script(
        "trap 'touch YARD/asked' TERM; touch YARD/begun; echo {port}; while :; do echo >> YARD/ticks; sleep 0.05; done",
    )
    .replace("[ready]", "[stop]\ngrace = \"300s\"\n[ready]");
    let yard = yard(&goes_on, "");
    let exists = |name: &str| match yard.path(name).exists() {
        true => Ok(()),
        false => Err(format!("there is no {name}")),
    };
    let ticks = || fs::read(yard.path("ticks")).map_or(0, |ticks| ticks.len());
    let running = yard.start(&["run", "s"]);
    wait_until("the server starts", || exists("begun"));
    running.signal("INT");
    wait_until("the server is asked to stop", || exists("asked"));
    running.signal("INT");
    let ended = running.end();
    assert_eq!(ended.status.code(), Some(130), "{}", ended.err);
    let then = ticks();
    yard.wait_empty();
    // The two seconds that a server has where photofinish is gone would be forty.
    assert!(ticks() < then + 20, "{then}, then {}", ticks());
}

#[test]
fn a_load_run_reports_what_was_measured_until_then() {
    let yard = Yard::new();
    let server = crate::support::Server::start(&yard, &["event-loop", "--threads", "1"]);
    for signal in SIGNALS {
        let running = yard.start(&[
            "load",
            &server.url("/plaintext"),
            "-c",
            "2",
            "-d",
            "10m",
            "--json",
        ]);
        running.wait_for("1.0 s");
        running.signal(signal);
        let ended = running.end().code(0);
        let measured = ended.json();
        assert!(measured["requests"].as_u64() > Some(0));
        assert!(
            measured["duration_s"].as_f64().is_some_and(|s| s < 600.0),
            "{measured}"
        );
    }
    drop(server);
    yard.wait_empty();
}

#[test]
fn trials_that_were_not_held_are_not_recorded() {
    let yard = yard(GOOD, "warmup = { min = \"30s\", max = \"60s\" }");
    let running = yard.start(&["run", "s"]);
    running.wait_for(": warming up on");
    running.signal("INT");
    running
        .end()
        .code(3)
        .prints(&["No verdict: nothing was measured"]);
    assert!(records(&yard.result("s").join("trials.jsonl")).is_empty());
}

#[test]
fn the_command_that_resumes_has_every_flag() {
    let yard = Yard::new();
    yard.target("good", GOOD).target("further", GOOD).study(
        "s",
        &["good"],
        "connections = [1, 2, 3]\nduration = \"300ms\"",
    );
    let asked = ["run", "s", "--with", "further", "--rounds", "3"];
    let running = yard.start(&asked);
    running.wait_for("(2 of 18,");
    running.signal("INT");
    let ended = running.end().code(3);
    let reported = ended.err.split("Resume with: photofinish ").nth(1);
    let reported = reported
        .expect("how to resume")
        .lines()
        .next()
        .expect("a line");
    let words: Vec<&str> = reported.split(' ').collect();
    assert_eq!(words[..asked.len()], asked);
    assert_eq!(words[asked.len()], "--resume");
    yard.run(&words).code(0);
    let lines = measurements(&yard.result("s"));
    let further = lines.iter().filter(|line| line["target"] == "further");
    assert_eq!((lines.len(), further.count()), (18, 9));
    yard.wait_empty();
}
