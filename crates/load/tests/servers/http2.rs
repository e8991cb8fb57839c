//! HTTP/2 beside another implementation of it: the server is that of the `h2` library.

use std::future::poll_fn;
use std::io::Write as _;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc;
use std::time::Duration;

use crate::support;
use crate::support::tasks;
use crate::support::tls::serve_raw;
use crate::support::{assert_good, config, http, load, millis, over_http2};
use bytes::Bytes;
use h2::Reason;
use h2::server::{self, SendResponse};
use http::{Request, Response};
use photofinish_load::{Config, Control, ErrorKind, Outcome, Until, run};
use photofinish_model::samples::assert_contains;
use photofinish_model::{Exchange, Template, Version};
use tokio::io::AsyncWriteExt as _;
use tokio::time;

/// What becomes of a request.
#[derive(Clone, Copy)]
enum Act {
    /// `hello`, at once.
    Hello,
    /// The same after a while.
    After(Duration),
    /// What came.
    Echo,
    /// The stream is reset.
    Reset,
    /// Nothing.
    Never,
}

struct Peer {
    address: SocketAddr,
    /// Requests that were read.
    seen: Arc<AtomicU64>,
}

impl Peer {
    /// A server that does with the request of each number what `script` says, and sends GOAWAY after so many requests of a connection.
    fn new(
        settings: fn(&mut server::Builder),
        script: fn(u64) -> Act,
        goes_after: Option<u64>,
    ) -> Peer {
        Peer::start(settings, script, goes_after, None)
    }

    /// The same, but the first connection gets these bytes, and nothing else.
    fn start(
        settings: fn(&mut server::Builder),
        script: fn(u64) -> Act,
        goes_after: Option<u64>,
        mut first: Option<&'static [u8]>,
    ) -> Peer {
        let seen = Arc::new(AtomicU64::new(0));
        let shared = Arc::clone(&seen);
        let address = tasks::serve(move |mut stream| {
            let first = first.take();
            let seen = Arc::clone(&shared);
            async move {
                if let Some(bytes) = first {
                    stream.write_all(bytes).await.expect("sent");
                    let _ = tokio::io::copy(&mut stream, &mut tokio::io::sink()).await;
                    return;
                }
                let mut builder = server::Builder::new();
                settings(&mut builder);
                let Ok(mut connection) = builder.handshake::<_, Bytes>(stream).await else {
                    return;
                };
                let mut served = 0;
                while let Some(Ok((request, respond))) = connection.accept().await {
                    served += 1;
                    let act = script(seen.fetch_add(1, Ordering::SeqCst));
                    tokio::spawn(serve(request, respond, act));
                    if Some(served) == goes_after {
                        connection.graceful_shutdown();
                    }
                }
            }
        });
        Peer { address, seen }
    }

    /// What requests over so many connections of so many streams came to.
    fn load(&self, connections: u32, streams: u32, change: impl FnOnce(&mut Config)) -> Outcome {
        let mut config = config(self.address, connections, Until::Requests(1_000));
        change(&mut config);
        load(&over_http2(config, streams))
    }
}

/// Why no response came over so many streams of one connection.
fn refusal(address: SocketAddr, streams: u32) -> String {
    let mut config = config(address, 1, millis(300));
    config.timeout = Duration::from_millis(300);
    // The server's first words may come before load flows, or after.
    support::refusal(&over_http2(config, streams))
}

async fn serve(request: Request<h2::RecvStream>, mut respond: SendResponse<Bytes>, act: Act) {
    let body = tasks::body(request).await;
    match act {
        Act::After(delay) => time::sleep(delay).await,
        Act::Never => {
            // Until the client gives it up.
            let _ = poll_fn(|context| respond.poll_reset(context)).await;
        }
        _ => {}
    }
    match act {
        Act::Reset => respond.send_reset(Reason::REFUSED_STREAM),
        Act::Never => {}
        Act::Hello | Act::After(_) => reply(&mut respond, Bytes::from_static(b"hello")).await,
        Act::Echo => reply(&mut respond, Bytes::from(body)).await,
    }
}

async fn reply(respond: &mut SendResponse<Bytes>, body: Bytes) {
    let head = Response::builder().header("content-length", body.len());
    let Ok(mut sending) = respond.send_response(head.body(()).expect("a head"), false) else {
        return;
    };
    let _ = sending.send_data(body, true);
}

#[test]
fn a_batch_delays_requests_and_no_response_time() {
    let peer = Peer::new(|_| {}, |_| Act::Hello, None);
    let batch = Config::LONGEST_BATCH;
    let outcome = peer.load(2, 10, |config| {
        config.threads = 1;
        config.batch = batch;
    });
    assert_eq!(
        (outcome.good, outcome.errors.len()),
        (1_000, 0),
        "{}",
        support::first_error(&outcome)
    );
    // A request is sent after the sleep that its place's last response came in, and answered in the next one.
    let turnaround = outcome.turnaround.expect("a turnaround");
    let response = Duration::from_nanos(outcome.latency.mean() as u64);
    assert!(
        turnaround + response >= batch,
        "{turnaround:?}, {response:?}"
    );
    // The server answers at once.
    let median = Duration::from_nanos(outcome.latency.value_at_quantile(0.5));
    assert!(median < batch, "{median:?}");
}

#[test]
fn every_request_has_its_response_whatever_the_order() {
    let peer = Peer::new(
        |_| {},
        |number| match number % 7 {
            0 => Act::After(Duration::from_millis(3)),
            _ => Act::Hello,
        },
        None,
    );
    let outcome = peer.load(3, 8, |config| {
        http(config).1.body = Some(b"hello".to_vec());
    });
    assert_good(&outcome, 1_000);
    assert_eq!(outcome.status.get(&200), Some(&1_000));
    assert_eq!((outcome.connects, outcome.reconnects), (3, 0));
    assert_eq!(peer.seen.load(Ordering::SeqCst), 1_000);
}

#[test]
fn a_known_delay_is_the_response_time_of_every_stream() {
    let peer = Peer::new(|_| {}, |_| Act::After(Duration::from_millis(20)), None);
    let outcome = peer.load(2, 25, |_| {});
    assert_eq!(outcome.good, 1_000);
    assert!(
        outcome.latency.min() >= 20_000_000,
        "{}",
        outcome.latency.min()
    );
    // 1,000 requests, 50 at once, each 20 ms: 20 rounds of them.
    assert!(
        outcome.duration >= Duration::from_millis(380),
        "{:?}",
        outcome.duration
    );
}

#[test]
fn a_long_body_flows_through_small_windows_both_ways() {
    let peer = Peer::new(
        |settings| {
            settings.initial_window_size(20_000).max_frame_size(16_384);
        },
        |_| Act::Echo,
        None,
    );
    let body: Vec<u8> = (0..150_000u32).flat_map(|i| i.to_le_bytes()).collect();
    let outcome = peer.load(2, 3, |config| {
        config.until = Until::Requests(20);
        let (request, expect) = http(config);
        request.method = "POST".to_owned();
        request.body = Template::fixed(body.clone()).into();
        expect.body = Some(body);
    });
    assert_good(&outcome, 20);
}

#[test]
fn what_varies_comes_back_to_its_own_request() {
    let peer = Peer::new(|_| {}, |_| Act::Echo, None);
    let outcome = peer.load(2, 10, |config| {
        let (request, expect) = http(config);
        request.method = "POST".to_owned();
        request.body = Template::parse("n={counter}, r={random:1..1000000};").into();
        expect.contains = photofinish_model::Recall::parse("n={counter}, r={random};");
    });
    assert_good(&outcome, 1_000);
}

#[test]
fn requests_of_a_list_are_each_held_to_their_own_expectation() {
    let peer = Peer::new(|_| {}, |_| Act::Echo, None);
    let outcome = peer.load(2, 10, |config| {
        let listed = |text: &str, expected: &str| photofinish_model::Listed {
            request: photofinish_model::Request {
                method: "POST".to_owned(),
                body: Template::parse(text).into(),
                ..photofinish_model::Request::get("/")
            },
            expect: photofinish_model::Expect {
                body: Some(expected.into()),
                ..photofinish_model::Expect::default()
            },
            weight: 1,
        };
        config.exchange = Exchange::Requests(photofinish_model::Requests {
            source: "list".to_owned(),
            list: vec![
                listed("one", "one"),
                listed("two", "2"),
                listed("three", "three"),
                listed("four", "four"),
            ]
            .into(),
            order: photofinish_model::Order::InOrder,
            per_connection: true,
            version: Version::Http2 { streams: 10 },
        });
    });
    let wrong = outcome.errors.get(&ErrorKind::Body).copied();
    // A quarter of those of each connection, which begins anew.
    let wrong = wrong.unwrap_or_default();
    assert_eq!((outcome.requests, outcome.good + wrong), (1_000, 1_000));
    assert!((249..=251).contains(&wrong), "{wrong}");
    assert!(support::first_error(&outcome).contains("\"two\""));
}

#[test]
fn a_reset_stream_is_an_error_of_its_own_request() {
    let reset = |number| match number % 5 {
        0 => Act::Reset,
        _ => Act::Hello,
    };
    let outcome = Peer::new(|_| {}, reset, None).load(2, 10, |_| {});
    assert_eq!((outcome.requests, outcome.good), (1_000, 800));
    assert_eq!(outcome.errors.get(&ErrorKind::Reset), Some(&200));
    assert_eq!(outcome.reconnects, 0);
    let says = support::first_error(&outcome);
    assert_eq!(says, "the server ended the stream: REFUSED_STREAM");
}

#[test]
fn a_server_that_goes_away_is_left_and_asked_again() {
    let peer = Peer::new(|_| {}, |_| Act::Hello, Some(100));
    let outcome = peer.load(2, 10, |_| {});
    assert_good(&outcome, 1_000);
    assert!(outcome.reconnects >= 5, "{}", outcome.reconnects);
}

#[test]
fn a_connection_that_is_given_up_leaves_nothing_to_the_next() {
    // SETTINGS, and content of a stream that nobody opened: it has to be left with an acknowledgement and GOAWAY.
    let broken = b"\0\0\0\x04\0\0\0\0\0\0\0\x01\0\0\0\0\0\x63x";
    let peer = Peer::start(|_| {}, |_| Act::Hello, None, Some(broken));
    let outcome = peer.load(2, 5, |_| {});
    let kinds: Vec<&ErrorKind> = outcome.errors.keys().collect();
    assert!(
        kinds.is_empty() || kinds == [&ErrorKind::Malformed],
        "{:?}",
        outcome.errors
    );
    let lost: u64 = outcome.errors.values().sum();
    // Those in flight; where none was yet, the connection itself.
    assert!(lost <= 5, "{lost}");
    assert!(outcome.good >= 995, "{}", outcome.good);
    assert_eq!(peer.seen.load(Ordering::SeqCst), outcome.good);
}

#[test]
fn a_server_that_asks_without_end_and_does_not_read_is_left() {
    // Each connection alike: another takes the place of one that was left.
    let (leaves, left) = mpsc::channel();
    let address = serve_raw(move |mut stream| {
        let pings = b"\0\0\x08\x06\0\0\0\0\0pingpong".repeat(10_000);
        let mut sent = stream.write_all(b"\0\0\0\x04\0\0\0\0\0");
        while sent.is_ok() {
            sent = stream.write_all(&pings);
        }
        let _ = leaves.send(());
    });
    let mut config = config(address, 1, Until::Requests(1));
    config.timeout = Duration::from_secs(2);
    // It may be left before load flows.
    let says = support::refusal(&over_http2(config, 1));
    assert!(
        says.contains("more replies than it reads") || says.contains("does not speak HTTP/2"),
        "{says}"
    );
    left.recv().expect("the server sees that it was left");
}

#[test]
fn a_server_that_goes_away_at_once_is_an_error() {
    let address = serve_raw(|mut stream| {
        // SETTINGS, and GOAWAY after no stream without an error.
        let words = b"\0\0\0\x04\0\0\0\0\0\0\0\x08\x07\0\0\0\0\0\0\0\0\0\0\0\0\0";
        let _ = stream.write_all(words);
        // It stays open until the client leaves.
        let _ = std::io::copy(&mut stream, &mut std::io::sink());
    });
    assert_contains(&refusal(address, 1), "GOAWAY");
    let config = over_http2(config(address, 1, millis(300)), 1);
    if let Ok(outcome) = run(&config, &Control::default()) {
        assert!(
            outcome.errors.contains_key(&ErrorKind::Closed),
            "{:?}",
            outcome.errors
        );
    }
}

#[test]
fn a_server_that_never_says_its_settings_is_not_waited_for_without_end() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    let mut config = config(
        listener.local_addr().expect("an address"),
        2,
        Until::Requests(10),
    );
    config.timeout = Duration::from_millis(100);
    let outcome = load(&over_http2(config, 3));
    assert_eq!(outcome.good, 0);
    let lost = outcome.unopened.get(&ErrorKind::ConnectTimeout);
    assert!(
        lost.is_some_and(|lost| *lost >= 2),
        "{:?}",
        outcome.unopened
    );
    let says = support::first_error(&outcome);
    assert!(says.contains("does not begin with SETTINGS"), "{says}");
}

#[test]
fn a_request_that_has_no_response_harms_no_other() {
    let never = |number| match number {
        10 => Act::Never,
        _ => Act::Hello,
    };
    let outcome = Peer::new(|_| {}, never, None).load(1, 5, |config| {
        config.timeout = Duration::from_millis(300);
        config.until = millis(800);
    });
    assert_eq!(
        outcome.errors.get(&ErrorKind::Timeout),
        Some(&1),
        "{:?}",
        outcome.errors
    );
    assert_eq!((outcome.errors.len(), outcome.reconnects), (1, 0));
    assert!(outcome.good > 100, "{}", outcome.good);
}

#[test]
fn a_server_that_takes_fewer_streams_says_so() {
    let peer = Peer::new(
        |settings| {
            settings.max_concurrent_streams(3);
        },
        |_| Act::Hello,
        None,
    );
    let says = refusal(peer.address, 10);
    assert_contains(
        &says,
        "the server accepts 3 concurrent requests on a connection",
    );
    let enough = peer.load(1, 3, |_| {});
    assert_eq!(enough.good, 1_000);
}
