//! Verification of a call, against servers by the `h2` library.

use std::net::TcpListener;
use std::thread;

use bytes::Bytes;
use h2::server;
use http::{HeaderMap, HeaderValue, Request};
use photofinish_model::samples::assert_contains;
use photofinish_model::{Expect, Grpc, Payload, Recall, Template};
use tokio::runtime;

use super::super::*;
use super::*;
use crate::fake;

/// How a server responds to a call.
#[derive(Clone, Copy)]
enum Act {
    /// The message so often, and `grpc-status: 0`.
    Echo(usize),
    /// These bytes, and `grpc-status: 0`.
    Bytes(&'static [u8]),
    /// A head with this status, its message, and nothing else.
    Only(&'static str, &'static str),
    /// The message, and this status in the trailers.
    Ends(&'static str),
    /// The message and no trailers.
    NoStatus,
    /// This status of HTTP, and a page.
    Page(u16),
}

/// A server of one connection.
fn serving(act: Act) -> Address {
    let listener = TcpListener::bind("127.0.0.1:0").expect("bind");
    let address = listener.local_addr().expect("an address").into();
    // Ends with its connection.
    thread::spawn(move || {
        let runtime = runtime::Builder::new_current_thread().enable_all().build();
        runtime.expect("a runtime").block_on(async {
            let (stream, _) = listener.accept().expect("a client");
            stream.set_nonblocking(true).expect("non-blocking");
            let stream = tokio::net::TcpStream::from_std(stream).expect("a stream");
            let mut connection = server::handshake(stream).await.expect("HTTP/2");
            while let Some(Ok((request, respond))) = connection.accept().await {
                tokio::spawn(serve(request, respond, act));
            }
        });
    });
    address
}

async fn serve(
    request: Request<h2::RecvStream>,
    mut respond: server::SendResponse<Bytes>,
    act: Act,
) {
    assert_eq!(request.uri().path(), "/echo.Echo/Unary");
    assert_eq!(request.headers()["te"], "trailers");
    assert_eq!(request.headers()["content-type"], "application/grpc");
    let mut content = request.into_body();
    let mut message = Vec::new();
    while let Some(piece) = content.data().await {
        message.extend_from_slice(&piece.expect("a piece"));
    }
    let head = http::Response::builder().header("content-type", "application/grpc");
    let head = match act {
        Act::Only(status, says) => head
            .header("grpc-status", status)
            .header("grpc-message", says),
        Act::Page(status) => http::Response::builder()
            .status(status)
            .header("content-type", "text/html"),
        _ => head,
    };
    let head = head.body(()).expect("a head");
    let only = matches!(act, Act::Only(..));
    let mut sending = respond.send_response(head, only).expect("a stream");
    let (content, status) = match act {
        Act::Only(..) => return,
        Act::Echo(times) => (message.repeat(times), Some("0")),
        Act::Bytes(bytes) => (bytes.to_vec(), Some("0")),
        Act::Ends(status) => (message, Some(status)),
        Act::NoStatus => (message, None),
        Act::Page(_) => (b"<html>".to_vec(), None),
    };
    sending
        .send_data(content.into(), status.is_none())
        .expect("a stream");
    if let Some(status) = status {
        let name = http::HeaderName::from_static("grpc-status");
        let trailers = HeaderMap::from_iter([(name, HeaderValue::from_static(status))]);
        sending.send_trailers(trailers).expect("a stream");
    }
}

/// A call whose message has the string `hello` in field 1.
fn call(change: impl FnOnce(&mut Grpc)) -> Workload {
    let mut call = Grpc {
        path: "/echo.Echo/Unary".to_owned(),
        headers: Vec::new(),
        message: Payload::fixed("\n\u{5}hello").into(),
        messages: Some(1),
        expect: Expect::default(),
        streams: 1,
    };
    change(&mut call);
    let mut workload = fake::workload("calls", &[1]);
    workload.exchange = Exchange::Grpc(call);
    workload
}

/// What verification says: the response, or what is wrong in a sentence.
fn asked(act: Act, workload: &Workload) -> Result<Response, String> {
    let to = serving(act);
    let route = Route {
        from: photofinish_host::Host::this_machine(),
        to: &to,
        called: None,
        tls: None,
    };
    verify(route, workload, 7, &|| false).map_err(|wrong| wrong.to_string())
}

fn stated(body: &[u8], messages: Option<u64>) -> Workload {
    call(|call| {
        call.expect.body = Some(body.to_vec());
        call.messages = messages;
    })
}

#[test]
fn the_stated_reply_is_taken_and_recorded_without_its_frames() {
    let workload = stated(b"\n\x05hello", Some(1));
    let got = asked(Act::Echo(1), &workload).expect("the reply");
    assert_eq!(got.body, b"\n\x05hello");
    let recorded = record(&workload, &got, &got.body, None);
    // Five bytes frame the message.
    assert_eq!((recorded.body_bytes, recorded.wire_bytes), (7, 12));
    assert_eq!(recorded.status, 200);
}

#[test]
fn all_messages_of_a_stream_are_one_body() {
    let workload = stated(b"\n\x05hello\n\x05hello\n\x05hello", Some(3));
    let got = asked(Act::Echo(3), &workload).expect("the reply");
    assert_eq!((got.body.len(), got.wire_bytes), (21, 36));
    // None at all is a stream too.
    let any = call(|call| call.messages = None);
    assert_eq!(asked(Act::Echo(0), &any).expect("the reply").body, b"");
    let says = asked(Act::Echo(2), &workload).expect_err("one is missing");
    assert_contains(
        &says,
        "gRPC: the reply has 2 messages, expected 3: is this the method's kind",
    );
}

#[test]
fn another_reply_is_shown_with_the_difference() {
    let says = asked(Act::Echo(1), &stated(b"\n\x05hallo", Some(1))).expect_err("it differs");
    assert_contains(
        &says,
        "wrong body: expected 7 bytes, got 7; they differ first at offset 3",
    );
    let lacks = call(|call| call.expect.contains = Recall::parse("world"));
    let says = asked(Act::Echo(1), &lacks).expect_err("it lacks something");
    assert!(says.starts_with("gRPC /echo.Echo/Unary: "), "{says}");
    assert!(says.contains("world"), "{says}");
}

#[test]
fn what_varies_must_come_back() {
    let workload = call(|call| {
        call.headers = vec![("x-id".to_owned(), Template::parse("{random:5..5}").into())];
        call.expect.contains = Recall::parse("{random}");
    });
    let says = asked(Act::Echo(1), &workload).expect_err("no 5 in it");
    assert!(says.contains('5'), "{says}");
    let got = asked(Act::Bytes(b"\0\0\0\0\x011\0\0\0\0\x015"), &workload);
    assert_contains(&got.expect_err("two messages"), "2 messages, expected 1");
    assert!(asked(Act::Bytes(b"\0\0\0\0\x015"), &workload).is_ok());
}

#[test]
fn what_is_no_good_call_is_said() {
    let cases: [(Act, &[&str]); 10] = [
        (
            Act::Only("5", "no%20such%20cat"),
            &["grpc-status 5 NOT_FOUND", "no such cat"],
        ),
        (Act::Only("12", ""), &["grpc-status 12 UNIMPLEMENTED"]),
        (Act::Ends("13"), &["grpc-status 13 INTERNAL"]),
        (
            Act::Ends("ok"),
            &["grpc-status is \"ok\", which is not a number"],
        ),
        (Act::NoStatus, &["without a grpc-status"]),
        (Act::Page(200), &["content-type is not application/grpc"]),
        (
            Act::Page(404),
            &["HTTP status 404, expected 200", "gRPC server behind"],
        ),
        (Act::Bytes(b"\x01\0\0\0\x01x"), &["compressed"]),
        (
            Act::Bytes(b"\0\0\0\0\x09x"),
            &["a message announced 9 bytes and has 1"],
        ),
        (Act::Bytes(b""), &["0 messages, expected 1"]),
    ];
    for (act, parts) in cases {
        let says = asked(act, &call(|_| {})).expect_err("no good call");
        assert!(says.starts_with("gRPC /echo.Echo/Unary: "), "{says}");
        for part in parts {
            assert!(says.contains(part), "no {part:?} in {says}");
        }
    }
}

#[test]
fn a_server_without_http2_is_no_grpc() {
    let listener = TcpListener::bind("127.0.0.1:0").expect("bind");
    let to: Address = listener.local_addr().expect("an address").into();
    let server = thread::spawn(move || {
        use std::io::{Read, Write};
        let (mut stream, _) = listener.accept().expect("a client");
        let mut preface = [0; 24];
        stream.read_exact(&mut preface).expect("a preface");
        let page = b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n";
        stream.write_all(page).expect("write");
    });
    let route = Route {
        from: photofinish_host::Host::this_machine(),
        to: &to,
        called: None,
        tls: None,
    };
    let wrong = verify(route, &call(|_| {}), 7, &|| false).expect_err("no HTTP/2");
    assert_contains(&wrong.to_string(), "HTTP/2");
    server.join().expect("server");
}
