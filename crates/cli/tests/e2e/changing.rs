//! Servers whose responses change after they were verified: noticed where the body was the same each time before, and no server
//! is accused whose responses differ by design.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::{env, thread};

use serde_json::Value;

use crate::support::{Yard, measurements};

/// After so many responses the server's change: readiness, verification and no more.
const BEFORE: u64 = 50;

/// No test: the server of the tests below, which start this program once more for it.
#[test]
#[ignore = "the server that the tests of this file start"]
fn serve() {
    let [Ok(port), Ok(how), Ok(at)] =
        ["CHANGING_PORT", "CHANGING_HOW", "CHANGING_AT"].map(env::var)
    else {
        return;
    };
    let port: u16 = port.parse().expect("a port");
    let listener = TcpListener::bind((&*at, port)).expect("bind");
    let (how, served) = (Arc::new(how), Arc::new(AtomicU64::new(0)));
    for (connection, stream) in listener.incoming().flatten().enumerate() {
        let (how, served) = (Arc::clone(&how), Arc::clone(&served));
        thread::spawn(move || speak(stream, connection, &how, &served));
    }
}

/// Responds on one connection; every request comes in one piece.
fn speak(mut stream: TcpStream, connection: usize, how: &str, served: &AtomicU64) {
    let mut buffer = [0; 4096];
    while stream.read(&mut buffer).is_ok_and(|read| read > 0) {
        let number = served.fetch_add(1, Ordering::Relaxed);
        let late = number >= BEFORE;
        let body = match how {
            "shorter" if late => "Hello, Worl".to_owned(),
            "other" if late => "Hello, Berlin".to_owned(),
            "some-connections" if late && connection.is_multiple_of(2) => {
                "Hello, Berlin".to_owned()
            }
            "some-responses" if late && number.is_multiple_of(20) => "Hello, Berlin".to_owned(),
            "counts" => format!("Hello, {number}"),
            _ => "Hello, World!".to_owned(),
        };
        let length = body.len();
        let response = match how {
            // The framing is another one each time, and so is a header.
            "frames" if number.is_multiple_of(2) => format!(
                "HTTP/1.1 200 OK\r\nDate: {number}\r\nTransfer-Encoding: chunked\r\n\r\n{length:x}\r\n{body}\r\n0\r\n\r\n"
            ),
            _ => format!(
                "HTTP/1.1 200 OK\r\nDate: {number}\r\nContent-Length: {length}\r\n\r\n{body}"
            ),
        };
        if stream.write_all(response.as_bytes()).is_err() {
            return;
        }
    }
}

/// The target file of such a server, which listens at this address.
pub fn target(how: &str, at: &str) -> String {
    let program = env::current_exe().expect("this program");
    format!(
        "title = \"a server\"\n[start]\ncommand = [{program:?}, \"changing::serve\", \"--exact\", \"--ignored\", \"--nocapture\"]\n\
         env = {{ CHANGING_PORT = \"{{port}}\", CHANGING_HOW = \"{how}\", CHANGING_AT = \"{at}\" }}\n[ready]\npath = \"/plaintext\"\n"
    )
}

/// The check's outcome in each of a target's measurements, and what it says.
fn checks(lines: &[Value], target: &str) -> Vec<(Value, String)> {
    let of = lines.iter().filter(|line| line["target"] == target);
    of.map(|line| {
        let checks = line["measurement"]["checks"].as_array().expect("checks");
        let check = checks.iter().find(|check| check["name"] == "as-verified");
        let check = check.expect("the check");
        let says = check["says"]["en"].as_str().expect("a sentence");
        (check["ok"].clone(), says.to_owned())
    })
    .collect()
}

#[test]
fn a_body_that_changes_is_noticed_and_headers_and_framing_may() {
    let other =
        "responses did not match the verified one; the first: status 200 and a body of 13 bytes";
    let cases = [
        ("same", Value::from(true), "all "),
        ("frames", Value::from(true), "all "),
        ("counts", Value::Null, "responses differ from one another"),
        (
            "shorter",
            Value::from(false),
            "status 200 and a body of 11 bytes; when the server was verified: status 200, 13 bytes",
        ),
        ("other", Value::from(false), other),
        ("some-connections", Value::from(false), other),
        ("some-responses", Value::from(false), other),
    ];
    let yard = Yard::new();
    for (how, ..) in &cases {
        yard.target(how, &target(how, "127.0.0.1"));
    }
    let all: Vec<&str> = cases.iter().map(|(how, ..)| *how).collect();
    yard.study("s", &all, "expect = { status = 200 }");
    // Who counts gives each a body of its own, also when it is verified.
    yard.run(&["run", "s", "-v"])
        .code(3)
        .prints(&["responses changed after verification"]);
    let lines = measurements(&yard.result("s"));
    let folder = yard.result("s").display().to_string();
    let report = yard.run(&["report", &folder, "--json", "-"]).code(0).out;
    for (how, ok, says) in cases {
        let checks = checks(&lines, how);
        assert_eq!(checks.len(), 2);
        for (found, sentence) in checks {
            assert_eq!(found, ok, "{how}: {sentence}");
            assert!(sentence.contains(says), "{how}: {sentence}");
        }
        let named = format!("{how} responded differently in rounds 1, 2 than when it was verified");
        assert_eq!(report.contains(&named), ok == false, "{how}: {report}");
        for line in lines.iter().filter(|line| line["target"] == how) {
            let measurement = &line["measurement"];
            assert_eq!(measurement["errors"], serde_json::json!({}));
            let changed = measurement["changed"].as_u64();
            match ok == false {
                true => assert!(changed > Some(0) && changed <= measurement["requests"].as_u64()),
                false => assert!(changed.is_none_or(|changed| changed == 0), "{line}"),
            }
        }
    }
}
