//! What is remembered of one connection, and of the requests in flight on it.

use std::os::fd::{AsRawFd, RawFd};

use socket2::Socket;

use crate::clock::{MILLISECOND, Nanos};

/// The first and the longest pause before another attempt to connect.
const FIRST_PAUSE: Nanos = 10 * MILLISECOND;
const LONGEST_PAUSE: Nanos = 1000 * MILLISECOND;
/// Sent bytes are kept up to so many.
const FORGET: usize = 64 * 1024;

/// Where a connection is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// No socket; the next attempt is at `since`.
    Down,
    /// The socket is being connected since `since`; without one the server is to be asked for it once more.
    Connecting,
    /// It is, and the transport shakes hands.
    Opening,
    /// Open.
    Open,
}

/// One of a thread's connections, over a transport with a link `L`.
#[derive(Debug)]
pub struct Connection<S, L> {
    pub socket: Option<Socket>,
    pub link: Option<L>,
    pub phase: Phase,
    /// It stands in the queue of idle ones.
    pub queued: bool,
    /// The first attempt to open it has come to an end.
    pub tried: bool,
    /// It was open once.
    pub opened: bool,
    /// It had no good response in this slice.
    pub fresh: bool,
    /// A request came to its end on it in this slice.
    pub served: bool,
    /// A request came to its end on it since it was opened.
    pub proven: bool,
    /// It takes no further request, and is replaced when none is in flight.
    pub last: bool,
    /// How many requests are in flight.
    pub in_flight: u32,
    /// The ticket that was given back last, and with it those before: see [`Flight::next`].
    pub vacant: u32,
    pub since: Nanos,
    /// When its connect began, or, once it is connected, its transport's handshake.
    pub begun: Nanos,
    /// Since when it can take a request: it was opened, or a response arrived when as many were awaited as it may carry.
    pub free: Nanos,
    pause: Nanos,
    /// Bytes since the last response was whole, or the last request was sent on an idle connection.
    pub bytes_in: u64,
    pub bytes_out: u64,
    /// How many of the last bytes that are to be sent the transport did not take yet.
    pub unsent: usize,
    /// The bytes that are to be sent, where the protocol does not hold them itself.
    pub outgoing: Vec<u8>,
    pub state: S,
}

impl<S, L> Connection<S, L> {
    /// Not opened yet.
    pub fn new(state: S) -> Self {
        Connection {
            socket: None,
            link: None,
            phase: Phase::Down,
            queued: false,
            tried: false,
            opened: false,
            fresh: false,
            served: false,
            proven: false,
            last: false,
            in_flight: 0,
            vacant: 0,
            since: Nanos::MAX,
            begun: 0,
            free: 0,
            pause: 0,
            bytes_in: 0,
            bytes_out: 0,
            unsent: 0,
            outgoing: Vec::new(),
            state,
        }
    }

    /// The socket's descriptor; -1 (which no call takes) without one.
    #[inline]
    pub fn fd(&self) -> RawFd {
        self.socket.as_ref().map_or(-1, AsRawFd::as_raw_fd)
    }

    /// Closes it; the protocol's own state is left to the protocol.
    pub fn close(&mut self) {
        self.socket = None;
        self.link = None;
        self.phase = Phase::Down;
        self.since = Nanos::MAX;
        self.served = false;
        self.proven = false;
        self.last = false;
        self.bytes_in = 0;
        self.bytes_out = 0;
        self.unsent = 0;
        self.outgoing.clear();
    }

    /// Frees what was sent of the outgoing bytes, where it is much: a slow reader may never have read them all.
    pub fn forget_sent(&mut self) {
        let sent = self.outgoing.len() - self.unsent;
        if sent >= FORGET && sent >= self.unsent {
            self.outgoing.drain(..sent);
        }
    }

    /// The attempt at `attempt` came to nothing: when to try again. Each pause is twice the one before.
    pub fn pause(&mut self, attempt: Nanos) -> Nanos {
        self.pause = (self.pause * 2).clamp(FIRST_PAUSE, LONGEST_PAUSE);
        self.since = attempt + self.pause;
        self.since
    }

    /// Whether attempts have come to nothing since a request last ended on it.
    pub fn was_refused(&self) -> bool {
        self.pause > 0
    }

    /// Whether it may be opened at `now`: it was never tried, was lost, or the pause since a failed attempt is over.
    pub fn may_be_tried(&self, now: Nanos) -> bool {
        self.since == Nanos::MAX || self.since <= now
    }

    /// An attempt came to something: a request was sent and came to its end.
    pub fn unpause(&mut self) {
        self.pause = 0;
    }
}

/// A request that goes by one ticket of one connection, or the last one that did.
#[derive(Clone, Copy, Debug)]
pub struct Flight {
    /// It is in flight.
    pub busy: bool,
    /// The free ticket after this one, where this one is free.
    pub next: u32,
    /// When it was due and when it was sent.
    pub due: Nanos,
    pub sent: Nanos,
    /// How long it waited by the generator's doing (open loop).
    pub late: Nanos,
    /// When the last one came to its end in this slice; 0 = none has, [`NEVER`](crate::clock::NEVER) = that time is not the generator's turnaround.
    pub arrived: Nanos,
}

impl Flight {
    /// Those of `streams` tickets, all free.
    pub fn all(streams: u32) -> impl Iterator<Item = Flight> {
        (0..streams).map(|ticket| Flight {
            busy: false,
            next: ticket + 1,
            due: 0,
            sent: 0,
            late: 0,
            arrived: 0,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::http::State;

    #[test]
    fn a_connection_is_small() {
        // With its place in two queues; the limit for all of the generator's memory is 4 KiB a connection.
        let size = size_of::<Connection<State, ()>>() + size_of::<Flight>();
        assert!(size <= 360, "{size}");
    }
}
