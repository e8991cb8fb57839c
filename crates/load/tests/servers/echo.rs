//! TCP echo over real sockets: servers that send back what they get, and servers that do not quite.

use std::io::{Read, Write};
use std::net::{Shutdown, SocketAddr, TcpStream};
use std::time::Duration;

use crate::support;
use crate::support::tls::serve_raw;
use crate::support::{load, millis};
use photofinish_load::{Config, ConfigError, Control, Error, ErrorKind, Until, run};
use photofinish_model::{Arrivals, Exchange};

/// A server with a thread for each connection. Its script gets the bytes that were read, the first of which is byte `from` of the
/// connection; `false` closes.
fn serving(
    script: impl Fn(&mut TcpStream, &[u8], usize) -> bool + Send + Sync + 'static,
) -> SocketAddr {
    serve_raw(move |mut stream| {
        let mut buffer = vec![0; 256 * 1024];
        let mut from = 0;
        while let Ok(length @ 1..) = stream.read(&mut buffer) {
            if !script(&mut stream, &buffer[..length], from) {
                return;
            }
            from += length;
        }
    })
}

fn config(server: SocketAddr, size: u64, requests: u64) -> Config {
    Config {
        exchange: Exchange::TcpEcho { size },
        timeout: Duration::from_secs(20),
        ..support::config(server, 2, Until::Requests(requests))
    }
}

fn good() -> SocketAddr {
    serving(|stream, bytes, _| stream.write_all(bytes).is_ok())
}

#[test]
fn every_size_comes_back_whole() {
    let server = good();
    // The largest fits no socket.
    let sizes = [
        (1, 50),
        (1_024, 50),
        (100_000, 20),
        (3_000_001, 6),
        (16 << 20, 2),
    ];
    for (size, requests) in sizes {
        let outcome = load(&config(server, size, requests));
        assert_eq!(
            (outcome.requests, outcome.errors.len()),
            (requests, 0),
            "{size}: {:?}",
            outcome.first_error
        );
        assert_eq!(outcome.bytes_in, requests * size);
        assert_eq!(outcome.bytes_out, requests * size);
        assert_eq!(outcome.latency.len(), requests);
        assert!(outcome.status.is_empty());
        assert!(outcome.kernel_timestamps);
    }
}

#[test]
fn an_open_loop_echoes_too() {
    let server = good();
    let mut config = config(server, 2_048, 1);
    config.until = millis(300);
    support::open(&mut config, Arrivals::Constant, 500.0);
    let outcome = load(&config);
    // A request may fall due in the very last moment, where nothing is sent any more.
    assert!(
        outcome
            .errors
            .keys()
            .all(|kind| *kind == ErrorKind::Censored),
        "{:?}",
        outcome.first_error
    );
    let responses = outcome.requests - outcome.censored;
    assert_eq!(outcome.bytes_in, responses * 2_048);
    assert!(
        outcome.offered.is_some_and(|offered| offered >= 140),
        "{:?}",
        outcome.offered
    );
}

/// All end as this kind; what is said of the first.
fn all_end_as(config: &Config, kind: ErrorKind) -> String {
    let outcome = load(config);
    assert_eq!(
        outcome.errors.get(&kind),
        Some(&outcome.requests),
        "{:?}: {:?}",
        outcome.errors,
        outcome.first_error
    );
    assert_eq!(outcome.responses_in_window, 0);
    support::first_error(&outcome)
}

#[test]
fn echoes_that_went_to_the_wrong_connection() {
    use std::sync::Mutex;
    // Each connection gets what another one sent: whoever comes first gets what comes second, and so on.
    let waiting: Mutex<Option<(Vec<u8>, TcpStream)>> = Mutex::new(None);
    let server = serving(move |stream, bytes, _| {
        let mut waiting = waiting.lock().unwrap();
        match waiting.take() {
            Some((theirs, mut their_stream))
                if their_stream.peer_addr().ok() != stream.peer_addr().ok() =>
            {
                let _ = their_stream.write_all(bytes);
                stream.write_all(&theirs).is_ok()
            }
            _ => {
                *waiting = stream.try_clone().ok().map(|own| (bytes.to_vec(), own));
                true
            }
        }
    });
    let mut config = config(server, 64, 2);
    config.timeout = Duration::from_secs(2);
    let says = all_end_as(&config, ErrorKind::Body);
    assert!(says.starts_with("the echo differs at byte "), "{says}");
}

#[test]
fn an_echo_that_stops_short() {
    let server = serving(|stream, bytes, from| {
        from > 0 || stream.write_all(&bytes[..bytes.len() - 1]).is_ok()
    });
    let mut short = config(server, 100, 4);
    short.timeout = Duration::from_millis(100);
    all_end_as(&short, ErrorKind::Timeout);
}

#[test]
fn closes_in_the_middle() {
    let server = serving(|stream, bytes, _| {
        let _ = stream.write_all(&bytes[..10]);
        let _ = stream.shutdown(Shutdown::Write);
        false
    });
    let says = all_end_as(&config(server, 100, 4), ErrorKind::Closed);
    assert_eq!(
        says,
        "the connection was closed after 10 of 100 bytes of the echo"
    );
}

#[test]
fn more_than_was_sent() {
    let server = serving(|stream, bytes, _| stream.write_all(&[bytes, b"!"].concat()).is_ok());
    all_end_as(&config(server, 100, 4), ErrorKind::Unasked);
}

#[test]
fn sizes_out_of_bounds_are_refused() {
    let server = good();
    for size in [0, (16 << 20) + 1] {
        match run(&config(server, size, 1), &Control::default()) {
            Err(Error::Settings { says }) => {
                assert_eq!(says, ConfigError::MessageSize.to_string());
            }
            other => panic!("{other:?}"),
        }
    }
}
