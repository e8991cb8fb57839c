//! Requests that the server has not seen when it takes its leave of their connection (over HTTP/2, those above GOAWAY's last stream):
//! they are sent again on another, as RFC 9113, section 8.7, allows and browsers do.
//!
//! Such a request stays in flight. Its times count from when it was first due and sent, since whoever asked has waited since then.

use photofinish_model::finding::complaint::{Complaint, Http2Complaint};

use super::{Phase, Stage, Worker};
use crate::clock::{NEVER, Nanos};
use crate::error::Error;
use crate::outcome::ErrorKind;
use crate::protocol::{Protocol, Ticket};
use crate::transport::Transport;

/// When a request was due and when it was sent first, and how long it waited by the generator's doing.
#[derive(Clone, Copy, Debug)]
pub struct Times {
    pub due: Nanos,
    pub sent: Nanos,
    pub late: Nanos,
}

impl<P: Protocol, T: Transport> Worker<P, T> {
    /// The request that goes by `ticket` on connection `i` is to be sent again on another.
    #[cold]
    pub(super) fn take_back(&mut self, i: usize, ticket: Ticket) {
        let times = self.give_back(i, ticket);
        // What passes until this ticket is used again is no turnaround of the generator's.
        let slot = self.slot(i, ticket);
        self.flights[slot].arrived = NEVER;
        self.unseen.push_back(times);
    }

    /// Sends one of them on connection `i`, which has room; whether there was one.
    #[inline]
    pub(super) fn send_again(&mut self, i: usize) -> Result<bool, Error> {
        match self.unseen.pop_front() {
            Some(times) => self.put(i, times).map(|()| true),
            None => Ok(false),
        }
    }

    /// Gives them to connections that wait for a request to be due.
    #[cold]
    pub(super) fn send_unseen(&mut self) -> Result<(), Error> {
        while !self.unseen.is_empty()
            && let Some(i) = self.idle.pop_front()
        {
            let i = i as usize;
            self.connections[i].queued = false;
            if self.connections[i].phase == Phase::Open {
                self.dispatch(i)?;
            }
        }
        Ok(())
    }

    /// Whether a connection that was lost is wanted again.
    pub(super) fn wants_connections(&self) -> bool {
        match self.stage {
            Stage::Idle | Stage::Done => false,
            Stage::Draining => !self.unseen.is_empty(),
            Stage::Connecting | Stage::Waiting | Stage::Running => true,
        }
    }

    /// Those that have waited for longer than the timeout are given up.
    pub(super) fn scan_unseen(&mut self) {
        while let Some(times) = self.unseen.front()
            && self.now.saturating_sub(times.sent) >= self.timeout
        {
            let within_s = self.task.config.timeout.as_secs_f64();
            self.lose_first(ErrorKind::Timeout, Complaint::Late { within_s });
        }
    }

    /// There will be no connection for them.
    pub(super) fn lose_unseen(&mut self, kind: ErrorKind) {
        while !self.unseen.is_empty() {
            self.lose_first(kind, Http2Complaint::Unseen {}.into());
        }
    }

    fn lose_first(&mut self, kind: ErrorKind, why: Complaint) {
        if let Some(times) = self.unseen.pop_front() {
            self.complain(|| Some(why));
            self.note_end(times, self.now, Some(kind), (0, 0));
        }
    }
}
