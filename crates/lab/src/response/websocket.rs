//! One message over WebSocket, by the `tungstenite` library: another implementation than the load generator's, so that the two
//! check each other.

use std::io::{self, Read, Write};
use std::time::{Duration, Instant};

use photofinish_load::websocket::{OPENING_HEADERS, Once, close_complaint};
use photofinish_model::finding::complaint::Complaint;
use photofinish_model::finding::failure::NoResponse;
use rustls::{ClientConnection, StreamOwned};
use socket2::Socket;
use tungstenite::client::{IntoClientRequest, client};
use tungstenite::handshake::client::Request;
use tungstenite::http::{HeaderName, HeaderValue};
use tungstenite::{HandshakeError, Message};

use super::{FIELDS, LOOK, Response, Route, is_late, none_within, of_library, parsed, tls};

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
    let stream = (route.from.connect(route.to, timeout)).map_err(NoResponse::connect)?;
    let stream = Patient {
        stream,
        deadline: Instant::now() + timeout,
        unwanted,
    };
    let Some(tls) = route.tls else {
        return speak(request, stream, once, timeout, unwanted);
    };
    let settings = tls::settings(tls, route, b"http/1.1")?;
    let connection = ClientConnection::new(settings.config, settings.name)
        .map_err(|error| NoResponse::tls(Complaint::said(error)))?;
    let stream = StreamOwned::new(connection, stream);
    speak(request, stream, once, timeout, unwanted)
}

/// One message over a stream on which nothing was said.
fn speak(
    request: Request,
    stream: impl Read + Write,
    once: &Once,
    timeout: Duration,
    unwanted: &dyn Fn() -> bool,
) -> Result<Response, NoResponse> {
    let late = |error: tungstenite::Error| match error {
        tungstenite::Error::Io(error) if error.kind() == io::ErrorKind::TimedOut => {
            match unwanted() {
                true => NoResponse::Interrupted {},
                false => none_within(timeout),
            }
        }
        error => NoResponse::websocket(Complaint::said(error)),
    };
    let (mut socket, head) = client(request, stream).map_err(|error| match error {
        HandshakeError::Failure(error) => late(error),
        // The stream waits by itself.
        HandshakeError::Interrupted(_) => none_within(timeout),
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

/// A stream that waits until a deadline, as long as somebody wants it to.
struct Patient<'a> {
    stream: Socket,
    deadline: Instant,
    unwanted: &'a dyn Fn() -> bool,
}

impl Patient<'_> {
    /// Does a call again and again until it comes to something.
    fn wait<T>(&mut self, mut call: impl FnMut(&mut Socket) -> io::Result<T>) -> io::Result<T> {
        loop {
            let left = self.deadline.saturating_duration_since(Instant::now());
            if left.is_zero() || (self.unwanted)() {
                return Err(io::ErrorKind::TimedOut.into());
            }
            self.stream.set_read_timeout(Some(left.min(LOOK)))?;
            self.stream.set_write_timeout(Some(left.min(LOOK)))?;
            match call(&mut self.stream) {
                Err(error) if is_late(&error) || error.kind() == io::ErrorKind::Interrupted => {}
                other => return other,
            }
        }
    }
}

impl Read for Patient<'_> {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        self.wait(|stream| stream.read(bytes))
    }
}

impl Write for Patient<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.wait(|stream| stream.write(bytes))
    }

    fn flush(&mut self) -> io::Result<()> {
        self.stream.flush()
    }
}
