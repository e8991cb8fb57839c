//! A response is the same for a single request of ours and for other libraries' clients: `ureq`, `h2` and `tungstenite`.

use std::io;
use std::net::SocketAddr;
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use photofinish_load::once::{Ask, Response, Wait, ask};
use photofinish_model::{
    Address, Exchange, Expect, Message, Request, Template, Version, WebSocket,
};
use photofinish_servers::{Kind, Spoken};
use socket2::{Domain, Socket, Type};

const PATHS: [&str; 3] = ["/plaintext", "/json", "/no-such-page"];

/// A built-in server that speaks HTTP/1.1, HTTP/2 and WebSocket; it serves until the test program ends.
fn server() -> SocketAddr {
    let (ready, address) = mpsc::channel();
    thread::spawn(move || {
        let any = Address::Tcp(SocketAddr::from(([127, 0, 0, 1], 0)));
        let kind = Kind::EventLoop {
            threads: 1,
            slower: None,
        };
        let spoken = Spoken {
            http2: true,
            websocket: true,
            ..Spoken::default()
        };
        photofinish_servers::serve(&kind, &any, &spoken, |at| {
            ready.send(at.clone()).expect("the test waits");
        })
        .expect("a server");
    });
    match address.recv().expect("an address") {
        Address::Tcp(at) => at,
        Address::Unix(path) => panic!("{path:?}"),
    }
}

fn ours(server: SocketAddr, exchange: &Exchange) -> Response {
    let asked = Ask {
        exchange,
        authority: &server.to_string(),
        tls: None,
        seed: 1,
    };
    let wait = Wait {
        timeout: Duration::from_secs(20),
        unwanted: &|| false,
    };
    let connect = |within| -> io::Result<Socket> {
        let socket = Socket::new(Domain::IPV4, Type::STREAM, None)?;
        socket.connect_timeout(&server.into(), within)?;
        Ok(socket)
    };
    ask(&asked, wait, connect).expect("a response")
}

fn get(path: &str, version: Version) -> Exchange {
    Exchange::Http {
        request: Request::get(path),
        expect: Expect::default(),
        version,
    }
}

/// The fields of a head, in lower case and sorted; what differs from second to second is left out.
fn fields<'f>(fields: impl Iterator<Item = (&'f str, &'f str)>) -> Vec<(String, String)> {
    let mut fields: Vec<(String, String)> = fields
        .map(|(name, value)| (name.to_ascii_lowercase(), value.trim().to_owned()))
        .filter(|(name, _)| name != "date")
        .collect();
    fields.sort_unstable();
    fields
}

fn own_fields(response: &Response) -> Vec<(String, String)> {
    fields(
        (response.head.lines())
            .skip(1)
            .filter_map(|line| line.split_once(':')),
    )
}

fn their_fields(headers: &http::HeaderMap) -> Vec<(String, String)> {
    let text = |value: &'_ http::HeaderValue| value.to_str().expect("text").to_owned();
    let headers: Vec<(String, String)> = (headers.iter())
        .map(|(name, value)| (name.to_string(), text(value)))
        .collect();
    fields(headers.iter().map(|(name, value)| (&**name, &**value)))
}

#[test]
fn http1_as_ureq_reads_it() {
    let server = server();
    let agent: ureq::Agent = ureq::Agent::config_builder()
        .http_status_as_error(false)
        .build()
        .into();
    for path in PATHS {
        let mut theirs = agent
            .get(format!("http://{server}{path}"))
            .call()
            .expect(path);
        let ours = ours(server, &get(path, Version::Http1));
        assert_eq!(ours.status, theirs.status().as_u16(), "{path}");
        assert_eq!(own_fields(&ours), their_fields(theirs.headers()), "{path}");
        assert_eq!(
            ours.body,
            theirs.body_mut().read_to_vec().expect(path),
            "{path}"
        );
    }
}

#[test]
fn http2_as_h2_reads_it() {
    let server = server();
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .expect("a runtime");
    for path in PATHS {
        let (head, body) = runtime.block_on(async {
            let stream = tokio::net::TcpStream::connect(server)
                .await
                .expect("a connection");
            let (mut sender, connection) = h2::client::handshake(stream).await.expect("HTTP/2");
            tokio::spawn(connection);
            let request = http::Request::get(format!("http://{server}{path}"));
            let request = request.body(()).expect("a request");
            let (response, _) = sender.send_request(request, true).expect("a stream");
            let (head, mut content) = response.await.expect("a response").into_parts();
            let mut body = Vec::new();
            while let Some(piece) = content.data().await {
                body.extend_from_slice(&piece.expect("content"));
            }
            (head, body)
        });
        let ours = ours(server, &get(path, Version::Http2 { streams: 1 }));
        assert_eq!(ours.status, head.status.as_u16(), "{path}");
        assert_eq!(own_fields(&ours), their_fields(&head.headers), "{path}");
        assert_eq!(ours.body, body, "{path}");
    }
}

#[test]
fn a_websocket_as_tungstenite_reads_it() {
    let server = server();
    let message = "hello".repeat(100);
    let (mut socket, _) = tungstenite::client(
        format!("ws://{server}/"),
        std::net::TcpStream::connect(server).expect("a connection"),
    )
    .expect("a WebSocket");
    socket
        .send(tungstenite::Message::text(&message))
        .expect("sent");
    let theirs = socket.read().expect("a reply").into_data();
    let wanted = WebSocket {
        opening: Request::get("/"),
        message: Message::Text(Template::fixed(message).into()),
        reply: None,
        streams: 1,
    };
    let ours = ours(server, &Exchange::WebSocket(wanted));
    assert_eq!((ours.status, ours.complaint.clone()), (101, None));
    assert_eq!(ours.body, theirs.as_ref());
}
