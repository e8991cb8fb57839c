//! What runs before each start of a server and after each stop: `--prepare`, `--cleanup`, and the same in target files.

use std::fs;

use crate::support::{Ended, Yard, measurements};

const SERVER: &str =
    "test -f {temp}/filled && exec {photofinish} server event-loop --threads 1 --port {port}";
const BARE: &str = "{photofinish} server event-loop --threads 1 --port {port}";

fn compare(yard: &Yard, flags: &str) -> Ended {
    yard.compare(&format!(
        "{flags} --url http://127.0.0.1:{{port}}/plaintext -c 2"
    ))
}

fn lines(yard: &Yard, name: &str) -> usize {
    let text = fs::read_to_string(yard.path(name)).unwrap_or_default();
    text.lines().count()
}

#[test]
fn each_start_is_prepared_for_and_each_stop_cleaned_up_after() {
    let yard = Yard::new();
    let flags = "--prepare '' --cleanup 'echo {port} >> cleaned' --env WHO=me";
    let both = format!("'{SERVER}' '{BARE}' --prepare 'touch {{temp}}/filled");
    compare(&yard, &format!("{both}; echo $WHO >> prepared' {flags}")).code(0);
    let rounds = measurements(&yard.result("compare")).len() / 2;
    let prepared = fs::read_to_string(yard.path("prepared"));
    assert_eq!(prepared.expect("a file"), "me\n".repeat(rounds));
    assert_eq!(lines(&yard, "cleaned"), 2 * rounds);
    compare(&yard, &format!("{both}' {flags} --resume"))
        .code(2)
        .says(&["begun with another study: targets[0].prepare[2] was"]);
    yard.wait_empty();
}

#[test]
fn one_that_fails_is_named_with_what_it_printed() {
    let yard = Yard::new();
    let prepare = "--prepare true --prepare 'echo no database >&2; exit 7'";
    compare(
        &yard,
        &format!("'{BARE}' '{BARE}' {prepare} --cleanup 'echo x >> cleaned'"),
    )
    .code(3)
    .says(&[
        "B failed in round 1",
        "the `prepare` command before its start failed (exit status 7): sh -c echo no database",
        "| no database",
    ]);
    // Nothing is left to be compared: the race ends with its first round.
    assert_eq!(lines(&yard, "cleaned"), 2);
    yard.wait_empty();
}

#[test]
fn a_cleanup_that_fails_loses_no_measurement() {
    let yard = Yard::new();
    compare(
        &yard,
        &format!("'{BARE}' '{BARE}' --cleanup '' --cleanup 'exit 5'"),
    )
    .code(3)
    .says(&[
        "the `cleanup` command after its stop failed (exit status 5)",
        "trials failed after their last measurement; see above and ",
    ]);
    let all = measurements(&yard.result("compare"));
    assert!(
        all.iter().all(|line| line["measurement"].is_object()),
        "{all:#?}"
    );
    yard.wait_empty();
}

#[test]
fn they_are_refused_for_servers_that_run_already() {
    let yard = Yard::new();
    for flag in ["--prepare", "--cleanup"] {
        let urls = "--url http://127.0.0.1:1/ --url http://127.0.0.1:2/";
        yard.compare(&format!("{urls} {flag} true"))
            .code(2)
            .says(&[flag, "the servers at these URLs run already"]);
    }
    compare(
        &yard,
        &format!("'{BARE}' '{BARE}' --prepare a --prepare b --prepare c"),
    )
    .code(2)
    .says(&["--prepare: it is given 3 times for 2 commands"]);
}

#[test]
fn an_interrupt_while_it_prepares_ends_it_and_cleans_up() {
    let yard = Yard::new();
    let target = r#"
title = "a server"
[start]
command = ["{photofinish}", "server", "event-loop", "--threads", "1", "--port", "{port}"]
prepare = ["sh", "-c", "touch YARD/preparing; sleep 1000"]
[stop]
cleanup = ["touch", "YARD/cleaned"]
"#;
    let target = target.replace("YARD", &yard.path("").display().to_string());
    yard.target("slow", &target).study("s", &["slow"], "");
    let running = yard.start("run s");
    yard.wait_file("preparing", &running);
    running.signal("INT");
    running.end().code(3);
    assert!(yard.path("cleaned").exists());
    yard.wait_empty();
}
