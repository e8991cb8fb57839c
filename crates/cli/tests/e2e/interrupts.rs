//! What a signal leaves besides results: a server that does not stop, a load run, and the command that resumes. See signals.rs for the phases
//! of a run.

use std::fs;

use crate::support::{GOOD, Server, Yard, measurements, script, wait_until};

#[test]
fn a_second_signal_ends_a_server_that_does_not_stop() {
    // It says that it was asked to stop, and goes on; each twentieth of a second it leaves a line.
    let goes_on = script(
        "trap 'touch YARD/asked' TERM; touch YARD/begun; echo {port}; while :; do echo >> YARD/ticks; sleep 0.05; done",
    )
    .replace("[ready]", "[stop]\ngrace = \"300s\"\n[ready]");
    let yard = Yard::new();
    let goes_on = goes_on.replace("YARD", &yard.path("").display().to_string());
    yard.target("a", &goes_on).study("s", &["a"], "");
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
    let server = Server::start(&yard, &["event-loop", "--threads", "1"]);
    let url = server.url("/plaintext");
    for signal in ["INT", "TERM"] {
        let running = yard.start(&["load", &url, "-c", "2", "-d", "10m", "--json"]);
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
