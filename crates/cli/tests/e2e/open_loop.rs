//! Stages, overload, capacity and a generator that is stopped, end to end against the built-in servers.

use std::fs;
use std::path::PathBuf;
use std::process::Command;
use std::thread;
use std::time::Duration;

use serde_json::Value;

use crate::support::{Server, Yard};

/// A yard with a built-in server of one thread.
fn served() -> (Yard, Server) {
    let yard = Yard::new();
    let server = Server::start(&yard, &["event-loop", "--threads", "1"]);
    (yard, server)
}

#[test]
fn stages_send_what_arithmetic_says() {
    let (yard, server) = served();
    let url = server.url("/plaintext");
    let stages = "200ms@200,200ms@200..400";
    let reported = yard
        .run(&format!(
            "load {url} --stages {stages} --arrivals constant -c 50 --json"
        ))
        .code(0)
        .json();
    // 0.2 s × 200/s, then 0.2 s × 300/s on average: the one due at 0 counts, and the one at the very end does not.
    assert_eq!(reported["requests"], 100);
    assert_eq!(reported["duration_s"], 0.4);
    assert_eq!(reported["load"]["rate"], 250.0);
}

#[test]
fn an_overloaded_server_is_reported() {
    let (yard, server) = served();
    // One connection and 20 ms a response: 50 a second at most, whatever the machine does.
    let url = server.url("/sleep?ms=20");
    // What was never sent is an error too.
    let overload =
        format!("load {url} --rate 500 -c 1 -d 400ms --timeout 1s --fail-if 'errors > 100%'");
    let reported = yard.run(&format!("{overload} --json")).code(0).json();
    let achieved = reported["overloaded"]["achieved_rps"]
        .as_f64()
        .expect("overloaded");
    assert!(achieved > 0.0 && achieved <= 55.0, "{achieved}");
    yard.run(&overload).code(0).prints(&[
        "overloaded  achieved",
        "the response times at the offered rate are not known",
    ]);
}

#[test]
fn capacity_finds_the_rate_that_a_connection_allows() {
    let (yard, server) = served();
    // As above: with a bound on the mean far above 20 ms, what fails is the rate, at 50/s at the latest.
    let url = server.url("/sleep?ms=20");
    let found = yard
        .run(&format!(
            "capacity {url} --slo 'mean < 60s' -c 1 --start 10 --step 100ms \
             --precision 50 --max-steps 8 --timeout 2s --json"
        ))
        .code(0)
        .json();
    let steps = found["steps"].as_array().expect("steps");
    assert!(!steps.is_empty());
    assert_eq!(steps[0]["offered_rps"], 10.0);
    let failed = found["failed_rps"].as_f64().expect("a rate that fails");
    assert!(failed <= 160.0, "{found}");
    for step in steps {
        let (holds, why) = (&step["holds"], &step["why"]);
        assert_eq!(holds == &Value::Bool(true), why.is_null(), "{step}");
    }
}

/// Stops a process for a while.
fn stop(pid: i32, time: Duration) {
    let signal = |name: &str| {
        let sent = Command::new("kill").args([name, &pid.to_string()]).status();
        assert!(sent.expect("kill runs").success());
    };
    signal("-STOP");
    thread::sleep(time);
    signal("-CONT");
}

/// For as long as it takes that some responses are those of a stop.
const SHORT: Duration = Duration::from_millis(300);
/// A third of a window of 3 s, so that the slowest of a hundred are those of the stop.
const LONG: Duration = Duration::from_secs(1);

/// Loads the server for `duration`, and does something to the generator's process after the first second.
fn load_and(
    yard: &Yard,
    url: &str,
    duration: &str,
    flags: &str,
    disturb: impl FnOnce(i32),
) -> Value {
    let line = format!("load {url} -c 4 -d {duration} -t 1 --json {flags}");
    let generator = yard.start(&line);
    generator.wait_for("1.0 s");
    disturb(generator.pid());
    generator.end().json()
}

#[test]
fn a_late_generator_owns_up_in_an_open_loop() {
    let (yard, server) = served();
    let url = server.url("/plaintext");
    let reported = load_and(&yard, &url, "2s", "--rate 200 --arrivals constant", |pid| {
        stop(pid, SHORT)
    });
    // Those that fell due during the stop were sent after it: the first some 300 ms late.
    let slowest = reported["latency_us"]["max"].as_f64().expect("max");
    assert!(slowest >= 250_000.0, "{slowest}");
    let late = reported["latency_us"]["p95"].as_f64().expect("p95");
    // 60 of some 400 waited, evenly from 300 ms down to none: the slowest twentieth, 20, for 200 ms at least.
    assert!(late >= 150_000.0, "{late}");
}

#[test]
fn a_generator_that_is_late_at_the_end_sends_all_the_same() {
    let (yard, server) = served();
    let url = server.url("/plaintext");
    let flags = "--rate 10 --arrivals constant";
    // Two fall due in the stop, at 1.1 and at 1.2 s, and the window closes just after the second.
    let reported = load_and(&yard, &url, "1210ms", flags, |pid| stop(pid, SHORT));
    assert_eq!(reported["requests"], 13);
    assert_eq!(reported["errors"], Value::Object(serde_json::Map::new()));
    assert_eq!(reported["overloaded"], Value::Null);
}

#[test]
fn a_late_generator_is_not_the_server_s_fault_in_a_closed_loop() {
    let (yard, server) = served();
    let url = server.url("/sleep?ms=5");
    let reported = load_and(&yard, &url, "2s", "", |pid| stop(pid, SHORT));
    let lag = reported["generator"]["lag_us"]["max"]
        .as_f64()
        .expect("lag");
    assert!(lag >= 250_000.0, "responses lay in the sockets: {lag}");
    let slowest = reported["latency_us"]["max"].as_f64().expect("max");
    assert!(slowest < 250_000.0, "{slowest}");
    // It makes up a seventh of the window, in which nothing was sent.
    let (ok, says) = check(&reported, "quiet-machine");
    assert_eq!(ok, false);
    assert!(
        says.contains("the load generator's core was stalled for up to"),
        "{says}"
    );
}

/// A check's outcome and its sentence.
fn check(reported: &Value, name: &str) -> (Value, String) {
    let checks = reported["checks"].as_array().expect("checks");
    let check = checks.iter().find(|check| check["name"] == name);
    let check = check.expect("it is made");
    let says = check["says"]["en"].as_str().expect("a sentence").to_owned();
    (check["ok"].clone(), says)
}

/// 500 requests a second, far from what any of the servers sustains.
const FLAGS: &str = "--rate 500 --arrivals constant";

/// What must be said of a generator that was stopped for most of a second.
fn owns_up(reported: &Value) {
    let late = &reported["generator"]["late"];
    assert!(late["requests"].as_u64() >= Some(200), "{late}");
    assert!(late["longest_us"].as_f64() >= Some(500_000.0), "{late}");
    let p99 = reported["latency_us"]["p99"].as_f64().expect("p99");
    assert!(p99 >= 500_000.0, "{p99}");
    // The server responded at once, whatever else the machine did.
    assert!(late["p99_in_time_us"].as_f64() <= Some(p99 / 2.0), "{late}");
    let (ok, says) = check(reported, "generator-limit");
    assert_eq!(ok, false, "{says}");
    assert!(
        says.contains("late although a connection was idle, because its thread did not run: sent in time, p99 would be "),
        "{says}"
    );
    let (ok, says) = check(reported, "quiet-machine");
    assert_eq!(ok, false, "{says}");
    let still = &reported["generator"]["stood_still"];
    assert!(still["longest_us"].as_f64() >= Some(500_000.0), "{still}");
}

#[test]
fn a_generator_that_is_stopped_for_a_second_fails_its_check() {
    let (yard, server) = served();
    let url = server.url("/plaintext");
    owns_up(&load_and(&yard, &url, "3s", FLAGS, |pid| stop(pid, LONG)));
}

#[test]
fn a_server_that_freezes_for_a_second_is_not_the_generator_s_doing() {
    let frozen = |reported: &Value| {
        let p99 = reported["latency_us"]["p99"].as_f64().expect("p99");
        assert!(p99 >= 500_000.0, "{p99}");
        let (ok, says) = check(reported, "generator-limit");
        assert_eq!(ok, true, "{says}");
    };
    let by_itself = ["delay", "--freeze-after", "1s", "--freeze-for", "1s"];
    let yard = Yard::new();
    let server = Server::start(&yard, &by_itself);
    let url = server.url("/plaintext");
    frozen(&load_and(&yard, &url, "3s", FLAGS, |_| {}));
    let (yard, server) = served();
    let url = server.url("/plaintext");
    let pid = server.pid();
    frozen(&load_and(&yard, &url, "3s", FLAGS, |_| stop(pid, LONG)));
}

/// A group of processes whose CPU time can be limited; ends when it is dropped.
struct Group {
    folder: PathBuf,
    /// The file, and what it holds for a thousandth of a core in periods of a second and for no limit.
    limit: (&'static str, &'static str, &'static str),
}

impl Group {
    /// `None` where this user can make none.
    fn new() -> Option<Group> {
        let name = format!("photofinish-test-{}", std::process::id());
        let old = ("cpu.cfs_quota_us", "1000", "-1");
        let new = ("cpu.max", "1000 1000000", "max 1000000");
        for (root, limit) in [("/sys/fs/cgroup/cpu", old), ("/sys/fs/cgroup", new)] {
            let folder = PathBuf::from(root).join(&name);
            if fs::create_dir(&folder).is_err() {
                continue;
            }
            let group = Group { folder, limit };
            let period = group.folder.join("cpu.cfs_period_us");
            // The newer kind states it with the limit.
            if period.exists() && fs::write(period, "1000000").is_err() {
                continue;
            }
            if fs::write(group.folder.join(limit.0), limit.2).is_ok() {
                return Some(group);
            }
        }
        None
    }

    /// Takes a process in and limits it for a while.
    fn throttle(&self, pid: i32, time: Duration) {
        let write = |file: &str, text: &str| {
            fs::write(self.folder.join(file), text).unwrap_or_else(|e| panic!("{file}: {e}"));
        };
        let (file, little, all) = self.limit;
        write("cgroup.procs", &pid.to_string());
        write(file, little);
        thread::sleep(time);
        write(file, all);
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        // It is empty once the process has ended.
        let _ = fs::remove_dir(&self.folder);
    }
}

#[test]
fn a_generator_that_its_cgroup_throttles_fails_its_check() {
    let Some(group) = Group::new() else {
        eprintln!("skipped: no cgroup can be made here");
        return;
    };
    let (yard, server) = served();
    let url = server.url("/plaintext");
    let reported = load_and(&yard, &url, "4s", FLAGS, |pid| {
        group.throttle(pid, Duration::from_millis(1_500));
    });
    owns_up(&reported);
}
