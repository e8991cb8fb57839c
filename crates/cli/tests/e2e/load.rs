//! `photofinish load`: exact counts, kinds of failure, the shape of `--json`.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::thread;

use serde_json::Value;

use crate::support::{Server, Yard};

#[test]
fn exactly_as_many_requests_as_asked_for_reach_the_server() {
    let yard = Yard::new();
    for (requests, connections) in [(1, 10), (3, 10), (10, 10), (11, 10), (1000, 7), (1000, 1)] {
        let server = Server::start(&yard, &["delay", "--delay", "0ms", "--slow", "0ms"]);
        let (n, c) = (requests.to_string(), connections.to_string());
        let ended = yard
            .run(&format!(
                "load {} -n {n} -c {c} --json",
                server.url("/plaintext")
            ))
            .code(0);
        let measured = ended.json();
        assert_eq!(measured["requests"], requests);
        assert_eq!(measured["status"]["200"], requests);
        assert_eq!(server.truth()["requests"], requests, "-n {n} -c {c}");
    }
}

#[test]
fn json_has_the_promised_keys() {
    let yard = Yard::new();
    let server = Server::start(&yard, &["event-loop", "--threads", "1"]);
    let ended = yard
        .run(&format!(
            "load {} -n 500 -c 4 --json",
            server.url("/plaintext")
        ))
        .code(0);
    let measured = ended.json();
    let has = |value: &Value, keys: &str| {
        for key in keys.split(' ') {
            assert!(value.get(key).is_some(), "no {key} in {value}");
        }
    };
    has(
        &measured,
        "requests errors duration_s throughput_rps latency_us service_us",
    );
    has(&measured, "bytes_in bytes_out generator checks");
    for times in ["latency_us", "service_us"] {
        has(&measured[times], "mean min p50 p90 p95 p99 p999 max");
    }
    let generator = &measured["generator"];
    has(
        generator,
        "cpu_us_per_request cpu_utilisation lag_us achieved_ratio",
    );
    has(&generator["lag_us"], "p50 p99 max");
    for check in measured["checks"].as_array().expect("checks") {
        has(check, "name ok says");
    }
    assert_eq!(measured["errors"], serde_json::json!({}));
}

/// A check of a measurement, by its name.
fn check<'m>(measured: &'m Value, name: &str) -> &'m Value {
    let checks = measured["checks"].as_array().expect("checks");
    let check = checks.iter().find(|check| check["name"] == name);
    check.unwrap_or_else(|| panic!("no {name} in {measured}"))
}

#[test]
fn what_the_server_responded_counts_though_it_is_not_what_was_asked_for() {
    let yard = Yard::new();
    let server = Server::start(&yard, &["event-loop", "--threads", "1"]);
    let url = server.url("/nothing-here");
    let ended = yard.run(&format!("load {url} -d 500ms -c 32 --json"));
    let measured = ended.json();
    assert_eq!(measured["throughput_rps"], 0.0);
    assert_eq!(measured["errors"]["status"], measured["requests"]);
    let says = &check(&measured, "littles-law")["says"];
    let law = match says["id"] == "check.law" {
        true => &says["args"],
        false => &says["args"]["law"]["args"],
    };
    let rate = law["rate"].as_f64().expect("a rate");
    let requests = measured["requests"].as_f64().expect("requests");
    assert!((rate * 0.5 - requests).abs() < 1.0, "{law}");
    let parts = &check(&measured, "generator-limit")["says"]["args"]["parts"];
    let mut each = parts.as_array().expect("parts").iter();
    let hands = each.find(|part| part["id"] == "check.turnaround");
    let at_server = hands.and_then(|hands| hands["args"]["at_server"].as_f64());
    assert!(at_server > Some(0.0), "{parts}");
}

#[test]
fn a_request_that_was_never_sent_is_not_the_fastest() {
    let yard = Yard::new();
    // Every response takes 20 ms, so that 2 connections serve 100 a second of the 1,000 that are offered.
    let server = Server::start(&yard, &["delay", "--delay", "20ms", "--slow", "20ms"]);
    let url = server.url("/");
    let ended = yard.run(&format!("load {url} -d 500ms -c 2 --rate 1000 --json"));
    let measured = ended.json();
    assert!(measured["censored"].as_u64() > Some(300), "{measured}");
    let min = measured["latency_us"]["min"].as_f64();
    assert!(min >= Some(20_000.0), "{measured}");
    // Both connections waited for the server all the time: it, and their number, were the bottleneck.
    assert_ne!(measured["overloaded"], Value::Null);
    assert_eq!(
        check(&measured, "generator-limit")["ok"],
        true,
        "{measured}"
    );
}

/// What a hostile server does with a connection that has sent something.
#[derive(Clone, Copy)]
enum Deed {
    /// Closes it with the request unread, which resets it.
    Reset,
    /// Reads the request and closes it.
    Close,
    /// Sends half and closes.
    Half,
    /// Sends something that is no HTTP.
    Babble,
}

/// A server that does this with every connection, for as long as the tests run.
fn hostile(deed: Deed) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = listener.local_addr().expect("an address");
    thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            act(stream, deed);
        }
    });
    address
}

fn act(mut stream: TcpStream, deed: Deed) {
    let mut bytes = [0; 1024];
    let read = match deed {
        Deed::Reset => stream.peek(&mut bytes),
        _ => stream.read(&mut bytes),
    };
    let says: &[u8] = match deed {
        _ if !read.is_ok_and(|read| read > 0) => b"",
        Deed::Reset | Deed::Close => b"",
        Deed::Half => b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nHello",
        Deed::Babble => b"220 mail.example ESMTP\r\n\r\n",
    };
    // Whoever has gone away need not know.
    let _ = stream.write_all(says);
}

/// Loads a URL for a short time, which must not end well, and returns how many errors of a kind there were.
#[track_caller]
fn counts(url: &str, flags: &str, kind: &str) {
    let yard = Yard::new();
    let ended = yard.run(&format!("load {url} -c 3 -d 300ms --json {flags}"));
    let ended = ended.code(3).says(&["no response was as expected"]);
    counted(&ended.json()["errors"], kind);
}

#[track_caller]
fn counted(errors: &Value, kind: &str) {
    assert!(errors[kind].as_u64() > Some(0), "no {kind} in {errors}");
}

#[test]
fn failures_are_counted_by_kind() {
    for (deed, kind) in [
        (Deed::Reset, "reset"),
        (Deed::Close, "closed-early"),
        (Deed::Half, "closed-early"),
        (Deed::Babble, "malformed"),
    ] {
        counts(&format!("http://{}/", hostile(deed)), "", kind);
    }
    let yard = Yard::new();
    let server = Server::start(&yard, &["event-loop", "--threads", "1"]);
    for (path, flags, kind) in [
        ("/sleep?ms=60000", "--timeout 50ms", "timeout"),
        ("/no-such-path", "", "status"),
        ("/plaintext", "--expect-status 204", "status"),
        ("/plaintext", "--expect-body Hello", "body"),
    ] {
        counts(&server.url(path), flags, kind);
    }
}

#[test]
fn refused_reconnects_are_counted() {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let url = format!("http://{}/", listener.local_addr().expect("an address"));
    let server = thread::spawn(move || {
        let (mut stream, _) = listener.accept().expect("a connection");
        // From here on nobody listens; the one connection gets one response and is closed.
        drop(listener);
        let mut bytes = [0; 1024];
        let read = stream.read(&mut bytes).expect("a request");
        assert!(read > 0);
        stream
            .write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
            .expect("responses");
    });
    let yard = Yard::new();
    let ended = yard.run(&format!("load {url} -c 1 -d 300ms --json"));
    server.join().expect("the server");
    let measured = ended.json();
    assert_eq!(measured["status"]["200"], 1, "{measured}");
    counted(&measured["failed_connects"], "connect-refused");
    let says = measured["checks"][2]["says"]["en"].as_str().expect("words");
    assert!(says.contains("requests and connects failed"), "{says}");
    ended
        .code(1)
        .says(&["the server was unavailable for ", " of 300 ms"]);
}

#[test]
fn where_nobody_listens_that_is_said() {
    let yard = Yard::new();
    let port = TcpListener::bind("127.0.0.1:0")
        .and_then(|l| l.local_addr())
        .expect("a port")
        .port();
    let url = format!("http://127.0.0.1:{port}/");
    yard.run(&["load", &url, "-d", "1s"]).code(3).says(&[
        "failed to send load",
        &format!("127.0.0.1:{port}"),
        "refused",
        "is the server running?",
    ]);
}

#[test]
fn progress_goes_to_standard_error_and_the_result_to_standard_output() {
    let yard = Yard::new();
    let server = Server::start(&yard, &["event-loop", "--threads", "1"]);
    let ended = yard
        .run(&format!("load {} -c 2 -d 2s -v", server.url("/plaintext")))
        .code(0);
    assert!(
        ended.err.lines().count() >= 1 && ended.err.contains("p99"),
        "{}",
        ended.err
    );
    let ended = ended.prints(&["requests/s", "Validity checks"]);
    assert!(!ended.out.contains('\u{1b}') && !ended.err.contains('\u{1b}'));
    for line in ended.out.lines() {
        assert!(line.chars().count() <= 100, "{line}");
    }
}

#[test]
fn a_capacity_of_wrong_responses_is_no_capacity() {
    let yard = Yard::new();
    let server = Server::start(&yard, &["event-loop", "--threads", "1"]);
    let url = server.url("/nowhere");
    let search = "--slo 'p99 < 10s' --step 100ms -c 2 --start 100";
    yard.run(&format!("capacity {url} {search}"))
        .code(3)
        .prints(&[
            "No rate meets",
            "down to 100/s",
            "100% errors; the search ended there because every response was wrong",
        ])
        .says(&["no response was as expected", "the first: status 404"]);
}

#[test]
fn a_limit_of_a_load_run_is_an_exit_code() {
    let yard = Yard::new();
    let server = Server::start(&yard, &["delay", "--delay", "5ms"]);
    let url = server.url("/plaintext");
    for (flags, code, says) in [
        (
            "--fail-if 'p99 > 1ms'",
            1,
            "--fail-if 'p99 > 1ms': FAILED: p99 was ",
        ),
        (
            "--fail-if 'p99 > 1ms' --fail-if 'errors > 0%'",
            1,
            "--fail-if 'errors > 0%': PASSED: errors were 0.00%",
        ),
        ("--fail-if 'p50 > 10s'", 0, "'p50 > 10s': PASSED"),
        ("--fail-if 'p999 > 1ms'", 0, "10,000 are needed"),
        (
            "--fail-if 'p999 > 1ms' --undecided pass",
            0,
            "the job passes",
        ),
        (
            "--fail-if 'p999 > 1ms' --undecided fail",
            1,
            "the job fails by --undecided fail",
        ),
        ("--fail-if 'p99 < 1ms'", 2, "write a time or errors with >"),
    ] {
        let ended = yard.run(&format!("load {url} -n 1000 -c 20 {flags}"));
        ended.code(code).says(&[says]);
    }
}

#[test]
fn a_limit_without_anything_to_judge_fails() {
    let yard = Yard::new();
    let server = Server::start(&yard, &["event-loop", "--threads", "1"]);
    let url = server.url("/plaintext");
    // By this seed the first request falls due long after the end.
    let idle = format!("load {url} -d 200ms -c 1 --rate 0.001 --seed 1");
    for limit in ["p99 > 1ms", "throughput < 100", "errors > 1%"] {
        yard.run(&format!("{idle} --fail-if '{limit}'"))
            .code(3)
            .says(&["no request was sent, so nothing was measured"])
            .prints(&["0.001/s offered"]);
    }
    // Whatever was asked for: nothing was measured.
    yard.run(&idle).code(3);
}

#[test]
fn lost_requests_alone_have_no_distribution() {
    let yard = Yard::new();
    let url = format!("http://{}/", hostile(Deed::Reset));
    let ended = yard
        .run(&["load", &url, "-c", "2", "-n", "20"])
        .code(3)
        .prints(&["no request was completed"]);
    ended.never_prints("slower");
}
