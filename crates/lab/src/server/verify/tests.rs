//! Whether servers do their job.

mod grpc;

use std::io::{Read, Write};
use std::net::TcpListener;
use std::os::unix::net::UnixListener;
use std::thread::{self, JoinHandle};

use photofinish_model::samples::assert_starts;
use photofinish_model::{Address, Expect, Recall, Template};

use super::*;
use crate::fake;

/// What is recorded of such a response.
pub(crate) fn verified(status: u16, body: &[u8]) -> Verified {
    let response = Response {
        status,
        body: body.to_vec(),
        ..Response::default()
    };
    record(&fake::workload("w", &[1]), &response, body, None)
}

#[test]
fn the_first_difference_is_shown_with_its_offset() {
    let says = |expected: &[u8], got: &[u8]| {
        let response = Response {
            status: 200,
            body: got.to_vec(),
            expected: Some(expected.to_vec()),
            complaint: (expected != got).then(|| Complaint::said("another body")),
            ..Response::default()
        };
        let wrong = judged(response, Box::new(Asked::get("/")), shown_body).err();
        wrong.map(|wrong| wrong.to_string())
    };
    assert_eq!(
        says(b"Hello, World!", b"Hello, world").as_deref(),
        Some(
            "GET /: wrong body: expected 13 bytes, got 12; they differ first at offset 7: expected \"World!\", got \"world\""
        )
    );
    let longer = says(b"abc", b"abcdef").expect("they differ");
    assert!(
        longer.ends_with("offset 3: expected nothing, got \"def\""),
        "{longer}"
    );
    assert_eq!(says(b"abc", b"abc"), None);
    let long = says(&[b'x'; 100], b"\n\xff").expect("they differ");
    assert!(long.contains("\"…, got \"\\n\\xff\""), "{long}");
}

/// A server that reads so many bytes from one connection and writes what `response` makes of them.
fn served(length: usize, response: fn(Vec<u8>) -> Vec<u8>) -> (Address, JoinHandle<()>) {
    let listener = TcpListener::bind("127.0.0.1:0").expect("bind");
    let address = listener.local_addr().expect("address").into();
    let server = thread::spawn(move || {
        let (mut stream, _) = listener.accept().expect("accept");
        let mut bytes = vec![0; length];
        stream.read_exact(&mut bytes).expect("a request");
        stream.write_all(&response(bytes)).expect("write");
    });
    (address, server)
}

fn ask(
    workload: &Workload,
    length: usize,
    response: fn(Vec<u8>) -> Vec<u8>,
) -> Result<Response, Wrong> {
    let (to, server) = served(length, response);
    let route = Route {
        from: photofinish_host::Host::this_machine(),
        to: &to,
        called: None,
        tls: None,
    };
    let got = verify(route, workload, 7, &|| false);
    server.join().expect("server");
    got
}

#[test]
fn a_server_on_a_unix_socket_is_called_localhost_as_by_the_load() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("server");
    let listener = UnixListener::bind(&path).expect("bind");
    let server = thread::spawn(move || {
        let (mut stream, _) = listener.accept().expect("accept");
        let mut head = Vec::new();
        while !head.ends_with(b"\r\n\r\n") {
            let mut byte = [0];
            stream.read_exact(&mut byte).expect("a request");
            head.push(byte[0]);
        }
        let body = fake::BODY;
        let response = format!(
            "HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n{body}",
            body.len()
        );
        stream.write_all(response.as_bytes()).expect("write");
        String::from_utf8(head).expect("text")
    });
    let route = Route {
        from: photofinish_host::Host::this_machine(),
        to: &Address::Unix(path),
        called: None,
        tls: None,
    };
    let got = verify(route, &fake::workload("w", &[1]), 7, &|| false);
    let head = server.join().expect("server");
    assert!(head.contains("\r\nHost: localhost\r\n"), "{head}");
    assert!(got.is_ok(), "{got:?}");
}

#[test]
fn an_echo_is_compared_byte_for_byte() {
    let mut workload = fake::workload("w", &[1]);
    workload.exchange = Exchange::TcpEcho { size: 100 };
    let good = ask(&workload, 100, |bytes| bytes).expect("an echo");
    assert_eq!((good.status, good.wire_bytes), (0, 100));
    let wrong = ask(&workload, 100, |mut bytes| {
        bytes[42] ^= 1;
        bytes
    });
    match wrong {
        Err(wrong @ Wrong::Shape { .. }) => {
            let says = wrong.to_string();
            assert_starts(
                &says,
                "TCP echo of 100 bytes: the echo differs at byte 42 of 100",
            );
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_body_that_varies_is_held_to_its_shape() {
    let mut workload = fake::workload("w", &[1]);
    let (request, expect) = fake::http(&mut workload);
    request.path = Template::parse("/{random:100..999}");
    *expect = Expect {
        status: Some(200),
        contains: Recall::parse("<{random}>"),
        rows: Some(2),
        ..Expect::default()
    };
    let length = "GET /100 HTTP/1.1\r\nHost: 127.0.0.1:40000\r\n\r\n".len();
    fn response(request: Vec<u8>, rows: &str) -> Vec<u8> {
        let id = String::from_utf8_lossy(&request[5..8]).into_owned();
        let body = format!("{rows}<{id}>");
        format!(
            "HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n{body}",
            body.len()
        )
        .into_bytes()
    }
    assert!(ask(&workload, length, |request| response(request, "[1,2]")).is_ok());
    match ask(&workload, length, |request| response(request, "[1]")) {
        Err(wrong @ Wrong::Shape { .. }) => {
            let says = wrong.to_string();
            assert_starts(&says, "GET /{random:100..999}: expected 2 rows, got 1");
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn hashes_are_sha256() {
    // FIPS 180-2, appendix B.1.
    assert_eq!(
        verified(200, b"abc").body_sha256,
        "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
    );
}
