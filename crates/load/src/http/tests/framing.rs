//! Where responses end, by the rules of RFC 9112.

use super::*;

/// A response, whether the peer closes after it, and what it is.
fn table() -> Vec<(&'static str, &'static [u8], bool, Progress)> {
    let malformed = Progress::Broken(ErrorKind::Malformed);
    let closed = Progress::Broken(ErrorKind::Closed);
    vec![
        ("length", b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello", false, good(200, true)),
        ("equal lengths", b"HTTP/1.1 200 OK\r\nContent-Length: 2, 2\r\nContent-Length: 2\r\n\r\nhi", false, good(200, true)),
        ("bare line feeds", b"HTTP/1.1 200 OK\nContent-Length: 2\n\nhi", false, good(200, true)),
        ("no reason", b"HTTP/1.1 200\r\nContent-Length: 0\r\n\r\n", false, good(200, true)),
        ("chunks", b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\nA;x=\"y\"\r\n0123456789\r\n0\r\n\r\n", false, good(200, true)),
        ("trailers", b"HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, Chunked\r\n\r\n1\r\na\r\n00\r\nA: b\r\nC: d\r\n\r\n", false, good(200, true)),
        ("interim", b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nx", false, good(200, true)),
        ("no content", b"HTTP/1.1 204 No Content\r\nContent-Length: 7\r\n\r\n", false, good(204, true)),
        ("not modified", b"HTTP/1.1 304 Not Modified\r\nTransfer-Encoding: chunked\r\n\r\n", false, done(0, Response { status: 304, fault: Some(ErrorKind::Status), changed: false, reuse: true })),
        ("folded field", b"HTTP/1.1 200 OK\r\nX-A: b\r\n  c\r\nContent-Length: 1\r\n\r\nx", false, good(200, true)),
        ("until closed", b"HTTP/1.1 200 OK\r\n\r\nwhatever", true, good(200, false)),
        ("until closed, coded", b"HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\nContent-Length: 3\r\n\r\nwhatever", true, good(200, false)),
        ("close", b"HTTP/1.1 200 OK\r\nConnection: foo, Close\r\nContent-Length: 1\r\n\r\nx", false, good(200, false)),
        ("old", b"HTTP/1.0 200 OK\r\nContent-Length: 1\r\n\r\nx", false, good(200, false)),
        ("old, kept", b"HTTP/1.0 200 OK\r\nConnection: keep-alive\r\nContent-Length: 1\r\n\r\nx", false, good(200, true)),
        ("switching", b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\n\r\n", false, done(0, Response { status: 101, fault: Some(ErrorKind::Status), changed: false, reuse: false })),
        ("waiting", b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhell", false, Progress::More),
        ("nothing", b"", true, closed),
        ("short", b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhell", true, closed),
        ("short head", b"HTTP/1.1 200 OK\r\nContent-Le", true, closed),
        ("short chunks", b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n", true, closed),
        ("garbage", b"\x16\x03\x01\x00\x00\r\n\r\n", false, malformed),
        ("an alert of TLS", b"\x15\x03\x03\x00\x02\x02\x0a", true, malformed),
        ("empty lines", b"\r\n\r\nHTTP/1.1 200 OK\r\n\r\n", false, malformed),
        ("two lengths", b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nhello", false, malformed),
        ("no length", b"HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n", false, malformed),
        ("huge length", b"HTTP/1.1 200 OK\r\nContent-Length: 99999999999999999999\r\n\r\n", false, malformed),
        ("space before a colon", b"HTTP/1.1 200 OK\r\nX-A : b\r\nContent-Length: 0\r\n\r\n", false, malformed),
        ("no colon", b"HTTP/1.1 200 OK\r\nX-A\r\nContent-Length: 0\r\n\r\n", false, malformed),
        ("low status", b"HTTP/1.1 099 X\r\nContent-Length: 0\r\n\r\n", false, malformed),
        ("no size", b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n\r\nabc", false, malformed),
        ("long chunk", b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nabc\r\n", false, malformed),
        ("huge chunk", b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n11112222333344445\r\n", false, malformed),
    ]
}

#[test]
fn framings() {
    for (name, bytes, close, expected) in table() {
        let (got, _) = feed(&mut http("GET", Expect::default()), [bytes], close);
        assert_eq!(got, expected, "{name}");
    }
}

#[test]
fn byte_by_byte() {
    for (name, bytes, close, expected) in table() {
        let (got, _) = feed(&mut http("GET", Expect::default()), bytes.chunks(1), close);
        assert_eq!(got, expected, "{name}");
    }
}

#[test]
fn a_response_to_head_has_no_body() {
    let bytes = b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n";
    let (got, used) = feed(&mut http("HEAD", Expect::default()), [&bytes[..]], false);
    assert_eq!((got, used), (good(200, true), bytes.len()));
}

#[test]
fn a_head_is_waited_for_only_while_it_may_become_one() {
    let end = |bytes: &[u8], size: usize| {
        let mut http = http("GET", Expect::default());
        let (end, _) = feed(&mut http, bytes.chunks(size), false);
        (end, http.complaint())
    };
    let malformed = Progress::Broken(ErrorKind::Malformed);
    for size in [1, 2, 3, 100] {
        for bytes in [&b"H"[..], b"HTTP/1", b"HTTP/1.1 200 OK\r\nX: 1\r\n", b"\r"] {
            assert_eq!(end(bytes, size), (Progress::More, None), "{bytes:?}");
        }
        for bytes in [
            &b"SSH-2.0-x\r\n"[..],
            b"HTTP/2 200\r\n",
            b"HTXP/1.1 200",
            b"\0\0\x12",
        ] {
            let complaint = Http1Violation::NotHttp1.into();
            assert_eq!(end(bytes, size), (malformed, Some(complaint)), "{bytes:?}");
        }
        let alert = end(&[21, 3, 3, 0, 2], size);
        assert_eq!(alert, (malformed, Some(Http1Violation::Tls.into())));
    }
}

#[test]
fn a_head_is_bounded_however_it_arrives() {
    let line = b"X-Header: 0123456789\r\n";
    for size in [1, 7, 22, 100_000] {
        let endless: Vec<u8> = b"HTTP/1.1 200 OK\r\n"
            .iter()
            .chain(line.iter().cycle().take(100_000))
            .copied()
            .collect();
        let mut http = http("GET", Expect::default());
        let mut state = http.state(0);
        let mut taken = 0;
        let end = endless.chunks(size).find_map(|piece| {
            taken += piece.len();
            match http.receive(&mut state, piece, &mut Vec::new()) {
                Progress::More => None,
                end => Some(end),
            }
        });
        assert_eq!(
            end,
            Some(Progress::Broken(ErrorKind::Malformed)),
            "pieces of {size}"
        );
        assert!(
            taken <= HEAD_LIMIT + size,
            "pieces of {size}: {taken} bytes"
        );
    }
}

#[test]
fn chunk_lines_and_trailers_are_bounded() {
    for (start, more) in [("1;", "x"), ("0\r\n", "A: b\r\n"), ("0\r\n", "x")] {
        let mut http = http("GET", Expect::default());
        let mut state = http.state(0);
        let head = format!("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n{start}");
        assert_eq!(
            http.receive(&mut state, head.as_bytes(), &mut Vec::new()),
            Progress::More
        );
        let flood = more.repeat(70_000);
        assert_eq!(
            http.receive(&mut state, flood.as_bytes(), &mut Vec::new()),
            Progress::Broken(ErrorKind::Malformed)
        );
    }
}

#[test]
fn a_bad_header_line_is_named() {
    use photofinish_model::finding::complaint::Http1Violation;
    for (line, violation) in [
        ("X-A : b", Http1Violation::FieldName),
        ("X-A", Http1Violation::FieldName),
        ("X-A: b\x01", Http1Violation::FieldValue),
    ] {
        let bytes = format!("HTTP/1.1 200 OK\r\n{line}\r\nContent-Length: 0\r\n\r\n");
        let parsed = Head::parse(bytes.as_bytes(), false);
        assert_eq!(parsed, Err(violation), "{line}");
    }
}
