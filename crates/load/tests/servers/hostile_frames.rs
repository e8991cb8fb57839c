//! Servers that break HTTP/2 or WebSocket on one connection, byte for byte: it is left with its reason, and no other suffers.

use std::io::Write;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use crate::support;
use crate::support::frames::{
    self, DATA, END_HEADERS, END_STREAM, HEADERS, PING, PRIORITY, PUSH_PROMISE, RST_STREAM,
    SETTINGS, STATUS_200, frame,
};
use crate::support::tls::serve_raw;
use crate::support::{assert_good, config, http, load};
use photofinish_load::websocket::CloseCode;
use photofinish_load::{ErrorKind, Outcome, Until};
use photofinish_model::{Message as Sent, Template};
use tungstenite::{Message, accept};

const REQUESTS: u64 = 200;

/// A block of header fields in a frame of its own.
fn head(stream: u32, block: &[u8]) -> Vec<u8> {
    frame(HEADERS, END_HEADERS, stream, block)
}

fn response(stream: u32) -> Vec<u8> {
    let head = head(stream, &[STATUS_200]);
    [head, frame(DATA, END_STREAM, stream, b"hello")].concat()
}

/// What the tenth request of all gets, by its stream; all else is served well.
type Harm = fn(u32) -> Vec<u8>;

/// A server of HTTP/2.
fn serving(harm: Harm) -> SocketAddr {
    answering(b"", move |number, stream| match number {
        9 => harm(stream),
        _ => response(stream),
    })
}

/// A server of HTTP/2 that says this of itself to its first connection, and answers each request by its number among all and its stream.
pub(crate) fn answering(
    first: &'static [u8],
    answer: impl Fn(u64, u32) -> Vec<u8> + Send + Sync + 'static,
) -> SocketAddr {
    let (connections, requests) = (AtomicU64::new(0), AtomicU64::new(0));
    serve_raw(move |stream| {
        let settings = match connections.fetch_add(1, Ordering::SeqCst) {
            0 => first,
            _ => b"",
        };
        let _ = frames::serve(stream, settings, |stream, frame| {
            if !frame.ends_request() {
                return Ok(());
            }
            let number = requests.fetch_add(1, Ordering::SeqCst);
            stream.write_all(&answer(number, frame.stream))
        });
    })
}

/// One request was lost, or the connection itself between two of them, for this reason; all others had their responses.
fn one_is_lost(outcome: &Outcome, kind: ErrorKind, because: &str) {
    let says = support::first_error(outcome);
    let ends = outcome.errors.iter().chain(&outcome.idle_ends);
    let errors: Vec<(&ErrorKind, &u64)> = ends.collect();
    assert_eq!(errors, [(&kind, &1)], "{because}: {says}");
    assert!(outcome.good >= REQUESTS - 1, "{because}: {}", outcome.good);
    assert!(says.contains(because), "{because}: {says}");
}

#[test]
fn a_connection_that_breaks_http2_is_left_with_its_reason() {
    let cases: [(Harm, &str); 3] = [
        (
            |stream| head(stream, &[0; 16_385]),
            "longer than the 16,384 bytes",
        ),
        (
            |stream| frame(PUSH_PROMISE, END_HEADERS, stream, b"\0\0\0\x02\x88"),
            "pushes",
        ),
        (
            |_| frame(SETTINGS, 0, 0, b"\0\x03\0\0\0"),
            "not a multiple of six bytes",
        ),
    ];
    for (harm, because) in cases {
        one_is_lost(&over_http2(serving(harm)), ErrorKind::Malformed, because);
    }
}

/// Header fields cost no more memory than they take, whatever they stand for: there is no table, and a number has an end.
#[test]
fn header_fields_of_a_bomb_end_their_connection() {
    let cases: [(Harm, &str); 2] = [
        (
            |stream| head(stream, &[STATUS_200, 0x40, 1, b'x', 1, b'y', 0xbe]),
            "an entry of the dynamic table",
        ),
        (
            |stream| head(stream, &[0x3f, 0xe1, 0x7f, STATUS_200]),
            "sets up a dynamic table",
        ),
    ];
    for (harm, because) in cases {
        one_is_lost(&over_http2(serving(harm)), ErrorKind::Malformed, because);
    }
}

/// More than all buffers between server and client hold, so that a server that only sends it has to be left.
const FLOOD: usize = 32 << 20;

fn flood(frame: &[u8]) -> Vec<u8> {
    frame.repeat(FLOOD / frame.len())
}

#[test]
fn a_flood_of_what_asks_for_replies_ends_its_connection() {
    let cases: [Harm; 2] = [
        |_| flood(&frame(PING, 0, 0, b"12345678")),
        |_| flood(&frame(SETTINGS, 0, 0, b"")),
    ];
    for harm in cases {
        let outcome = over_http2(serving(harm));
        one_is_lost(&outcome, ErrorKind::Malformed, "more replies than it reads");
    }
}

#[test]
fn a_flood_that_asks_for_nothing_is_passed_over() {
    // PRIORITY, which means nothing; resets of a stream that has ended; empty content, which flow control does not stop.
    let cases: [Harm; 3] = [
        |stream| {
            let priority = frame(PRIORITY, 0, stream, &[0; 5]);
            [priority.repeat(100_000), response(stream)].concat()
        },
        |stream| {
            let reset = frame(RST_STREAM, 0, stream, &[0; 4]);
            [response(stream), reset.repeat(100_000)].concat()
        },
        |stream| {
            let head = head(stream, &[STATUS_200]);
            let nothing = frame(DATA, 0, stream, b"").repeat(100_000);
            [head, nothing, frame(DATA, END_STREAM, stream, b"hello")].concat()
        },
    ];
    for harm in cases {
        assert_good(&over_http2(serving(harm)), REQUESTS);
    }
}

#[test]
fn a_server_that_resets_every_stream_at_once_fails_each_request_by_itself() {
    let address = answering(b"", |_, stream| frame(RST_STREAM, 0, stream, b"\0\0\0\x0b"));
    let outcome = over_http2(address);
    let says = support::first_error(&outcome);
    let errors: Vec<(&ErrorKind, &u64)> = outcome.errors.iter().collect();
    assert_eq!(errors, [(&ErrorKind::Reset, &REQUESTS)], "{says}");
    assert_eq!((outcome.connects, outcome.reconnects), (2, 0));
    assert_eq!(says, "the server ended the stream: ENHANCE_YOUR_CALM");
}

#[test]
fn a_window_that_is_never_opened_holds_up_no_other_connection() {
    // SETTINGS_INITIAL_WINDOW_SIZE = 0: not a byte of a body may be sent.
    let address = answering(b"\0\x04\0\0\0\0", |_, stream| response(stream));
    let mut config = config(address, 2, Until::Requests(REQUESTS));
    config.timeout = Duration::from_secs(1);
    // One thread has both connections: what it is to send goes to the other meanwhile.
    config.threads = 1;
    let (request, _) = http(&mut config);
    request.method = "POST".to_owned();
    request.body = Template::fixed(b"hello").into();
    let outcome = load(&support::over_http2(config, 1));
    one_is_lost(&outcome, ErrorKind::Timeout, "no complete response within");
    // The request was given up, and its connection was not.
    assert_eq!((outcome.connects, outcome.reconnects), (2, 0));
}

fn over_http2(address: SocketAddr) -> Outcome {
    let config = config(address, 2, Until::Requests(REQUESTS));
    load(&support::over_http2(config, 1))
}

/// What the tenth message of all gets, whose content it has; all else is echoed.
type Reply = fn(&[u8]) -> Vec<u8>;

/// A server of WebSockets.
fn echoing(reply: Reply) -> SocketAddr {
    let messages = AtomicU64::new(0);
    serve_raw(move |stream| {
        let Ok(mut socket) = accept(stream) else {
            return;
        };
        while let Ok(message) = socket.read() {
            let Message::Binary(content) = message else {
                continue;
            };
            let sent = match messages.fetch_add(1, Ordering::SeqCst) {
                9 => socket.get_mut().write_all(&reply(&content)).is_ok(),
                _ => socket.send(Message::Binary(content)).is_ok(),
            };
            if !sent {
                return;
            }
        }
    })
}

fn over_websocket(address: SocketAddr) -> Outcome {
    let mut config = config(address, 2, Until::Requests(REQUESTS));
    config.timeout = Duration::from_secs(1);
    load(&support::over_websocket(
        config,
        Sent::Random { size: 64 },
        1,
    ))
}

/// A frame of a WebSocket with fewer than 126 bytes (RFC 6455, section 5.2).
fn piece(first: u8, content: &[u8]) -> Vec<u8> {
    [&[first, content.len() as u8], content].concat()
}

#[test]
fn a_connection_that_breaks_websocket_is_left_with_its_reason() {
    let cases: [(Reply, &str); 2] = [
        (|content| piece(0xc2, content), "extension"),
        (|content| piece(0x83, content), "opcode"),
    ];
    for (harm, because) in cases {
        one_is_lost(
            &over_websocket(echoing(harm)),
            ErrorKind::Malformed,
            because,
        );
    }
}

#[test]
fn what_comes_after_a_close_is_not_looked_at() {
    let normal: Reply = |content| {
        let close = piece(0x88, &1000_u16.to_be_bytes());
        // A message, and what breaks the protocol.
        [close, piece(0x82, content), piece(0x83, content)].concat()
    };
    let kind = ErrorKind::WebSocket(CloseCode::Normal);
    one_is_lost(
        &over_websocket(echoing(normal)),
        kind,
        "closed the WebSocket",
    );
}

#[test]
fn a_flood_of_pings_that_nobody_reads_the_pongs_of_ends_its_connection() {
    let outcome = over_websocket(echoing(|_| flood(&piece(0x89, b"ping"))));
    one_is_lost(&outcome, ErrorKind::Malformed, "pings without end");
}

#[test]
fn a_message_without_end_is_given_up_in_time() {
    // 2⁴⁰ bytes, of which some come; whatever is echoed after that is more of them.
    let endless: Reply = |_| [&[0x82, 127, 0, 0, 1, 0, 0, 0, 0, 0][..], &[0; 100_000]].concat();
    let outcome = over_websocket(echoing(endless));
    one_is_lost(&outcome, ErrorKind::Timeout, "no complete response within");
}

#[test]
fn a_message_in_pieces_with_a_ping_between_is_whole() {
    let outcome = over_websocket(echoing(|content| {
        let (a, b) = content.split_at(10);
        [
            piece(0x02, a),
            piece(0x89, b"ping"),
            piece(0x00, b""),
            piece(0x80, b),
        ]
        .concat()
    }));
    assert_good(&outcome, REQUESTS);
    assert!(outcome.errors.is_empty(), "{:?}", outcome.errors);
}
