//! One connection of HTTP/2, as its client sees it (RFC 9113): streams, windows, settings. It knows frames and no fields.

mod block;
mod control;
mod sending;

use std::collections::VecDeque;
use std::sync::Arc;

use photofinish_model::finding::complaint::Http2Violation;

use super::Broken;
use super::frame::{self, Code, FIRST_WINDOW, LARGEST_WINDOW, LEAST_MAX_FRAME, kind, setting};
use super::incoming::{Incoming, Piece};
use crate::protocol::Replies;
use block::Block;

pub(super) use block::BLOCK_LIMIT;
pub(super) use sending::Body;

/// So many requests that were given up may still have responses on their way.
const GIVEN_UP: usize = 1_000;
/// The last stream that a client may open.
const LAST_STREAM: u32 = (1 << 31) - 1;

/// What happens to the requests in flight, by their tickets.
pub trait Streams {
    /// A block of header fields before the content; whether it is the response's own (and no 1xx before it).
    ///
    /// # Errors
    /// Where it is none.
    fn head(&mut self, ticket: u32, block: &[u8]) -> Result<bool, Broken>;

    /// The block of header fields after the content.
    ///
    /// # Errors
    /// Where it is none.
    fn trailers(&mut self, ticket: u32, block: &[u8]) -> Result<(), Broken>;

    /// Content.
    fn content(&mut self, ticket: u32, piece: &[u8]);
}

/// How a request came to its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// Its response is whole.
    Whole,
    /// The server has ended the stream.
    Reset(Code),
}

/// What bytes came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// All is used.
    More,
    /// A request came to its end.
    Ended(u32, End),
    /// The server goes away and has not looked at a request, nor will it.
    Unseen(u32),
    /// No further request is taken here.
    Leaving,
}

/// A connection.
#[derive(Debug)]
pub struct Link {
    incoming: Incoming,
    /// A block of header fields that goes on in another frame.
    block: Option<Block>,
    /// Requests in flight, by ticket.
    slots: Vec<Slot>,
    /// The ticket of a stream, at the last bits of its number; see [`Link::slot_of`].
    tickets: Vec<u32>,
    /// Tickets of requests of whose bodies something is still to be sent and may be, in the order of their turns.
    turns: VecDeque<u32>,
    /// The next stream's number.
    next: u32,
    peer: Peer,
    /// What may be sent on the whole connection.
    window: i64,
    /// What came since the connection's window was last opened.
    taken: u32,
    replies: Replies,
    /// Streams that were given up.
    given_up: Vec<u32>,
    /// The server's first SETTINGS are here.
    settled: bool,
    leaving: bool,
    /// The error code of the server's GOAWAY, if it has one.
    goodbye: Option<Code>,
    /// Tickets that the server will not serve, and that the caller does not know of yet.
    unseen: Vec<u32>,
}

/// A request in flight; stream 0 = none.
#[derive(Debug, Default)]
struct Slot {
    stream: u32,
    /// The response's own head is here.
    begun: bool,
    /// What may be sent on the stream.
    window: i64,
    taken: u32,
    /// The request's body, while some of it is still to be sent.
    rest: Option<Rest>,
    /// It stands among the turns.
    queued: bool,
}

/// A body of which some is still to be sent. Requests that are the same share it.
#[derive(Debug)]
struct Rest {
    body: Arc<[u8]>,
    sent: usize,
}

/// What the server said of itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Peer {
    max_streams: u32,
    window: i64,
    max_frame: usize,
}

fn protocol(violation: Http2Violation) -> Broken {
    Broken {
        code: Code::PROTOCOL_ERROR,
        violation,
    }
}

impl Link {
    /// For so many requests in flight.
    pub fn new(streams: u32) -> Link {
        Link {
            incoming: Incoming::default(),
            block: None,
            slots: std::iter::repeat_with(Slot::default)
                .take(streams as usize)
                .collect(),
            tickets: vec![0; (streams as usize * 2).next_power_of_two()],
            turns: VecDeque::new(),
            next: 1,
            peer: Peer {
                max_streams: u32::MAX,
                window: FIRST_WINDOW,
                max_frame: LEAST_MAX_FRAME,
            },
            window: FIRST_WINDOW,
            taken: 0,
            replies: Replies::default(),
            given_up: Vec::new(),
            settled: false,
            leaving: false,
            goodbye: None,
            unseen: Vec::new(),
        }
    }

    /// What a client says first: no table of header fields, no pushes, and windows that need not be opened again soon.
    pub fn open(&mut self, out: &mut Vec<u8>) {
        out.extend_from_slice(frame::PREFACE);
        let settings = [
            (setting::HEADER_TABLE_SIZE, 0),
            (setting::ENABLE_PUSH, 0),
            (setting::INITIAL_WINDOW_SIZE, LARGEST_WINDOW as u32),
            (setting::MAX_HEADER_LIST_SIZE, BLOCK_LIMIT as u32),
        ];
        frame::settings(&settings, out);
        frame::number(
            kind::WINDOW_UPDATE,
            0,
            (LARGEST_WINDOW - FIRST_WINDOW) as u32,
            out,
        );
    }

    /// How many requests may be in flight now; 0 until the server's settings are known.
    pub fn room(&self) -> u32 {
        if !self.settled || self.leaving {
            return 0;
        }
        self.peer.max_streams.min(self.slots.len() as u32)
    }

    /// How many requests the server takes at once, once it has said.
    pub fn allowed(&self) -> Option<u32> {
        self.settled.then_some(self.peer.max_streams)
    }

    /// Whether no request was sent on it yet.
    pub fn is_unused(&self) -> bool {
        self.next == 1
    }

    /// The error because of which the server left, if there was one.
    pub fn goodbye(&self) -> Option<Code> {
        self.goodbye
    }

    /// All that was to be sent is sent.
    pub fn drained(&mut self) {
        self.replies.drained();
    }

    /// Ends a request whose response is not waited for any longer. Whether the connection is still of use.
    pub fn give_up(&mut self, ticket: u32, out: &mut Vec<u8>) -> bool {
        let slot = &mut self.slots[ticket as usize];
        if slot.stream == 0 {
            return true;
        }
        frame::number(kind::RST_STREAM, slot.stream, Code::CANCEL.0, out);
        self.given_up.push(slot.stream);
        self.free(ticket);
        self.given_up.len() <= GIVEN_UP
    }

    /// Takes bytes, at most to the end of one response; takes from `bytes` what was used. What has to be said in reply is
    /// added to `out`.
    ///
    /// # Errors
    /// Where the server breaks the protocol: what to say to it is in `out`, and the connection is of no further use.
    #[inline]
    pub fn receive(
        &mut self,
        bytes: &mut &[u8],
        streams: &mut impl Streams,
        out: &mut Vec<u8>,
    ) -> Result<Step, Broken> {
        let mut step = self.step(bytes, streams, out);
        if let Err(broken) = &mut step {
            if !self.settled {
                broken.violation = Http2Violation::NotSpoken;
            }
            let mut payload = [0; 8];
            payload[4..].copy_from_slice(&broken.code.0.to_be_bytes());
            frame::write(kind::GOAWAY, 0, 0, &payload, out);
        }
        step
    }

    fn step(
        &mut self,
        bytes: &mut &[u8],
        streams: &mut impl Streams,
        out: &mut Vec<u8>,
    ) -> Result<Step, Broken> {
        if let Some(ticket) = self.unseen.pop() {
            return Ok(Step::Unseen(ticket));
        }
        // Taken out for the time, since what it hands out is its own.
        let mut incoming = std::mem::take(&mut self.incoming);
        let step = loop {
            match incoming.next(bytes) {
                Ok(Some(piece)) => match self.piece(piece, streams, out) {
                    Ok(Step::More) => {}
                    other => break other,
                },
                Ok(None) => break Ok(Step::More),
                Err(broken) => break Err(broken),
            }
        };
        self.incoming = incoming;
        step
    }

    fn piece(
        &mut self,
        piece: Piece<'_>,
        streams: &mut impl Streams,
        out: &mut Vec<u8>,
    ) -> Result<Step, Broken> {
        match piece {
            Piece::Data {
                stream,
                content,
                ends,
                counts,
            } => self.data(stream, content, ends, counts, streams, out),
            Piece::Frame(head, payload) => {
                if !self.settled && head.kind != kind::SETTINGS {
                    return Err(protocol(Http2Violation::NoSettings));
                }
                if self.block.is_some() && head.kind != kind::CONTINUATION {
                    return Err(protocol(Http2Violation::SplitBlock));
                }
                match head.kind {
                    kind::HEADERS => self.headers(head, payload, streams, out),
                    kind::CONTINUATION => self.continuation(head, payload, streams, out),
                    kind::RST_STREAM => self.reset(head, payload),
                    kind::SETTINGS => self.settings(head, payload, out),
                    kind::PUSH_PROMISE => Err(protocol(Http2Violation::Push)),
                    kind::PING => self.ping(head, payload, out),
                    kind::GOAWAY => self.go_away(head, payload),
                    kind::WINDOW_UPDATE => self.window_update(head, payload),
                    // PRIORITY too means nothing any more; others are ignored by RFC 9113, section 4.1.
                    _ => Ok(Step::More),
                }
            }
        }
    }

    fn data(
        &mut self,
        stream: u32,
        content: &[u8],
        ends: bool,
        counts: usize,
        streams: &mut impl Streams,
        out: &mut Vec<u8>,
    ) -> Result<Step, Broken> {
        if !self.settled || self.block.is_some() {
            return Err(protocol(Http2Violation::Data));
        }
        sending::reopen(0, &mut self.taken, counts, out);
        let Some(ticket) = self.ticket(stream)? else {
            self.forget(stream, ends);
            return Ok(Step::More);
        };
        let slot = &mut self.slots[ticket as usize];
        if !slot.begun {
            return Err(protocol(Http2Violation::HeadlessContent));
        }
        sending::reopen(stream, &mut slot.taken, counts, out);
        if !content.is_empty() {
            streams.content(ticket, content);
        }
        Ok(match ends {
            true => self.whole(ticket, out),
            false => Step::More,
        })
    }

    /// The ticket of a stream that is open.
    ///
    /// Streams are numbered in their order, so that of those that are open nearly all differ in the last bits of their numbers.
    /// A slow one may have lost its place to a later one and is searched for.
    #[inline]
    fn slot_of(&self, stream: u32) -> Option<u32> {
        if stream == 0 {
            return None;
        }
        let ticket = self.tickets[self.place(stream)];
        if self.slots[ticket as usize].stream == stream {
            return Some(ticket);
        }
        let found = self.slots.iter().position(|slot| slot.stream == stream);
        found.map(|ticket| ticket as u32)
    }

    /// Where the ticket of a stream is noted.
    #[inline]
    fn place(&self, stream: u32) -> usize {
        (stream >> 1) as usize & (self.tickets.len() - 1)
    }

    /// Whose stream this is; `None`: one that was given up.
    #[inline]
    fn ticket(&self, stream: u32) -> Result<Option<u32>, Broken> {
        match self.slot_of(stream) {
            Some(ticket) => Ok(Some(ticket)),
            _ if self.given_up.contains(&stream) => Ok(None),
            _ if stream == 0 || stream.is_multiple_of(2) || stream >= self.next => {
                Err(protocol(Http2Violation::UnopenedStream))
            }
            _ => Err(Broken {
                code: Code::STREAM_CLOSED,
                violation: Http2Violation::EndedStream,
            }),
        }
    }

    fn whole(&mut self, ticket: u32, out: &mut Vec<u8>) -> Step {
        let slot = &self.slots[ticket as usize];
        if slot.rest.is_some() {
            // The response is there, and nobody reads the rest of the request.
            frame::number(kind::RST_STREAM, slot.stream, Code::NO_ERROR.0, out);
        }
        self.free(ticket);
        Step::Ended(ticket, End::Whole)
    }

    fn free(&mut self, ticket: u32) {
        let slot = &mut self.slots[ticket as usize];
        slot.stream = 0;
        slot.rest = None;
    }

    /// A stream that was given up came to its end by itself.
    fn forget(&mut self, stream: u32, ends: bool) {
        if ends {
            self.given_up.retain(|other| *other != stream);
        }
    }
}

fn frame_size(violation: Http2Violation) -> Broken {
    Broken {
        code: Code::FRAME_SIZE_ERROR,
        violation,
    }
}

fn flow_control(violation: Http2Violation) -> Broken {
    Broken {
        code: Code::FLOW_CONTROL_ERROR,
        violation,
    }
}

/// The number that a payload is, and nothing else; else it is that violation.
fn one_number(payload: &[u8], violation: Http2Violation) -> Result<u32, Broken> {
    match *payload {
        [a, b, c, d] => Ok(u32::from_be_bytes([a, b, c, d])),
        _ => Err(frame_size(violation)),
    }
}

#[cfg(test)]
mod tests;
