//! One request on a plain blocking socket, and its whole response.
//!
//! Verification reads responses with these few lines rather than with the load generator's parser, so
//! that the two check each other: a response that one of them misreads does not verify.

pub(crate) mod grpc;
pub(crate) mod http2;
mod tls;
mod wait;
pub(crate) mod websocket;
mod wire;

use std::io::Write;
use std::net::Shutdown;
use std::thread;
use std::time::Duration;

use photofinish_host::Machine;
use photofinish_model::{Address, Tls, Version};

use photofinish_model::finding::failure::NoResponse;
use tls::Stream;
use wire::Wire;

/// No response that a load test checks byte for byte is larger.
const LARGEST: usize = 64 << 20;

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
    if let Stream::Tls(_) = wire.stream {
        return Err(NoResponse::EchoOverTls {});
    }
    let mut out = (wire.stream.socket().try_clone())
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

fn too_large() -> NoResponse {
    let mib = (LARGEST >> 20) as u64;
    NoResponse::TooLarge { mib }
}

#[cfg(test)]
mod tests;
