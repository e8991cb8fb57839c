//! Responses in: what is read from a connection, and what becomes of it where it ends.

use std::io;
use std::os::fd::AsRawFd;

use photofinish_model::finding::complaint::{Complaint, TlsFailure};
use photofinish_model::finding::failure::LoadPart;
use photofinish_model::secret::blank;

use super::{Phase, Stage, Worker};
use crate::clock::{self, Nanos};
use crate::error::{Error, system};
use crate::outcome::ErrorKind;
use crate::poll::Event;
use crate::protocol::{Progress, Protocol, Response, Ticket};
use crate::reader::Piece;
use crate::transport::Transport;

/// How much is shown of what a server says that speaks first, in bytes.
const BEGINS: usize = 40;

/// So often one connection is read before the others get their turn.
const READS: usize = 16;

impl<P: Protocol, T: Transport> Worker<P, T> {
    /// Something happened on a connection.
    #[inline]
    pub(super) fn event(&mut self, event: Event) -> Result<(), Error> {
        let i = event.token as usize;
        let connection = &self.connections[i];
        match connection.phase {
            Phase::Open | Phase::Opening => {
                let keeps = T::WRAPS && connection.link.as_ref().is_some_and(T::keeps);
                if (connection.unsent > 0 || keeps) && event.writable() {
                    self.send_rest(i)?;
                }
                if event.readable() {
                    self.readable(i, event.ended())
                } else {
                    Ok(())
                }
            }
            Phase::Connecting => {
                self.now = clock::now();
                self.connected(i, event.ended())?;
                // A server that speaks first may have spoken by then, which no further edge would show.
                match self.connections[i].phase {
                    Phase::Open | Phase::Opening if event.readable() => {
                        self.readable(i, event.ended())
                    }
                    _ => Ok(()),
                }
            }
            Phase::Down => Ok(()),
        }
    }

    /// Reads what connection `i` holds. `closed`: the peer will send nothing more.
    ///
    /// A read that does not fill the buffer has emptied the socket: what comes later is another edge, so
    /// that asking until the kernel says "nothing" would be a system call for nothing.
    pub(super) fn readable(&mut self, i: usize, closed: bool) -> Result<(), Error> {
        for _ in 0..READS {
            match self.read(i) {
                Ok(()) => {
                    self.now = clock::now();
                    let empty = !self.reader.is_full();
                    let pieces = self.reader.pieces();
                    for at in 0..pieces {
                        let piece = self.reader.piece(at);
                        self.received += piece.length as u64;
                        if piece.length == 0 {
                            return self.peer_closed(i);
                        }
                        let last = closed && empty && at + 1 == pieces;
                        let goes_on = match T::WRAPS {
                            true => self.unwrap(i, piece, last)?,
                            false => self.take(i, piece, last)?,
                        };
                        if !goes_on {
                            return Ok(());
                        }
                    }
                    if empty && !closed {
                        return Ok(());
                    }
                }
                Err(error) => match error.kind() {
                    io::ErrorKind::WouldBlock => return Ok(()),
                    io::ErrorKind::Interrupted => {}
                    _ => {
                        self.now = clock::now();
                        return self.broken(i, &error);
                    }
                },
            }
        }
        // There may be more, which no further edge would show.
        let Some(socket) = &self.connections[i].socket else {
            return Ok(());
        };
        self.poll
            .report_again(socket, i as u64)
            .map_err(system(LoadPart::Connection))
    }

    /// Reads connection `i` once. Responses that are handled in batches keep their own times of arrival, since each is
    /// about a piece of the read.
    #[inline]
    fn read(&mut self, i: usize) -> io::Result<()> {
        let fd = self.connections[i].fd();
        if !(P::MANY && self.batches && self.responses > 0) {
            return self.reader.read(fd).map(drop);
        }
        let length = self.received / self.responses;
        self.reader.read_pieces(fd, length as usize)
    }

    /// Takes bytes that were read over a transport that wraps them; whether the connection is still the same and may hold more.
    fn unwrap(&mut self, i: usize, piece: Piece, last: bool) -> Result<bool, Error> {
        let Piece { length, stamp, .. } = piece;
        let (mut at, mut failed) = (0, None);
        loop {
            let connection = &mut self.connections[i];
            let Some(link) = &mut connection.link else {
                return Ok(false);
            };
            let fd = connection.socket.as_ref().map_or(-1, AsRawFd::as_raw_fd);
            let wrapped = &self.reader.bytes(piece)[at..];
            let unwrapped = self.task.transport.unwrap(link, wrapped, &mut self.plain);
            // What it has to say of itself, be it only why it gives up.
            let flushed = self.task.transport.flush(link, fd);
            let unwrapped = match unwrapped {
                Ok(unwrapped) => unwrapped,
                Err((kind, failure)) => return self.unusable(i, kind, failure),
            };
            // What has come is read to its end first.
            failed = failed.or(flushed.err());
            at += unwrapped.used;
            if connection.phase == Phase::Opening && T::is_open(link) {
                self.established(i, stamp)?;
                // It may have been lost with its first request.
                if self.connections[i].phase != Phase::Open {
                    return Ok(false);
                }
            }
            if unwrapped.plain > 0 {
                let ends = last && at == length;
                let plain = piece.unwrapped(unwrapped.plain);
                if !self.take(i, plain, ends)? {
                    return Ok(false);
                }
            }
            if unwrapped.closed {
                return self.peer_closed(i).map(|()| false);
            }
            if unwrapped.used == 0 && unwrapped.plain == 0 {
                return match failed {
                    None => Ok(true),
                    Some(error) => self.broken(i, &error).map(|()| false),
                };
            }
        }
    }

    /// What came on connection `i` cannot be unwrapped.
    fn unusable(&mut self, i: usize, kind: ErrorKind, failure: TlsFailure) -> Result<bool, Error> {
        if self.connections[i].phase == Phase::Opening {
            return self.handshake_failed(i, kind, failure).map(|()| false);
        }
        if self.connections[i].in_flight > 0 {
            self.complain(|| Some(failure.into()));
            self.lose(i, self.now, kind);
        } else {
            self.left(i, kind, Some(failure.into()));
        }
        self.replace(i).map(|()| false)
    }

    /// Takes bytes that the protocol is to see; whether the connection is still the same and may hold more.
    #[inline]
    fn take(&mut self, i: usize, piece: Piece, last: bool) -> Result<bool, Error> {
        let Piece { length, stamp, .. } = piece;
        let connection = &self.connections[i];
        if !P::MANY {
            if connection.in_flight == 0 {
                return self.unasked(i, piece);
            }
            if stamp.is_some_and(|stamp| stamp < self.flights[i].sent) {
                return self.too_early(i, Ticket(0));
            }
        }
        let mut at = 0;
        loop {
            let connection = &mut self.connections[i];
            let bytes = match T::WRAPS {
                true => &self.plain[at..length],
                false => &self.reader.bytes(piece)[at..],
            };
            connection.bytes_in += bytes.len() as u64;
            let progress = self
                .task
                .protocol
                .receive(&mut connection.state, bytes, &mut self.out);
            match progress {
                Progress::More => break,
                Progress::Done {
                    used,
                    ticket,
                    response,
                } => {
                    at += used;
                    if P::MANY {
                        connection.bytes_in -= (length - at) as u64;
                        let sent = self.flights[self.slot(i, ticket)].sent;
                        if stamp.is_some_and(|stamp| stamp < sent) {
                            return self.too_early(i, ticket);
                        }
                        self.connections[i].last |= !response.reuse;
                        self.respond(i, ticket, response, stamp);
                        // With nothing left too: one frame may end several requests.
                        continue;
                    }
                    let fault = match response.fault {
                        None if at < length => {
                            let bytes = (length - at) as u64;
                            self.complain(|| Some(Complaint::Surplus { bytes }));
                            Some(ErrorKind::Unasked)
                        }
                        fault => fault,
                    };
                    self.respond(i, ticket, Response { fault, ..response }, stamp);
                    if response.reuse && at == length && !last && self.connections[i].unsent == 0 {
                        self.free.push(i as u32);
                        return Ok(true);
                    }
                    self.replace(i)?;
                    return Ok(false);
                }
                Progress::Unseen { used, ticket } => {
                    at += used;
                    connection.bytes_in -= (length - at) as u64;
                    self.take_back(i, ticket);
                }
                Progress::Last { used } => {
                    at += used;
                    connection.last = true;
                    connection.bytes_in -= (length - at) as u64;
                }
                Progress::Broken(kind) => {
                    if P::MANY {
                        if connection.in_flight == 0 {
                            self.stray(i, kind);
                        }
                        // Why it is given up; a server that does not take it need not know.
                        self.queue_own(i);
                        let _ = self.push(i);
                    }
                    self.lose(i, stamp.unwrap_or(self.now), kind);
                    self.replace(i)?;
                    return Ok(false);
                }
            }
        }
        if !P::MANY {
            return Ok(true);
        }
        self.queue_own(i);
        if self.connections[i].last && self.connections[i].in_flight == 0 {
            if !self.connections[i].proven && !self.pacer.is_open() {
                self.useless(i);
            }
            self.replace(i)?;
            return Ok(false);
        }
        // A read in pieces may have put it there already.
        if self.free.last() != Some(&(i as u32)) {
            self.free.push(i as u32);
        }
        Ok(true)
    }

    /// Bytes came that no request had asked for, and the protocol knows of none.
    #[cold]
    fn unasked(&mut self, i: usize, piece: Piece) -> Result<bool, Error> {
        if self.stage == Stage::Idle {
            // Between slices it is the server's last word, such as a 408 before it closes, and nobody's response.
            self.shut(i);
            return Ok(false);
        }
        let bytes = piece.length as u64;
        let complaint = match self.connections[i].proven {
            true => Complaint::Unasked { bytes },
            false => {
                let all = match T::WRAPS {
                    true => &self.plain[..piece.length],
                    false => self.reader.bytes(piece),
                };
                let begins = blank(&all[..piece.length.min(BEGINS)])
                    .escape_ascii()
                    .to_string();
                Complaint::SpeaksFirst { bytes, begins }
            }
        };
        self.left(i, ErrorKind::Unasked, Some(complaint));
        self.replace(i)?;
        Ok(false)
    }

    /// The server took its leave of a connection before anything had ended on it. In a closed loop each connection is wanted at once: where
    /// all are left so, nothing is measured, and no request ever fails. In an open loop what is due fails.
    #[cold]
    fn useless(&mut self, i: usize) {
        let complaint = self.task.protocol.complaint();
        let complaint = complaint.unwrap_or(Complaint::Left {});
        self.left(i, ErrorKind::Closed, Some(complaint));
    }

    /// Connection `i`, on which nothing was in flight, is of no further use.
    #[cold]
    fn stray(&mut self, i: usize, kind: ErrorKind) {
        let complaint = self.task.protocol.complaint();
        self.left(i, kind, complaint);
    }

    /// The same, with what is to be said of it. It is the end of no request. One on which a request has ended served its purpose: a server may close
    /// it, unless it breaks the protocol. Else it is as good as one that could not be opened.
    #[cold]
    pub(super) fn left(&mut self, i: usize, kind: ErrorKind, complaint: Option<Complaint>) {
        // Before load flows it is why there is no connection.
        if self.stage != Stage::Running
            && let Some(complaint) = &complaint
        {
            self.failure.get_or_insert((kind, complaint.clone()));
        }
        if self.stage == Stage::Idle {
            return;
        }
        let served = self.connections[i].proven;
        match served {
            true => self.tally.counts.idle_ends.add(kind),
            false => {
                self.tally.counts.unopened.add(kind);
                if let Some(refusals) = &mut self.refusals {
                    *refusals += usize::from(kind.is_refusal());
                }
            }
        }
        if !served || kind.is_response() {
            self.complain(|| complaint);
        }
    }

    #[cold]
    fn too_early(&mut self, i: usize, ticket: Ticket) -> Result<bool, Error> {
        self.complain(|| Some(Complaint::TooEarly {}));
        self.finish(i, ticket, self.now, Some(ErrorKind::Unasked));
        self.lose(i, self.now, ErrorKind::Closed);
        self.replace(i)?;
        Ok(false)
    }

    fn peer_closed(&mut self, i: usize) -> Result<(), Error> {
        let connection = &self.connections[i];
        let cut_off = connection.link.as_ref().and_then(T::cut_off);
        if connection.phase == Phase::Opening {
            let (kind, failure) =
                cut_off.unwrap_or((ErrorKind::TlsHandshake, TlsFailure::ClosedInHandshake {}));
            return self.handshake_failed(i, kind, failure);
        }
        if connection.in_flight > 0
            && let Some((kind, failure)) = cut_off
        {
            self.complain(|| Some(failure.into()));
            self.lose(i, self.now, kind);
        } else if connection.in_flight > 0 {
            match self.task.protocol.closed(&mut self.connections[i].state) {
                Progress::Done {
                    response, ticket, ..
                } => {
                    self.respond(i, ticket, response, None);
                    self.lose(i, self.now, ErrorKind::Closed);
                }
                Progress::Broken(kind) => self.lose(i, self.now, kind),
                Progress::More | Progress::Unseen { .. } | Progress::Last { .. } => {
                    self.lose(i, self.now, ErrorKind::Closed);
                }
            }
        } else if !self.is_set_up(i) {
            // Why is said, as an idle connection's end is not.
            let state = &mut self.connections[i].state;
            // What the protocol has to say of it.
            let _ = self.task.protocol.closed(state);
            self.stray(i, ErrorKind::Closed);
        } else if !self.connections[i].proven {
            self.left_early(i);
        }
        self.replace(i)
    }

    /// The server closed connection `i` before it had responded to anything on it, and nothing was in flight. A server that holds fewer connections may do
    /// so; if no other is open, it is why. In a closed loop over one that takes many requests it had taken none yet, though it was set up.
    #[cold]
    fn left_early(&mut self, i: usize) {
        let complaint = Complaint::Left {};
        match self.stage {
            Stage::Running if P::MANY && !self.pacer.is_open() => {
                self.left(i, ErrorKind::Closed, Some(complaint));
            }
            _ => {
                self.failure.get_or_insert((ErrorKind::Closed, complaint));
            }
        }
    }

    /// Sending on connection `i` failed. What the server said before it closed is read first: it may have responded to a request that it did not
    /// read to the end.
    #[cold]
    pub(super) fn cut_short(&mut self, i: usize, error: &io::Error) -> Result<(), Error> {
        if self.connections[i].phase == Phase::Open && self.connections[i].in_flight > 0 {
            self.readable(i, true)?;
            // Else another takes its place.
            if self.connections[i].phase != Phase::Open {
                return Ok(());
            }
        }
        self.now = clock::now();
        self.broken(i, error)
    }

    /// A system call on connection `i` failed.
    pub(super) fn broken(&mut self, i: usize, error: &io::Error) -> Result<(), Error> {
        if self.connections[i].phase == Phase::Opening {
            let says = error.to_string();
            let failure = TlsFailure::Interrupted { says };
            return self.handshake_failed(i, ErrorKind::TlsHandshake, failure);
        }
        let kind = match error.raw_os_error() {
            Some(libc::ECONNRESET) => ErrorKind::Reset,
            Some(libc::EPIPE) => ErrorKind::Closed,
            _ => ErrorKind::Io,
        };
        if self.connections[i].in_flight > 0 {
            let says = error.to_string();
            self.complain(|| Some(Complaint::Interrupted { says }));
            self.lose(i, self.now, kind);
        }
        self.replace(i)
    }

    /// All requests in flight on connection `i` come to this end.
    pub(super) fn lose(&mut self, i: usize, at: Nanos, kind: ErrorKind) {
        for ticket in (0..self.streams).map(Ticket) {
            if self.connections[i].in_flight == 0 {
                return;
            }
            if self.flights[self.slot(i, ticket)].busy {
                self.finish(i, ticket, at, Some(kind));
            }
        }
    }
}
