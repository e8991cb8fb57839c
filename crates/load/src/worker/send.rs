//! Requests out: what is due goes to the connections that have room for it.

use std::io;

use super::{Phase, Stage, Times, Worker};
use crate::clock::{self, NEVER, Nanos};
use crate::error::Error;
use crate::protocol::{Protocol, Ticket};
use crate::socket;
use crate::transport::Transport;

/// So often one connection sends more of what its requests have to send before the others get their turn.
const PUSHES: usize = 32;

impl<P: Protocol, T: Transport> Worker<P, T> {
    /// Gives the connections whose responses are in what is due.
    #[inline]
    pub(super) fn dispatch_free(&mut self) -> Result<(), Error> {
        let mut at = 0;
        // Some may join them on the way.
        while let Some(&i) = self.free.get(at) {
            let i = i as usize;
            at += 1;
            // It may have been lost since.
            if self.connections[i].phase == Phase::Open {
                self.dispatch(i)?;
            }
        }
        self.free.clear();
        if P::MANY && !self.unseen.is_empty() {
            self.send_unseen()?;
        }
        Ok(())
    }

    /// Whether connection `i` may be given a request.
    #[inline]
    fn has_room(&self, i: usize) -> bool {
        let connection = &self.connections[i];
        if connection.phase != Phase::Open {
            return false;
        }
        if !P::MANY {
            return connection.in_flight == 0;
        }
        let room = self.task.protocol.room(&connection.state);
        !connection.last && connection.in_flight < room.min(self.streams)
    }

    /// Gives connection `i`, which is open, the requests that are due, as far as it has room.
    #[inline]
    pub(super) fn dispatch(&mut self, i: usize) -> Result<(), Error> {
        // One reading for all of them, since they leave together.
        let now = clock::now();
        while self.has_room(i) {
            if P::MANY && self.send_again(i)? {
                continue;
            }
            if self.stage == Stage::Running
                && let Some(due) = self.pacer.take(now, self.closes)
            {
                self.send(i, due, now)?;
                if P::MANY {
                    continue;
                }
                return Ok(());
            }
            self.queue(i);
            break;
        }
        match P::MANY {
            true => self.send_rest(i),
            false => Ok(()),
        }
    }

    /// Connection `i` waits for a request to be due.
    #[inline]
    fn queue(&mut self, i: usize) {
        let connection = &mut self.connections[i];
        if !connection.queued {
            connection.queued = true;
            self.idle.push_back(i as u32);
        }
    }

    /// Sends what is due, as far as connections have room.
    pub(super) fn send_due(&mut self) -> Result<(), Error> {
        while self.stage == Stage::Running
            && let Some(&i) = self.idle.front()
        {
            let i = i as usize;
            // Else it was lost since it was queued, or has got others.
            let room = self.has_room(i);
            let due = match room {
                true => {
                    let now = clock::now();
                    match self.pacer.take(now, self.closes) {
                        Some(due) => Some((due, now)),
                        None => break,
                    }
                }
                false => None,
            };
            self.idle.pop_front();
            self.connections[i].queued = false;
            if let Some((due, now)) = due {
                if !self.pacer.is_open() {
                    // It was idle because nothing was left to send, until another thread gave something back: no turnaround.
                    let slot = self.slot(i, self.vacant(i));
                    let since = self.flights[slot].arrived;
                    self.note_idle(since, now);
                    self.flights[slot].arrived = NEVER;
                }
                self.send(i, due, now)?;
                if P::MANY {
                    if self.has_room(i) {
                        self.queue(i);
                    }
                    self.send_rest(i)?;
                }
            }
        }
        Ok(())
    }

    /// The ticket of the next request on connection `i`, which has room for it.
    #[inline]
    fn vacant(&self, i: usize) -> Ticket {
        match P::MANY {
            true => Ticket(self.connections[i].vacant),
            false => Ticket(0),
        }
    }

    /// Sends a request on connection `i`; `now` was read just before.
    #[inline]
    fn send(&mut self, i: usize, due: Nanos, now: Nanos) -> Result<(), Error> {
        let arrived = self.flights[self.slot(i, self.vacant(i))].arrived;
        self.in_flight += 1;
        if self.in_flight == 1 {
            self.silences
                .sent(if self.pacer.is_open() { due } else { now });
        }
        let late = match self.pacer.is_open() {
            true => self.behind.sends(due, now, self.connections[i].free),
            false => 0,
        };
        let counts = &mut self.tally.counts;
        counts.sent += 1;
        if due < self.opens {
            counts.lead_in_requests += 1;
        } else if self.pacer.is_open() {
            counts.offered += 1;
            counts.sent_late += u64::from(now > self.closes);
        } else if arrived != 0 && arrived != NEVER {
            counts.turnaround += now.saturating_sub(arrived);
            counts.turnarounds += 1;
        } else {
            counts.firsts += 1;
            self.note_idle(arrived, now);
        }
        let sent = now;
        self.put(i, Times { due, sent, late })
    }

    /// A place for a request was idle from then until now, though not by the server's doing. Within the window that is no part of a cycle.
    #[cold]
    pub(super) fn note_idle(&mut self, since: Nanos, now: Nanos) {
        if since != NEVER && now > self.opens {
            self.tally.counts.idle += now.saturating_sub(since.max(self.opens));
        }
    }

    /// Puts a request with these times on connection `i`, which has room for it.
    #[inline]
    pub(super) fn put(&mut self, i: usize, times: Times) -> Result<(), Error> {
        let ticket = self.vacant(i);
        let slot = self.slot(i, ticket);
        let flight = &mut self.flights[slot];
        flight.busy = true;
        (flight.due, flight.sent, flight.late) = (times.due, times.sent, times.late);
        let connection = &mut self.connections[i];
        if P::MANY {
            connection.vacant = flight.next;
        } else {
            connection.bytes_in = 0;
            connection.bytes_out = 0;
        }
        connection.in_flight += 1;
        let fd = connection.fd();
        let bytes = self.task.protocol.request(&mut connection.state, ticket);
        connection.bytes_out += bytes.len() as u64;
        if P::MANY {
            connection.outgoing.extend_from_slice(bytes);
            connection.unsent += bytes.len();
            return Ok(());
        }
        let sent = match (&mut connection.link, T::WRAPS) {
            (Some(link), true) => self.task.transport.send(link, fd, bytes),
            _ => socket::send(fd, bytes),
        };
        match sent {
            Ok(sent) => {
                connection.unsent = bytes.len() - sent;
                Ok(())
            }
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                connection.unsent = bytes.len();
                Ok(())
            }
            Err(error) => self.cut_short(i, &error),
        }
    }

    /// What the protocol has said of itself goes to what connection `i` is to send.
    #[inline]
    pub(super) fn queue_own(&mut self, i: usize) {
        if P::MANY && !self.out.is_empty() {
            let connection = &mut self.connections[i];
            connection.outgoing.extend_from_slice(&self.out);
            connection.unsent += self.out.len();
            connection.bytes_out += self.out.len() as u64;
            self.out.clear();
        }
    }

    /// Sends what connection `i` still has to send, as far as it is taken.
    pub(super) fn send_rest(&mut self, i: usize) -> Result<(), Error> {
        match self.push(i) {
            Ok(()) => Ok(()),
            Err(error) => self.cut_short(i, &error),
        }
    }

    /// Sends what connection `i` still has to send, as far as it is taken; the caller sees to what an error means.
    pub(super) fn push(&mut self, i: usize) -> io::Result<()> {
        self.fill(i);
        for _ in 0..PUSHES {
            self.push_once(i)?;
            let connection = &self.connections[i];
            let keeps = T::WRAPS && connection.link.as_ref().is_some_and(T::keeps);
            // What the socket does not take an event follows.
            if !P::MANY || connection.unsent > 0 || keeps {
                return Ok(());
            }
            if !self.fill(i) {
                return Ok(());
            }
        }
        // There is room for more, which no further edge would show.
        match &self.connections[i].socket {
            Some(socket) => self.poll.report_again(socket, i as u64),
            None => Ok(()),
        }
    }

    /// Adds what the requests in flight on connection `i` have to send next; whether there was something.
    #[inline]
    fn fill(&mut self, i: usize) -> bool {
        if !P::MANY {
            return false;
        }
        let connection = &mut self.connections[i];
        let before = connection.outgoing.len();
        (self.task.protocol).fill(
            &mut connection.state,
            connection.unsent,
            &mut connection.outgoing,
        );
        let more = connection.outgoing.len() - before;
        connection.unsent += more;
        connection.bytes_out += more as u64;
        more > 0
    }

    fn push_once(&mut self, i: usize) -> io::Result<()> {
        let connection = &mut self.connections[i];
        let fd = connection.fd();
        let bytes = match P::MANY {
            true => &connection.outgoing[..],
            false => self.task.protocol.in_flight(&connection.state),
        };
        let rest = &bytes[bytes.len() - connection.unsent..];
        let sent = match (&mut connection.link, T::WRAPS) {
            (Some(link), true) => {
                let flushed = self.task.transport.flush(link, fd);
                flushed.and_then(|()| match rest {
                    [] => Ok(0),
                    rest => self.task.transport.send(link, fd, rest),
                })
            }
            _ if rest.is_empty() => Ok(0),
            _ => socket::send(fd, rest),
        };
        match sent {
            Ok(sent) => {
                connection.unsent -= sent;
                if P::MANY && connection.unsent == 0 {
                    connection.outgoing.clear();
                    self.task.protocol.drained(&mut connection.state);
                } else if P::MANY {
                    connection.forget_sent();
                }
                Ok(())
            }
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => Ok(()),
            Err(error) => Err(error),
        }
    }
}
