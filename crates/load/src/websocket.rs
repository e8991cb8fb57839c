//! WebSocket (RFC 6455) as a state machine without I/O: a connection is opened by a request, then messages go out, and each
//! has one reply, in their order.

mod frame;
mod message;
mod opening;
mod reply;

use std::collections::VecDeque;
use std::sync::Arc;

use photofinish_model::finding::complaint::{Complaint, WebSocketComplaint};
use photofinish_model::{Message, WebSocket as Wanted};
use photofinish_stats::Random;

use crate::complaint::First;
use crate::echo;
use crate::error::{ConfigError, Error};
use crate::http::HEAD_LIMIT;
use crate::outcome::ErrorKind;
use crate::protocol::{Kept, Place, Progress, Protocol, Replies, Ticket};
use crate::template;
use frame::{Incoming, Key, Piece, opcode};
use message::{Say, fill};
use opening::{Opening, Reply};

pub use crate::outcome::CloseCode;

/// One thread's WebSocket.
#[derive(Clone, Debug)]
pub struct WebSocket {
    opening: Arc<Opening>,
    say: Say,
    /// The reply, where it is not the message.
    reply: Option<Arc<[u8]>>,
    streams: u32,
    key: Key,
    seed: u64,
    place: Place,
    /// The number of the thread's next message, if messages say it.
    counter: u64,
    /// The last message's frame.
    out: Vec<u8>,
    first: First,
}

/// What is remembered of one connection.
#[derive(Debug)]
pub struct State {
    incoming: Incoming,
    /// The response to the opening, as far as it is here; `None` once it is whole.
    head: Option<Vec<u8>>,
    /// The tickets of the messages that wait for their replies, in order.
    waiting: VecDeque<u32>,
    /// What their replies have to be, by ticket, where that is not the same each time.
    sent: Vec<Sent>,
    /// How much of the first one's reply is here.
    received: usize,
    /// What is wrong with it.
    fault: Option<ErrorKind>,
    pongs: Replies,
    /// The connection's number in the run.
    number: usize,
    /// Its next message among its own.
    turn: usize,
    random: Random,
    /// The response to the opening and the first reply, on the connection of a single request.
    kept: Option<Box<(Vec<u8>, Vec<u8>)>>,
}

/// A message that varies.
#[derive(Clone, Debug, Default)]
enum Sent {
    #[default]
    Nothing,
    Filled(Vec<u8>),
    /// Which of the connection's random ones.
    Turn(usize),
}

/// Whether it can be.
///
/// # Errors
/// With what cannot.
pub(crate) fn validate(wanted: &Wanted) -> Result<(), ConfigError> {
    if !(1..=photofinish_model::MOST_STREAMS).contains(&wanted.streams) {
        return Err(ConfigError::Streams {
            streams: wanted.streams,
        });
    }
    match wanted.message {
        Message::Random { size } => echo::validate(size),
        Message::Text(_) | Message::Binary(_) => Ok(()),
    }
}

impl WebSocket {
    /// What opens connections to a server that is called `authority`, and the messages; what varies follows from `seed` and the connections' numbers.
    ///
    /// # Errors
    /// For an opening that cannot be sent.
    pub fn new(
        wanted: &Wanted,
        authority: &str,
        connections: usize,
        seed: u64,
    ) -> Result<Self, Error> {
        // A stream that neither due times nor requests nor echoes use.
        let mut random = Random::stream(seed, 1 << 42);
        let mut nonce = [0; 16];
        nonce[..8].copy_from_slice(&random.next().to_le_bytes());
        nonce[8..].copy_from_slice(&random.next().to_le_bytes());
        let key = (random.next() as u32).to_le_bytes();
        let opening = Opening::new(&wanted.opening, authority, nonce).map_err(ConfigError::from)?;
        let say = Say::new(&wanted.message, key, connections, seed);
        Ok(WebSocket {
            opening: Arc::new(opening),
            say,
            reply: wanted.reply.as_deref().map(Arc::from),
            streams: wanted.streams,
            key,
            seed,
            place: Place::default(),
            counter: 1,
            out: Vec::new(),
            first: First::default(),
        })
    }

    /// The same for the thread at `place`.
    pub fn at(&self, place: Place) -> WebSocket {
        WebSocket {
            place,
            counter: place.first_number(),
            ..self.clone()
        }
    }

    /// What is wrong on the connection as a whole; the server gets `code` (RFC 6455, section 7.4.1).
    fn broken(
        &mut self,
        kind: ErrorKind,
        complaint: impl Into<Complaint>,
        code: u16,
        out: &mut Vec<u8>,
    ) -> Progress {
        self.first.complain(|| complaint);
        frame::write(opcode::CLOSE, self.key, &code.to_be_bytes(), out);
        Progress::Broken(kind)
    }

    /// The response to the opening.
    fn open(&mut self, state: &mut State, bytes: &[u8]) -> Result<usize, Progress> {
        let Some(head) = &mut state.head else {
            return Ok(0);
        };
        let before = head.len();
        let room = (HEAD_LIMIT - before).min(bytes.len());
        head.extend_from_slice(&bytes[..room]);
        match self.opening.reply(head) {
            Reply::More => Err(Progress::More),
            Reply::Open(used) => {
                if let Some(kept) = &mut state.kept {
                    kept.0 = head[..used].to_vec();
                }
                state.head = None;
                // More of it was held only if it was not whole before.
                Ok(used - before)
            }
            Reply::Refused(status, complaint) => {
                let kind = match status {
                    0 | 101 => ErrorKind::Malformed,
                    _ => ErrorKind::Status,
                };
                self.first.complain(|| complaint);
                Err(Progress::Broken(kind))
            }
        }
    }
}

impl Protocol for WebSocket {
    type State = State;
    const MANY: bool = true;

    fn state(&self, connection: usize) -> State {
        let number = self.place.first + connection;
        State {
            incoming: Incoming::default(),
            head: Some(Vec::new()),
            waiting: VecDeque::with_capacity(self.streams as usize),
            sent: match &self.say {
                Say::Fixed { .. } => Vec::new(),
                Say::Filled { .. } | Say::Random(_) => vec![Sent::Nothing; self.streams as usize],
            },
            received: 0,
            fault: None,
            pongs: Replies::default(),
            number,
            turn: 0,
            random: template::random(self.seed, number),
            kept: self.place.single.then(Box::default),
        }
    }

    fn reopened(&self, state: &mut State) {
        state.incoming = Incoming::default();
        state.head = Some(Vec::new());
        state.waiting.clear();
        state.received = 0;
        state.fault = None;
        state.pongs.drained();
    }

    fn opened(&mut self, _: &mut State, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.opening.request);
    }

    fn room(&self, state: &State) -> u32 {
        match state.head {
            Some(_) => 0,
            None => self.streams,
        }
    }

    fn streams(&self) -> u32 {
        self.streams
    }

    fn request<'a>(&'a mut self, state: &'a mut State, ticket: Ticket) -> &'a [u8] {
        state.waiting.push_back(ticket.0);
        let key = self.key;
        match &self.say {
            Say::Fixed { frame, .. } => frame,
            Say::Random(messages) => {
                state.turn += 1;
                state.sent[ticket.0 as usize] = Sent::Turn(state.turn);
                self.out.clear();
                let message = messages.of(state.number, state.turn);
                frame::write(opcode::BINARY, key, message, &mut self.out);
                &self.out
            }
            Say::Filled { opcode, template } => {
                let slot = &mut state.sent[ticket.0 as usize];
                let mut message = match std::mem::take(slot) {
                    Sent::Filled(message) => message,
                    Sent::Nothing | Sent::Turn(_) => Vec::new(),
                };
                message.clear();
                fill(template, &mut state.random, self.counter, &mut message);
                self.counter += self.place.threads as u64;
                self.out.clear();
                frame::write(*opcode, key, &message, &mut self.out);
                *slot = Sent::Filled(message);
                &self.out
            }
        }
    }

    fn receive(&mut self, state: &mut State, bytes: &[u8], out: &mut Vec<u8>) -> Progress {
        let mut rest = match self.open(state, bytes) {
            Ok(used) => &bytes[used..],
            Err(progress) => return progress,
        };
        // Taken out for the time, since what it hands out is its own.
        let mut incoming = std::mem::take(&mut state.incoming);
        let progress = loop {
            let piece = match incoming.next(&mut rest) {
                Ok(Some(piece)) => piece,
                Ok(None) => break Progress::More,
                Err(violation) => {
                    break self.broken(ErrorKind::Malformed, violation, 1002, out);
                }
            };
            let used = bytes.len() - rest.len();
            match piece {
                Piece::Message { content, ends } => {
                    let Some(ticket) = state.waiting.front().copied() else {
                        let complaint = WebSocketComplaint::Unasked {};
                        break self.broken(ErrorKind::Unasked, complaint, 1008, out);
                    };
                    if let Some(response) = self.reply(state, ticket, content, ends) {
                        state.waiting.pop_front();
                        break Progress::Done {
                            used,
                            ticket: Ticket(ticket),
                            response,
                        };
                    }
                }
                Piece::Ping(payload) => {
                    frame::write(opcode::PONG, self.key, payload, out);
                    if !state.pongs.add(payload.len() + 6) {
                        let complaint = WebSocketComplaint::Pings {};
                        break self.broken(ErrorKind::Malformed, complaint, 1008, out);
                    }
                }
                Piece::Pong => {}
                Piece::Close(payload) => break self.closes(state, used, payload, out),
            }
        };
        state.incoming = incoming;
        progress
    }

    fn drained(&mut self, state: &mut State) {
        state.pongs.drained();
    }

    fn closed(&mut self, state: &mut State) -> Progress {
        self.first.complain(|| match state.head {
            Some(_) => WebSocketComplaint::ClosedUnopened {},
            None => WebSocketComplaint::Dropped {},
        });
        Progress::Broken(ErrorKind::Closed)
    }

    fn unready(&mut self, _: &State, within_s: f64) -> Complaint {
        WebSocketComplaint::Silent { within_s }.into()
    }

    fn kept(&self, state: &State, _: u64) -> Kept {
        let (head, body) = state.kept.as_deref().cloned().unwrap_or_default();
        Kept {
            status: opening::STATUS,
            head: String::from_utf8_lossy(head.trim_ascii_end()).into_owned(),
            wire_bytes: body.len() as u64,
            body,
            expected: Some(self.expected(state, 0).to_vec()),
            complaint: None,
        }
    }

    fn begin(&mut self) {
        self.first.begin();
    }

    fn complaint(&mut self) -> Option<Complaint> {
        self.first.take()
    }
}

#[cfg(test)]
mod tests;
