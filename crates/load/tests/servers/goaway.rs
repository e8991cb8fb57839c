//! A server that takes its leave of connections (GOAWAY) with requests on them that it has not seen: they are sent again.

use std::io::Write as _;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::Duration;

use crate::support;
use crate::support::frames::{self, END_HEADERS, END_STREAM, GOAWAY, HEADERS, STATUS_200, frame};
use crate::support::tls::serve_raw;
use crate::support::{config, http, millis, over_http2};
use photofinish_load::{Config, ErrorKind, Outcome, Until};
use photofinish_model::{Arrivals, Expect};

/// A server that responds to the first `serves` requests of a connection with status 200, takes its leave `pause` after the last of
/// them (with none: at the first request), and looks at nothing more that comes there; and how many it has responded to.
fn server(serves: u64, pause: Duration) -> (SocketAddr, Arc<AtomicU64>) {
    let served = Arc::new(AtomicU64::new(0));
    let count = Arc::clone(&served);
    let address = serve_raw(move |stream| {
        let (mut left, mut gone) = (serves, false);
        let _ = frames::serve(stream, b"", |stream, request| {
            if request.kind != HEADERS || gone {
                return Ok(());
            }
            let mut last = 0;
            if left > 0 {
                left -= 1;
                last = request.stream;
                count.fetch_add(1, Ordering::SeqCst);
                let flags = END_STREAM | END_HEADERS;
                stream.write_all(&frame(HEADERS, flags, last, &[STATUS_200]))?;
            }
            if left == 0 {
                gone = true;
                thread::sleep(pause);
                let payload = [last.to_be_bytes(), [0; 4]].concat();
                stream.write_all(&frame(GOAWAY, 0, 0, &payload))?;
            }
            Ok(())
        });
    });
    (address, served)
}

fn load(address: SocketAddr, until: Until, change: impl FnOnce(&mut Config)) -> Outcome {
    let mut config = over_http2(config(address, 3, until), 5);
    *http(&mut config).1 = Expect::default();
    change(&mut config);
    support::load(&config)
}

fn assert_whole(outcome: &Outcome, served: &AtomicU64) {
    assert_eq!(outcome.errors, [].into(), "{:?}", outcome.first_error);
    assert_eq!(outcome.requests, outcome.good);
    assert_eq!(served.load(Ordering::SeqCst), outcome.good);
}

#[test]
fn what_was_not_seen_is_sent_again() {
    for serves in [1, 7, 100] {
        let (address, served) = server(serves, Duration::ZERO);
        let outcome = load(address, Until::Requests(1_000), |_| {});
        assert_whole(&outcome, &served);
        assert_eq!(outcome.good, 1_000);
        assert!(
            outcome.reconnects >= 1_000 / serves - 3,
            "{}",
            outcome.reconnects
        );
    }
}

#[test]
fn at_the_end_of_a_window_too() {
    let (address, served) = server(2, Duration::ZERO);
    let outcome = load(address, millis(300), |_| {});
    assert_whole(&outcome, &served);
    assert!(outcome.good > 10, "{}", outcome.good);
}

#[test]
fn in_an_open_loop_too() {
    let (address, served) = server(10, Duration::ZERO);
    let outcome = load(address, millis(500), |config| {
        support::open(config, Arrivals::Constant, 2_000.0);
    });
    // What fell due just before the end may have found no connection, while others were being opened.
    let unsent = outcome.errors.get(&ErrorKind::Censored).copied();
    let kinds: Vec<&ErrorKind> = outcome.errors.keys().collect();
    assert!(
        kinds.iter().all(|&&kind| kind == ErrorKind::Censored),
        "{kinds:?}"
    );
    assert_eq!(outcome.requests, outcome.good + unsent.unwrap_or(0));
    assert_eq!(served.load(Ordering::SeqCst), outcome.good);
    assert_eq!(outcome.offered, Some(outcome.requests));
}

#[test]
fn its_time_counts_from_when_it_was_sent_first() {
    let pause = Duration::from_millis(50);
    // On each connection one of five is served, and the four beside it wait through the pause, at least once.
    let (address, served) = server(1, pause);
    let outcome = load(address, Until::Requests(60), |_| {});
    assert_whole(&outcome, &served);
    let waited = outcome.latency.count_between(50_000_000, u64::MAX);
    assert!(waited >= 40, "{waited} of 60");
}

#[test]
fn one_that_is_never_seen_reaches_its_timeout() {
    let (address, _) = server(0, Duration::ZERO);
    let outcome = load(address, millis(300), |config| {
        config.timeout = Duration::from_millis(100);
    });
    assert_eq!(outcome.good, 0);
    assert!(
        outcome.errors.contains_key(&ErrorKind::Timeout),
        "{:?}",
        outcome.errors
    );
}
