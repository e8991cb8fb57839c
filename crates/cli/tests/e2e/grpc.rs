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
        let schema = ["--proto", "echo.proto", "--message", message];
        let mut args = [&schema[..], &["-c", "4", "--streams", "5"]].concat();
        args.extend(reply.iter().flat_map(|reply| ["--expect-body", reply]));
        let measured = yard.load(&url, 1_000, &args);
        assert_eq!(measured["streams"], 5);
    }
}

#[test]
fn bytes_need_no_schema() {
    let (yard, _server, url) = echo();
    yard.write("message.bin", "\n\u{5}hello");
    let url = format!("{url}/Unary");
    yard.load(&url, 200, &["-c", "2", "--body", "@message.bin"]);
}

#[test]
fn what_stands_in_the_way_is_said() {
    let (yard, _server, url) = echo();
    let unary = format!("{url}/Unary");
    let proto = ["--proto", "echo.proto"];
    let cases: [(&str, &[&str], i32, &str); 9] = [
        (&unary, &["--http2"], 2, "leave --http2 out"),
        (
            &unary,
            &["--expect-status", "200"],
            2,
            "leave --expect-status out",
        ),
        (
            &unary,
            &["--no-keepalive"],
            2,
            "calls keep their connection",
        ),
        (&unary, &["--size", "5"], 2, "--size is for"),
        (&unary, &["--body", "{counter}"], 2, "without a schema"),
        (
            &unary,
            &[proto[0], "none.proto"],
            2,
            "cannot read none.proto",
        ),
        (
            &unary,
            &[proto[0], proto[1], "--body", "{\"tex\":1}"],
            2,
            "does not fit echo.Message",
        ),
        (
            &unary.replace("Unary", "Unry"),
            &proto,
            2,
            "there are: /echo.Echo/Unary",
        ),
        (
            &unary.replace("Unary", "Gone"),
            &proto,
            3,
            "grpc-status 12 UNIMPLEMENTED; does the server have this service",
        ),
    ];
    for (url, more, code, says) in cases {
        let mut args = vec!["load", url, "-n", "20", "-c", "2"];
        args.extend(more);
        yard.run(&args).code(code).says(&[says]);
    }
    yard.run(&["load", "http://127.0.0.1:9/", "--proto", "echo.proto"])
        .code(2)
        .says(&["are for gRPC"]);
    yard.run(&["load", "grpc://127.0.0.1/echo.Echo/Unary"])
        .code(2)
        .says(&["gRPC has no usual port"]);
}

#[test]
fn a_server_of_plain_http_is_no_grpc() {
    let yard = Yard::new();
    let server = Server::start(&yard, &["event-loop", "--threads", "1"]);
    let url = format!("grpc://{}/echo.Echo/Unary", server.address);
    yard.run(&["load", &url, "-d", "300ms", "-c", "2", "--timeout", "1s"])
        .code(3)
        .says(&["HTTP/2"]);
}

#[test]
fn a_capacity_is_found() {
    let (yard, _server, url) = echo();
    let url = format!("{url}/Unary");
    let found = yard.run(&[
        "capacity",
        &url,
        "--slo",
        "p99 < 1s",
        "--step",
        "200ms",
        "--max-steps",
        "2",
        "--start",
        "50",
        "-c",
        "4",
        "--proto",
        "echo.proto",
        "--message",
        "{\"text\":\"x\"}",
        "--json",
    ]);
    assert!(found.code(0).json()["sustained_rps"].as_f64() >= Some(50.0));
}

#[test]
fn calls_go_over_tls() {
    let yard = Yard::new();
    yard.write("echo.proto", PROTO);
    let server = Server::start(&yard, &["grpc-echo", "--tls", "--ca", "ca.pem"]);
    let url = format!("grpcs://{}/echo.Echo/Unary", server.address);
    let message = r#"{"text":"hello"}"#;
    let schema = ["--proto", "echo.proto", "--message", message];
    let flags = ["--expect-body", message, "--cacert", "ca.pem", "-c", "4"];
    yard.load(
        &url,
        1_000,
        &[&schema[..], &flags, &["--streams", "5"]].concat(),
    );
    // Without the certificate of its issuer nothing is sent.
    yard.run(&["load", &url, "-n", "20", "-c", "2"])
        .code(3)
        .says(&["certificate"]);
}

#[test]
fn servers_are_compared() {
    let yard = Yard::new();
    yard.write("echo.proto", PROTO);
    let serve = "{photofinish} server grpc-echo --port {port}";
    let secure = format!("{serve} --tls");
    let compare = |serve: &str, url: &str, more: &[&str]| {
        let these = [serve, serve, "--url", url, "--proto", "echo.proto"];
        yard.compare(&[&these[..], &["-c", "4"], more].concat())
    };
    let message = ["--message", r#"{"text":"n={counter}"}"#, "--streams", "5"];
    let plain = "grpc://127.0.0.1:{port}/echo.Echo/Unary";
    compare(serve, plain, &[&message[..], &["-v"]].concat())
        .code(0)
        .prints(&["A against itself differed by "]);
    let lines = measurements(&yard.result("compare"));
    assert_eq!(lines.len(), 4);
    all_good(&lines);
    compare(
        &secure,
        "grpcs://localhost:{port}/echo.Echo/Stream",
        &["--insecure"],
    )
    .code(0);
    let stated = [
        "--message",
        r#"{"text":"a"}"#,
        "--expect-body",
        r#"{"text":"b"}"#,
    ];
    compare(serve, plain, &stated)
        .code(3)
        .says(&["A failed in round 1", "wrong body: expected 3 bytes, got 3"]);
    compare(serve, plain, &["--ready-path", "/health"])
        .code(2)
        .says(&["--ready-path", "leave it out"]);
    compare(serve, "grpc://127.0.0.1:{port}/echo.Echo/Gone", &[])
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
