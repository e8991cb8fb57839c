//! One message over WebSocket, by the `tungstenite` library: another implementation than the load generator's, so that the two
//! check each other.

use std::io::{Read, Write};
use std::time::Duration;

use photofinish_load::websocket::{OPENING_HEADERS, Once, close_complaint};
use photofinish_model::finding::complaint::Complaint;
use photofinish_model::finding::failure::NoResponse;
use tungstenite::client::{IntoClientRequest, client};
use tungstenite::handshake::client::Request;
use tungstenite::http::{HeaderName, HeaderValue};
use tungstenite::{HandshakeError, Message};

use super::tls::Stream;
use super::wait::{Wait, is_over};
use super::{FIELDS, Response, Route, of_library, parsed};

/// Opens a WebSocket as `opening`, a request over HTTP/1.1, asks for it; sends the message and reads its reply. Gives up soon
/// after `unwanted` says so.
///
/// # Errors
/// As [`super::ask`]; and where the server opens no WebSocket.
pub(crate) fn ask(
    route: Route,
    opening: &[u8],
    once: &Once,
    timeout: Duration,
    unwanted: &dyn Fn() -> bool,
) -> Result<Response, NoResponse> {
    let request = request(route, opening)?;
    let wait = Wait::begin(timeout, unwanted);
    speak(request, Stream::open(route, wait)?, once, wait)
}

/// One message over a stream on which nothing was said.
fn speak(
    request: Request,
    stream: impl Read + Write,
    once: &Once,
    wait: Wait,
) -> Result<Response, NoResponse> {
    let late = |error: tungstenite::Error| match error {
        tungstenite::Error::Io(error) if is_over(&error) => wait.over(0),
        error => NoResponse::websocket(Complaint::said(error)),
    };
    let (mut socket, head) = client(request, stream).map_err(|error| match error {
        HandshakeError::Failure(error) => late(error),
        // The stream waits by itself.
        HandshakeError::Interrupted(_) => wait.over(0),
    })?;
    let message = match (once.text, std::str::from_utf8(&once.message)) {
        (true, Ok(text)) => Message::text(text),
        (_, _) => Message::binary(once.message.clone()),
    };
    socket.send(message).map_err(late)?;
    let reply = loop {
        match socket.read().map_err(late)? {
            Message::Text(text) => break text.as_bytes().to_vec(),
            Message::Binary(bytes) => break bytes.to_vec(),
            Message::Close(frame) => {
                let payload = frame.map_or(Vec::new(), |frame| {
                    let code = u16::from(frame.code).to_be_bytes();
                    [&code[..], frame.reason.as_bytes()].concat()
                });
                return Err(NoResponse::websocket(close_complaint(&payload)));
            }
            Message::Ping(_) | Message::Pong(_) | Message::Frame(_) => {}
        }
    };
    // Out of courtesy: whether the server takes it changes nothing.
    let _ = socket.close(None);
    let _ = socket.flush();
    let first = format!("HTTP/1.1 {}", head.status());
    Ok(of_library(first, head.status(), head.headers(), reply))
}

/// The opening in the library's words; it draws a key of its own.
fn request(route: Route, opening: &[u8]) -> Result<Request, NoResponse> {
    let mut fields = [httparse::EMPTY_HEADER; FIELDS];
    let (parsed, _) = parsed(opening, &mut fields)?;
    let mut request = format!("ws://{}{}", route.authority(), parsed.path.unwrap_or("/"))
        .into_client_request()
        .map_err(NoResponse::send)?;
    let given = |name: &str| !OPENING_HEADERS.contains(&&*name.to_ascii_lowercase());
    for field in parsed.headers.iter().filter(|field| given(field.name)) {
        let name = HeaderName::from_bytes(field.name.as_bytes());
        let name = name.map_err(NoResponse::send)?;
        let value = HeaderValue::from_bytes(field.value);
        let value = value.map_err(NoResponse::send)?;
        request.headers_mut().insert(name, value);
    }
    Ok(request)
}
