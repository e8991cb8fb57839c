//! One server that responds to whatever comes with a page that is not there: what is said of it over each protocol.

use std::io::{Read, Write};
use std::net::SocketAddr;

use crate::support::tls::{over, serve_raw};
use crate::support::{call, config, http, over_http2, over_websocket};
use photofinish_load::{Config, Control, Error, Until, run};
use photofinish_model::finding::complaint::{
    BodyMismatch, Complaint, Http1Violation, Http2Violation, TlsFailure, WebSocketComplaint,
};
use photofinish_model::{Exchange, Expect, Message, Payload, Tls};

/// Responds to what it reads.
fn serving(response: &'static [u8]) -> SocketAddr {
    serve_raw(move |mut stream| {
        let mut buffer = [0; 4096];
        while let Ok(1..) = stream.read(&mut buffer) {
            if stream.write_all(response).is_err() {
                return;
            }
        }
    })
}

/// What a single request meets, whether or not its connection came to be open.
fn complaint(address: SocketAddr, change: impl FnOnce(&mut Config)) -> Complaint {
    let mut config = config(address, 1, Until::Requests(1));
    change(&mut config);
    match run(&config, &Control::default()) {
        Ok(outcome) => outcome.first_error.expect("a complaint"),
        Err(Error::Connect { why, .. }) => why,
        Err(other) => panic!("{other}"),
    }
}

#[test]
fn each_protocol_has_its_own_complaint_of_the_same_server() {
    let page = serving(b"HTTP/1.1 404 Not Found\r\nContent-Length: 2\r\n\r\nno");
    let status = Complaint::Status {
        got: 404,
        expected: None,
    };
    assert_eq!(complaint(page, |_| {}), status);
    let body = complaint(page, |config| {
        *http(config).1 = Expect {
            status: Some(404),
            body: Some(b"not".to_vec()),
            ..Expect::default()
        };
    });
    let shorter = BodyMismatch::Shorter {
        got: 2,
        expected: 3,
        missing: "t".to_owned(),
    };
    assert_eq!(body, shorter.into());
    let no_http2 = Complaint::from(Http2Violation::NotSpoken);
    let http2 = complaint(page, |config| *config = over_http2(config.clone(), 2));
    assert_eq!(http2, no_http2);
    let grpc = complaint(page, |config| {
        config.exchange = Exchange::Grpc(call(Payload::fixed("hello"), 1));
    });
    assert_eq!(grpc, no_http2);
    let websocket = complaint(page, |config| {
        *config = over_websocket(config.clone(), Message::Random { size: 64 }, 1);
    });
    let refused = WebSocketComplaint::Refused { status: 404 };
    assert_eq!(websocket, refused.into());
    let echo = complaint(page, |config| {
        config.exchange = Exchange::TcpEcho { size: 16 };
    });
    let Complaint::Echo { bytes: 16, .. } = echo else {
        panic!("{echo:?}");
    };
    let tls = complaint(page, |config| over(Tls::default(), config));
    assert_eq!(tls, TlsFailure::PlainHttp {}.into());
}

#[test]
fn what_is_no_http_is_told_from_what_is_cut_off() {
    let other = serving(b"SSH-2.0-x\r\n\r\n");
    let not_http = Http1Violation::NotHttp1;
    assert_eq!(complaint(other, |_| {}), not_http.into());
    for (response, begun) in [(&b""[..], false), (b"HTTP/1.1 200 OK\r\n", true)] {
        let address = serve_raw(move |mut stream| {
            let _ = stream.read(&mut [0; 4096]);
            let _ = stream.write_all(response);
        });
        assert_eq!(complaint(address, |_| {}), Complaint::Closed { begun });
    }
}
