//! Faults that other generators have had (notes/faults.md lists them all, with the tests of this and of other files).

use std::net::SocketAddr;
use std::time::{Duration, Instant};

use crate::support;
use crate::support::delay::DelayServer;
use crate::support::{config, load, millis};
use photofinish_load::{ErrorKind, Until};
use photofinish_model::Arrivals;
use socket2::{Domain, Socket, Type};

/// Fault 1: waits rounded up to whole milliseconds, which latencies from the schedule then contain.
#[test]
fn waits_are_not_rounded_to_milliseconds() {
    let server = DelayServer::new(|_| Duration::ZERO);
    let length = Duration::from_millis(500);
    let mut config = config(server.address, 4, Until::Elapsed(length));
    support::open(&mut config, Arrivals::Constant, 400.0);
    let outcome = load(&config);
    // Gaps of 2.5 ms: rounded up, each request but the first would be late by half a millisecond or more.
    // A tenth of the requests is on time however busy the machine is.
    let tenth = outcome.latency.value_at_quantile(0.1);
    assert!(tenth < 450_000, "{tenth} ns");
    server.noted();
}

/// Fault 5: a throughput over a time that did not pass.
#[test]
fn a_run_by_number_takes_the_time_that_passed() {
    let server = DelayServer::new(|_| Duration::from_millis(2));
    let began = Instant::now();
    let outcome = load(&config(server.address, 1, Until::Requests(50)));
    assert_eq!(outcome.responses_in_window, 50);
    // Fifty responses of 2 ms each, one after the other.
    assert!(outcome.duration >= Duration::from_millis(100));
    assert!(outcome.duration <= began.elapsed());
    server.noted();
}

/// Faults 7 and 11: samples that nobody measured, made up from a mean interval; and a correction in the wrong mode.
#[test]
fn a_stall_in_a_closed_loop_is_one_sample() {
    let server =
        DelayServer::new(|number| Duration::from_millis(if number == 100 { 300 } else { 1 }));
    let outcome = load(&config(server.address, 4, Until::Requests(2000)));
    assert_eq!(outcome.latency.len(), 2000);
    let slow = outcome.latency.count_between(290_000_000, u64::MAX);
    let noted = server.noted();
    let truly_slow = noted.iter().filter(|time| **time >= 290_000_000).count();
    assert_eq!(slow, truly_slow as u64);
    assert_eq!(outcome.latency, outcome.service);
}

/// Fault 15: connects that time out and show nowhere.
#[test]
fn connects_that_time_out_are_errors() {
    let listener = Socket::new(Domain::IPV4, Type::STREAM, None).unwrap();
    let any: SocketAddr = "127.0.0.1:0".parse().unwrap();
    listener.bind(&any.into()).unwrap();
    // Nobody accepts, and the queue holds one: the kernel does not respond to what comes after it.
    listener.listen(0).unwrap();
    let address = listener.local_addr().unwrap().as_socket().unwrap();
    let mut config = config(address, 4, millis(300));
    config.timeout = Duration::from_millis(200);
    let outcome = load(&config);
    let timeouts = outcome.unopened.get(&ErrorKind::ConnectTimeout);
    assert!(timeouts.is_some_and(|n| *n >= 3), "{:?}", outcome.unopened);
    // The one that was opened has no response.
    assert_eq!(outcome.connects, 1);
    assert!(outcome.responses_in_window == 0 && outcome.requests > 0);
}
