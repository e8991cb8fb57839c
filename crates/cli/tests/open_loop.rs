//! Stages, overload and capacity, end to end against the built-in server.

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Output, Stdio};

use serde_json::Value;

/// A built-in server on a port of its own; ends when it is dropped.
struct Server {
    process: Child,
    url: String,
}

impl Server {
    fn start() -> Server {
        let mut process = Command::new(env!("CARGO_BIN_EXE_photofinish"))
            .args(["server", "event-loop", "--threads", "1", "--port", "0"])
            .stdout(Stdio::piped())
            .spawn()
            .expect("the program starts");
        let mut line = String::new();
        BufReader::new(process.stdout.take().expect("a pipe"))
            .read_line(&mut line)
            .expect("a line");
        let url = line.trim().strip_prefix("listening on ").expect("a URL");
        Server {
            url: url.to_owned(),
            process,
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

fn photofinish(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_photofinish"))
        .args(args)
        .output()
        .expect("the program runs")
}

fn json(args: &[&str]) -> Value {
    let output = photofinish(args);
    let says = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{says}");
    serde_json::from_slice(&output.stdout).expect("JSON")
}

#[test]
fn stages_send_what_arithmetic_says() {
    let server = Server::start();
    let url = format!("{}/plaintext", server.url);
    let stages = "200ms@200,200ms@200..400";
    let told = json(&[
        "load",
        &url,
        "--stages",
        stages,
        "--arrivals",
        "constant",
        "-c",
        "50",
        "--json",
    ]);
    // 0.2 s × 200/s, then 0.2 s × 300/s on average: those due at 0 and at the very end both count.
    assert_eq!(told["requests"], 101);
    assert_eq!(told["duration_s"], 0.4);
    assert_eq!(told["load"]["rate"], 250.0);
}

#[test]
fn an_overloaded_server_is_told() {
    let server = Server::start();
    // One connection and 20 ms an answer: 50 a second at most, whatever the machine does.
    let url = format!("{}/sleep?ms=20", server.url);
    let args = [
        "load",
        &url,
        "--rate",
        "500",
        "-c",
        "1",
        "-d",
        "400ms",
        "--timeout",
        "1s",
    ];
    let told = json(&[&args[..], &["--json"]].concat());
    let achieved = told["overloaded"]["achieved_rps"]
        .as_f64()
        .expect("overloaded");
    assert!(achieved > 0.0 && achieved <= 55.0, "{achieved}");
    let text = String::from_utf8(photofinish(&args).stdout).expect("UTF-8");
    assert!(text.contains("overloaded     achieved"), "{text}");
    assert!(
        text.contains("the latency at the offered rate is not known"),
        "{text}"
    );
}

#[test]
fn capacity_finds_the_rate_that_a_connection_allows() {
    let server = Server::start();
    // As above: with a bound on the mean far above 20 ms, what fails is the rate, at 50/s at the latest.
    let url = format!("{}/sleep?ms=20", server.url);
    let found = json(&[
        "capacity",
        &url,
        "--slo",
        "mean < 60s",
        "-c",
        "1",
        "--start",
        "10",
        "--step",
        "100ms",
        "--precision",
        "50",
        "--max-steps",
        "8",
        "--timeout",
        "2s",
        "--json",
    ]);
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

#[test]
fn what_is_wrong_names_the_flag_and_the_part() {
    let wrong = |args: &[&str], part: &str| {
        let output = photofinish(args);
        let says = String::from_utf8_lossy(&output.stderr).replace('\n', " ");
        assert_eq!(output.status.code(), Some(2), "{says}");
        assert!(says.contains(part), "{says}");
    };
    let url = "http://127.0.0.1:1/";
    wrong(
        &["load", url, "--stages", "1s@5,1s"],
        "--stages, stage 2 `1s`",
    );
    wrong(
        &["load", url, "--stages", "1s@5", "--rate", "3"],
        "--stages",
    );
    wrong(
        &["capacity", url, "--slo", "p98 < 1ms"],
        "--slo 'p98 < 1ms': `p98` is no figure",
    );
    wrong(
        &["capacity", url, "--slo", "p99 < 1ms", "--start", "0"],
        "--start 0",
    );
}

/// Loads the server for `duration` and stops the generator for 300 ms after the first second.
fn load_with_a_stop(url: &str, duration: &str, flags: &[&str]) -> Value {
    let mut generator = Command::new(env!("CARGO_BIN_EXE_photofinish"))
        .args(["load", url, "-c", "4", "-d", duration, "-t", "1", "--json"])
        .args(flags)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    // It says a line a second.
    let mut progress = BufReader::new(generator.stderr.take().expect("a pipe"));
    progress.read_line(&mut String::new()).expect("a line");
    let pid = generator.id().to_string();
    let signal = |name: &str| {
        let sent = Command::new("kill").args([name, &pid]).status();
        assert!(sent.expect("kill runs").success());
    };
    signal("-STOP");
    std::thread::sleep(std::time::Duration::from_millis(300));
    signal("-CONT");
    let output = generator.wait_with_output().expect("it ends");
    serde_json::from_slice(&output.stdout).expect("JSON")
}

#[test]
fn a_late_generator_owns_up_in_an_open_loop() {
    let server = Server::start();
    let url = format!("{}/plaintext", server.url);
    let told = load_with_a_stop(&url, "2s", &["--rate", "200", "--arrivals", "constant"]);
    // Those that fell due during the stop were sent after it: the first some 300 ms late.
    let slowest = told["latency_us"]["max"].as_f64().expect("max");
    assert!(slowest >= 250_000.0, "{slowest}");
    let late = told["latency_us"]["p95"].as_f64().expect("p95");
    // 60 of some 400 waited, evenly from 300 ms down to none: the slowest twentieth, 20, for 200 ms at least.
    assert!(late >= 150_000.0, "{late}");
}

#[test]
fn a_generator_that_is_late_at_the_end_sends_all_the_same() {
    let server = Server::start();
    let url = format!("{}/plaintext", server.url);
    let flags = ["--rate", "10", "--arrivals", "constant"];
    // Two fall due in the stop, at 1.1 and at 1.2 s, and the window closes with the second.
    let told = load_with_a_stop(&url, "1200ms", &flags);
    assert_eq!(told["requests"], 13);
    assert_eq!(told["errors"], Value::Object(serde_json::Map::new()));
    assert_eq!(told["overloaded"], Value::Null);
}

#[test]
fn a_late_generator_is_not_the_server_s_fault_in_a_closed_loop() {
    let server = Server::start();
    let url = format!("{}/sleep?ms=5", server.url);
    let told = load_with_a_stop(&url, "2s", &[]);
    let lag = told["generator"]["lag_us"]["max"].as_f64().expect("lag");
    assert!(lag >= 250_000.0, "answers lay in the sockets: {lag}");
    let slowest = told["latency_us"]["max"].as_f64().expect("max");
    assert!(slowest < 250_000.0, "{slowest}");
}
