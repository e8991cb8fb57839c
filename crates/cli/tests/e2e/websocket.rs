//! `photofinish load ws://` against the built-in echo.

use crate::support::{Server, Yard, all_good, measurements};

#[test]
fn messages_are_echoed_many_at_once() {
    let yard = Yard::new();
    let server = Server::start(&yard, &["websocket-echo"]);
    let url = format!("ws://{}/chat", server.address);
    for message in ["--size 64", "--body hello", "--body '{\"n\":{counter}}'"] {
        let measured = yard.load(&url, 1_000, &format!("-c 4 --streams 5 {message}"));
        assert_eq!(measured["streams"], 5);
    }
}

#[test]
fn messages_are_echoed_over_tls() {
    let yard = Yard::new();
    let server = Server::start(&yard, &["websocket-echo", "--tls"]);
    let url = format!("wss://{}/chat", server.address);
    yard.load(&url, 1_000, "--insecure -c 4 --size 64");
}

#[test]
fn what_stands_in_the_way_is_said() {
    let yard = Yard::new();
    let echo = Server::start(&yard, &["websocket-echo"]);
    let ws = format!("ws://{}/", echo.address);
    let http = Server::start(&yard, &["event-loop", "--threads", "1"]);
    let other = format!("ws://{}/plaintext", http.address);
    for (url, flags, code, says) in [
        (&ws, "--size 64 --http2", 2, &["leave --http2 out"][..]),
        (&ws, "--size 64 -m POST", 2, &["leave --method out"]),
        (&ws, "--size 64 --body x", 2, &["two different messages"]),
        (&ws, "", 2, &["say what to send"]),
        (
            &ws,
            "--body ping --expect-body pong",
            3,
            &["the echo differs at byte 1 of 4"],
        ),
        (
            &other,
            "--size 64",
            3,
            &["opens no WebSocket here", "status 200"],
        ),
    ] {
        let ended = yard.run(&format!("load {url} -d 300ms -c 2 {flags}"));
        ended.code(code).says(says);
    }
}

#[test]
fn servers_are_compared() {
    let yard = Yard::new();
    let serve = "{photofinish} server websocket-echo --port {port}";
    let secure = format!("{serve} --tls");
    let compare = |serve: &str, url: &str, flags: &str| {
        yard.compare(&format!("'{serve}' '{serve}' --url {url} -c 4 {flags}"))
    };
    let plain = "ws://127.0.0.1:{port}/chat";
    compare(serve, plain, "--size 64 --streams 5 -v")
        .code(0)
        .prints(&["A against itself differed by "]);
    let lines = measurements(&yard.result("compare"));
    assert_eq!(lines.len(), 4);
    all_good(&lines);
    let text = "--body 'hello {counter}' --insecure";
    compare(&secure, "wss://localhost:{port}/", text).code(0);
    compare(serve, plain, "--body a --expect-body b")
        .code(3)
        .says(&["A failed in round 1", "wrong body: expected 1 bytes, got 1"]);
    compare(serve, plain, "")
        .code(2)
        .says(&["say what to send: --size 64"]);
}

#[test]
fn an_event_loop_opens_them_beside_http() {
    let yard = Yard::new();
    let serve = ["event-loop", "--threads", "1", "--websocket", "--http2"];
    for (more, schemes, flags) in [
        (&[][..], ("ws", "http"), ""),
        (&["--tls"], ("wss", "https"), "--insecure"),
    ] {
        let server = Server::start(&yard, &[&serve[..], more].concat());
        for (scheme, more) in [
            (schemes.0, "--size 64 --streams 5"),
            (schemes.1, "--expect-body 'Hello, World!'"),
            (schemes.1, "--http2"),
        ] {
            let url = format!("{scheme}://{}/plaintext", server.address);
            yard.load(&url, 400, &format!("-c 2 {flags} {more}"));
        }
    }
    let server = Server::start(&yard, &serve);
    let url = format!("ws://{}/sleep?ms=20", server.address);
    let measured = yard.load(&url, 40, "--size 1 --streams 20 -c 1");
    // Twenty wait together: forty take two of them, not forty.
    let took = measured["duration_s"].as_f64().expect("a number");
    assert!((0.04..0.4).contains(&took), "{measured}");
    let says = ["--websocket", "event-loop and delay"];
    yard.refuses("server thread-per-connection --websocket", &says);
}
