//! Unix sockets as a user meets them.

use std::fs;
use std::os::unix::net::UnixListener;

use crate::support::{Server, Yard, all_good, measurements};

const SERVE: [&str; 5] = ["event-loop", "--threads", "1", "--unix-socket", "app.sock"];

fn good(yard: &Yard, url: &str, socket: &str, flags: &str) {
    let flags = format!("-c 4 --unix-socket {socket} {flags}");
    let measured = yard.load(url, 1_000, &flags);
    // The kernel keeps no time of arrival there, and that is said.
    let generator = &measured["generator"];
    assert_eq!(generator["arrival_clock"], "reading");
    assert!(generator["lag_us"].is_null(), "{generator}");
}

#[test]
fn http_https_and_websocket_go_over_it() {
    let yard = Yard::new();
    let load = |url: &str, flags: &str| good(&yard, url, "app.sock", flags);
    let body = "--expect-body 'Hello, World!'";
    let server = Server::start(&yard, &SERVE);
    load("http://localhost/plaintext", body);
    yard.run("load http://x/plaintext -n 100 -c 2 -v --unix-socket app.sock")
        .code(0)
        .prints(&["timed when they were read"]);
    let search = "--slo 'p99 < 10s' -c 4 --unix-socket app.sock --step 100ms --max-steps 2";
    let found = yard.run(&format!(
        "capacity http://localhost/plaintext {search} --json"
    ));
    let found = found.code(0).json();
    assert!(found["sustained_rps"].as_f64() > Some(0.0), "{found}");
    drop(server);
    // The file that it left is no obstacle to the next one.
    assert!(yard.path("app.sock").exists());
    let server = Server::start(&yard, &[&SERVE[..], &["--tls", "--ca", "ca.pem"]].concat());
    let trusted = format!("{body} --cacert ca.pem");
    load("https://localhost/plaintext", &trusted);
    drop(server);
    let _server = Server::start(&yard, &["websocket-echo", "--unix-socket", "app.sock"]);
    load("ws://localhost/chat", "--size 64 --streams 3");
}

#[test]
fn a_name_without_a_file_will_do() {
    let yard = Yard::new();
    let name = format!("@photofinish-e2e-{}", std::process::id());
    let serve = ["event-loop", "--threads", "1", "--unix-socket", &name];
    let _server = Server::start(&yard, &serve);
    good(&yard, "http://localhost/plaintext", &name, "");
}

#[test]
fn servers_race_each_on_a_socket_of_its_own() {
    let yard = Yard::new();
    let program = env!("CARGO_BIN_EXE_photofinish");
    let command = format!("{program} server event-loop --threads 1 --unix-socket {{socket}}");
    let race = |first: &str, flags: &str| {
        let url = "--url http://localhost/plaintext";
        yard.compare(&format!("'{first}' '{command}' {url} {flags}"))
    };
    let at = "-c 4 --unix-socket {socket}";
    race(&command, at).code(0);
    all_good(&measurements(&yard.result("compare")));
    race(&command, "").code(2).says(&["has no port"]);
    let port = command.replace("--unix-socket {socket}", "--port {port}");
    race(&port, at).code(2).says(&["has no {socket}"]);
}

#[test]
fn a_target_of_a_study_listens_where_its_file_says() {
    let yard = Yard::new();
    let target = r#"
title = "a server"
[start]
command = ["{photofinish}", "server", "event-loop", "--threads", "1", "--unix-socket", "{socket}"]
[ready]
path = "/plaintext"
"#;
    yard.target("a", target).target("b", target);
    yard.study("s", &["a", "b"], "");
    yard.run(&["run", "s"]).code(0);
    let result = yard.result("s");
    for line in measurements(&result) {
        assert_eq!(line["measurement"]["errors"], serde_json::json!({}));
        assert_eq!(line["measurement"]["generator"]["arrival_clock"], "reading");
    }
    let reported = fs::read_to_string(result.join("trials.jsonl")).expect("results");
    let at = reported.find("/socket\"").expect("a socket's path");
    let from = reported[..at].rfind('"').expect("its beginning") + 1;
    let path = &reported[from..at + "/socket".len()];
    assert!(path.starts_with('/') && path.len() <= 107, "{path}");
    assert!(!std::path::Path::new(path).exists(), "{path}");
}

#[test]
fn what_stands_in_the_way_is_said() {
    let yard = Yard::new();
    let load = |at: &str| {
        yard.run(&format!(
            "load http://localhost/ -n 1 -c 1 --unix-socket {at}"
        ))
    };
    load("none.sock")
        .code(3)
        .says(&["connect to unix:none.sock", "is the server running?"]);
    load(&"x".repeat(108)).code(2).says(&["107 bytes at most"]);
    let path = yard.path("mine.sock");
    let _mine = UnixListener::bind(&path).expect("a socket");
    let at = path.display().to_string();
    let serve = yard.run(&["server", "event-loop", "--unix-socket", &at]);
    serve
        .code(3)
        .says(&["the socket is taken by process", "--unix-socket"]);
    let target =
        format!("title = \"x\"\n[start]\ncommand = [\"sleep\", \"9\"]\nsocket = \"{at}\"\n");
    yard.target("fixed", &target).study("s", &["fixed"], "");
    yard.run(&["run", "s"]).code(3).says(&[
        "the Unix socket",
        "on which fixed listens, is taken by process",
    ]);
}
