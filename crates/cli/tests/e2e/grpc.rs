//! `photofinish load grpc://` against the built-in echo.

use std::fs;

use crate::support::{Server, Yard, all_good, measurements};

const PROTO: &str = r#"
syntax = "proto3";
package echo;
message Message { string text = 1; int64 number = 2; }
service Echo {
  rpc Unary(Message) returns (Message);
  rpc Stream(Message) returns (stream Message);
  rpc Gone(Message) returns (Message);
}
"#;

const SCHEMA: &str = "--proto echo.proto";

/// A yard with the service's schema, its echo, and where that is.
fn echo() -> (Yard, Server, String) {
    let yard = Yard::new();
    yard.write("echo.proto", PROTO);
    let server = Server::start(&yard, &["grpc-echo"]);
    let url = format!("grpc://{}/echo.Echo", server.address);
    (yard, server, url)
}

#[test]
fn calls_are_made_by_a_schema_and_json() {
    let (yard, _server, url) = echo();
    let varying = r#"{"text":"n={counter}","number":"{random:1..1000}"}"#;
    let cases = [
        ("Unary", r#"{"text":"hello"}"#, Some(r#"{"text":"hello"}"#)),
        ("Unary", varying, None),
        (
            "Stream",
            r#"{"number":7}"#,
            Some(r#"[{"number":"7"},{"number":7},{"number":7}]"#),
        ),
    ];
    for (method, message, reply) in cases {
        let url = format!("{url}/{method}");
        let reply = reply.map_or_else(String::new, |reply| format!("--expect-body '{reply}'"));
        let flags = format!("{SCHEMA} --message '{message}' -c 4 --streams 5 {reply}");
        let measured = yard.load(&url, 1_000, &flags);
        assert_eq!(measured["streams"], 5);
    }
}

#[test]
fn bytes_need_no_schema() {
    let (yard, _server, url) = echo();
    yard.write("message.bin", "\n\u{5}hello");
    let url = format!("{url}/Unary");
    yard.load(&url, 200, "-c 2 --body @message.bin");
}

#[test]
fn what_stands_in_the_way_is_said() {
    let (yard, _server, url) = echo();
    let unary = format!("{url}/Unary");
    for (url, flags, code, says) in [
        (&unary, "--http2", 2, "leave --http2 out"),
        (
            &unary,
            "--expect-status 200",
            2,
            "leave --expect-status out",
        ),
        (&unary, "--no-keepalive", 2, "calls keep their connection"),
        (&unary, "--size 5", 2, "--size is for"),
        (&unary, "--body {counter}", 2, "without a schema"),
        (&unary, "--proto none.proto", 2, "cannot read none.proto"),
        (
            &unary,
            r#"--proto echo.proto --body '{"tex":1}'"#,
            2,
            "does not fit echo.Message",
        ),
        (
            &unary.replace("Unary", "Unry"),
            SCHEMA,
            2,
            "there are: /echo.Echo/Unary",
        ),
        (
            &unary.replace("Unary", "Gone"),
            SCHEMA,
            3,
            "grpc-status 12 UNIMPLEMENTED; does the server have this service",
        ),
        (&"http://127.0.0.1:9/".to_owned(), SCHEMA, 2, "are for gRPC"),
        (
            &"grpc://127.0.0.1/echo.Echo/Unary".to_owned(),
            "",
            2,
            "gRPC has no usual port",
        ),
    ] {
        let ended = yard.run(&format!("load {url} -n 20 -c 2 {flags}"));
        ended.code(code).says(&[says]);
    }
}

#[test]
fn a_server_of_plain_http_is_no_grpc() {
    let yard = Yard::new();
    let server = Server::start(&yard, &["event-loop", "--threads", "1"]);
    let url = format!("grpc://{}/echo.Echo/Unary", server.address);
    yard.run(&format!("load {url} -d 300ms -c 2 --timeout 1s"))
        .code(3)
        .says(&["HTTP/2"]);
}

#[test]
fn calls_go_over_tls() {
    let yard = Yard::new();
    yard.write("echo.proto", PROTO);
    let server = Server::start(&yard, &["grpc-echo", "--tls", "--ca", "ca.pem"]);
    let url = format!("grpcs://{}/echo.Echo/Unary", server.address);
    let message = r#"--message '{"text":"hello"}' --expect-body '{"text":"hello"}'"#;
    let flags = format!("{SCHEMA} {message} --cacert ca.pem -c 4 --streams 5");
    yard.load(&url, 1_000, &flags);
    // Without the certificate of its issuer nothing is sent.
    yard.run(&format!("load {url} -n 20 -c 2"))
        .code(3)
        .says(&["certificate"]);
}

#[test]
fn servers_are_compared() {
    let yard = Yard::new();
    yard.write("echo.proto", PROTO);
    let serve = "{photofinish} server grpc-echo --port {port}";
    let secure = format!("{serve} --tls");
    let compare = |serve: &str, url: &str, flags: &str| {
        yard.compare(&format!(
            "'{serve}' '{serve}' --url {url} {SCHEMA} -c 4 {flags}"
        ))
    };
    let plain = "grpc://127.0.0.1:{port}/echo.Echo/Unary";
    let message = r#"--message '{"text":"n={counter}"}' --streams 5 -v"#;
    compare(serve, plain, message)
        .code(0)
        .prints(&["A against itself differed by "]);
    let lines = measurements(&yard.result("compare"));
    assert_eq!(lines.len(), 4);
    all_good(&lines);
    let stream = "grpcs://localhost:{port}/echo.Echo/Stream";
    compare(&secure, stream, "--insecure").code(0);
    let stated = r#"--message '{"text":"a"}' --expect-body '{"text":"b"}'"#;
    compare(serve, plain, stated)
        .code(3)
        .says(&["A failed in round 1", "wrong body: expected 3 bytes, got 3"]);
    compare(serve, plain, "--ready-path /health")
        .code(2)
        .says(&["--ready-path", "leave it out"]);
    compare(serve, "grpc://127.0.0.1:{port}/echo.Echo/Gone", "")
        .code(3)
        .says(&["grpc-status 12 UNIMPLEMENTED"]);
}

#[test]
fn a_study_makes_calls() {
    let yard = Yard::new();
    let target = "title = \"echo\"\n[start]\ncommand = [\"{photofinish}\", \"server\", \"grpc-echo\", \"--port\", \"{port}\"]\n";
    yard.target("one", target).target("other", target);
    let protos = yard.path("studies/protos");
    fs::create_dir(&protos).expect("a folder");
    fs::write(protos.join("echo.proto"), PROTO).expect("a file");
    let text = r#"
title = "Calls"
rounds = 2
duration = "200ms"
lead-in = "0ms"
warmup = { min = "0s", max = "0s" }
lanes = "none"
targets = ["one", "other"]

[[workload]]
name = "unary"
protocol = "grpc"
path = "/echo.Echo/Unary"
proto = "protos/echo.proto"
message = '{"text": "n={counter}", "number": "{random:1..1000}"}'
streams = 3
connections = [2]

[[workload]]
name = "stream"
protocol = "grpc"
path = "/echo.Echo/Stream"
proto = "protos/echo.proto"
message = '{"number": 7}'
expect = { body = '[{"number": 7}, {"number": 7}, {"number": 7}]' }
connections = [2]
"#;
    yard.write("studies/calls.toml", text);
    yard.run(&["run", "calls"]).code(0);
    let lines = measurements(&yard.result("calls"));
    assert_eq!(lines.len(), 8);
    all_good(&lines);
}
