//! Reading requests and making responses, without I/O.

use std::time::Duration;

/// A head larger than this is refused.
const MAX_HEAD_BYTES: usize = 16 * 1024;

/// What the start of a buffer holds.
#[derive(Debug, PartialEq, Eq)]
pub enum Parsed {
    /// Not yet a whole request.
    Partial,
    /// Not a request that is understood; the connection is to be closed.
    Bad,
    /// A request of `length` bytes.
    Whole { request: Request, length: usize },
}

/// What is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Request {
    pub route: Route,
    /// Whether only the head is wanted.
    pub head_only: bool,
    pub keep_alive: bool,
    /// Whether the response must say that the connection stays open: clients of HTTP/1.0, such as ab, wait for its end otherwise.
    pub says_keep_alive: bool,
    /// Whether the connection is to become a WebSocket.
    pub opens_websocket: bool,
}

impl Request {
    /// A request on a connection that is kept.
    pub fn new(path: &str, head_only: bool) -> Request {
        Request {
            route: route(path),
            head_only,
            keep_alive: true,
            says_keep_alive: false,
            opens_websocket: false,
        }
    }
}

/// The paths that are known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Route {
    Plaintext,
    Json,
    Sleep(Duration),
    Truth,
    Arrivals,
    Unknown,
}

/// Reads a request at the start of `bytes`.
pub fn parse(bytes: &[u8]) -> Parsed {
    let mut headers = [httparse::EMPTY_HEADER; 64];
    let mut head = httparse::Request::new(&mut headers);
    let head_length = match head.parse(bytes) {
        Ok(httparse::Status::Complete(length)) => length,
        Ok(httparse::Status::Partial) if bytes.len() < MAX_HEAD_BYTES => return Parsed::Partial,
        _ => return Parsed::Bad,
    };
    let mut keep_alive = head.version == Some(1);
    let mut opens_websocket = false;
    let mut body_length = 0;
    for header in head.headers.iter() {
        if header.name.eq_ignore_ascii_case("connection") {
            keep_alive = !header.value.eq_ignore_ascii_case(b"close")
                && (keep_alive || header.value.eq_ignore_ascii_case(b"keep-alive"));
        } else if header.name.eq_ignore_ascii_case("content-length") {
            match std::str::from_utf8(header.value)
                .ok()
                .and_then(|v| v.trim().parse::<usize>().ok())
            {
                Some(length) => body_length = length,
                None => return Parsed::Bad,
            }
        } else if header.name.eq_ignore_ascii_case("transfer-encoding") {
            return Parsed::Bad;
        } else if header.name.eq_ignore_ascii_case("upgrade") {
            opens_websocket = header.value.eq_ignore_ascii_case(b"websocket");
        }
    }
    let Some(length) = head_length
        .checked_add(body_length)
        .filter(|l| *l <= MAX_HEAD_BYTES * 64)
    else {
        return Parsed::Bad;
    };
    if bytes.len() < length {
        return Parsed::Partial;
    }
    let request = Request {
        keep_alive,
        says_keep_alive: keep_alive && head.version == Some(0),
        opens_websocket,
        ..Request::new(head.path.unwrap_or(""), head.method == Some("HEAD"))
    };
    Parsed::Whole { request, length }
}

fn route(path: &str) -> Route {
    match path {
        "/plaintext" => Route::Plaintext,
        "/json" => Route::Json,
        "/truth" => Route::Truth,
        "/truth/arrivals" => Route::Arrivals,
        _ => path
            .strip_prefix("/sleep?ms=")
            .and_then(|ms| ms.parse::<u32>().ok())
            .map_or(Route::Unknown, |ms| {
                Route::Sleep(Duration::from_millis(ms.into()))
            }),
    }
}

const PLAINTEXT: &[u8] =
    b"HTTP/1.1 200 OK\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: 13\r\n\r\nHello, World!";
const JSON: &[u8] =
    b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 27\r\n\r\n{\"message\":\"Hello, World!\"}";
const UNKNOWN: &[u8] =
    b"HTTP/1.1 404 Not Found\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: 10\r\n\r\nNot found\n";

impl Route {
    /// Whether it asks for what the server noted; such requests are not noted themselves.
    pub fn asks_for_notes(self) -> bool {
        matches!(self, Route::Truth | Route::Arrivals)
    }
}

/// Appends the response to `request`; `truth` makes the JSON of what the server noted, where it notes anything.
pub fn respond(request: Request, out: &mut Vec<u8>, truth: impl FnOnce() -> Option<String>) {
    let start = out.len();
    match request.route {
        Route::Plaintext | Route::Sleep(_) => out.extend_from_slice(PLAINTEXT),
        Route::Json => out.extend_from_slice(JSON),
        Route::Unknown => out.extend_from_slice(UNKNOWN),
        Route::Truth | Route::Arrivals => match truth() {
            None => out.extend_from_slice(UNKNOWN),
            Some(body) => out.extend_from_slice(
                format!(
                    "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
                    body.len()
                )
                .as_bytes(),
            ),
        },
    }
    if request.says_keep_alive
        && let Some(line) = memchr::memmem::find(&out[start..], b"\r\n")
    {
        let at = start + line + 2;
        out.splice(at..at, *b"Connection: keep-alive\r\n");
    }
    if request.head_only {
        let body =
            memchr::memmem::find(&out[start..], b"\r\n\r\n").map_or(out.len(), |at| start + at + 4);
        out.truncate(body);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn whole(text: &str) -> Request {
        match parse(text.as_bytes()) {
            Parsed::Whole { request, length } => {
                assert_eq!(length, text.len());
                request
            }
            other => panic!("{text:?} gave {other:?}"),
        }
    }

    #[test]
    fn routes_and_keep_alive() {
        assert_eq!(
            whole("GET /plaintext HTTP/1.1\r\n\r\n").route,
            Route::Plaintext
        );
        assert_eq!(
            whole("GET /sleep?ms=20 HTTP/1.1\r\n\r\n").route,
            Route::Sleep(Duration::from_millis(20))
        );
        assert_eq!(
            whole("GET /sleep?ms=x HTTP/1.1\r\n\r\n").route,
            Route::Unknown
        );
        assert!(whole("GET / HTTP/1.1\r\n\r\n").keep_alive);
        assert!(!whole("GET / HTTP/1.1\r\nConnection: close\r\n\r\n").keep_alive);
        assert!(!whole("GET / HTTP/1.0\r\n\r\n").keep_alive);
        assert!(whole("GET / HTTP/1.0\r\nConnection: Keep-Alive\r\n\r\n").keep_alive);
        assert!(whole("HEAD / HTTP/1.1\r\n\r\n").head_only);
        assert!(whole("GET / HTTP/1.1\r\nUpgrade: WebSocket\r\n\r\n").opens_websocket);
        assert!(!whole("GET / HTTP/1.1\r\nUpgrade: h2c\r\n\r\n").opens_websocket);
    }

    #[test]
    fn a_client_of_http_1_0_learns_that_the_connection_stays_open() {
        let response = |text: &str| {
            let mut out = Vec::new();
            respond(whole(text), &mut out, || None);
            String::from_utf8(out).unwrap()
        };
        let plain = String::from_utf8(PLAINTEXT.to_vec()).unwrap();
        let kept = response("GET /plaintext HTTP/1.0\r\nConnection: Keep-Alive\r\n\r\n");
        assert_eq!(
            kept,
            plain.replacen("\r\n", "\r\nConnection: keep-alive\r\n", 1)
        );
        assert_eq!(response("GET /plaintext HTTP/1.0\r\n\r\n"), plain);
        assert_eq!(response("GET /plaintext HTTP/1.1\r\n\r\n"), plain);
    }

    #[test]
    fn bodies_are_passed_over() {
        let text = "POST /json HTTP/1.1\r\nContent-Length: 3\r\n\r\nabc";
        assert_eq!(whole(text).route, Route::Json);
        assert_eq!(parse(&text.as_bytes()[..text.len() - 1]), Parsed::Partial);
    }

    #[test]
    fn endless_heads_and_garbage_are_refused() {
        assert_eq!(parse(b"\x00\x01\x02\r\n\r\n"), Parsed::Bad);
        let endless = format!("GET / HTTP/1.1\r\nX: {}", "a".repeat(MAX_HEAD_BYTES));
        assert_eq!(parse(endless.as_bytes()), Parsed::Bad);
    }

    #[test]
    fn content_lengths_are_true() {
        for bytes in [PLAINTEXT, JSON, UNKNOWN] {
            let text = std::str::from_utf8(bytes).unwrap();
            let (head, body) = text.split_once("\r\n\r\n").unwrap();
            assert!(
                head.ends_with(&format!("Content-Length: {}", body.len())),
                "{head}"
            );
        }
    }
}
