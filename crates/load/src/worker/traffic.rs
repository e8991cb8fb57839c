//! Requests out, responses in: the part of the loop that runs for each of them.

use std::io;

use super::{Phase, Stage, Worker};
use crate::clock::{self, Nanos};
use crate::error::Error;
use crate::histogram::note;
use crate::outcome::ErrorKind;
use crate::poll::Event;
use crate::protocol::{Progress, Protocol, Response};
use crate::socket::{self, BUFFER};

/// So often one connection is read before the others get their turn.
const READS: usize = 16;

impl<P: Protocol> Worker<P> {
    /// Something happened on a connection.
    #[inline]
    pub(super) fn event(&mut self, event: Event) -> Result<(), Error> {
        let i = event.token as usize;
        let connection = &self.connections[i];
        match connection.phase {
            Phase::Idle | Phase::Busy => {
                if connection.unsent > 0 && event.writable() {
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
                self.connected(i, event.ended())
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
            match self.reader.read(self.connections[i].fd()) {
                Ok((0, _)) => {
                    self.now = clock::now();
                    return self.peer_closed(i);
                }
                Ok((length, stamp)) => {
                    self.now = clock::now();
                    let empty = length < BUFFER;
                    if !self.take(i, length, stamp, closed && empty)? || (empty && !closed) {
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
        // There may be more, of which no further edge would tell.
        let Some(socket) = &self.connections[i].socket else {
            return Ok(());
        };
        self.poll
            .tell_again(socket, i as u64)
            .map_err(Error::system("watch a connection"))
    }

    /// Takes bytes that were read; whether the connection is still the same and may hold more.
    #[inline]
    fn take(
        &mut self,
        i: usize,
        length: usize,
        stamp: Option<Nanos>,
        last: bool,
    ) -> Result<bool, Error> {
        let connection = &mut self.connections[i];
        let arrival = stamp.unwrap_or(self.now);
        if connection.phase != Phase::Busy {
            if self.stage == Stage::Idle {
                // Between slices it is the server's last word, such as a 408 before it closes, and nobody's response.
                self.shut(i);
                return Ok(false);
            }
            self.tally.error(ErrorKind::Unasked);
            self.complain(|| Some(format!("{length} bytes came that no request had asked for")));
            self.replace(i)?;
            return Ok(false);
        }
        if stamp.is_some_and(|stamp| stamp < connection.sent) {
            self.complain(|| Some("a response came before its request was sent".to_owned()));
            self.finish(i, self.now, Some(ErrorKind::Unasked));
            self.replace(i)?;
            return Ok(false);
        }
        connection.bytes_in += length as u64;
        let progress = self
            .task
            .protocol
            .receive(&mut connection.state, self.reader.bytes(length));
        match progress {
            Progress::More => Ok(true),
            Progress::Done { used, response } => {
                let fault = match response.fault {
                    None if used < length => {
                        self.complain(|| {
                            Some(format!(
                                "{} bytes came after the end of the response",
                                length - used
                            ))
                        });
                        Some(ErrorKind::Unasked)
                    }
                    fault => fault,
                };
                self.note_response(i, response, stamp);
                self.finish(i, arrival, fault);
                if response.reuse && used == length && !last && self.connections[i].unsent == 0 {
                    self.free.push(i as u32);
                    return Ok(true);
                }
                self.replace(i)?;
                Ok(false)
            }
            Progress::Broken(kind) => {
                self.finish(i, arrival, Some(kind));
                self.replace(i)?;
                Ok(false)
            }
        }
    }

    fn peer_closed(&mut self, i: usize) -> Result<(), Error> {
        if self.connections[i].phase == Phase::Busy {
            match self.task.protocol.closed(&mut self.connections[i].state) {
                Progress::Done { response, .. } => {
                    self.note_response(i, response, None);
                    self.finish(i, self.now, response.fault);
                }
                Progress::Broken(kind) => self.finish(i, self.now, Some(kind)),
                Progress::More => self.finish(i, self.now, Some(ErrorKind::Closed)),
            }
        }
        self.replace(i)
    }

    /// A system call on connection `i` failed.
    fn broken(&mut self, i: usize, error: &io::Error) -> Result<(), Error> {
        let kind = match error.raw_os_error() {
            Some(libc::ECONNRESET) => ErrorKind::Reset,
            Some(libc::EPIPE) => ErrorKind::Closed,
            _ => ErrorKind::Io,
        };
        if self.connections[i].phase == Phase::Busy {
            self.complain(|| Some(format!("while a response was awaited: {error}")));
            self.finish(i, self.now, Some(kind));
        }
        self.replace(i)
    }

    /// Gives the connections whose responses are in what is due.
    #[inline]
    pub(super) fn dispatch_free(&mut self) -> Result<(), Error> {
        for at in 0..self.free.len() {
            let i = self.free[at] as usize;
            // It may have been lost since.
            if self.connections[i].phase == Phase::Idle {
                self.dispatch(i)?;
            }
        }
        self.free.clear();
        Ok(())
    }

    /// Gives connection `i`, which is free, a request if one is due.
    #[inline]
    pub(super) fn dispatch(&mut self, i: usize) -> Result<(), Error> {
        self.connections[i].phase = Phase::Idle;
        if self.stage == Stage::Running {
            let now = clock::now();
            if let Some(due) = self.pacer.take(now, self.closes) {
                return self.send(i, due, now);
            }
        }
        let connection = &mut self.connections[i];
        if !connection.queued {
            connection.queued = true;
            self.idle.push_back(i as u32);
        }
        Ok(())
    }

    /// Sends what is due, as far as connections are free.
    pub(super) fn send_due(&mut self) -> Result<(), Error> {
        while self.stage == Stage::Running
            && let Some(&i) = self.idle.front()
        {
            let i = i as usize;
            if self.connections[i].phase == Phase::Idle {
                let now = clock::now();
                let Some(due) = self.pacer.take(now, self.closes) else {
                    break;
                };
                self.idle.pop_front();
                self.connections[i].queued = false;
                self.send(i, due, now)?;
            } else {
                // Lost since it was queued.
                self.idle.pop_front();
                self.connections[i].queued = false;
            }
        }
        Ok(())
    }

    /// Sends a request on connection `i`; `now` was read just before.
    #[inline]
    fn send(&mut self, i: usize, due: Nanos, now: Nanos) -> Result<(), Error> {
        let connection = &mut self.connections[i];
        connection.phase = Phase::Busy;
        connection.due = due;
        connection.sent = now;
        connection.bytes_in = 0;
        self.in_flight += 1;
        if self.pacer.is_open() {
            connection.late = self.behind.sends(due, now, connection.free);
        }
        let counts = &mut self.tally.counts;
        counts.sent += 1;
        if due < self.opens {
            counts.lead_in_requests += 1;
        } else if self.pacer.is_open() {
            counts.offered += 1;
            counts.sent_late += u64::from(now > self.closes);
        } else if connection.arrived != 0 {
            counts.turnaround += now.saturating_sub(connection.arrived);
            counts.turnarounds += 1;
        }
        let fd = connection.fd();
        let bytes = self.task.protocol.request(&mut connection.state);
        connection.bytes_out = bytes.len() as u64;
        match socket::send(fd, bytes) {
            Ok(sent) if sent == bytes.len() => Ok(()),
            Ok(sent) => {
                connection.unsent = bytes.len() - sent;
                Ok(())
            }
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                connection.unsent = bytes.len();
                Ok(())
            }
            Err(error) => {
                self.now = clock::now();
                self.broken(i, &error)
            }
        }
    }

    /// Sends more of a request that the socket did not take in one piece.
    fn send_rest(&mut self, i: usize) -> Result<(), Error> {
        let connection = &mut self.connections[i];
        let bytes = self.task.protocol.in_flight(&connection.state);
        let rest = &bytes[bytes.len() - connection.unsent..];
        match socket::send(connection.fd(), rest) {
            Ok(sent) => {
                connection.unsent -= sent;
                Ok(())
            }
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => Ok(()),
            Err(error) => {
                self.now = clock::now();
                self.broken(i, &error)
            }
        }
    }

    #[inline]
    fn is_measured(&self, due: Nanos) -> bool {
        due >= self.opens && due <= self.closes
    }

    /// Notes of the whole response on connection `i` what is no time of the request.
    #[inline]
    fn note_response(&mut self, i: usize, response: Response, stamp: Option<Nanos>) {
        if self.is_measured(self.connections[i].due) {
            self.tally.status(response.status);
            if response.changed {
                self.note_change();
            }
            match stamp {
                Some(stamp) => note(&mut self.tally.lag, self.now.saturating_sub(stamp)),
                None => self.tally.counts.unstamped += 1,
            }
        }
    }

    /// A good response is not as it was when the server was verified.
    #[cold]
    fn note_change(&mut self) {
        self.tally.counts.changed += 1;
        if self.findings.change.is_none() {
            let sentence = self.task.protocol.complaint();
            self.findings.change = sentence.map(|sentence| (self.now, sentence));
        }
    }

    /// The request on connection `i` came to its end at `at`.
    #[inline]
    pub(super) fn finish(&mut self, i: usize, at: Nanos, fault: Option<ErrorKind>) {
        self.in_flight -= 1;
        self.findings.last_end = self.findings.last_end.max(at);
        if fault.is_some() {
            let sentence = self.task.protocol.complaint();
            self.complain(|| sentence);
        }
        let connection = &mut self.connections[i];
        connection.phase = Phase::Idle;
        let first = connection.fresh && fault.is_none();
        connection.fresh &= !first;
        connection.arrived = at;
        connection.free = at;
        let (due, sent) = (connection.due, connection.sent);
        let (bytes_in, bytes_out) = (connection.bytes_in, connection.bytes_out);
        let measured = self.is_measured(due);
        let counts = &mut self.tally.counts;
        if fault.is_none() {
            counts.good += 1;
            if at >= self.opens && at <= self.closes {
                counts.responses_in_window += 1;
            }
        }
        if first {
            self.responded(at);
        }
        if !measured {
            return;
        }
        let counts = &mut self.tally.counts;
        counts.requests += 1;
        counts.bytes_in += bytes_in;
        counts.bytes_out += bytes_out;
        match fault {
            Some(kind) => self.tally.error(kind),
            None if at > self.closes => self.tally.counts.drained += 1,
            None => {}
        }
        if fault.is_some_and(ErrorKind::is_lost) {
            note(&mut self.tally.lost.latency, at.saturating_sub(due));
            note(&mut self.tally.lost.service, at.saturating_sub(sent));
            return;
        }
        note(&mut self.tally.latency, at.saturating_sub(due));
        if let Some(service) = &mut self.tally.service {
            note(service, at.saturating_sub(sent));
            let late = self.connections[i].late;
            if late > 0 {
                self.tally.late.note(at.saturating_sub(due), late);
            }
        }
    }

    /// A connection's first good response of the slice came at `at`.
    #[cold]
    fn responded(&mut self, at: Nanos) {
        let first = self.findings.first_response.get_or_insert(at);
        *first = at.min(*first);
        self.unresponded = self.unresponded.saturating_sub(1);
        if self.unresponded == 0 {
            self.findings.all_responded = Some(at);
        }
    }
}
