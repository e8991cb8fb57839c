//! Opening connections, losing them, and opening others in their place.

use std::io;

use photofinish_model::finding::complaint::{Complaint, TlsFailure};
use photofinish_model::finding::failure::LoadPart;

use super::connection::Flight;
use super::{Message, Phase, SCAN, Stage, Worker};
use crate::clock::{self, MILLISECOND, NEVER, Nanos};
use crate::error::{Error, system};
use crate::histogram::note;
use crate::outcome::ErrorKind;
use crate::ports;
use crate::protocol::{Protocol, Ticket};
use crate::socket;
use crate::transport::{Handshake, Transport};

/// Connects that all threads together have under way at most, and begin within a millisecond at most: a
/// server with the common backlog of 128 that is slow to accept drops what comes faster.
const RAMP: usize = 32;

impl<P: Protocol, T: Transport> Worker<P, T> {
    /// Opens some more of the connections; reports when all were tried.
    pub(super) fn connect_more(&mut self) -> Result<(), Error> {
        if self.now >= self.next_connects {
            self.next_connects = self.now + MILLISECOND;
            let at_once = (RAMP / self.task.threads).max(1);
            while self.pending < at_once
                && let Some(i) = self.unopened.pop_front()
            {
                self.connect(i as usize)?;
            }
        }
        if self.now >= self.next_scan {
            self.scan()?;
        }
        // A run that was stopped, or given up by another thread, waits for no connection.
        if self.untried == 0 || self.now > self.closes {
            self.stage = Stage::Waiting;
            self.next_scan = self.now;
            let _ = self.task.messages.send(Message::Ready {
                open: self.open_at_start,
                failure: self.failure.clone(),
            });
        }
        Ok(())
    }

    /// Begins to open connection `i`.
    pub(super) fn connect(&mut self, i: usize) -> Result<(), Error> {
        let connection = &mut self.connections[i];
        connection.phase = Phase::Connecting;
        connection.since = self.now;
        connection.begun = self.now;
        self.pending += 1;
        self.dial(i)
    }

    /// Asks the server for connection `i`, which is under way and has no socket yet.
    fn dial(&mut self, i: usize) -> Result<(), Error> {
        let address = &self.task.config.address;
        match socket::connect(address, &mut self.source) {
            Ok(socket) => {
                self.poll
                    .watch(&socket, i as u64)
                    .map_err(system(LoadPart::Connection))?;
                self.connections[i].socket = Some(socket);
                Ok(())
            }
            // The server has as many to accept as it lets wait. Over TCP the kernel asks again by itself; over a Unix socket it
            // leaves that to whoever asks.
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                self.try_again_at(self.now + MILLISECOND);
                Ok(())
            }
            Err(error) => {
                self.pending -= 1;
                self.connect_failed(i, &error)
            }
        }
    }

    /// Connection `i` was under way, and something happened.
    pub(super) fn connected(&mut self, i: usize, suspicious: bool) -> Result<(), Error> {
        if suspicious {
            let error = self.connections[i]
                .socket
                .as_ref()
                .map(socket2::Socket::take_error);
            if let Some(Ok(Some(error)) | Err(error)) = error {
                self.pending -= 1;
                return self.connect_failed(i, &error);
            }
        }
        let connection = &mut self.connections[i];
        let took = self.now.saturating_sub(connection.begun);
        connection.begun = self.now;
        note(&mut self.tally.opening.connect, took);
        if T::WRAPS {
            return self.shake_hands(i);
        }
        self.established(i, None)
    }

    /// The socket of connection `i` is connected; its transport begins.
    fn shake_hands(&mut self, i: usize) -> Result<(), Error> {
        let link = match self.task.transport.link() {
            Ok(link) => link,
            Err(failure) => {
                return self.handshake_failed(i, ErrorKind::TlsHandshake, failure);
            }
        };
        let connection = &mut self.connections[i];
        connection.phase = Phase::Opening;
        let fd = connection.fd();
        let link = connection.link.insert(link);
        match self.task.transport.flush(link, fd) {
            Ok(()) => Ok(()),
            Err(error) => self.handshake_failed(i, ErrorKind::TlsHandshake, Complaint::said(error)),
        }
    }

    /// The transport of connection `i` could not be opened.
    pub(super) fn handshake_failed(
        &mut self,
        i: usize,
        kind: ErrorKind,
        why: impl Into<Complaint>,
    ) -> Result<(), Error> {
        self.pending -= 1;
        self.not_opened(i, kind, why.into())
    }

    /// Connection `i` is open; `stamp`: the last of its transport's handshake came then, if the kernel reported it.
    pub(super) fn established(&mut self, i: usize, stamp: Option<Nanos>) -> Result<(), Error> {
        let connection = &self.connections[i];
        if let Some(handshake) = connection.link.as_ref().and_then(T::handshake) {
            let took = stamp.unwrap_or(self.now).saturating_sub(connection.begun);
            let opening = &mut self.tally.opening;
            match handshake {
                Handshake::Full => note(&mut opening.full, took),
                Handshake::Resumed => note(&mut opening.resumed, took),
            }
        }
        self.pending -= 1;
        self.tally.counts.connects += 1;
        // One that has to be set up first is of use only then: see `scan`.
        if !P::MANY {
            self.alive = self.now;
        }
        let connection = &mut self.connections[i];
        connection.phase = Phase::Open;
        self.task
            .protocol
            .opened(&mut connection.state, &mut self.out);
        self.queue_own(i);
        if self.connections[i].was_refused() {
            self.note_down(i);
        }
        let connection = &mut self.connections[i];
        connection.free = self.now;
        if connection.opened {
            self.tally.counts.reconnects += 1;
        } else {
            connection.opened = true;
        }
        self.open_at_start += 1;
        self.tried(i);
        self.dispatch(i)
    }

    /// Connection `i` is open after attempts that came to nothing: its places for requests were idle meanwhile, which is no turnaround of the generator's.
    #[cold]
    fn note_down(&mut self, i: usize) {
        for ticket in (0..self.streams).map(Ticket) {
            let slot = self.slot(i, ticket);
            self.note_idle(self.flights[slot].arrived, self.now);
            self.flights[slot].arrived = NEVER;
        }
    }

    /// Connection `i` could not be opened.
    fn connect_failed(&mut self, i: usize, error: &io::Error) -> Result<(), Error> {
        let kind = match error.raw_os_error() {
            Some(libc::ECONNREFUSED) => ErrorKind::ConnectRefused,
            Some(libc::ETIMEDOUT) => ErrorKind::ConnectTimeout,
            Some(libc::EADDRNOTAVAIL) => ErrorKind::NoLocalPort,
            _ => ErrorKind::Connect,
        };
        let is_first = self.failure.is_none() || self.findings.complaint.is_none();
        let why = match kind {
            ErrorKind::NoLocalPort if is_first => ports::none_free(),
            _ => Complaint::said(error),
        };
        self.not_opened(i, kind, why)
    }

    fn not_opened(&mut self, i: usize, kind: ErrorKind, why: Complaint) -> Result<(), Error> {
        if !matches!(self.stage, Stage::Draining | Stage::Idle) {
            self.tally.counts.unopened.add(kind);
        }
        if self.failure.is_none() {
            self.failure = Some((kind, why.clone()));
        }
        let address = self.task.config.address.to_string();
        let why = Box::new(why);
        self.complain(|| Some(Complaint::Connect { address, why }));
        self.shut(i);
        self.later(i, self.now);
        self.tried(i);
        if self.stage == Stage::Draining {
            // Nothing is asked of the server any more but these.
            self.lose_unseen(kind);
        }
        Ok(())
    }

    /// Tries connection `i`, which is down, again when the pause since the last attempt is over.
    fn later(&mut self, i: usize, since: Nanos) {
        let retry = self.connections[i].pause(since);
        self.try_again_at(retry);
    }

    fn try_again_at(&mut self, retry: Nanos) {
        self.next_retry = self.next_retry.min(retry);
        self.wake_at = self.wake_at.min(retry);
    }

    fn tried(&mut self, i: usize) {
        let connection = &mut self.connections[i];
        if !connection.tried {
            connection.tried = true;
            self.untried -= 1;
        }
    }

    /// Closes connection `i`.
    pub(super) fn shut(&mut self, i: usize) {
        let connection = &mut self.connections[i];
        debug_assert_eq!(connection.in_flight, 0);
        let fd = connection.fd();
        if connection.phase == Phase::Open
            && let Some(link) = &mut connection.link
        {
            self.task.transport.close(link, fd);
        }
        connection.close();
        self.task.protocol.reopened(&mut connection.state);
        // What was still to be said on it is for no other.
        self.out.clear();
    }

    /// Closes connection `i` and opens another in its place, unless the run is over: at once when it has served, and else
    /// not sooner than after a failed attempt. A server that holds fewer connections than were asked for closes
    /// idle ones, and would otherwise be asked for others without end, while nothing else is done.
    pub(super) fn replace(&mut self, i: usize) -> Result<(), Error> {
        let connection = &mut self.connections[i];
        let (served, since) = (connection.served, connection.since);
        if served {
            connection.unpause();
        }
        self.shut(i);
        match self.wants_connections() {
            false => Ok(()),
            true if served => self.connect(i),
            true => {
                self.later(i, since);
                Ok(())
            }
        }
    }

    /// Tries those again whose pause is over.
    pub(super) fn retry(&mut self) -> Result<(), Error> {
        self.next_retry = NEVER;
        if !self.wants_connections() {
            return Ok(());
        }
        for i in 0..self.connections.len() {
            let connection = &self.connections[i];
            match connection.phase {
                Phase::Down if connection.since <= self.now => self.connect(i)?,
                Phase::Down => self.next_retry = self.next_retry.min(connection.since),
                Phase::Connecting if connection.socket.is_none() => self.dial(i)?,
                Phase::Connecting | Phase::Opening | Phase::Open => {}
            }
        }
        Ok(())
    }

    /// Ends what has waited for longer than the timeout; sets when to look again.
    pub(super) fn scan(&mut self) -> Result<(), Error> {
        self.next_scan = self.now + SCAN.min(self.timeout / 20).max(MILLISECOND);
        for i in 0..self.connections.len() {
            let connection = &self.connections[i];
            match connection.phase {
                Phase::Down => {}
                Phase::Connecting => {
                    if self.now.saturating_sub(connection.since) >= self.timeout {
                        self.pending -= 1;
                        self.connect_failed(i, &io::Error::from_raw_os_error(libc::ETIMEDOUT))?;
                    }
                }
                Phase::Opening => {
                    if self.now.saturating_sub(connection.since) >= self.timeout {
                        let within_s = self.task.config.timeout.as_secs_f64();
                        let failure = TlsFailure::Late { within_s };
                        self.handshake_failed(i, ErrorKind::TlsTimeout, failure)?;
                    }
                }
                Phase::Open if self.is_set_up(i) => {
                    self.alive = self.now;
                    if connection.in_flight > 0 {
                        self.scan_flights(i)?;
                    }
                }
                Phase::Open => {
                    if self.now.saturating_sub(connection.free) >= self.timeout {
                        self.note_unready(i);
                        self.replace(i)?;
                    }
                }
            }
        }
        self.scan_unseen();
        self.dispatch_free()
    }

    /// Whether connection `i`, which is open, has taken or can take requests.
    pub(super) fn is_set_up(&self, i: usize) -> bool {
        let connection = &self.connections[i];
        !P::MANY
            || connection.in_flight > 0
            || connection.last
            || connection.proven
            || self.task.protocol.room(&connection.state) > 0
    }

    /// Connection `i` is open, and the server did not say in time what a first request needs.
    fn note_unready(&mut self, i: usize) {
        let connection = &self.connections[i];
        // To the millisecond.
        let waited = self.now.saturating_sub(connection.free) / MILLISECOND;
        let complaint = (self.task.protocol).unready(&connection.state, waited as f64 / 1e3);
        self.left(i, ErrorKind::ConnectTimeout, Some(complaint));
    }

    /// No request could be sent: connections that are still being set up are why.
    pub(super) fn note_all_unready(&mut self) {
        for i in 0..self.connections.len() {
            if self.connections[i].phase == Phase::Open && !self.is_set_up(i) {
                self.note_unready(i);
            }
        }
    }

    /// Ends those of connection `i`'s requests that have waited for longer than the timeout.
    fn scan_flights(&mut self, i: usize) -> Result<(), Error> {
        for ticket in (0..self.streams).map(Ticket) {
            let slot = self.slot(i, ticket);
            let Flight { busy, sent, .. } = self.flights[slot];
            if !busy || !self.is_late(slot, self.now) {
                continue;
            }
            // The response may lie in the socket, unread: then it is not the server that is late.
            self.readable(i, false)?;
            let flight = &self.flights[slot];
            if !flight.busy || flight.sent != sent {
                continue;
            }
            self.now = clock::now();
            self.time_out(i, ticket, self.now);
            let state = &mut self.connections[i].state;
            let goes_on = P::MANY && self.task.protocol.give_up(state, ticket, &mut self.out);
            self.queue_own(i);
            let connection = &self.connections[i];
            if !goes_on || (connection.last && connection.in_flight == 0) {
                self.lose(i, self.now, ErrorKind::Closed);
                return self.replace(i);
            }
            self.free.push(i as u32);
        }
        Ok(())
    }
}
