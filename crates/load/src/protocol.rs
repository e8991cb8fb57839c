//! What the loop asks of a protocol: a state machine without I/O.
//!
//! The loop owns sockets, transports, clocks and counting; a protocol turns a request into bytes and bytes into
//! responses. Several requests may be in flight on one connection, and their responses may come in any order: each goes by a
//! [`Ticket`]. A response says how many of the bytes it used.

use photofinish_model::finding::complaint::Complaint;

use crate::outcome::ErrorKind;

/// One thread's side of a protocol.
pub trait Protocol {
    /// What is remembered of one connection. Small: there may be ten thousand. A protocol with several requests in flight keeps
    /// what it remembers of each in a `Vec` here, in the place of its ticket.
    type State;

    /// Whether several requests may be in flight on a connection.
    ///
    /// `false`: one after the other. What [`request`](Self::request) returns is sent at once and not copied; bytes that come when no
    /// request is in flight, or after the end of a response, are `ErrorKind::Unasked`.
    ///
    /// `true`: requests are copied to what the connection has to send, which goes out when it has got all that is due for it.
    /// [`receive`](Self::receive) is called with the rest after each response, and when nothing is in flight.
    const MANY: bool = false;

    /// The state of the thread's connection number `connection`, before it is opened.
    fn state(&self, connection: usize) -> Self::State;

    /// The connection was lost, and another takes its place: nothing is in flight, and what was
    /// drawn for its requests is not drawn again.
    fn reopened(&self, state: &mut Self::State);

    /// How many requests are in flight on a connection at most, throughout: tickets count from 0 to one below that.
    fn streams(&self) -> u32 {
        1
    }

    /// The connection is open. What has to be said before the first request goes to `out`; only where `MANY`.
    fn opened(&mut self, _state: &mut Self::State, _out: &mut Vec<u8>) {}

    /// How many requests may be in flight on this connection now: 0 while it is being set up, and when the server takes no more.
    /// Asked before each request; only where `MANY`.
    fn room(&self, _state: &Self::State) -> u32 {
        1
    }

    /// The bytes of the next request, which goes by `ticket` until its response is whole or it is given up. The ticket that was
    /// given back last is used first.
    fn request<'a>(&'a mut self, state: &'a mut Self::State, ticket: Ticket) -> &'a [u8];

    /// The bytes of the request in flight once more, for a socket that did not take them in one piece: the
    /// protocol holds them (once for all connections, where they can be shared), so that the loop need not. Only where not `MANY`.
    fn in_flight<'a>(&'a self, _state: &'a Self::State) -> &'a [u8] {
        &[]
    }

    /// Takes the bytes that arrived, at most up to the end of one response. What the protocol has to say of itself is added to
    /// `out`; only where `MANY`.
    fn receive(&mut self, state: &mut Self::State, bytes: &[u8], out: &mut Vec<u8>) -> Progress;

    /// Adds to `out` more of what the requests in flight have to send, such as their bodies, while `waiting` bytes wait to be sent on the
    /// connection. Called until it adds nothing or the socket takes no more; only where `MANY`.
    fn fill(&mut self, _state: &mut Self::State, _waiting: usize, _out: &mut Vec<u8>) {}

    /// All that was to be sent on the connection was taken by the transport; only where `MANY`.
    fn drained(&mut self, _state: &mut Self::State) {}

    /// The server closed while responses were awaited: `Done` for the one that ends so, else `Broken`.
    fn closed(&mut self, state: &mut Self::State) -> Progress;

    /// Why the connection still takes no first request, `within_s` seconds after it was opened.
    fn unready(&mut self, _state: &Self::State, within_s: f64) -> Complaint {
        Complaint::Late { within_s }
    }

    /// A request has reached its timeout and is given up; its ticket may be used again. `true`: the connection goes on, and what
    /// still comes for that request is ignored. `false`: it is replaced, and what else is in flight on it is lost. Only
    /// where `MANY`.
    fn give_up(&mut self, _state: &mut Self::State, _ticket: Ticket, _out: &mut Vec<u8>) -> bool {
        false
    }

    /// Returns the last response whole, after `received` bytes on its connection. Only at [`Place::SINGLE`].
    fn kept(&self, _state: &Self::State, _received: u64) -> Kept {
        Kept::default()
    }

    /// Responses that were reported as changed are so by nature: their lengths are not compared any more.
    fn lengths_vary(&mut self) {}

    /// A slice begins: the first response of it that is wrong is reported, whatever was reported before.
    fn begin(&mut self);

    /// What is wrong with the first response that was wrong or broken; reported once a slice.
    fn complaint(&mut self) -> Option<Complaint>;
}

/// A request in flight, among those of its connection.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Ticket(pub u32);

/// What was said to a server because it asked for it, since all that was to be sent was last sent, in bytes. One that asks
/// without end and does not read must hold no memory here.
#[derive(Clone, Copy, Debug, Default)]
pub struct Replies(usize);

impl Replies {
    /// What may wait for a server, in bytes.
    pub const MOST: usize = 64 * 1024;

    /// Adds a reply; whether the server is still to be listened to.
    #[must_use]
    pub fn add(&mut self, bytes: usize) -> bool {
        self.0 += bytes;
        self.0 <= Self::MOST
    }

    /// All that was to be sent was taken: see [`Protocol::drained`].
    pub fn drained(&mut self) {
        self.0 = 0;
    }
}

/// What bytes came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Progress {
    /// All bytes are taken, and no response is whole.
    More,
    /// A response is whole, or has failed by itself.
    Done {
        /// How many of the bytes were used.
        used: usize,
        /// Whose response it is.
        ticket: Ticket,
        /// What it was.
        response: Response,
    },
    /// The server has not seen a request and will not see it, since it takes its leave of the connection: it is sent again on another.
    /// Only where [`Protocol::MANY`].
    Unseen {
        /// How many of the bytes were used.
        used: usize,
        /// Whose request it is.
        ticket: Ticket,
    },
    /// The server takes no further request on this connection: it is replaced when those in flight have come to their ends.
    /// Only where [`Protocol::MANY`].
    Last {
        /// How many of the bytes were used.
        used: usize,
    },
    /// What came is no response; the connection is of no further use, and all that is in flight on it ends so.
    Broken(ErrorKind),
}

/// A whole response.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Response {
    /// The status (0 where the protocol has none).
    pub status: u16,
    /// What is wrong with it.
    pub fault: Option<ErrorKind>,
    /// It is good, and not as it was when the server was verified, or not as long as the first one.
    pub changed: bool,
    /// Whether the connection may carry another request.
    pub reuse: bool,
}

impl Response {
    /// One that went wrong; its connection may carry another request.
    pub fn failed(status: u16, fault: ErrorKind) -> Response {
        Response {
            status,
            fault: Some(fault),
            changed: false,
            reuse: true,
        }
    }
}

/// Which part of a load a thread is, by however many generators that is sent. A generator's threads are as many parts as if each
/// generator had as many.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Place {
    /// The thread, from 0.
    pub thread: usize,
    /// How many threads there are.
    pub threads: usize,
    /// The number of its first connection in the load, from 0.
    pub first: usize,
    /// Whether it is no part of a load and sends a single request, whose response it keeps: see [`Place::SINGLE`].
    pub single: bool,
}

impl Place {
    /// The place of a single request outside a load.
    pub const SINGLE: Place = Place {
        thread: 0,
        threads: 1,
        first: 0,
        single: true,
    };

    /// Returns the number of the thread's first request. A load counts from 1: number 0 belongs to a single request, so that what
    /// it creates in the server is not created again.
    pub fn first_number(self) -> u64 {
        match self.single {
            true => 0,
            false => self.thread as u64 + 1,
        }
    }
}

/// A whole response, as a protocol at [`Place::SINGLE`] keeps it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Kept {
    /// The status; 0 if the protocol has none.
    pub status: u16,
    /// The head without the empty line that ends it; over HTTP/2, its fields in the form of HTTP/1.
    pub head: String,
    /// The body, decoded: without chunks, and without the prefixes of gRPC's messages.
    pub body: Vec<u8>,
    /// Bytes of head and body on the wire; over HTTP/2 and WebSocket, bytes of the content.
    pub wire_bytes: u64,
    /// The body that is expected, if it is stated.
    pub expected: Option<Vec<u8>>,
    /// What is wrong with it, if it is not as expected and somebody asked.
    pub complaint: Option<Complaint>,
}
