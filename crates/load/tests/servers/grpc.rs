//! gRPC beside another implementation of HTTP/2: the server is that of the `h2` library.

use std::net::SocketAddr;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use crate::support;
use crate::support::{assert_good, config, tasks};
use bytes::Bytes;
use h2::Reason;
use h2::server::{self, SendResponse};
use http::{HeaderMap, HeaderValue, Request, Response};
use photofinish_load::grpc::GrpcFault;
use photofinish_load::{Config, ErrorKind, Outcome, Until};
use photofinish_model::finding::complaint::GrpcComplaint;
use photofinish_model::{Exchange, Grpc, Part, Payload, Piece, Recall, Template};
use tokio::time;

/// How a call ends.
#[derive(Clone, Copy)]
enum Act {
    /// The message comes back so often.
    Echo(usize),
    /// The same once, after a while.
    After(Duration),
    /// A head and this status, and nothing else.
    Only(&'static str),
    /// The message, and then this status.
    Ends(&'static str),
    /// Half a message, and the stream is reset.
    Resets,
}

/// How long the calls took by the server's own clock, in ns.
type Took = Arc<Mutex<Vec<u64>>>;

fn serving(script: fn(u64) -> Act) -> (SocketAddr, Took) {
    let took = Took::default();
    let shared = Arc::clone(&took);
    let mut number = 0;
    let address = tasks::serve(move |stream| {
        let took = Arc::clone(&shared);
        number += 1_000_000;
        let mut number = number;
        async move {
            let Ok(mut connection) = server::Builder::new()
                .max_concurrent_streams(1_000)
                .handshake::<_, Bytes>(stream)
                .await
            else {
                return;
            };
            while let Some(Ok((request, respond))) = connection.accept().await {
                number += 1;
                tokio::spawn(serve(request, respond, script(number), Arc::clone(&took)));
            }
        }
    });
    (address, took)
}

fn status(status: &'static str) -> HeaderMap {
    HeaderMap::from_iter([(
        "grpc-status".parse().expect("a name"),
        HeaderValue::from_static(status),
    )])
}

async fn serve(
    request: Request<h2::RecvStream>,
    mut respond: SendResponse<Bytes>,
    act: Act,
    took: Took,
) {
    let began = Instant::now();
    assert_eq!(request.method(), "POST");
    assert_eq!(request.uri().path(), "/echo.Echo/Unary");
    assert_eq!(request.headers()["te"], "trailers");
    assert_eq!(request.headers()["content-type"], "application/grpc");
    let mut body = tasks::body(request).await;
    let length = u32::from_be_bytes(body[1..5].try_into().expect("a prefix"));
    assert_eq!((body[0], length as usize), (0, body.len() - 5));
    if let Act::After(delay) = act {
        time::sleep(delay).await;
    }
    let head = Response::builder().header("content-type", "application/grpc");
    if let Act::Only(code) = act {
        let head = head.header("grpc-status", code).body(()).expect("a head");
        let _ = respond.send_response(head, true);
        return;
    }
    let head = head.body(()).expect("a head");
    let Ok(mut sending) = respond.send_response(head, false) else {
        return;
    };
    let (times, code) = match act {
        Act::Echo(times) => (times, "0"),
        Act::Ends(code) => (1, code),
        _ => (1, "0"),
    };
    if let Act::Resets = act {
        body.truncate(6);
        let _ = sending.send_data(body.into(), false);
        sending.send_reset(Reason::INTERNAL_ERROR);
        return;
    }
    let _ = sending.send_data(body.repeat(times).into(), false);
    let _ = sending.send_trailers(status(code));
    let nanos = began.elapsed().as_nanos() as u64;
    took.lock().expect("no panic").push(nanos);
}

/// A string in field 1.
fn message(text: Payload) -> Payload {
    Payload(vec![
        Piece::Part(Part::Bytes(vec![0x0a])),
        Piece::Measured(text),
    ])
}

fn load(
    address: SocketAddr,
    connections: u32,
    streams: u32,
    change: impl FnOnce(&mut Config, &mut Grpc),
) -> Outcome {
    let mut config = config(address, connections, Until::Requests(1_000));
    let mut call = support::call(message(Payload::fixed("hello")), streams);
    change(&mut config, &mut call);
    config.exchange = Exchange::Grpc(call);
    support::load(&config)
}

#[test]
fn calls_are_echoed_many_at_once() {
    let (address, _) = serving(|_| Act::Echo(1));
    let outcome = load(address, 3, 8, |_, call| {
        call.expect.body = Some(b"\x0a\x05hello".to_vec());
    });
    assert_good(&outcome, 1_000);
    assert_eq!((outcome.connects, outcome.reconnects), (3, 0));
}

#[test]
fn a_stream_is_counted_to_its_end() {
    let (address, _) = serving(|_| Act::Echo(40));
    let outcome = load(address, 2, 4, |_, call| {
        call.messages = Some(40);
        call.message = message(Payload::fixed(vec![b'x'; 1_000])).into();
    });
    assert_eq!(outcome.good, 1_000, "{:?}", outcome.first_error);
    assert!(outcome.bytes_in > 1_000 * 40 * 1_000);
}

#[test]
fn what_varies_comes_back_to_its_own_call() {
    let (address, _) = serving(|_| Act::Echo(1));
    let outcome = load(address, 2, 10, |_, call| {
        let text = Template::parse("n={counter}, r={random:1..1000000000};");
        let pieces = text.0.into_iter().map(Piece::Part).collect();
        call.message = message(Payload(pieces)).into();
        call.expect.contains = Recall::parse("n={counter}, r={random};");
    });
    assert_eq!(outcome.good, 1_000, "{:?}", outcome.first_error);
}

#[test]
fn failures_are_counted_by_their_status() {
    let (address, _) = serving(|number| match number % 5 {
        0 => Act::Only("14"),
        1 => Act::Ends("8"),
        2 => Act::Resets,
        _ => Act::Echo(1),
    });
    let outcome = load(address, 1, 10, |_, _| {});
    assert_eq!((outcome.requests, outcome.good), (1_000, 400));
    let errors: Vec<(ErrorKind, u64)> = outcome.errors.into_iter().collect();
    assert_eq!(
        errors,
        [
            (ErrorKind::Reset, 200),
            (ErrorKind::Grpc(GrpcFault::ResourceExhausted), 200),
            (ErrorKind::Grpc(GrpcFault::Unavailable), 200),
        ]
    );
    assert_eq!(outcome.reconnects, 0);
}

#[test]
fn the_first_failure_is_reported_with_what_the_server_said() {
    type Script = fn(u64) -> Act;
    let cases: [(Script, GrpcComplaint); 2] = [
        (
            |_| Act::Ends("8"),
            GrpcComplaint::Failed {
                status: 8,
                message: String::new(),
            },
        ),
        (
            |_| Act::Echo(2),
            GrpcComplaint::Messages {
                got: 2,
                expected: 1,
            },
        ),
    ];
    for (act, complaint) in cases {
        let (address, _) = serving(act);
        let outcome = load(address, 1, 1, |config, _| {
            config.until = Until::Requests(1);
        });
        assert_eq!(outcome.first_error, Some(complaint.into()));
    }
}

#[test]
fn a_known_delay_is_the_response_time() {
    let (address, took) = serving(|number| match number % 10 {
        0 => Act::After(Duration::from_millis(30)),
        _ => Act::After(Duration::from_millis(5)),
    });
    let outcome = load(address, 2, 5, |_, _| {});
    assert_eq!(outcome.good, 1_000, "{:?}", outcome.first_error);
    let mut took = took.lock().expect("no panic").clone();
    took.sort_unstable();
    assert_eq!(took.len(), 1_000);
    for share in [0.5, 0.9, 0.99] {
        let truth = took[(took.len() as f64 * share) as usize - 1];
        let reported = outcome.latency.value_at_quantile(share);
        // The server's clock starts when it has read the call, and this one is on the same busy cores: never below the truth.
        assert!(
            reported as f64 >= truth as f64 * 0.995,
            "{share}: {reported} for {truth}"
        );
    }
    assert!(outcome.latency.min() >= 5_000_000);
}

#[test]
fn a_call_that_is_too_late_is_given_up() {
    let (address, _) = serving(|number| match number % 1_000_000 {
        1 => Act::After(Duration::from_secs(60)),
        _ => Act::Echo(1),
    });
    let outcome = load(address, 1, 2, |config, _| {
        config.timeout = Duration::from_millis(300);
        config.until = Until::Requests(50);
    });
    assert_eq!((outcome.requests, outcome.good), (50, 49));
    assert_eq!(outcome.errors.get(&ErrorKind::Timeout), Some(&1));
    assert_eq!(outcome.reconnects, 0);
}
