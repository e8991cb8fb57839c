//! Faults that users reported of load tools, each against a server built to show it.

use std::io::{Read, Write};
use std::net::{Shutdown, TcpListener};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use crate::hostile_frames::answering;
use crate::support;
use crate::support::frames::{
    self, DATA, END_HEADERS, END_STREAM, HEADERS, SETTINGS, STATUS_200, WINDOW_UPDATE, frame,
};
use crate::support::tls::{request, serve_raw};
use crate::support::{
    HELLO, Server, call, config, first_error, http, load, millis, over_http2, over_websocket,
    refusal,
};
use photofinish_load::websocket::CloseCode;
use photofinish_load::{Config, Control, Error, ErrorKind, Outcome, Until, run};
use photofinish_model::{Exchange, Expect, Message, Payload, Request, Template, Version};
use tungstenite::accept;
use tungstenite::protocol::CloseFrame;

/// A body that no socket's buffers hold.
fn long_body(config: &mut Config) {
    let (request, _) = http(config);
    request.method = "POST".to_owned();
    request.body = Template::fixed(vec![b'a'; 16 << 20]).into();
}

#[test]
fn a_response_that_came_before_the_request_was_sent_counts_though_the_server_closes() {
    // With what it did not read, a close is a reset; with what it did read, an end.
    for reads in [0, 1 << 16] {
        let server = serve_raw(move |mut stream| {
            if request(&mut stream).is_none() {
                return;
            }
            let _ = stream.read_exact(&mut vec![0; reads]);
            let _ = stream.write_all(
                b"HTTP/1.1 413 Too Large\r\nContent-Length: 3\r\nConnection: close\r\n\r\nbig",
            );
            let _ = stream.shutdown(Shutdown::Both);
        });
        let mut config = config(server, 2, Until::Requests(40));
        long_body(&mut config);
        http(&mut config).1.status = Some(413);
        let outcome = load(&config);
        assert_eq!(
            (outcome.good, outcome.errors.len()),
            (40, 0),
            "{:?}: {}",
            outcome.errors,
            first_error(&outcome)
        );
        assert_eq!(outcome.status.get(&413), Some(&40));
    }
}

#[test]
fn an_idle_websocket_that_the_server_closes_is_the_end_of_no_request() {
    let server = serve_raw(|stream| {
        let Ok(mut socket) = accept(stream) else {
            return;
        };
        if let Ok(message) = socket.read() {
            let _ = socket.send(message);
            let _ = socket.close(Some(CloseFrame {
                code: 1008.into(),
                reason: "one is enough".into(),
            }));
            while socket.read().is_ok() {}
        }
    });
    // One at a time, with time between them for the close.
    let message = Message::Random { size: 64 };
    let mut config = over_websocket(config(server, 1, millis(600)), message, 1);
    support::open(&mut config, photofinish_model::Arrivals::Constant, 20.0);
    let outcome = load(&config);
    assert_eq!(outcome.errors.len(), 0, "{}", first_error(&outcome));
    assert_eq!(outcome.requests, outcome.good);
    let closed = ErrorKind::WebSocket(CloseCode::Policy);
    assert_eq!(outcome.unopened.len(), 0, "{:?}", outcome.unopened);
    assert!(
        outcome.idle_ends.get(&closed) >= Some(&5),
        "{:?}",
        outcome.idle_ends
    );
}

#[test]
fn failed_connects_are_no_failed_requests() {
    // It responds five times, and is gone.
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = listener.local_addr().expect("an address");
    let serving = thread::spawn(move || {
        let (mut stream, _) = listener.accept().expect("one");
        drop(listener);
        for _ in 0..4 {
            let _ = request(&mut stream);
            stream.write_all(HELLO).expect("a response");
        }
        let _ = request(&mut stream);
        let last = b"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 0\r\n\r\n";
        stream.write_all(last).expect("a response");
    });
    let mut config = config(address, 1, Until::Requests(30));
    config.timeout = Duration::from_millis(300);
    let outcome = load(&config);
    assert_eq!(
        (outcome.requests, outcome.good, outcome.errors.len()),
        (5, 5, 0),
        "{}",
        first_error(&outcome)
    );
    assert!(outcome.unopened[&ErrorKind::ConnectRefused] > 1);
    assert!(first_error(&outcome).contains("refused"));
    serving.join().expect("it ends with the load");
}

#[test]
fn a_silent_server_is_named_however_short_the_run() {
    let server = || {
        serve_raw(|mut stream| {
            let mut all = [0; 4096];
            while stream.read(&mut all).is_ok_and(|length| length > 0) {}
        })
    };
    let short = || config(server(), 2, millis(200));
    let mut grpc = short();
    grpc.exchange = Exchange::Grpc(call(Payload::default(), 1));
    let message = Message::Random { size: 64 };
    let websocket = over_websocket(short(), message, 1);
    let cases = [
        (over_http2(short(), 2), "does not begin with SETTINGS"),
        (grpc, "does not begin with SETTINGS"),
        (websocket, "does not respond to the opening"),
    ];
    for (config, says) in cases {
        let outcome = load(&config);
        assert_eq!((outcome.sent, outcome.good), (0, 0));
        assert_eq!(outcome.unopened.get(&ErrorKind::ConnectTimeout), Some(&2));
        let first = first_error(&outcome);
        assert!(first.contains(says) && !first.contains("10s"), "{first}");
    }
}

#[test]
fn a_server_that_speaks_first_is_named() {
    let server = serve_raw(|mut stream| {
        let _ = stream.write_all(b"220 mail.example ESMTP\r\n");
        let mut all = [0; 4096];
        while stream.read(&mut all).is_ok_and(|length| length > 0) {}
    });
    let mut config = config(server, 2, Until::Requests(4));
    config.timeout = Duration::from_millis(500);
    let says = refusal(&config);
    assert!(
        says.contains("speaks first") && says.contains("220 mail"),
        "{says}"
    );
}

/// Responses with this status; of the tenth request on, with the other.
fn changing(status: &'static str, then: &'static str) -> Server {
    let count = AtomicU64::new(0);
    Server::new(move |stream, _| {
        let status = match count.fetch_add(1, Ordering::SeqCst) {
            0..10 => status,
            _ => then,
        };
        let head = format!("HTTP/1.1 {status}\r\nLocation: /login\r\nContent-Length: 0\r\n\r\n");
        stream.write_all(head.as_bytes()).is_ok()
    })
}

#[test]
fn a_redirect_is_no_good_response_unless_it_is_asked_for() {
    let moved = "301 Moved Permanently";
    let server = changing(moved, moved);
    let asked = |expect| {
        let mut config = config(server.address, 2, Until::Requests(50));
        *http(&mut config).1 = expect;
        load(&config)
    };
    let outcome = asked(Expect::default());
    assert_eq!(outcome.errors.get(&ErrorKind::Status), Some(&50));
    let says = first_error(&outcome);
    assert!(
        says.contains("301 (a redirect)") && says.contains("--expect-status 301"),
        "{says}"
    );
    let outcome = asked(Expect {
        status: Some(301),
        ..Expect::default()
    });
    assert_eq!((outcome.good, outcome.errors.len()), (50, 0));
}

#[test]
fn a_status_that_changes_in_mid_run_is_an_error_with_its_time() {
    for (then, says) in [
        ("302 Found", "status 302 (a redirect), expected 200"),
        ("204 No Content", "status 204, expected 200"),
    ] {
        let server = changing("200 OK", then);
        let outcome = load(&config(server.address, 2, Until::Requests(50)));
        assert_eq!(outcome.errors.get(&ErrorKind::Status), Some(&40));
        assert_eq!(first_error(&outcome), says);
        assert!(
            outcome
                .first_error_at
                .is_some_and(|at| at < Duration::from_secs(5))
        );
    }
}

#[test]
fn the_first_status_is_that_of_all_threads() {
    let server = changing("201 Created", "201 Created");
    let mut config = config(server.address, 4, Until::Requests(200));
    config.threads = 2;
    assert_eq!(load(&config).errors.len(), 0);
}

/// A server that serves for `before`, then refuses connections, and serves again from `after` on.
fn coming_back(before: Duration, after: Duration) -> std::net::SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = listener.local_addr().expect("an address");
    let began = Instant::now();
    let serve = move |listener: TcpListener, until: Option<Duration>| {
        listener.set_nonblocking(true).expect("not blocking");
        let mut streams = Vec::new();
        while until.is_none_or(|until| began.elapsed() < until) {
            while let Ok((stream, _)) = listener.accept() {
                stream.set_nonblocking(true).expect("not blocking");
                streams.push(stream);
            }
            let mut all = [0; 4096];
            for stream in &mut streams {
                if stream.read(&mut all).is_ok_and(|length| length > 0) {
                    let _ = stream.write_all(HELLO);
                }
            }
            thread::yield_now();
        }
    };
    thread::spawn(move || {
        serve(listener, Some(before));
        while began.elapsed() < after {
            thread::yield_now();
        }
        // In the hands of nobody else meanwhile, since a test's servers have ports of their own.
        serve(TcpListener::bind(address).expect("the port"), None);
    });
    address
}

/// What two connections come to in this time, in a closed loop or at 200 requests a second.
fn two_connections(is_open: bool, address: std::net::SocketAddr, elapsed: Duration) -> Outcome {
    let mut config = config(address, 2, Until::Elapsed(elapsed));
    if is_open {
        support::open(&mut config, photofinish_model::Arrivals::Constant, 200.0);
    }
    load(&config)
}

#[test]
fn an_outage_is_a_gap_of_its_length_in_closed_and_open_loops() {
    for is_open in [false, true] {
        let address = coming_back(Duration::from_millis(400), Duration::from_millis(900));
        let outcome = two_connections(is_open, address, Duration::from_millis(2_500));
        let gap = outcome.stalls(Duration::from_millis(100));
        // Pauses between attempts to connect, each twice the one before, come on top of the outage's 500 ms.
        let least = Duration::from_millis(450);
        assert!(gap.stalled >= least, "open: {is_open}: {:?}", outcome.gaps);
        assert!(
            gap.stalled < Duration::from_millis(1_700),
            "{:?}",
            outcome.gaps
        );
        assert!(outcome.unopened.contains_key(&ErrorKind::ConnectRefused));
        // Meanwhile connections were idle, and not in the generator's hands.
        let turnaround = outcome.turnaround.unwrap_or_default();
        assert!(turnaround < Duration::from_millis(100), "{turnaround:?}");
        assert!(is_open || outcome.idle >= 2 * least, "{:?}", outcome.idle);
    }
}

#[test]
fn an_outage_at_the_end_is_a_gap_too() {
    for is_open in [false, true] {
        let address = coming_back(Duration::from_millis(400), Duration::from_secs(60));
        let outcome = two_connections(is_open, address, Duration::from_millis(1_200));
        let last = outcome.gaps.last().expect("a gap");
        let ended = last.began as f64 / 1e9 + last.lasted.as_secs_f64();
        assert!(last.lasted >= Duration::from_millis(600), "{last:?}");
        assert!((ended - 1.2).abs() < 0.1, "open: {is_open}: {last:?}");
    }
}

#[test]
fn places_are_in_use_or_idle_in_a_run_of_few_requests() {
    // Each response takes 5 ms, so that what a machine delays matters little.
    let server = Server::new(|stream, _| {
        thread::sleep(Duration::from_millis(5));
        stream.write_all(HELLO).is_ok()
    });
    for (connections, requests) in [(2, 20), (10, 25), (3, 3)] {
        let outcome = load(&config(
            server.address,
            connections,
            Until::Requests(requests),
        ));
        assert_eq!(outcome.firsts, u64::from(connections));
        assert_eq!(outcome.firsts + outcome.turnarounds, requests);
        let turnaround = outcome.turnaround.unwrap_or_default().as_secs_f64();
        let in_use = outcome.latency.mean() / 1e9 * requests as f64
            + turnaround * outcome.turnarounds as f64;
        let all = f64::from(connections) * outcome.duration.as_secs_f64();
        let off = (in_use + outcome.idle.as_secs_f64()) / all - 1.0;
        assert!(off.abs() < 0.02, "{connections}, {requests}: {off}");
    }
}

#[test]
fn headers_that_contradict_the_body_are_refused_before_anything_is_sent() {
    let server = Server::responding(HELLO);
    let refused = |headers: &[(&str, &str)], body: &str, version| {
        let mut config = config(server.address, 1, Until::Requests(1));
        let headers = headers
            .iter()
            .map(|(name, value)| ((*name).to_owned(), Template::fixed(value.as_bytes()).into()));
        config.exchange = Exchange::Http {
            request: Request {
                method: "POST".to_owned(),
                headers: headers.collect(),
                body: Template::parse(body).into(),
                ..Request::get("/")
            },
            expect: Expect::default(),
            version,
        };
        match run(&config, &Control::default()) {
            Err(Error::Request { why }) => Some(why.to_string()),
            _ => None,
        }
    };
    for version in [Version::Http1, Version::Http2 { streams: 1 }] {
        let length = ("content-length", "3");
        for (headers, body, says) in [
            (&[length][..], "hello", "is 3, and the body has 5 bytes"),
            (&[length], "", "is 3, and the body has 0 bytes"),
            (&[("Content-Length", "-1")], "", "is -1"),
            (&[("Content-Length", "+5")], "hello", "is +5"),
            (
                &[("Content-Length", "5"), ("content-length", "5")],
                "hello",
                "Content-Length is given 2 times",
            ),
            (&[("Host", "a"), ("host", "b")], "", "Host is given 2 times"),
            (&[length], "{random:1..500}", "length varies"),
            (
                &[("Transfer-Encoding", "chunked")],
                "hello",
                "not in the chunked coding",
            ),
            (
                &[length, ("Transfer-Encoding", "chunked")],
                "abc",
                "exclude each other",
            ),
        ] {
            let said = refused(headers, body, version).expect(says);
            assert!(said.contains(says), "{said}");
        }
    }
    assert_eq!(server.seen(), 0);
    assert_eq!(
        refused(&[("Content-Length", "5")], "hello", Version::Http1),
        None
    );
    let chunked = ("Transfer-Encoding", "chunked");
    assert_eq!(
        refused(&[chunked], "5\r\nhello\r\n0\r\n\r\n", Version::Http1),
        None
    );
}

#[test]
fn http2_is_as_strict_as_http1_about_content_and_names() {
    // `:status` 200 and 204 of the static table (RFC 7541, appendix A), and 200 with a name in capitals.
    let capitals = b"\x88\x00\x03X-A\x01b";
    let about = b"\x88\x00\x0aconnection\x05close";
    let value = b"\x88\x00\x03x-a\x03a\r\n";
    let cases: [(&str, &'static [u8], &'static [u8], &str); 5] = [
        ("HEAD", b"\x88", b"hello", "has 5 bytes of it"),
        ("GET", b"\x89", b"hello", "status 204"),
        ("GET", capitals, b"", "capital letters"),
        ("GET", about, b"", "about the connection"),
        ("GET", value, b"", "a line break"),
    ];
    for (method, block, content, says) in cases {
        let server = answering(b"", move |number, stream| {
            let head = |block, flags| frame(HEADERS, END_HEADERS | flags, stream, block);
            match number % 10 {
                5 => [head(block, 0), frame(DATA, END_STREAM, stream, content)].concat(),
                _ if block[0] == 0x89 => head(b"\x89", END_STREAM),
                _ => head(b"\x88", END_STREAM),
            }
        });
        let mut config = over_http2(config(server, 2, Until::Requests(100)), 5);
        http(&mut config).0.method = method.to_owned();
        let outcome = load(&config);
        let kinds: Vec<&ErrorKind> = outcome.errors.keys().collect();
        assert_eq!(kinds, [&ErrorKind::Malformed], "{says}");
        // One request each, and no other with it.
        assert_eq!(
            (outcome.errors[&ErrorKind::Malformed], outcome.good),
            (10, 90),
            "{says}"
        );
        assert_eq!(outcome.reconnects, 0, "{says}");
        let first = first_error(&outcome);
        assert!(first.contains(says), "{first}");
    }
}

#[test]
fn a_server_may_lower_its_limit_of_streams_in_mid_run() {
    // From the hundredth request on it takes 3 streams at once; from the two hundredth on none for a moment, and then 10.
    let limit = |streams: u32| {
        let setting = [&3u16.to_be_bytes()[..], &streams.to_be_bytes()].concat();
        frame(SETTINGS, 0, 0, &setting)
    };
    let server = answering(b"", move |number, stream| {
        let response = frame(HEADERS, END_HEADERS | END_STREAM, stream, b"\x88");
        match number {
            100 => [limit(3), response].concat(),
            200 => [limit(0), response, limit(10)].concat(),
            _ => response,
        }
    });
    let outcome = load(&over_http2(config(server, 1, Until::Requests(400)), 10));
    assert_eq!(outcome.errors.len(), 0, "{}", first_error(&outcome));
    assert_eq!((outcome.good, outcome.reconnects), (400, 0));
}

#[test]
fn an_upload_over_http2_is_whole_whatever_the_windows() {
    // The server opens its windows by 40,000 bytes for each 40,000 that come, and counts what comes.
    let received = Arc::new(AtomicU64::new(0));
    let count = Arc::clone(&received);
    let server = serve_raw(move |stream| {
        let _ = frames::serve(stream, b"", |stream, from_client| {
            let number = from_client.stream;
            let mut reply = Vec::new();
            if from_client.kind == DATA && !from_client.payload.is_empty() {
                let length = from_client.payload.len();
                count.fetch_add(length as u64, Ordering::SeqCst);
                let more = (length as u32).to_be_bytes();
                reply.extend(frame(WINDOW_UPDATE, 0, 0, &more));
                reply.extend(frame(WINDOW_UPDATE, 0, number, &more));
            }
            if from_client.kind == DATA && from_client.ends_request() {
                let block = [STATUS_200];
                reply.extend(frame(HEADERS, END_HEADERS | END_STREAM, number, &block));
            }
            stream.write_all(&reply)
        });
    });
    let mut config = over_http2(config(server, 2, Until::Requests(40)), 10);
    let (request, _) = http(&mut config);
    request.method = "POST".to_owned();
    request.body = Template::fixed(vec![b'a'; 1_000_003]).into();
    let outcome = load(&config);
    assert_eq!(
        (outcome.good, outcome.errors.len()),
        (40, 0),
        "{}",
        first_error(&outcome)
    );
    assert_eq!(received.load(Ordering::SeqCst), 40 * 1_000_003);
    assert!(outcome.bytes_out > 40 * 1_000_003, "{}", outcome.bytes_out);
}
