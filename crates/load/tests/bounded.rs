//! What a server may make a connection hold: no more than a bound, whatever it sends and for however long. All memory is counted, so
//! there is one test here.

#[path = "servers/support/frames.rs"]
#[allow(dead_code, reason = "each test file uses its part")]
mod frames;

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering};

use frames::frame;
use photofinish_load::ErrorKind;
use photofinish_load::grpc::Speaker;
use photofinish_load::http::Http;
use photofinish_load::http2::Http2;
use photofinish_load::protocol::{Place, Progress, Protocol, Ticket};
use photofinish_load::websocket::WebSocket;
use photofinish_model::{
    Expect, Grpc, Message, Payload, Request, Template, WebSocket as WantedSocket,
};

/// The system's memory, counted.
struct Counted;

static HELD: AtomicUsize = AtomicUsize::new(0);
static MOST: AtomicUsize = AtomicUsize::new(0);
/// How often some was asked for.
static ASKED: AtomicUsize = AtomicUsize::new(0);

// SAFETY: all is the system's allocator, which is called as this one is.
unsafe impl GlobalAlloc for Counted {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let held = HELD.fetch_add(layout.size(), Ordering::Relaxed) + layout.size();
        MOST.fetch_max(held, Ordering::Relaxed);
        ASKED.fetch_add(1, Ordering::Relaxed);
        // SAFETY: the caller's promises are the same.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        HELD.fetch_sub(layout.size(), Ordering::Relaxed);
        // SAFETY: it came from there.
        unsafe { System.dealloc(at, layout) }
    }
}

#[global_allocator]
static COUNTED: Counted = Counted;

/// So much comes on the connection, unless it is given up before.
const FLOOD: usize = 16 << 20;
/// What it may hold at most: some 64 KiB each of what came and of what is to be said, in vectors that grow to twice as much, before the
/// old ones are freed.
const BOUND: usize = 512 << 10;
/// As much as a thread reads at once.
const READ: usize = 64 << 10;

const STREAMS: u32 = 10;

const PLACE: Place = Place {
    thread: 0,
    threads: 1,
    first: 0,
    single: false,
};

/// What a server sends first, and then again and again.
struct Flood {
    name: &'static str,
    first: Vec<u8>,
    again: Vec<u8>,
}

fn flood(name: &'static str, first: impl Into<Vec<u8>>, again: impl Into<Vec<u8>>) -> Flood {
    Flood {
        name,
        first: first.into(),
        again: again.into(),
    }
}

/// Lets a connection with as many requests in flight as may be take a flood, from a server that reads nothing: how it ended, and what
/// it held at most.
fn held<P: Protocol>(
    protocol: &mut P,
    state: &mut P::State,
    flood: &Flood,
) -> (Option<ErrorKind>, usize) {
    let again = flood.again.repeat(READ / flood.again.len() + 1);
    let before = HELD.load(Ordering::Relaxed);
    MOST.store(before, Ordering::Relaxed);
    let mut out = Vec::new();
    let reads = [&flood.first[..]]
        .into_iter()
        .chain(std::iter::repeat_n(&again[..], FLOOD / again.len()));
    let mut ended = None;
    'reads: for read in reads {
        let mut rest = read;
        loop {
            match protocol.receive(state, rest, &mut out) {
                Progress::More => break,
                Progress::Last { used } => rest = &rest[used..],
                // What ends is asked again at once.
                Progress::Done { used, ticket, .. } | Progress::Unseen { used, ticket } => {
                    rest = &rest[used..];
                    protocol.request(state, ticket);
                    if !P::MANY && rest.is_empty() {
                        break;
                    }
                }
                Progress::Broken(kind) => {
                    ended = Some(kind);
                    break 'reads;
                }
            }
        }
    }
    let most = MOST.load(Ordering::Relaxed).saturating_sub(before);
    drop(out);
    (ended, most)
}

fn is_bounded<P: Protocol>(mut protocol: P, opens: impl Fn(&[u8]) -> Vec<u8>, flood: &Flood) {
    let (mut state, mut out) = (protocol.state(0), Vec::new());
    protocol.opened(&mut state, &mut out);
    let opening = opens(&out);
    if !opening.is_empty() {
        let opened = protocol.receive(&mut state, &opening, &mut out);
        assert_eq!(opened, Progress::More, "{}", flood.name);
    }
    for ticket in 0..protocol.streams() {
        protocol.request(&mut state, Ticket(ticket));
    }
    let (ended, most) = held(&mut protocol, &mut state, flood);
    assert!(
        most <= BOUND,
        "{}: {most} bytes, ended {ended:?}",
        flood.name
    );
}

/// Each of a flood of frames.
fn over_http2() -> Vec<Flood> {
    let head = frame(1, 4, 1, &[0x88]);
    let field = [&[0, 1, b'x', 0x7f, 0x81, 0x7c][..], &[b'y'; 16_000]].concat();
    vec![
        flood("CONTINUATION", frame(1, 0, 1, &[0x88]), frame(9, 0, 1, b"")),
        flood(
            "a block without end",
            frame(1, 0, 1, &[0x88]),
            frame(9, 0, 1, &field),
        ),
        flood(
            "interim heads",
            b"",
            frame(1, 4, 1, &[&b"\x08\x03103"[..], &field].concat()),
        ),
        flood("trailers", head.clone(), frame(1, 0, 1, &field)),
        flood("PING", b"", frame(6, 0, 0, b"12345678")),
        flood("SETTINGS", b"", frame(4, 0, 0, b"\0\x04\0\0\xff\xff")),
        flood("WINDOW_UPDATE", b"", frame(8, 0, 0, b"\0\0\0\x01")),
        flood("PRIORITY", b"", frame(2, 0, 1, &[0; 5])),
        flood(
            "frames that nobody knows",
            b"",
            frame(0x42, 0xff, 3, &[0; 16_384]),
        ),
        flood(
            "a frame that is too long",
            b"\xff\xff\xff\x42\0\0\0\0\0",
            [0; 1_000],
        ),
        flood(
            "content without end",
            head.clone(),
            frame(0, 0, 1, &[b'x'; 16_000]),
        ),
        flood("empty content", head, frame(0, 0, 1, b"")),
        flood(
            "GOAWAY",
            b"",
            frame(
                7,
                0,
                0,
                &[&[0x7f, 0xff, 0xff, 0xff, 0, 0, 0, 0][..], &[b'x'; 8_000]].concat(),
            ),
        ),
    ]
}

/// What is asked for when as many responses as that have come over HTTP/2, and every one is followed by another request.
fn asked_for(responses: u32) -> usize {
    let (request, expect) = (Request::get("/"), Expect::default());
    let mut http2 = Http2::of_one(&request, &expect, ("http", "h"), 1, 0).expect("valid")(PLACE);
    let (mut state, mut out) = (http2.state(0), Vec::new());
    http2.opened(&mut state, &mut out);
    let settings = frame(4, 0, 0, b"");
    let progress = http2.receive(&mut state, &settings, &mut out);
    assert_eq!(progress, Progress::More);
    let said: Vec<Vec<u8>> = (0..responses)
        .map(|number| {
            let stream = 2 * number + 1;
            let head = frame(1, 4, stream, &[0x88, 0x0f, 13, 1, b'5']);
            [head, frame(0, 1, stream, b"hello")].concat()
        })
        .collect();
    let before = ASKED.load(Ordering::Relaxed);
    for bytes in &said {
        http2.request(&mut state, Ticket(0));
        match http2.receive(&mut state, bytes, &mut out) {
            Progress::Done { response, .. } => assert_eq!(response.fault, None),
            other => panic!("{other:?}"),
        }
    }
    ASKED.load(Ordering::Relaxed) - before
}

#[test]
fn no_flood_makes_a_connection_hold_more_than_a_bound_and_no_response_takes_memory() {
    // What the first ones are remembered in is there from then on.
    assert_eq!(asked_for(1_000), asked_for(10));

    let settings = frame(4, 0, 0, b"");
    let (request, expect) = (Request::get("/"), Expect::default());
    for flood in over_http2() {
        let http2 = Http2::of_one(&request, &expect, ("http", "h"), STREAMS, 0).map(|of| of(PLACE));
        is_bounded(http2.expect("valid"), |_| settings.clone(), &flood);
    }

    let call = Grpc {
        path: "/p.S/M".to_owned(),
        headers: Vec::new(),
        message: Payload::fixed("m").into(),
        messages: None,
        expect: Expect::default(),
        streams: STREAMS,
    };
    let head = [&[0x88, 0x5f, 16][..], b"application/grpc"].concat();
    let head = frame(1, 4, 1, &head);
    let message = |length: u32| [&[0][..], &length.to_be_bytes()].concat();
    for flood in [
        flood(
            "messages without end",
            head.clone(),
            frame(0, 0, 1, &message(0).repeat(1_000)),
        ),
        flood(
            "a long message",
            [head, frame(0, 0, 1, &message(64 << 20))].concat(),
            frame(0, 0, 1, &[b'x'; 16_000]),
        ),
    ] {
        let speaker = Speaker::of(&call, ("http", "h"), 0, PLACE, None).expect("valid");
        is_bounded(speaker, |_| settings.clone(), &flood);
    }

    let wanted = WantedSocket {
        opening: Request::get("/"),
        message: Message::Text(Template::fixed("hello").into()),
        reply: None,
        streams: STREAMS,
    };
    let opens = |asked: &[u8]| {
        let asked = String::from_utf8_lossy(asked);
        let (_, key) = asked.split_once("Key: ").expect("a key");
        let key = key.lines().next().expect("a line").as_bytes();
        let accept = tungstenite::handshake::derive_accept_key(key);
        format!(
            "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: {accept}\r\n\r\n"
        )
        .into_bytes()
    };
    for flood in [
        flood("pings", b"", b"\x89\x04ping"),
        flood("pongs", b"", b"\x8a\x04pong"),
        flood(
            "a message without end",
            b"\x82\x7f\0\0\xff\xff\0\0\0\0",
            [b'x'; 1_000],
        ),
        flood("a message in pieces without end", b"\x01\x01x", b"\0\x01y"),
        flood("replies", b"", b"\x81\x05hello"),
    ] {
        let socket = WebSocket::new(&wanted, "h", 1, 0).expect("valid").at(PLACE);
        is_bounded(socket, opens, &flood);
    }
    let opening = flood("a head of an opening", b"HTTP/1.1 101 S\r\n", b"X: y\r\n");
    let socket = WebSocket::new(&wanted, "h", 1, 0).expect("valid").at(PLACE);
    is_bounded(socket, |_| Vec::new(), &opening);

    const CHUNKED: &[u8] = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
    for flood in [
        flood("a head", b"HTTP/1.1 200 OK\r\n", b"X-Again: and again\r\n"),
        flood("interim responses", b"", b"HTTP/1.1 100 Continue\r\n\r\n"),
        flood("a body", b"HTTP/1.1 200 OK\r\n\r\n", [b'x'; 1_000]),
        flood("chunks", CHUNKED, b"1\r\nx\r\n"),
        flood(
            "a chunk's extensions",
            [CHUNKED, b"1;"].concat(),
            b"again=again;",
        ),
        flood("a chunk's length", CHUNKED, b"0"),
        flood("trailers", [CHUNKED, b"0\r\n"].concat(), b"X: y\r\n"),
    ] {
        let http = Http::new(&request, &expect, "h", 0, PLACE).expect("valid");
        is_bounded(http, |_| Vec::new(), &flood);
    }
}
