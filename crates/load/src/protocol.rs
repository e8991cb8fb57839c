//! What the loop asks of a protocol: a state machine without I/O.
//!
//! The loop owns sockets, clocks and counting; a protocol turns a request into bytes and bytes into
//! responses. Responses come in the order of their requests, and a response says how many of the bytes it
//! used, so several requests may be in flight on one connection.

use crate::outcome::ErrorKind;

/// One thread's side of a protocol.
pub trait Protocol {
    /// What is remembered of one connection. Small: there may be ten thousand.
    type State;

    /// The state of the thread's connection number `connection`, before it is opened.
    fn state(&self, connection: usize) -> Self::State;

    /// The connection was lost, and another takes its place: nothing is in flight, and what was
    /// drawn for its requests is not drawn again.
    fn reopened(&self, state: &mut Self::State);

    /// The bytes of the next request.
    fn request<'a>(&'a mut self, state: &'a mut Self::State) -> &'a [u8];

    /// The bytes of the request in flight once more, for a socket that did not take them in one piece: the
    /// protocol holds them (once for all connections, where they can be shared), so that the loop need not.
    fn in_flight<'a>(&'a self, state: &'a Self::State) -> &'a [u8];

    /// Takes the bytes that arrived, at most up to the end of the response.
    fn receive(&mut self, state: &mut Self::State, bytes: &[u8]) -> Progress;

    /// The server closed while a response was awaited.
    fn closed(&mut self, state: &mut Self::State) -> Progress;

    /// A slice begins: the first response of it that is wrong is reported, whatever was reported before.
    fn begin(&mut self);

    /// A sentence about the first response that was wrong or broken; told once a slice.
    fn complaint(&mut self) -> Option<String>;
}

/// What bytes came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Progress {
    /// All bytes are taken, and the response goes on.
    More,
    /// The response is whole.
    Done {
        /// How many of the bytes belong to it.
        used: usize,
        /// What it was.
        response: Response,
    },
    /// What came is no response; the connection is of no further use.
    Broken(ErrorKind),
}

/// A whole response.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Response {
    /// The status (0 where the protocol has none).
    pub status: u16,
    /// What is wrong with it.
    pub fault: Option<ErrorKind>,
    /// It is good, and not as it was when the server was verified.
    pub changed: bool,
    /// Whether the connection may carry another request.
    pub reuse: bool,
}

/// Which part of a run a thread is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Place {
    /// The thread, from 0.
    pub thread: usize,
    /// How many threads there are.
    pub threads: usize,
    /// The number of its first connection in the run, from 0.
    pub first: usize,
}
