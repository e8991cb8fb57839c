//! WebSocket beside another implementation of it: the server is that of the `tungstenite` library.

use std::collections::BTreeMap;
use std::net::{SocketAddr, TcpStream};
use std::thread;
use std::time::{Duration, Instant};

use crate::support;
use crate::support::tls::serve_raw;
use crate::support::{Server, assert_good, config, load, millis, over_websocket, refusal};
use photofinish_load::websocket::CloseCode;
use photofinish_load::{Control, ErrorKind, Until, run};
use photofinish_model::{Arrivals, Message as Sent, Template};
use tungstenite::protocol::CloseFrame;
use tungstenite::protocol::frame::coding::CloseCode as Code;
use tungstenite::{Message, accept};

type Socket = tungstenite::WebSocket<TcpStream>;
/// What is done with the message of a number, counted by connection.
type Script = dyn Fn(&mut Socket, u64, Message) -> tungstenite::Result<()> + Send + Sync;

/// A server that follows the script on each connection.
fn peer(
    script: impl Fn(&mut Socket, u64, Message) -> tungstenite::Result<()> + Send + Sync + 'static,
) -> SocketAddr {
    serve_raw(move |stream| serve(stream, &script))
}

fn serve(stream: TcpStream, script: &Script) {
    let Ok(mut socket) = accept(stream) else {
        return;
    };
    let mut number = 0;
    while let Ok(message) = socket.read() {
        if message.is_text() || message.is_binary() {
            number += 1;
            if script(&mut socket, number, message).is_err() {
                return;
            }
        }
    }
}

fn echo() -> SocketAddr {
    peer(|socket, _, message| socket.send(message))
}

#[test]
fn every_size_comes_back_whole() {
    let server = echo();
    for (size, requests) in [
        (1, 100),
        (64, 1_000),
        (125, 50),
        (126, 50),
        (65_535, 20),
        (1_000_000, 10),
    ] {
        let config = config(server, 3, Until::Requests(requests));
        let outcome = load(&over_websocket(config, Sent::Random { size }, 1));
        assert_good(&outcome, requests);
        assert!(outcome.bytes_in >= requests * size && outcome.bytes_out >= requests * size);
        assert!(outcome.kernel_timestamps && outcome.status.is_empty());
        assert_eq!(outcome.latency.len(), requests);
    }
}

#[test]
fn many_messages_are_in_flight_on_a_connection() {
    let server = peer(|socket, number, message| {
        // Ten are on their way to a server that takes its time.
        if number % 50 == 0 {
            thread::sleep(Duration::from_millis(2));
        }
        socket.write(Message::Ping(vec![1].into()))?;
        socket.send(message)
    });
    let message = Sent::Text(Template::parse("{\"n\":{counter},\"r\":{random:1..1000000}}").into());
    let outcome = load(&over_websocket(
        config(server, 2, Until::Requests(1_000)),
        message,
        10,
    ));
    assert_good(&outcome, 1_000);
    assert_eq!((outcome.connects, outcome.reconnects), (2, 0));
}

#[test]
fn a_known_delay_is_the_response_time() {
    let server = peer(|socket, _, message| {
        thread::sleep(Duration::from_millis(20));
        socket.send(message)
    });
    let outcome = load(&over_websocket(
        config(server, 5, Until::Requests(50)),
        Sent::Random { size: 64 },
        1,
    ));
    assert_eq!(outcome.good, 50);
    assert!(outcome.latency.min() >= 20_000_000);
}

#[test]
fn an_open_loop_sends_what_is_due() {
    let mut config = config(echo(), 4, millis(500));
    support::open(&mut config, Arrivals::Constant, 400.0);
    let outcome = load(&over_websocket(config, Sent::Random { size: 16 }, 2));
    // One every 2.5 ms from its beginning until its end.
    assert_eq!((outcome.offered, outcome.errors.len()), (Some(200), 0));
}

#[test]
fn a_wrong_reply_and_a_close_are_errors_of_their_own() {
    let server = peer(|socket, number, message| match number {
        10 => socket.send(Message::Binary(vec![0; 64].into())),
        20 => socket.close(Some(CloseFrame {
            code: Code::Error,
            reason: "out of order".into(),
        })),
        _ => socket.send(message),
    });
    let outcome = load(&over_websocket(
        config(server, 1, Until::Requests(20)),
        Sent::Random { size: 64 },
        1,
    ));
    assert_eq!((outcome.requests, outcome.good), (20, 18));
    assert_eq!(outcome.errors.get(&ErrorKind::Body), Some(&1));
    let closed = ErrorKind::WebSocket(CloseCode::Internal);
    assert_eq!(outcome.errors.get(&closed), Some(&1));
}

#[test]
fn each_code_of_a_close_is_an_error_of_its_own() {
    let codes = [
        (None, CloseCode::Absent),
        (Some(1000), CloseCode::Normal),
        (Some(1001), CloseCode::GoingAway),
        (Some(1002), CloseCode::ProtocolError),
        (Some(1009), CloseCode::TooLong),
        (Some(1011), CloseCode::Internal),
    ];
    for (code, kind) in codes {
        let server = peer(move |socket, number, message| match number {
            3 => socket.close(code.map(|code: u16| CloseFrame {
                code: code.into(),
                reason: "".into(),
            })),
            _ => socket.send(message),
        });
        let config = config(server, 1, Until::Requests(3));
        let outcome = load(&over_websocket(config, Sent::Random { size: 64 }, 1));
        assert_eq!((outcome.requests, outcome.good), (3, 2), "{code:?}");
        let closed = BTreeMap::from([(ErrorKind::WebSocket(kind), 1)]);
        assert_eq!(outcome.errors, closed, "{code:?}");
    }
}

#[test]
fn a_server_that_closes_at_once_is_an_error() {
    let address = serve_raw(|stream| {
        let Ok(mut socket) = accept(stream) else {
            return;
        };
        let _ = socket.close(Some(CloseFrame {
            code: Code::Away,
            reason: "".into(),
        }));
        while socket.read().is_ok() {}
    });
    let config = config(address, 1, millis(300));
    match run(
        &over_websocket(config, Sent::Random { size: 5 }, 1),
        &Control::default(),
    ) {
        Ok(outcome) => {
            assert_eq!(outcome.good, 0);
            assert!(!outcome.errors.is_empty(), "{:?}", outcome.first_error);
            assert!(outcome.first_error.is_some());
        }
        Err(error) => assert!(error.to_string().contains("close"), "{error}"),
    }
}

#[test]
fn a_server_that_refuses_every_opening_is_not_asked_until_the_timeout() {
    let server = Server::responding(*b"HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n");
    let mut config = config(server.address, 2, Until::Requests(20));
    let until = Duration::from_secs(60);
    config.timeout = until;
    let config = over_websocket(config, Sent::Random { size: 64 }, 1);
    let begun = Instant::now();
    let says = refusal(&config);
    assert!(says.contains("403"), "{says}");
    assert!(begun.elapsed() < until / 2, "{:?}", begun.elapsed());
}
