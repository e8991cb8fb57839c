//! Responses of every form, in pieces of every size, from servers that are other libraries.

use std::io::{Read, Write};
use std::net::TcpListener;
use std::thread::{self, JoinHandle};

use photofinish_model::samples::assert_contains;
use photofinish_model::{Address, Expect, Message, Request, Template, Trust, WebSocket};

use super::*;

mod tls;

const LONG: Duration = Duration::from_secs(20);

fn http(request: Request, version: Version) -> Exchange {
    Exchange::Http {
        request,
        expect: Expect::default(),
        version,
    }
}

fn get() -> Exchange {
    http(Request::get("/a"), Version::Http1)
}

fn get_over_http2() -> Exchange {
    http(Request::get("/a"), Version::Http2 { streams: 100 })
}

fn websocket() -> Exchange {
    Exchange::WebSocket(WebSocket {
        opening: Request::get("/a"),
        message: Message::Text(Template::fixed("hi").into()),
        reply: None,
        streams: 7,
    })
}

fn connected(address: &Address, within: Duration) -> io::Result<Socket> {
    let to = address.to_system()?;
    let socket = Socket::new(to.domain(), socket2::Type::STREAM, None)?;
    socket.connect_timeout(&to, within)?;
    Ok(socket)
}

/// What comes of a request to this address; the server is called `h:1`.
fn asked_of(
    address: &Address,
    exchange: &Exchange,
    tls: Option<&Wanted>,
    wait: Wait,
) -> Result<Response, NoResponse> {
    let authority = match tls {
        Some(_) => address.authority(),
        None => "h:1".to_owned(),
    };
    let asked = Ask {
        exchange,
        authority: &authority,
        tls,
        seed: 1,
    };
    match ask(&asked, wait, |within| connected(address, within)) {
        Ok(response) => Ok(response),
        Err(Error::NoResponse(met)) => Err(met),
        Err(Error::Request(fault)) => panic!("{fault:?}"),
    }
}

fn patiently(
    address: &Address,
    exchange: &Exchange,
    tls: Option<&Wanted>,
) -> Result<Response, NoResponse> {
    let wait = Wait {
        timeout: LONG,
        unwanted: &|| false,
    };
    asked_of(address, exchange, tls, wait)
}

/// A server of one connection, which does with it what `serve` says.
fn serving<F: Future<Output = ()>>(
    serve: impl FnOnce(tokio::net::TcpStream) -> F + Send + 'static,
) -> (Address, JoinHandle<()>) {
    let listener = TcpListener::bind("127.0.0.1:0").expect("bind");
    let address: Address = listener.local_addr().expect("address").into();
    let server = thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build();
        runtime.expect("runtime").block_on(async {
            let (stream, _) = listener.accept().expect("accept");
            stream.set_nonblocking(true).expect("non-blocking");
            serve(tokio::net::TcpStream::from_std(stream).expect("stream")).await;
        });
    });
    (address, server)
}

/// Responds to one request over HTTP/2 with what it asked for, by the `h2` library, and closes.
fn served_by_http2(exchange: &Exchange) -> Result<Response, NoResponse> {
    let (address, server) = serving(|stream| async move {
        let mut connection = h2::server::handshake(stream).await.expect("handshake");
        while let Some(Ok((request, mut respond))) = connection.accept().await {
            let text = format!(
                "{} {} {:?}",
                request.method(),
                request.uri(),
                request.headers()
            );
            let head = http::Response::builder().status(201).header("x", "y");
            let mut body = respond
                .send_response(head.body(()).expect("head"), false)
                .expect("send");
            body.send_data(text.into(), true).expect("send");
        }
    });
    let got = patiently(&address, exchange, None);
    server.join().expect("server");
    got
}

#[test]
fn a_request_is_the_same_over_http2() {
    let request = Request {
        method: "POST".to_owned(),
        headers: vec![
            ("Connection".to_owned(), Template::fixed("close").into()),
            ("X-A".to_owned(), Template::fixed("c").into()),
        ],
        body: Template::fixed("hi").into(),
        ..Request::get("/a?b")
    };
    let got = served_by_http2(&http(request, Version::Http2 { streams: 3 })).expect("response");
    assert_eq!((got.status, got.head.as_str()), (201, "HTTP/2 201\r\nx: y"));
    assert_eq!(
        String::from_utf8_lossy(&got.body),
        "POST http://h:1/a?b {\"x-a\": \"c\", \"content-length\": \"2\"}"
    );
}

/// What goes wrong over HTTP/2 with a server that sends these bytes whatever is asked, and closes when the client does.
fn met_over_http2(bytes: &'static [u8]) -> NoResponse {
    let listener = TcpListener::bind("127.0.0.1:0").expect("bind");
    let address: Address = listener.local_addr().expect("address").into();
    let server = thread::spawn(move || {
        let (mut stream, _) = listener.accept().expect("accept");
        stream.write_all(bytes).expect("write");
        // It may end with a reset.
        let _ = stream.read_to_end(&mut Vec::new());
    });
    let got = patiently(&address, &get_over_http2(), None);
    server.join().expect("server");
    got.expect_err("no response")
}

#[test]
fn a_server_without_http2_and_one_that_leaves_are_named() {
    let plain = met_over_http2(b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n");
    let says = plain.to_string();
    assert_contains(&says, "does the server speak HTTP/2 on this port?");
    // SETTINGS, and GOAWAY with ENHANCE_YOUR_CALM.
    let gone = met_over_http2(b"\0\0\0\x04\0\0\0\0\0\0\0\x08\x07\0\0\0\0\0\0\0\0\0\0\0\0\x0b");
    assert_contains(&gone.to_string(), "ENHANCE_YOUR_CALM");
}

/// Responds to one request with these bytes, written in pieces of `piece`, and closes.
fn served(response: &'static [u8], piece: usize, method: &str) -> Result<Response, NoResponse> {
    let listener = TcpListener::bind("127.0.0.1:0").expect("bind");
    let address: Address = listener.local_addr().expect("address").into();
    let server = thread::spawn(move || {
        let (mut stream, _) = listener.accept().expect("accept");
        let mut request = Vec::new();
        let mut byte = [0];
        while !request.ends_with(b"\r\n\r\n") && stream.read(&mut byte).expect("read") == 1 {
            request.push(byte[0]);
        }
        stream.set_nodelay(true).expect("nodelay");
        for piece in response.chunks(piece) {
            // The client may have closed already.
            let _ = stream.write_all(piece);
        }
    });
    let request = Request {
        method: method.to_owned(),
        ..Request::get("/")
    };
    let got = patiently(&address, &http(request, Version::Http1), None);
    server.join().expect("server");
    got
}

#[test]
fn a_body_of_stated_length_in_any_pieces() {
    const BYTES: &[u8] = b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\nX: y\r\n\r\nhello";
    for piece in [1, 7, 1_000] {
        let got = served(BYTES, piece, "GET").expect("response");
        assert_eq!(got.status, 200);
        assert_eq!(got.body, b"hello");
        assert_eq!(got.head, "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nX: y");
        assert_eq!(got.wire_bytes, BYTES.len() as u64);
    }
}

#[test]
fn a_chunked_body_is_put_together() {
    const BYTES: &[u8] =
        b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n3\r\nabc\r\nA;x=y\r\n0123456789\r\n0\r\nT: 1\r\n\r\n";
    let got = served(BYTES, 3, "GET").expect("response");
    assert_eq!(got.body, b"abc0123456789");
    assert_eq!(got.wire_bytes, BYTES.len() as u64);
}

#[test]
fn bodies_that_are_not_there_or_end_with_the_connection() {
    let head = served(b"HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n", 99, "HEAD");
    assert_eq!(head.expect("response").body, b"");
    let none = served(b"HTTP/1.1 204 No Content\r\n\r\n", 99, "GET");
    assert_eq!(none.expect("response").status, 204);
    let until_close = served(b"HTTP/1.0 200 OK\r\n\r\nall of it", 4, "GET");
    assert_eq!(until_close.expect("response").body, b"all of it");
}

#[test]
fn interim_responses_are_passed_over() {
    const BYTES: &[u8] =
        b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 201 Created\r\nContent-Length: 0\r\n\r\n";
    let got = served(BYTES, 99, "GET").expect("response");
    assert_eq!(got.status, 201);
    assert_eq!(got.wire_bytes, BYTES.len() as u64 - 25);
}

#[test]
fn wrong_responses_say_what_is_wrong() {
    let says = |bytes, part: &str| {
        let error = served(bytes, 99, "GET").expect_err("an error").to_string();
        assert!(error.contains(part), "{error}");
    };
    says(
        b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc",
        "closed the connection after 41 bytes",
    );
    says(
        b"SSH-2.0-x\r\n\r\n",
        "not HTTP/1: it begins with \"SSH-2.0-x\"",
    );
    says(
        b"HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n",
        "a response's Content-Length is not a number",
    );
    says(
        b"HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nabc",
        "2 unsolicited bytes came after",
    );
    says(
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
        "a chunk does not begin with its size",
    );
}

/// A server that accepts and says nothing: the backlog of a listener that nobody looks at.
#[test]
fn waiting_ends_with_the_timeout_or_when_it_is_no_longer_wanted() {
    let listener = TcpListener::bind("127.0.0.1:0").expect("bind");
    let address: Address = listener.local_addr().expect("address").into();
    let insecure = Wanted {
        trust: Trust::Anyone,
        ..Wanted::default()
    };
    for tls in [None, Some(&insecure)] {
        for exchange in [get(), get_over_http2(), websocket()] {
            let met = |timeout, unwanted: bool| {
                let unwanted: &dyn Fn() -> bool = &|| unwanted;
                let wait = Wait { timeout, unwanted };
                let got = asked_of(&address, &exchange, tls, wait);
                got.expect_err("no response").to_string()
            };
            assert_eq!(
                met(Duration::from_millis(20), false),
                "no complete response within 20ms; 0 bytes had arrived"
            );
            assert_eq!(met(Duration::from_secs(3_600), true), "interrupted");
        }
    }
}

/// An echo of a message far longer than the sockets' buffers, with its last byte changed by `change`.
fn echoed(length: usize, change: fn(&mut Vec<u8>)) -> Result<Response, NoResponse> {
    let listener = TcpListener::bind("127.0.0.1:0").expect("bind");
    let address: Address = listener.local_addr().expect("address").into();
    let server = thread::spawn(move || {
        let (mut stream, _) = listener.accept().expect("accept");
        let mut buffer = vec![0; 64 << 10];
        let mut left = length;
        while left > 0 {
            let read = stream.read(&mut buffer).expect("read");
            left -= read;
            let mut piece = buffer[..read].to_vec();
            if left == 0 {
                change(&mut piece);
            }
            stream.write_all(&piece).expect("write");
        }
    });
    let size = length as u64;
    let got = patiently(&address, &Exchange::TcpEcho { size }, None);
    server.join().expect("server");
    got
}

#[test]
fn long_messages_are_sent_and_taken_at_once() {
    let length = 8 << 20;
    let got = echoed(length, |_| {}).expect("an echo");
    assert_eq!((got.complaint, got.body.len()), (None, length));
}

#[test]
fn an_echo_that_differs_is_a_response_with_a_complaint() {
    let got = echoed(100, |piece| piece[42] ^= 1).expect("an echo");
    match got.complaint {
        Some(Complaint::Echo {
            at: 42, bytes: 100, ..
        }) => {}
        other => panic!("{other:?}"),
    }
}

#[test]
fn an_echo_of_another_length_is_reported() {
    let short = echoed(100, |piece| piece.truncate(piece.len() - 1));
    let says = short.expect_err("too short").to_string();
    assert_contains(&says, "closed the connection after 99 bytes");
    let long = echoed(100, |piece| piece.push(0));
    let says = long.expect_err("too long").to_string();
    assert_contains(&says, "1 unsolicited byte came after the complete echo");
}
