//! What is remembered of one connection.

use std::os::fd::{AsRawFd, RawFd};

use socket2::Socket;

use crate::clock::{MILLISECOND, Nanos};

/// The first and the longest pause before another attempt to connect.
const FIRST_PAUSE: Nanos = 10 * MILLISECOND;
const LONGEST_PAUSE: Nanos = 1000 * MILLISECOND;

/// Where a connection is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// No socket; the next attempt is at `since`.
    Down,
    /// Under way since `since`.
    Connecting,
    /// Open, with no request in flight.
    Idle,
    /// A request is in flight.
    Busy,
}

/// One of a thread's connections.
#[derive(Debug)]
pub struct Connection<S> {
    pub socket: Option<Socket>,
    pub phase: Phase,
    /// It stands in the queue of idle ones.
    pub queued: bool,
    /// The first attempt to open it has come to an end.
    pub tried: bool,
    /// It was open once.
    pub opened: bool,
    /// It had no good response in this slice.
    pub fresh: bool,
    pub since: Nanos,
    /// Since when it can take a request: it was opened, or its last response arrived.
    pub free: Nanos,
    pause: Nanos,
    /// When the request in flight was due and when it was sent.
    pub due: Nanos,
    pub sent: Nanos,
    /// How long that request waited by the generator's doing (open loop).
    pub late: Nanos,
    /// When its last request came to an end; 0 = none has.
    pub arrived: Nanos,
    pub bytes_in: u64,
    pub bytes_out: u64,
    /// How many of the request's last bytes the socket did not take yet.
    pub unsent: usize,
    pub state: S,
}

impl<S> Connection<S> {
    /// Not opened yet.
    pub fn new(state: S) -> Self {
        Connection {
            socket: None,
            phase: Phase::Down,
            queued: false,
            tried: false,
            opened: false,
            fresh: false,
            since: Nanos::MAX,
            free: 0,
            pause: 0,
            due: 0,
            sent: 0,
            late: 0,
            arrived: 0,
            bytes_in: 0,
            bytes_out: 0,
            unsent: 0,
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
        self.phase = Phase::Down;
        self.since = Nanos::MAX;
        self.arrived = 0;
        self.unsent = 0;
    }

    /// The attempt at `attempt` came to nothing: when to try again. Each pause is twice the one before.
    pub fn pause(&mut self, attempt: Nanos) -> Nanos {
        self.pause = (self.pause * 2).clamp(FIRST_PAUSE, LONGEST_PAUSE);
        self.since = attempt + self.pause;
        self.since
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::http::State;

    #[test]
    fn a_connection_is_small() {
        // With its place in two queues; the limit for all of the generator's memory is 4 KiB a connection.
        assert!(
            size_of::<Connection<State>>() <= 320,
            "{}",
            size_of::<Connection<State>>()
        );
    }
}
