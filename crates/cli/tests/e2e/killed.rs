//! `kill -9` of photofinish: its servers end with it, and nothing is in the way of the next run.

use std::fs::{self, OpenOptions};
use std::io::Write;
use std::net::TcpListener;
use std::path::Path;
use std::process::Command;

use crate::support::{GOOD, Running, Yard, measurements, script, wait_until};

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
    yard.write("quick", "");
    // At once: the lock on the cache was let go, and what was half built is built anew.
    yard.run(&["run", "s"]).code(0).says(&["built a"]);
    yard.wait_empty();
}

#[test]
fn two_runs_at_once_do_not_write_into_one_folder() {
    let yard = Yard::of(
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

/// The processes of a yard whose program passes.
fn processes_of(yard: &Yard, is_wanted: impl Fn(&Path) -> bool) -> Vec<u32> {
    let pids = yard.processes().into_iter();
    let pids = pids.filter_map(|line| line.split(':').next()?.parse::<u32>().ok());
    pids.filter(|pid| {
        let program = fs::read_link(format!("/proc/{pid}/exe")).unwrap_or_default();
        is_wanted(&program)
    })
    .collect()
}

/// Kills them together.
fn kill(pids: &[u32]) {
    let mut kill = Command::new("kill");
    kill.arg("-9").args(pids.iter().map(u32::to_string));
    // Some end with those before them.
    kill.output().expect("kill");
}

/// Starts a server with children, one of which has left its session and its environment; returns the run when all are there.
fn with_children(yard: &Yard) -> Running {
    let hidden = yard.path("hidden").display().to_string();
    let server = script(&format!(
        "sleep 6001 & (env -i setsid sleep 6002 & echo $! > {hidden}) ; {{photofinish}} server event-loop --threads 1 --port {{port}}"
    ));
    yard.target("a", &server).study(
        "s",
        &["a"],
        "rounds = 1\nwarmup = { min = \"60s\", max = \"90s\" }",
    );
    fs::create_dir(yard.path("tmp")).expect("a folder");
    let mut command = yard.command(&["run", "s"]);
    // Leftovers of other tests are theirs.
    command.env("TMPDIR", yard.path("tmp"));
    let running = Running::start(command);
    running.wait_for(": warming up on");
    running
}

fn is_sleep(program: &Path) -> bool {
    // Of coreutils, or of a program that has many.
    !program.ends_with("photofinish")
        && !program.ends_with("sh")
        && !program.ends_with("dash")
        && !program.ends_with("bash")
}

/// Whether a process that has left everything behind still runs.
fn hidden_runs(yard: &Yard) -> bool {
    let pid = fs::read_to_string(yard.path("hidden")).expect("a number");
    let status = fs::read_to_string(format!("/proc/{}/stat", pid.trim()));
    status.is_ok_and(|status| status.contains("(sleep)") && !status.contains(") Z "))
}

/// Whether servers have groups here.
fn has_groups(yard: &Yard) -> bool {
    let pids = processes_of(yard, is_sleep);
    let groups = pids
        .iter()
        .map(|pid| fs::read_to_string(format!("/proc/{pid}/cgroup")));
    let mut groups = groups.flatten();
    groups.any(|groups| groups.contains("/photofinish-"))
}

#[test]
fn all_photofinishes_at_once() {
    let yard = Yard::new();
    let running = with_children(&yard);
    let has_groups = has_groups(&yard);
    let ours = processes_of(&yard, |program| program.ends_with("photofinish"));
    assert!(
        ours.len() >= 3,
        "photofinish, a keeper and a server: {ours:?}"
    );
    kill(&ours);
    running.end();
    // By the guard, which is no photofinish.
    yard.wait_empty();
    wait_until("the hidden process is gone", || {
        match has_groups && hidden_runs(&yard) {
            true => Err("it runs".to_owned()),
            false => Ok(()),
        }
    });
    let mut next = yard.command(&["doctor", "--quick"]);
    next.env("TMPDIR", yard.path("tmp"));
    Running::start(next)
        .end()
        .code(0)
        .says(&["an earlier photofinish, was killed; its folders are removed: "]);
    let left: Vec<_> = fs::read_dir(yard.path("tmp"))
        .expect("a folder")
        .flatten()
        .collect();
    assert!(left.is_empty(), "{left:?}");
}

#[test]
fn all_photofinishes_and_their_guards_at_once() {
    let yard = Yard::new();
    let running = with_children(&yard);
    let has_groups = has_groups(&yard);
    kill(&processes_of(&yard, |program| !is_sleep(program)));
    running.end();
    let left = processes_of(&yard, is_sleep);
    assert!(!left.is_empty());
    let mut next = yard.command(&["doctor", "--quick"]);
    next.env("TMPDIR", yard.path("tmp"));
    Running::start(next).end().code(0).says(&[
        "was killed; what it left is ended: sleep (",
        "its folders are removed: ",
    ]);
    yard.wait_empty();
    assert!(!(has_groups && hidden_runs(&yard)));
    let mut again = yard.command(&["doctor", "--quick"]);
    again.env("TMPDIR", yard.path("tmp"));
    let again = Running::start(again).end().code(0);
    again.never_says("an earlier photofinish");
}
