//! One request on a plain blocking socket, and its whole response.
//!
//! Verification reads responses with these few lines rather than with the load generator's parser, so
//! that the two check each other: a response that one of them misreads does not verify.

pub(crate) mod grpc;
pub(crate) mod http2;
mod tls;
pub(crate) mod websocket;

use std::io::{self, Read, Write};
use std::net::Shutdown;
use std::thread;
use std::time::{Duration, Instant};

use photofinish_host::Machine;
use photofinish_model::{Address, Tls, Version};

use photofinish_model::finding::failure::NoResponse;
use tls::Stream;

/// No response that a load test checks byte for byte is larger.
const LARGEST: usize = 64 << 20;

/// How often a wait looks whether it is still wanted.
const LOOK: Duration = Duration::from_millis(50);

/// A request, as far as one response depends on it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ask<'a> {
    pub(crate) method: &'a str,
    /// The whole request.
    pub(crate) bytes: &'a [u8],
}

/// A whole response.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Response {
    pub(crate) status: u16,
    /// The head as it was on the wire, without the empty line that ends it.
    pub(crate) head: String,
    /// The body, with a chunked one put together.
    pub(crate) body: Vec<u8>,
    /// Bytes of head and body on the wire.
    pub(crate) wire_bytes: u64,
}

/// From which machine to which address questions go.
#[derive(Clone, Copy)]
pub(crate) struct Route<'a> {
    pub(crate) from: &'a dyn Machine,
    pub(crate) to: &'a Address,
    /// What requests call the server; `None`: by its address.
    pub(crate) called: Option<&'a str>,
    /// How TLS is spoken there; `None`: it is not.
    pub(crate) tls: Option<&'a Tls>,
}

impl Route<'_> {
    /// What requests call the server: the value of HTTP's `Host`.
    pub(crate) fn authority(&self) -> String {
        match self.called {
            Some(called) => called.to_owned(),
            None => self.to.authority(),
        }
    }
}

/// Sends a request and reads its response; gives up soon after `unwanted` says so.
///
/// # Errors
/// With what happened, such as a refused connection, and how far the response had come.
pub(crate) fn ask(
    version: Version,
    route: Route,
    ask: &Ask,
    timeout: Duration,
    unwanted: &dyn Fn() -> bool,
) -> Result<Response, NoResponse> {
    match version {
        Version::Http1 => http1(route, ask, timeout, unwanted),
        Version::Http2 { .. } => http2::ask(route, ask, timeout, unwanted),
    }
}

/// The same over HTTP/1.1.
fn http1(
    route: Route,
    ask: &Ask,
    timeout: Duration,
    unwanted: &dyn Fn() -> bool,
) -> Result<Response, NoResponse> {
    let mut wire = Wire::connect(route, timeout, unwanted)?;
    wire.send(ask.bytes)?;
    wire.response(ask.method)
}

/// Sends bytes and reads as many; gives up soon after `unwanted` says so.
///
/// # Errors
/// As [`ask`]; and where more bytes come than were sent.
pub(crate) fn send_and_take(
    route: Route,
    bytes: &[u8],
    timeout: Duration,
    unwanted: &dyn Fn() -> bool,
) -> Result<Vec<u8>, NoResponse> {
    let mut wire = Wire::connect(route, timeout, unwanted)?;
    let socket = match &wire.stream {
        Stream::Plain(socket) => socket,
        Stream::Tls(_) => return Err(NoResponse::EchoOverTls {}),
    };
    let mut out = socket
        .try_clone()
        .and_then(|out| out.set_write_timeout(Some(timeout)).map(|()| out))
        .map_err(NoResponse::send_message)?;
    // Sent from a thread of its own: a long message does not fit the sockets' buffers, and who sends back what
    // it reads goes on only when that is taken.
    let (sent, got) = thread::scope(|scope| {
        let sender = thread::Builder::new()
            .spawn_scoped(scope, move || out.write_all(bytes))
            .map_err(NoResponse::send_message)?;
        let got = wire.take(bytes.len());
        // A sender that still waits for a server which has given up would wait for the whole timeout.
        if got.is_err() {
            let _ = wire.stream.socket().shutdown(Shutdown::Both);
        }
        Ok((sender.join(), got))
    })?;
    let got = got?;
    match sent {
        Ok(Ok(())) => {}
        Ok(Err(error)) => return Err(NoResponse::send_message(error)),
        Err(_) => return Err(NoResponse::send_message("the sending thread broke down")),
    }
    match wire.bytes.len() - wire.read {
        0 => Ok(got),
        bytes => Err(NoResponse::Extra {
            bytes: bytes as u64,
            echo: true,
        }),
    }
}

/// What a request says of how it goes there.
fn scheme(route: Route) -> &'static str {
    match route.tls {
        Some(_) => "https",
        None => "http",
    }
}

/// How many header fields a request may have.
const FIELDS: usize = 128;

/// A request as it would be sent over HTTP/1.1, taken apart for a library to send it in its own words; and where its body begins.
fn parsed<'h, 'b>(
    bytes: &'b [u8],
    fields: &'h mut [httparse::Header<'b>],
) -> Result<(httparse::Request<'h, 'b>, usize), NoResponse> {
    let mut parsed = httparse::Request::new(fields);
    match parsed.parse(bytes) {
        Ok(httparse::Status::Complete(head)) => Ok((parsed, head)),
        Ok(httparse::Status::Partial) => Err(NoResponse::send("the request is cut off")),
        Err(error) => Err(NoResponse::send(error)),
    }
}

/// A response that a library has read: its head is written as HTTP/1.1 would have it, and only its body's bytes are known.
fn of_library(
    first_line: String,
    status: http::StatusCode,
    headers: &http::HeaderMap,
    body: Vec<u8>,
) -> Response {
    let head = headers.iter().fold(first_line, |head, (name, value)| {
        let value = String::from_utf8_lossy(value.as_bytes());
        format!("{head}\r\n{name}: {value}")
    });
    Response {
        status: status.as_u16(),
        head,
        wire_bytes: body.len() as u64,
        body,
    }
}

/// A connection and what has come over it.
struct Wire<'a> {
    stream: Stream,
    unwanted: &'a dyn Fn() -> bool,
    deadline: Instant,
    timeout: Duration,
    bytes: Vec<u8>,
    /// How many of the bytes are taken.
    read: usize,
}

impl<'a> Wire<'a> {
    fn connect(
        route: Route,
        timeout: Duration,
        unwanted: &'a dyn Fn() -> bool,
    ) -> Result<Wire<'a>, NoResponse> {
        let deadline = Instant::now() + timeout;
        let stream = (route.from.connect(route.to, timeout)).map_err(NoResponse::connect)?;
        let mut wire = Wire {
            stream: match route.tls {
                None => Stream::Plain(stream),
                Some(tls) => tls::begin(stream, tls, route)?,
            },
            deadline,
            timeout,
            unwanted,
            bytes: Vec::new(),
            read: 0,
        };
        while wire.stream.shakes_hands() {
            let left = wire.left()?.min(LOOK);
            let socket = wire.stream.socket();
            (socket.set_read_timeout(Some(left)))
                .and_then(|()| socket.set_write_timeout(Some(left)))
                .map_err(NoResponse::connect)?;
            wire.stream.shake_hands()?;
            if unwanted() {
                return Err(NoResponse::Interrupted {});
            }
        }
        Ok(wire)
    }

    fn left(&self) -> Result<Duration, NoResponse> {
        let left = self.deadline.saturating_duration_since(Instant::now());
        match left.is_zero() {
            true => Err(self.late()),
            false => Ok(left),
        }
    }

    /// The bytes that have come.
    fn came(&self) -> u64 {
        self.bytes.len() as u64
    }

    fn late(&self) -> NoResponse {
        NoResponse::Late {
            within_s: self.timeout.as_secs_f64(),
            bytes: self.came(),
        }
    }

    fn send(&mut self, request: &[u8]) -> Result<(), NoResponse> {
        let left = self.left()?;
        (self.stream.socket().set_write_timeout(Some(left)))
            .and_then(|()| self.stream.write_all(request))
            .and_then(|()| self.stream.flush())
            .map_err(NoResponse::send)
    }

    /// Waits for more bytes; `false` where the server has closed the connection.
    fn more(&mut self) -> Result<bool, NoResponse> {
        if self.bytes.len() > LARGEST {
            return Err(too_large());
        }
        let mut buffer = [0; 16 << 10];
        loop {
            let left = self.left()?.min(LOOK);
            let read = (self.stream.socket().set_read_timeout(Some(left)))
                .and_then(|()| self.stream.read(&mut buffer));
            match read {
                Ok(0) => return Ok(false),
                Ok(n) => {
                    self.bytes.extend_from_slice(&buffer[..n]);
                    return Ok(true);
                }
                Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
                Err(e) if is_late(&e) => {
                    if (self.unwanted)() {
                        return Err(NoResponse::Interrupted {});
                    }
                }
                Err(error) => {
                    return Err(NoResponse::Read {
                        bytes: self.came(),
                        says: error.to_string(),
                    });
                }
            }
        }
    }

    fn need(&mut self) -> Result<(), NoResponse> {
        match self.more()? {
            true => Ok(()),
            false => Err(NoResponse::Closed { bytes: self.came() }),
        }
    }

    /// Takes bytes up to and with `end`; returns those before it.
    fn take_until(&mut self, end: &[u8]) -> Result<Vec<u8>, NoResponse> {
        loop {
            let rest = &self.bytes[self.read..];
            if let Some(at) = rest.windows(end.len()).position(|window| window == end) {
                let taken = rest[..at].to_vec();
                self.read += at + end.len();
                return Ok(taken);
            }
            self.need()?;
        }
    }

    fn take(&mut self, length: usize) -> Result<Vec<u8>, NoResponse> {
        while self.bytes.len() - self.read < length {
            self.need()?;
        }
        let taken = self.bytes[self.read..self.read + length].to_vec();
        self.read += length;
        Ok(taken)
    }

    fn response(mut self, method: &str) -> Result<Response, NoResponse> {
        let (began, head, status) = loop {
            let began = self.read;
            let head = self.take_until(b"\r\n\r\n")?;
            let head = String::from_utf8_lossy(&head).into_owned();
            let status = status(&head)?;
            // Interim responses come before the one that counts.
            if !(100..200).contains(&status) {
                break (began, head, status);
            }
        };
        let body = if method == "HEAD" || status == 204 || status == 304 {
            Vec::new()
        } else if header(&head, "transfer-encoding")
            .is_some_and(|v| v.to_ascii_lowercase().contains("chunked"))
        {
            self.chunked()?
        } else if let Some(length) = header(&head, "content-length") {
            let length = length
                .parse()
                .ok()
                .filter(|length| *length <= LARGEST)
                .ok_or_else(|| NoResponse::ContentLength {
                    says: length.to_owned(),
                })?;
            self.take(length)?
        } else {
            while self.more()? {}
            self.take(self.bytes.len() - self.read)?
        };
        if self.bytes.len() > self.read {
            return Err(NoResponse::Extra {
                bytes: (self.bytes.len() - self.read) as u64,
                echo: false,
            });
        }
        Ok(Response {
            status,
            head,
            body,
            wire_bytes: (self.read - began) as u64,
        })
    }

    fn chunked(&mut self) -> Result<Vec<u8>, NoResponse> {
        let mut body = Vec::new();
        loop {
            let line = self.take_until(b"\r\n")?;
            let line = String::from_utf8_lossy(&line).into_owned();
            let digits = line.split(';').next().unwrap_or_default().trim();
            let length = usize::from_str_radix(digits, 16)
                .ok()
                .filter(|length| *length <= LARGEST)
                .ok_or_else(|| NoResponse::ChunkLength {
                    says: digits.to_owned(),
                })?;
            if length == 0 {
                // Trailers, if any, end with an empty line.
                while !self.take_until(b"\r\n")?.is_empty() {}
                return Ok(body);
            }
            body.extend(self.take(length)?);
            if !self.take(2)?.eq(b"\r\n") {
                return Err(NoResponse::LongChunk {});
            }
        }
    }
}

/// Nothing came in time, as far as is known.
fn none_within(timeout: Duration) -> NoResponse {
    let within_s = timeout.as_secs_f64();
    NoResponse::Late { within_s, bytes: 0 }
}

fn too_large() -> NoResponse {
    let mib = (LARGEST >> 20) as u64;
    NoResponse::TooLarge { mib }
}

/// Whether nothing came within a read's timeout; which of the two kinds tells that depends on the system.
fn is_late(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut
    )
}

fn status(head: &str) -> Result<u16, NoResponse> {
    let line = head.lines().next().unwrap_or_default();
    let mut words = line.split(' ');
    match (words.next(), words.next().map(str::parse)) {
        (Some(version), Some(Ok(status))) if version.starts_with("HTTP/1.") => Ok(status),
        _ => Err(NoResponse::NotHttp {
            line: line.to_owned(),
        }),
    }
}

/// A header's value, without the space around it.
fn header<'a>(head: &'a str, name: &str) -> Option<&'a str> {
    head.lines()
        .skip(1)
        .filter_map(|line| line.split_once(':'))
        .find(|(key, _)| key.trim().eq_ignore_ascii_case(name))
        .map(|(_, value)| value.trim())
}

#[cfg(test)]
mod tests;
