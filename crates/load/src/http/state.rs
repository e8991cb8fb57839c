//! What is remembered of one connection's response.

use super::body::Checked;
use super::book::Asked;
use super::chunked::Chunked;
use super::head::Head;
use super::request::Draft;
use super::shape::Seen;
use crate::sequence::Position;

/// Where a connection is in a response.
#[derive(Debug)]
pub struct State {
    /// Which request is in flight, or was last.
    pub(super) asked: Asked,
    pub(super) part: Part,
    pub(super) head: Head,
    pub(super) body: Checked,
    /// Responses since the connection was opened, where their number is bounded.
    pub(super) served: u32,
    /// What varies, where something does.
    pub(super) varying: Option<Box<Varying>>,
}

impl State {
    /// Nothing is here of the next response.
    #[inline]
    pub(super) fn next(&mut self) {
        self.part = Part::Fresh;
        self.head = Head::default();
        self.body = Checked::default();
    }
}

/// What varies from request to request on one connection.
#[derive(Debug)]
pub struct Varying {
    pub draft: Draft,
    pub seen: Seen,
    /// Bytes of the 1xx heads so far, on the connection of a single request.
    pub interim: u64,
    /// Where it is among many requests, if it goes through them by itself.
    pub position: Option<Position>,
}

#[derive(Debug)]
pub enum Part {
    /// Nothing of the response is here yet.
    Fresh,
    /// A head that is not whole, and how much of it was searched for its end.
    Head {
        held: Vec<u8>,
        line: usize,
    },
    Fixed {
        left: u64,
    },
    Chunked(Chunked),
    UntilClosed,
}
