//! HTTP/1.1 as far as a load generator speaks it: requests taken out of bytes, answers into bytes.

use std::fmt::Display;
use std::io::Write;

use memchr::{memchr, memmem};

/// A head may not be longer, in bytes.
pub const LONGEST_HEAD: usize = 16 << 10;
/// Nor a body.
pub const LONGEST_BODY: usize = 1 << 20;

/// The methods that something here answers to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// `GET`
    Get,
    /// `POST`
    Post,
    /// Anything else, which nothing here answers to.
    Other,
}

/// A whole request, as it lies in the bytes that were read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Request<'a> {
    /// Its method.
    pub method: Method,
    /// Path and query, as sent.
    pub target: &'a [u8],
    /// Its body, empty where it has none.
    pub body: &'a [u8],
    /// Whether the connection stays open after the answer.
    pub keep_alive: bool,
    /// How many bytes it takes up.
    pub length: usize,
}

/// What the bytes begin with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Parsed<'a> {
    /// A part of a request.
    Partial,
    /// A whole request.
    Whole(Request<'a>),
    /// Nothing that can be answered: the status and why. What follows cannot be told apart from it.
    Bad(u16, &'static str),
}

/// Takes the first request out of `bytes`, which may end anywhere.
pub fn parse(bytes: &[u8]) -> Parsed<'_> {
    // Empty lines before a request are to be overlooked (RFC 9112, 2.2).
    let skipped = bytes
        .iter()
        .take_while(|byte| matches!(byte, b'\r' | b'\n'))
        .count();
    let bytes = &bytes[skipped..];
    let Some(end) = memmem::find(bytes, b"\r\n\r\n") else {
        return match bytes.len() + skipped > LONGEST_HEAD {
            true => Parsed::Bad(431, "the head is longer than 16 KiB"),
            false => Parsed::Partial,
        };
    };
    // With the end of its last line, so that every line has one.
    let head = &bytes[..end + 2];
    let (line, fields) = split_line(head);
    let mut words = line.split(|&byte| byte == b' ');
    let (Some(method), Some(target), Some(version), None) =
        (words.next(), words.next(), words.next(), words.next())
    else {
        return Parsed::Bad(400, "the request line is not METHOD TARGET VERSION");
    };
    let method = match method {
        b"GET" => Method::Get,
        b"POST" => Method::Post,
        _ => Method::Other,
    };
    // HTTP/1.0 closes; its keep-alive was never more than a custom.
    let mut keep_alive = match version {
        b"HTTP/1.1" => true,
        b"HTTP/1.0" => false,
        _ => return Parsed::Bad(505, "the version is not HTTP/1.1"),
    };
    let mut length = None;
    let mut rest = fields;
    while !rest.is_empty() {
        let (line, next) = split_line(rest);
        rest = next;
        // The first letter tells most fields apart from those that matter here.
        match line.first() {
            Some(b'C' | b'c') => {
                if let Some(value) = field(line, b"content-length") {
                    match number(value) {
                        Some(value) if length.is_none_or(|length| length == value) => {
                            length = Some(value);
                        }
                        _ => return Parsed::Bad(400, "Content-Length is not one whole number"),
                    }
                } else if let Some(value) = field(line, b"connection")
                    && value.eq_ignore_ascii_case(b"close")
                {
                    keep_alive = false;
                }
            }
            Some(b'T' | b't') if field(line, b"transfer-encoding").is_some() => {
                return Parsed::Bad(501, "a body must come with a Content-Length");
            }
            _ => {}
        }
    }
    let length = length.unwrap_or(0);
    if length > LONGEST_BODY {
        return Parsed::Bad(413, "the body is longer than 1 MiB");
    }
    let begin = end + 4;
    match bytes.get(begin..begin + length) {
        Some(body) => Parsed::Whole(Request {
            method,
            target,
            body,
            keep_alive,
            length: skipped + begin + length,
        }),
        None => Parsed::Partial,
    }
}

/// The first line without its end, and what follows.
fn split_line(bytes: &[u8]) -> (&[u8], &[u8]) {
    match memchr(b'\n', bytes) {
        Some(at) => {
            let line = &bytes[..at];
            (line.strip_suffix(b"\r").unwrap_or(line), &bytes[at + 1..])
        }
        None => (bytes, &[]),
    }
}

/// The value of a line whose field has that name, in small letters.
fn field<'a>(line: &'a [u8], name: &[u8]) -> Option<&'a [u8]> {
    let (found, value) = line.split_at_checked(name.len())?;
    let value = value.strip_prefix(b":")?;
    found.eq_ignore_ascii_case(name).then(|| value.trim_ascii())
}

/// A whole number of up to 18 digits.
pub fn number(digits: &[u8]) -> Option<usize> {
    if digits.is_empty() || digits.len() > 18 || !digits.iter().all(u8::is_ascii_digit) {
        return None;
    }
    let add = |sum: usize, digit: &u8| sum * 10 + usize::from(digit - b'0');
    Some(digits.iter().fold(0, add))
}

/// Appends an answer.
///
/// It has no `Date`: it would have to be written anew each second, and nothing here is cached.
pub fn answer(out: &mut Vec<u8>, status: u16, kind: &str, body: &[u8]) {
    let reason = match status {
        200 => "OK",
        400 => "Bad Request",
        404 => "Not Found",
        405 => "Method Not Allowed",
        413 => "Content Too Large",
        431 => "Request Header Fields Too Large",
        501 => "Not Implemented",
        505 => "HTTP Version Not Supported",
        _ => "Internal Server Error",
    };
    let length = body.len();
    // Writing to memory cannot fail.
    let _ = write!(out, "HTTP/1.1 {status} {reason}\r\n");
    if !kind.is_empty() {
        let _ = write!(out, "Content-Type: {kind}\r\n");
    }
    let _ = write!(out, "Content-Length: {length}\r\n\r\n");
    out.extend_from_slice(body);
}

/// Appends an answer that says in words what is wrong.
pub fn complain(out: &mut Vec<u8>, status: u16, why: impl Display) {
    answer(out, status, "text/plain", format!("{why}\n").as_bytes());
}

#[cfg(test)]
mod tests {
    use super::*;

    const GET: &[u8] = b"GET /plaintext HTTP/1.1\r\nHost: a\r\nAccept: */*\r\n\r\n";
    const POST: &[u8] =
        b"POST /insert HTTP/1.1\r\nHost: a\r\ncontent-length: 7\r\nConnection: close\r\n\r\n{\"a\":1}";

    fn whole(bytes: &[u8]) -> Request<'_> {
        match parse(bytes) {
            Parsed::Whole(request) => request,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_request_is_whole_at_its_last_byte_and_not_before() {
        for request in [GET, POST] {
            for end in 0..request.len() {
                assert_eq!(parse(&request[..end]), Parsed::Partial, "at {end}");
            }
            assert_eq!(whole(request).length, request.len());
        }
        let get = whole(GET);
        assert_eq!((get.method, get.target), (Method::Get, &b"/plaintext"[..]));
        assert_eq!((get.body, get.keep_alive), (&b""[..], true));
        let post = whole(POST);
        assert_eq!((post.method, post.target), (Method::Post, &b"/insert"[..]));
        assert_eq!((post.body, post.keep_alive), (&b"{\"a\":1}"[..], false));
    }

    #[test]
    fn pipelined_requests_come_one_after_the_other() {
        let bytes = [POST, b"\r\n", GET, POST, &GET[..9]].concat();
        let mut rest = &bytes[..];
        let mut targets = Vec::new();
        while let Parsed::Whole(request) = parse(rest) {
            targets.push(request.target);
            rest = &rest[request.length..];
        }
        assert_eq!(targets, [&b"/insert"[..], b"/plaintext", b"/insert"]);
        assert_eq!(rest, &GET[..9]);
    }

    #[test]
    fn what_cannot_be_answered_is_told() {
        let long = vec![b'a'; LONGEST_HEAD + 1];
        for (bytes, status) in [
            (&b"GET /\r\n\r\n"[..], 400),
            (b"GET / HTTP/1.1 x\r\n\r\n", 400),
            (b"GET / HTTP/2\r\n\r\n", 505),
            (b"POST / HTTP/1.1\r\nContent-Length: -1\r\n\r\n", 400),
            (
                b"POST / HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n",
                400,
            ),
            (b"POST / HTTP/1.1\r\nContent-Length: 1048577\r\n\r\n", 413),
            (
                b"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n",
                501,
            ),
            (&long, 431),
        ] {
            assert!(
                matches!(parse(bytes), Parsed::Bad(found, _) if found == status),
                "{status}: {:?}",
                parse(bytes)
            );
        }
        assert!(!whole(b"GET / HTTP/1.0\r\n\r\n").keep_alive);
    }

    #[test]
    fn answers_say_how_long_they_are() {
        let mut out = Vec::new();
        answer(&mut out, 200, "text/plain", b"world");
        answer(&mut out, 404, "", b"");
        let expected = "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 5\r\n\r\nworld\
                        HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n";
        assert_eq!(String::from_utf8_lossy(&out), expected);
    }

    #[test]
    fn numbers_are_digits_alone() {
        assert_eq!(number(b"99900"), Some(99_900));
        for other in [&b""[..], b"+1", b"1 ", b"1234567890123456789"] {
            assert_eq!(number(other), None);
        }
    }
}
