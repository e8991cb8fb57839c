//! Timeouts: what comes later than one is none, and none comes much later than it should.

use std::io::Write;
use std::thread;
use std::time::Duration;

use crate::support::{HELLO, Server, config, first_error, load};
use photofinish_load::{ErrorKind, Outcome, Until};

const TIMEOUT: Duration = Duration::from_millis(40);

/// So many requests over 4 connections to a server that responds after `delay`.
fn after(delay: Duration, requests: u64) -> Outcome {
    within(TIMEOUT, delay, requests)
}

/// The same with another timeout.
fn within(timeout: Duration, delay: Duration, requests: u64) -> Outcome {
    let server = Server::new(move |stream, _| {
        thread::sleep(delay);
        stream.write_all(HELLO).is_ok()
    });
    let mut config = config(server.address, 4, Until::Requests(requests));
    config.timeout = timeout;
    load(&config)
}

/// Most of these responses come before a scan for timeouts does.
#[test]
fn a_response_that_comes_after_the_timeout_is_a_timeout() {
    let outcome = after(TIMEOUT + Duration::from_millis(1), 40);
    assert_eq!(outcome.errors, [(ErrorKind::Timeout, 40)].into());
    assert_eq!((outcome.requests, outcome.responses_in_window), (40, 0));
    // Its time is that of its arrival, and it is nobody's response.
    assert_eq!(outcome.latency.len(), 40);
    assert!(outcome.status.is_empty(), "{:?}", outcome.status);
    let says = first_error(&outcome);
    assert!(says.contains("no complete response within"), "{says}");
}

#[test]
fn the_first_timeout_comes_as_soon_as_the_others() {
    // A busy machine may be late with any one of them, and with the beginning.
    let mut waited = (0..50).map(|_| {
        let outcome = after(4 * TIMEOUT, 4);
        assert_eq!(outcome.errors, [(ErrorKind::Timeout, 4)].into());
        Duration::from_nanos(outcome.latency.max())
    });
    assert!(waited.any(|longest| longest < 2 * TIMEOUT));
}

#[test]
fn a_timeout_is_noticed_a_twentieth_late_at_most() {
    let timeout = Duration::from_millis(200);
    // Again, one of them on a machine that is not busy for so long.
    let mut waited = (0..20).map(|_| {
        let outcome = within(timeout, 2 * timeout, 4);
        assert_eq!(outcome.errors, [(ErrorKind::Timeout, 4)].into());
        Duration::from_nanos(outcome.latency.max())
    });
    assert!(waited.any(|longest| longest < timeout * 23 / 20));
}
