//! Servers that misbehave: each is survived and counted under a kind that says what happened.

use std::io::Write;
use std::net::{SocketAddr, TcpStream};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use crate::support;
use crate::support::tls::{request, serve_raw};
use crate::support::{HELLO, Server, config, http, load, millis};
use photofinish_load::{Config, Control, Error, ErrorKind, Outcome, Until, run};

const FEW: Until = Until::Requests(6);

/// Six requests over two connections; `change` says what is particular.
fn load_with(server: &Server, change: impl FnOnce(&mut Config)) -> Outcome {
    let mut config = config(server.address, 2, FEW);
    config.timeout = Duration::from_millis(200);
    change(&mut config);
    load(&config)
}

/// All requests ended with this kind, in time, and are in the histograms.
fn all_end_as(server: &Server, kind: ErrorKind) -> Outcome {
    all_end_as_with(server, kind, |_| {})
}

fn all_end_as_with(server: &Server, kind: ErrorKind, change: impl FnOnce(&mut Config)) -> Outcome {
    let outcome = load_with(server, change);
    assert_eq!(
        outcome.errors.get(&kind),
        Some(&6),
        "{:?}: {:?}",
        outcome.errors,
        outcome.first_error
    );
    assert_eq!(outcome.errors.len(), 1, "{:?}", outcome.errors);
    assert_eq!((outcome.requests, outcome.responses_in_window), (6, 0));
    assert_eq!((outcome.latency.len(), outcome.service.len()), (6, 6));
    assert!(outcome.first_error.is_some());
    outcome
}

/// All responses are good, however they come.
fn all_are_good(server: &Server) -> Outcome {
    all_are_good_with(server, |_| {})
}

fn all_are_good_with(server: &Server, change: impl FnOnce(&mut Config)) -> Outcome {
    let outcome = load_with(server, |config| {
        // Slowness is no fault.
        config.timeout = Duration::from_secs(5);
        change(config);
    });
    assert_eq!(
        (outcome.responses_in_window, outcome.errors.len()),
        (6, 0),
        "{:?}",
        outcome.first_error
    );
    outcome
}

/// A server that sends this on a connection, and closes it.
fn closing_after(bytes: &'static [u8]) -> Server {
    Server::new(move |stream, _| {
        write(stream, bytes);
        false
    })
}

/// A server that sends the start, and then the same again and again.
fn endless(start: &'static [u8], again: &'static [u8]) -> Server {
    Server::new(move |stream, _| {
        let mut open = write(stream, start);
        while open {
            open = write(stream, again);
        }
        open
    })
}

fn write(stream: &mut TcpStream, bytes: &[u8]) -> bool {
    stream.write_all(bytes).is_ok()
}

#[test]
fn never_responds() {
    let server = Server::new(|_, _| true);
    let outcome = all_end_as(&server, ErrorKind::Timeout);
    // With the time that was waited, no less.
    assert!(
        outcome.latency.min() >= 199_000_000,
        "{}",
        outcome.latency.min()
    );
    assert_eq!(outcome.reconnects, outcome.connects - 2);
}

/// A server that responds on so many connections, from the second one on, and to nothing on all others.
fn mute_but_on(responding: u64) -> SocketAddr {
    let connections = AtomicU64::new(0);
    serve_raw(move |mut stream| {
        let responds = (1..=responding).contains(&connections.fetch_add(1, Ordering::SeqCst));
        while request(&mut stream).is_some() {
            if responds && !write(&mut stream, HELLO) {
                return;
            }
        }
    })
}

#[test]
fn a_connection_that_never_gets_a_response_costs_one_request_of_a_run_by_number() {
    // Of two threads one may have nothing but that connection: what it has claimed beside goes to the other, which may have ended by then.
    for (connections, requests) in [(2, 100), (4, 100), (2, 5_000), (4, 5_000)] {
        let server = mute_but_on(connections - 1);
        let mut config = config(server, connections as u32, Until::Requests(requests));
        config.timeout = Duration::from_secs(1);
        let outcome = load(&config);
        let case = format!("{requests} over {connections}: {:?}", outcome.errors);
        let errors: Vec<(&ErrorKind, &u64)> = outcome.errors.iter().collect();
        assert_eq!(errors, [(&ErrorKind::Timeout, &1)], "{case}");
        assert_eq!(
            (outcome.requests, outcome.good),
            (requests, requests - 1),
            "{case}"
        );
        // As long as that one has waited, and not as often as its thread had claimed requests.
        assert!(outcome.duration < config.timeout * 2, "{case}");
    }
}

#[test]
fn stops_after_the_first_byte() {
    let server = Server::new(|stream, _| write(stream, &HELLO[..1]));
    let outcome = all_end_as(&server, ErrorKind::Timeout);
    assert_eq!(outcome.bytes_in, 6);
}

#[test]
fn what_cannot_become_a_response_is_not_waited_for() {
    // As a server of another protocol introduces itself: in one line.
    let server = Server::responding(*b"SSH-2.0-OpenSSH\r\n");
    let until = Duration::from_secs(60);
    let outcome = all_end_as_with(&server, ErrorKind::Malformed, |config| {
        config.timeout = until;
    });
    assert!(outcome.duration < until, "{:?}", outcome.duration);
}

#[test]
fn endless_headers() {
    let server = endless(b"HTTP/1.1 200 OK\r\n", b"X-Again: and again\r\n");
    all_end_as(&server, ErrorKind::Malformed);
}

#[test]
fn an_endless_body_times_out() {
    let server = endless(b"HTTP/1.1 200 OK\r\n\r\n", &[b'x'; 65536]);
    all_end_as(&server, ErrorKind::Timeout);
}

#[test]
fn a_body_longer_than_promised() {
    let server = Server::responding(*b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhello");
    all_end_as(&server, ErrorKind::Unasked);
}

#[test]
fn a_body_shorter_than_promised() {
    let server = closing_after(b"HTTP/1.1 200 OK\r\nContent-Length: 20\r\n\r\nhello");
    all_end_as(&server, ErrorKind::Closed);
}

#[test]
fn resets() {
    let server = Server::new(|stream, _| {
        let socket = socket2::SockRef::from(&*stream);
        socket.set_linger(Some(Duration::ZERO)).unwrap();
        false
    });
    all_end_as(&server, ErrorKind::Reset);
}

#[test]
fn closes_after_each_response() {
    let server =
        closing_after(b"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\nhi");
    let outcome = all_are_good(&server);
    assert_eq!(outcome.reconnects, outcome.connects - 2);
    assert!(outcome.reconnects >= 4);
}

#[test]
fn closes_without_a_length() {
    let server = closing_after(b"HTTP/1.0 200 OK\r\n\r\nHello, World!");
    all_are_good_with(&server, |config| {
        http(config).1.body = Some(b"Hello, World!".to_vec());
    });
}

#[test]
fn a_wrong_status() {
    let server = Server::responding(*b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n");
    let outcome = all_end_as(&server, ErrorKind::Status);
    assert_eq!(outcome.status.get(&404), Some(&6));
    assert_eq!(
        support::first_error(&outcome),
        "status 404, expected one from 200 to 299"
    );
    assert_eq!(
        outcome.reconnects, 0,
        "a wrong response is no reason to reconnect"
    );
}

#[test]
fn nobody_listens() {
    // Bound but not listening: the port stays this test's own.
    let socket = socket2::Socket::new(socket2::Domain::IPV4, socket2::Type::STREAM, None).unwrap();
    socket
        .bind(&"127.0.0.1:0".parse::<SocketAddr>().unwrap().into())
        .unwrap();
    let deserted = socket.local_addr().unwrap().as_socket().unwrap();
    for threads in [1, 3] {
        let mut config = config(deserted, 4, FEW);
        config.threads = threads;
        match run(&config, &Control::default()) {
            Err(Error::Connect { kind, .. }) => {
                assert_eq!(kind, ErrorKind::ConnectRefused.name());
            }
            other => panic!("{other:?}"),
        }
    }
}

#[test]
fn a_cpu_that_is_not_there() {
    let server = Server::responding(HELLO);
    let mut config = config(server.address, 4, FEW);
    config.cpus = vec![0, 999];
    match run(&config, &Control::default()) {
        Err(Error::Pin { cpu: 999, .. }) => {}
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_server_that_goes_away_ends_a_run_by_number() {
    use std::sync::{Mutex, mpsc};
    let (gone, wait) = mpsc::channel::<()>();
    let wait = Mutex::new(wait);
    let server = Server::new(move |_, _| {
        // Until nobody listens any more.
        let _ = wait.lock().unwrap().recv();
        false
    });
    let mut config = config(server.address, 2, Until::Requests(100));
    config.timeout = Duration::from_millis(300);
    let outcome = std::thread::scope(|scope| {
        let run = scope.spawn(|| load(&config));
        while server.seen() < 1 {
            std::thread::yield_now();
        }
        drop(server);
        drop(gone);
        run.join().unwrap()
    });
    assert!(
        outcome.unopened[&ErrorKind::ConnectRefused] > 0,
        "{:?}",
        outcome.unopened
    );
    assert!(outcome.requests < 100);
}

#[test]
fn a_server_with_room_for_fewer_connections_is_not_asked_without_end() {
    let server = Server::with_room(4);
    let mut config = config(server.address, 500, millis(200));
    config.threads = 1;
    let control = Control::default();
    let (before, outcome) = std::thread::scope(|scope| {
        let run = scope.spawn(|| run(&config, &control).unwrap());
        let accepted = || server.accepted.load(Ordering::SeqCst);
        while server.seen() == 0 && accepted() < 10_000 {
            std::thread::yield_now();
        }
        let before = accepted();
        if before >= 10_000 {
            control.stop();
        }
        (before, run.join().unwrap())
    });
    // Each once, and those that were closed a few times more until the load began.
    assert!((500..5_000).contains(&before), "{before}");
    assert!(outcome.responses_in_window > 0);
    let refused = [ErrorKind::Closed, ErrorKind::Reset].map(|kind| outcome.errors.get(&kind));
    assert!(
        refused.into_iter().flatten().sum::<u64>() > 0,
        "{outcome:?}"
    );
}
