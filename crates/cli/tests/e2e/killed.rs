//! `kill -9` of photofinish: its servers end with it, and nothing is in the way of the next run.

use std::fs::{self, OpenOptions};
use std::io::Write;
use std::net::TcpListener;

use crate::support::{GOOD, Yard, measurements, wait_until};

#[test]
fn during_a_measurement() {
    let yard = Yard::new();
    let port = TcpListener::bind("127.0.0.1:0")
        .and_then(|l| l.local_addr())
        .expect("a port")
        .port();
    // On a fixed port, where a server that is left would be in the way of its successor.
    yard.target(
        "a",
        &GOOD.replace("[start]", &format!("[start]\nport = {port}")),
    )
    .target("b", GOOD)
    .study(
        "s",
        &["a", "b"],
        "connections = [1, 2, 3]\nduration = \"300ms\"",
    );
    let running = yard.start(&["run", "s"]);
    running.wait_for("(4 of 12,");
    running.signal("KILL");
    let ended = running.end();
    assert_eq!(ended.status.code(), None);
    yard.wait_empty();
    let old = yard.result("s");
    let before = measurements(&old);
    assert!((4..12).contains(&before.len()), "{}", before.len());

    // A new run, beside the old one's folder.
    yard.run(&["run", "s", "--rounds", "1"]).code(0);
    assert_eq!(yard.results("s").len(), 2);
    // A line that was torn when it was killed is measured again.
    let mut file = OpenOptions::new()
        .append(true)
        .open(old.join("measurements.jsonl"))
        .expect("measurements");
    file.write_all(b"{\"version\":1,\"round\":2,\"tar")
        .expect("written");
    yard.run(&["run", "s", "--resume", &old.display().to_string()])
        .code(0);
    let after = measurements(&old);
    assert_eq!(after.len(), 12);
    assert_eq!(after[..before.len()], before);
    yard.wait_empty();
}

#[test]
fn during_a_build() {
    let yard = Yard::new();
    let here = yard.path("").display().to_string();
    let build = format!(
        "[build]\ncommand = [\"sh\", \"-c\", \"touch {here}/begun half; [ -e {here}/quick ] || sleep 600\"]\n[start]"
    );
    yard.target("a", &GOOD.replace("[start]", &build))
        .study("s", &["a"], "rounds = 1");
    let running = yard.start(&["run", "s"]);
    wait_until("the build begins", || {
        if yard.path("begun").exists() {
            Ok(())
        } else {
            Err(running.err())
        }
    });
    running.signal("KILL");
    running.end();
    fs::write(yard.path("quick"), "").expect("a file");
    // At once: the lock on the cache was let go, and what was half built is built anew.
    yard.run(&["run", "s"]).code(0).says(&["built a"]);
    yard.wait_empty();
}

#[test]
fn two_runs_at_once_do_not_write_into_one_folder() {
    let yard = Yard::new();
    yard.target("a", GOOD).study(
        "s",
        &["a"],
        "rounds = 1\nwarmup = { min = \"30s\", max = \"60s\" }",
    );
    let running = yard.start(&["run", "s"]);
    running.wait_for(": warming up on");
    let folder = yard.result("s").display().to_string();
    yard.run(&["run", "s", "--resume", &folder])
        .code(3)
        .says(&["another photofinish is writing it"]);
    running.signal("INT");
    running.end().code(3);
    yard.wait_empty();
}
