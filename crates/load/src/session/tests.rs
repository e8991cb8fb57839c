//! The loop with protocols and transports that no server speaks: several requests in flight, responses in any order, bytes of the
//! protocol's own, and bytes that are wrapped.

mod lines;
mod wrapped;

use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::Duration;

use photofinish_model::finding::complaint::TlsFailure;
use photofinish_model::{Arrivals, Exchange, Expect, Load, Request};

use super::*;
use lines::Lines;
use wrapped::Wrapped;

/// So many requests on two connections; what is exchanged is the test's own.
fn config(server: &TcpListener, until: Until) -> Config {
    let exchange = Exchange::Http {
        request: Request::get("/"),
        expect: Expect::default(),
        version: photofinish_model::Version::Http1,
    };
    let (address, load) = (
        server.local_addr().unwrap(),
        Load::Closed { connections: 2 },
    );
    Config {
        timeout: Duration::from_secs(20),
        seed: 7,
        ..Config::new(address, exchange, load, until)
    }
}

/// One slice of a session with these.
fn run<P: Protocol, T: Transport>(
    config: Config,
    protocol: impl Fn(Place) -> P + Clone + Send + 'static,
    transport: impl Fn() -> T + Clone + Send + 'static,
) -> Outcome {
    let config = Arc::new(config);
    let session = Session::start(
        &config,
        move |place| Ok(protocol(place)),
        move || Ok(transport()),
    );
    let control = Control::default();
    let session = session.unwrap();
    let mut session = session.ready(&control).unwrap();
    let outcome = session.slice(&config.slice(), &control).unwrap();
    session.close().unwrap();
    outcome
}

/// What a server of lines does.
#[derive(Clone, Copy, Debug, Default)]
struct Manners {
    /// So many requests are held back, and served in reverse; 0 = each is served at once.
    hold: usize,
    /// Whether it asks for a sign of life with each response.
    ping: bool,
    /// After so many requests it takes no further one on a connection.
    most: u64,
    /// It never responds to a request whose number can be divided by this.
    mute: u64,
}

/// What a server of lines saw.
#[derive(Debug, Default)]
struct Seen {
    /// The most requests that waited for a response on one connection.
    most: AtomicU64,
    pongs: AtomicU64,
    bytes_in: AtomicU64,
    bytes_out: AtomicU64,
}

fn serve(manners: Manners) -> (TcpListener, Arc<Seen>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let ours = listener.try_clone().unwrap();
    let seen = Arc::new(Seen::default());
    let reported = Arc::clone(&seen);
    // It ends with the test's process.
    thread::spawn(move || {
        for stream in ours.incoming().flatten() {
            let reported = Arc::clone(&reported);
            thread::spawn(move || speak(stream, manners, &reported));
        }
    });
    (listener, seen)
}

fn speak(mut stream: TcpStream, manners: Manners, seen: &Seen) -> Option<()> {
    stream.set_nodelay(true).ok()?;
    let mut reader = BufReader::new(stream.try_clone().ok()?);
    let mut held = Vec::new();
    let (mut requests, mut line) = (0, String::new());
    let mut say = |text: &str| {
        seen.bytes_out
            .fetch_add(text.len() as u64, Ordering::Relaxed);
        stream.write_all(text.as_bytes()).ok()
    };
    while reader.read_line(&mut line).ok()? > 0 {
        seen.bytes_in
            .fetch_add(line.len() as u64, Ordering::Relaxed);
        match line.trim_end().split_once(' ') {
            Some(("q", number)) => {
                requests += 1;
                let number: u64 = number.parse().ok()?;
                if manners.mute == 0 || !number.is_multiple_of(manners.mute) {
                    held.push(number);
                }
                seen.most.fetch_max(held.len() as u64, Ordering::Relaxed);
                if requests == manners.most {
                    say("bye\n")?;
                }
                if held.len() > manners.hold {
                    for number in held.drain(..).rev() {
                        let ping = if manners.ping { "ping\n" } else { "" };
                        say(&format!("{ping}a {number}\n"))?;
                    }
                }
            }
            _ if line == "hello\n" => {
                // In two pieces.
                say("wel")?;
                say("come\n")?;
            }
            _ => {
                seen.pongs.fetch_add(1, Ordering::Relaxed);
            }
        }
        line.clear();
        // Nothing more is coming that would push the last ones out.
        if reader.buffer().is_empty() && manners.hold > 0 {
            for number in held.drain(..).rev() {
                say(&format!("a {number}\n"))?;
            }
        }
    }
    Some(())
}

/// So many requests are in flight on a connection at most.
fn with(
    manners: Manners,
    streams: u32,
    goes_on: bool,
    config: impl FnOnce(&mut Config),
) -> (Outcome, Arc<Seen>) {
    let (listener, seen) = serve(manners);
    let mut configured = self::config(&listener, Until::Requests(1_000));
    config(&mut configured);
    let outcome = run(configured, move |_| Lines::new(streams, goes_on), || Plain);
    (outcome, seen)
}

#[test]
fn several_requests_are_in_flight_and_responses_come_in_any_order() {
    let manners = Manners {
        hold: 5,
        ping: true,
        ..Manners::default()
    };
    let (outcome, seen) = with(manners, 8, true, |_| {});
    assert_eq!((outcome.requests, outcome.good), (1_000, 1_000));
    assert_eq!(outcome.errors, Default::default());
    assert_eq!((outcome.connects, outcome.reconnects), (2, 0));
    let most = seen.most.load(Ordering::Relaxed);
    assert!((2..=8).contains(&most), "{most}");
    assert!(seen.pongs.load(Ordering::Relaxed) > 0);
    assert_eq!(outcome.latency.len(), 1_000);
    assert!(outcome.turnarounds >= 1_000 - 16);
}

#[test]
fn bytes_are_those_on_the_wire() {
    let (outcome, seen) = with(Manners::default(), 4, true, |_| {});
    assert_eq!(outcome.bytes_out, seen.bytes_in.load(Ordering::Relaxed));
    assert_eq!(outcome.bytes_in, seen.bytes_out.load(Ordering::Relaxed));
}

#[test]
fn a_connection_that_takes_no_more_is_replaced_when_it_is_drained() {
    let manners = Manners {
        most: 50,
        ..Manners::default()
    };
    let (outcome, _) = with(manners, 8, true, |_| {});
    assert_eq!((outcome.requests, outcome.good), (1_000, 1_000));
    assert_eq!(outcome.errors, Default::default());
    // Up to eight more than 50 were on their way when it said so.
    assert!(
        outcome.reconnects >= 1_000 / 58 - 2,
        "{}",
        outcome.reconnects
    );
}

#[test]
fn a_request_without_a_response_times_out_alone_where_the_protocol_can_give_it_up() {
    let manners = Manners {
        mute: 250,
        ..Manners::default()
    };
    let (outcome, _) = with(manners, 4, true, |config| {
        config.timeout = Duration::from_millis(300);
    });
    // Numbers 0, 250, 500 and 750.
    assert_eq!(outcome.errors, [(ErrorKind::Timeout, 4)].into());
    assert_eq!((outcome.requests, outcome.reconnects), (1_000, 0));
}

#[test]
fn a_connection_that_takes_no_more_is_replaced_though_its_last_request_was_given_up() {
    let manners = Manners {
        mute: 1,
        most: 1,
        ..Manners::default()
    };
    let (outcome, _) = with(manners, 1, true, |config| {
        config.load = Load::Closed { connections: 1 };
        config.until = Until::Requests(3);
        config.timeout = Duration::from_millis(300);
    });
    assert_eq!(outcome.errors, [(ErrorKind::Timeout, 3)].into());
    assert!(outcome.reconnects >= 2, "{}", outcome.reconnects);
}

#[test]
fn where_it_cannot_the_connection_is_replaced_and_the_others_on_it_are_lost() {
    let manners = Manners {
        mute: 1,
        ..Manners::default()
    };
    let (outcome, _) = with(manners, 4, false, |config| {
        config.load = Load::Closed { connections: 1 };
        config.until = Until::Requests(4);
        config.timeout = Duration::from_millis(300);
    });
    let timeouts = outcome.errors[&ErrorKind::Timeout];
    let closed = outcome.errors.get(&ErrorKind::Closed).copied().unwrap_or(0);
    assert!(timeouts >= 1, "{timeouts}");
    assert_eq!(timeouts + closed, 4);
}

#[test]
fn an_open_loop_fills_the_streams_of_a_connection() {
    let (outcome, _) = with(Manners::default(), 4, true, |config| {
        config.load = Load::Open {
            rate: 5_000.0,
            arrivals: Arrivals::Constant,
            connections: 2,
        };
        config.until = Until::Requests(500);
    });
    assert_eq!((outcome.requests, outcome.good), (500, 500));
    assert_eq!(outcome.errors, Default::default());
}

#[test]
fn what_is_wrapped_is_unwrapped_and_timed() {
    let listener = wrapped::serve(wrapped::Server::Good);
    let until = Until::Requests(300);
    let speaker = |_| Lines::new(4, true);
    let outcome = run(config(&listener, until), speaker, || Wrapped);
    assert_eq!((outcome.requests, outcome.good), (300, 300));
    assert_eq!(outcome.errors, Default::default());
    assert!(outcome.latency.min() > 0);
}

#[test]
fn what_cannot_be_unwrapped_is_an_error_of_its_request() {
    let listener = wrapped::serve(wrapped::Server::BreaksAfter(10));
    let until = Until::Requests(100);
    let speaker = |_| Lines::new(1, true);
    let outcome = run(config(&listener, until), speaker, || Wrapped);
    assert_eq!(outcome.requests, 100);
    let bad = outcome.errors[&ErrorKind::Malformed];
    assert!((1..=20).contains(&bad), "{bad}");
    assert_eq!(outcome.good + bad, 100);
}

#[test]
fn a_handshake_that_fails_is_a_connect_that_fails() {
    let listener = wrapped::serve(wrapped::Server::Refuses);
    let config = Arc::new(config(&listener, Until::Requests(1)));
    let transport = || Ok(Wrapped);
    let session = Session::start(&config, |_| Ok(Lines::new(1, true)), transport).unwrap();
    match session.ready(&Control::default()) {
        Err(Error::Connect { kind, why, .. }) => {
            assert_eq!(kind, ErrorKind::Malformed.name());
            assert_eq!(why, TlsFailure::Offer {}.into());
        }
        other => panic!("{other:?}"),
    }
}
