//! WebSocket: each message goes back as it came. By the `tungstenite` library: on a blocking thread for each connection, or on
//! an event loop, when its policy says.

use std::collections::VecDeque;
use std::io::{self, Read, Write};
use std::sync::Arc;
use std::time::Duration;

use rustls::{ServerConnection, StreamOwned};
use socket2::Socket;
use tungstenite::protocol::WebSocketConfig;
use tungstenite::{Error, HandshakeError, Message, WebSocket, accept, accept_with_config};

use crate::http::Request;
use crate::pipe::Pipe;
use crate::policy::{Policy, now_ns};
use crate::tls::Tls;

/// What the library reads at once, in bytes: it has a buffer of this size for each connection.
const PIECE_BYTES: usize = 4096;

/// Echoes one client's messages until it goes away.
pub fn converse(stream: Socket, tls: Option<&Tls>) -> tungstenite::Result<()> {
    let Some(tls) = tls else {
        return echo(stream);
    };
    let connection = ServerConnection::new(Arc::clone(&tls.config)).map_err(io::Error::other)?;
    echo(StreamOwned::new(connection, stream))
}

fn echo(stream: impl Read + Write) -> tungstenite::Result<()> {
    let mut socket = match accept(stream) {
        Ok(socket) => socket,
        Err(HandshakeError::Failure(error)) => return Err(error),
        // The stream blocks.
        Err(HandshakeError::Interrupted(_)) => return Ok(()),
    };
    loop {
        let message = socket.read()?;
        if is_content(&message) {
            socket.send(message)?;
        }
    }
}

fn is_content(message: &Message) -> bool {
    message.is_text() || message.is_binary()
}

/// A WebSocket on a connection of an event loop.
pub struct Session {
    pipe: Pipe,
    socket: WebSocket<Pipe>,
    /// What opened it; each of its messages is as such a request.
    request: Request,
    /// Messages that came, in order: none goes back before those that came before it.
    waiting: VecDeque<Waiting>,
    /// The ticket of the first of them.
    first: u32,
    /// When those messages arrived whose echoes are among the output, and are to be noted.
    echoed: Vec<i64>,
}

struct Waiting {
    message: Message,
    arrival: i64,
    /// Its time has come.
    due: bool,
}

impl Session {
    /// Opens one by the bytes of the request that asks for it. `None`: it asks for something else.
    pub fn open(bytes: &[u8], request: Request) -> Option<Session> {
        let pipe = Pipe::default();
        pipe.give(bytes);
        let config = WebSocketConfig::default().read_buffer_size(PIECE_BYTES);
        let socket = accept_with_config(pipe.clone(), Some(config)).ok()?;
        Some(Session {
            pipe,
            socket,
            request,
            waiting: VecDeque::new(),
            first: 0,
            echoed: Vec::new(),
        })
    }

    /// As [`crate::session::Session::take`].
    pub fn take<P: Policy>(
        &mut self,
        bytes: &[u8],
        arrival: i64,
        policy: &mut P,
        waits: &mut Vec<(Duration, u32)>,
    ) -> bool {
        self.pipe.give(bytes);
        loop {
            let message = match self.socket.read() {
                Ok(message) if is_content(&message) => message,
                // The library replies to a ping.
                Ok(_) => continue,
                Err(Error::Io(error)) if error.kind() == io::ErrorKind::WouldBlock => break,
                Err(_) => return false,
            };
            let delay = policy.delay(self.request);
            if !delay.is_zero() {
                waits.push((delay, self.first.wrapping_add(self.waiting.len() as u32)));
            }
            self.waiting.push_back(Waiting {
                message,
                arrival,
                due: delay.is_zero(),
            });
        }
        self.echo()
    }

    /// As [`crate::session::Session::due`].
    pub fn due(&mut self, ticket: u32) -> bool {
        let at = ticket.wrapping_sub(self.first) as usize;
        if let Some(waiting) = self.waiting.get_mut(at) {
            waiting.due = true;
        }
        self.echo()
    }

    /// Sends back what is due, up to the first message that is not. Whether the connection stays.
    fn echo(&mut self) -> bool {
        while self.waiting.front().is_some_and(|waiting| waiting.due) {
            let Some(waiting) = self.waiting.pop_front() else {
                break;
            };
            self.first = self.first.wrapping_add(1);
            self.echoed.push(waiting.arrival);
            if self.socket.write(waiting.message).is_err() {
                return false;
            }
        }
        self.socket.flush().is_ok()
    }

    /// As [`crate::session::Session::output`].
    pub fn output<P: Policy>(&mut self, to: &mut Vec<u8>, policy: &mut P) {
        self.pipe.output(to);
        for arrival in self.echoed.drain(..) {
            if P::STAMPS && !self.request.route.asks_for_notes() {
                policy.written(arrival, now_ns());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::http::{Parsed, parse};

    const OPENING: &[u8] =
        b"GET /a HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\
        Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n";

    /// The first message is late.
    #[derive(Default)]
    struct FirstLate {
        seen: u32,
        noted: Vec<i64>,
    }

    impl Policy for FirstLate {
        const STAMPS: bool = true;

        fn delay(&mut self, _: Request) -> Duration {
            self.seen += 1;
            Duration::from_millis(u64::from(self.seen == 1))
        }

        fn written(&mut self, arrival_ns: i64, _: i64) {
            self.noted.push(arrival_ns);
        }
    }

    fn session() -> Session {
        let Parsed::Whole { request, length } = parse(OPENING) else {
            panic!("it is whole");
        };
        assert!(request.opens_websocket && length == OPENING.len());
        Session::open(OPENING, request).expect("it is opened")
    }

    /// A masked text of one character, masked by zeros.
    fn text(character: u8) -> [u8; 7] {
        [0x81, 0x81, 0, 0, 0, 0, character]
    }

    #[test]
    fn echoes_come_in_order_and_when_they_are_due() {
        let (mut session, mut policy) = (session(), FirstLate::default());
        let (mut waits, mut out) = (Vec::new(), Vec::new());
        session.output(&mut out, &mut policy);
        // The standard's example of a key (RFC 6455, section 1.3).
        let head = String::from_utf8(std::mem::take(&mut out)).expect("a head");
        assert!(head.starts_with("HTTP/1.1 101 "), "{head}");
        assert!(head.contains("s3pPLMBiTxaQ9kYGzzhZRbK+xOo="), "{head}");
        let ping = [0x89, 0x80, 0, 0, 0, 0];
        let bytes = [&text(b'a')[..], &ping, &text(b'b')].concat();
        let (begin, end) = bytes.split_at(10);
        assert!(session.take(begin, 1, &mut policy, &mut waits));
        assert!(session.take(end, 2, &mut policy, &mut waits));
        assert_eq!(waits, [(Duration::from_millis(1), 0)]);
        session.output(&mut out, &mut policy);
        // The second is due, and waits for the first; the ping does not.
        assert_eq!(std::mem::take(&mut out), [0x8a, 0]);
        assert!(session.due(0));
        session.output(&mut out, &mut policy);
        assert_eq!(out, [0x81, 1, b'a', 0x81, 1, b'b']);
        assert_eq!(policy.noted, [1, 2]);
    }

    #[test]
    fn what_asks_for_no_websocket_or_breaks_it_is_left() {
        let request = Request::new("/", false);
        assert!(Session::open(b"GET / HTTP/1.1\r\nUpgrade: websocket\r\n\r\n", request).is_none());
        let (mut policy, mut waits) = (FirstLate::default(), Vec::new());
        // Not masked.
        assert!(!session().take(&[0x81, 1, b'a'], 1, &mut policy, &mut waits));
    }
}
