//! What the loop asks of a protocol: a state machine without I/O.
//!
//! The loop owns sockets, clocks and counting; a protocol turns a request into bytes and bytes into
//! answers. Answers come in the order of their requests, and an answer says how many of the bytes it
//! used, so several requests may be in flight on one connection.

use crate::outcome::ErrorKind;

/// One thread's side of a protocol.
pub trait Protocol {
    /// What is remembered of one connection. Small: there may be ten thousand.
    type State;

    /// The state of a connection that was opened just now.
    fn state(&self) -> Self::State;

    /// The bytes of the next request. `scratch` is empty and may hold them when they differ from request to request.
    fn request<'a>(&'a mut self, state: &mut Self::State, scratch: &'a mut Vec<u8>) -> &'a [u8];

    /// Takes the bytes that arrived, at most up to the end of the answer.
    fn receive(&mut self, state: &mut Self::State, bytes: &[u8]) -> Progress;

    /// The server closed while an answer was awaited.
    fn closed(&mut self, state: &mut Self::State) -> Progress;

    /// A sentence about the first answer that was wrong or broken; told once.
    fn complaint(&mut self) -> Option<String>;
}

/// What bytes came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Progress {
    /// All bytes are taken, and the answer goes on.
    More,
    /// The answer is whole.
    Done {
        /// How many of the bytes belong to it.
        used: usize,
        /// What it was.
        answer: Answer,
    },
    /// What came is no answer; the connection is of no further use.
    Broken(ErrorKind),
}

/// A whole answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Answer {
    /// The status (0 where the protocol has none).
    pub status: u16,
    /// What is wrong with it.
    pub fault: Option<ErrorKind>,
    /// Whether the connection may carry another request.
    pub reuse: bool,
}
