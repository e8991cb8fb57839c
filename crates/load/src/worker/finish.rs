//! What is noted of a request when it has come to its end.

use photofinish_model::finding::complaint::Complaint;

use super::{Times, Worker};
use crate::clock::Nanos;
use crate::histogram::note;
use crate::outcome::ErrorKind;
use crate::protocol::{Protocol, Response, Ticket};
use crate::transport::Transport;

/// A thread's first responses show whether bodies have one length. A server whose bodies vary gives two lengths in so many.
const FIRST_RESPONSES: u64 = 100;

impl<P: Protocol, T: Transport> Worker<P, T> {
    #[inline]
    fn is_measured(&self, due: Nanos) -> bool {
        due >= self.opens && due <= self.closes
    }

    /// The whole response to the request that goes by `ticket` on connection `i` is here; the kernel got its last bytes at `stamp`.
    #[inline]
    pub(super) fn respond(
        &mut self,
        i: usize,
        ticket: Ticket,
        response: Response,
        stamp: Option<Nanos>,
    ) {
        let slot = self.slot(i, ticket);
        let arrival = stamp.unwrap_or(self.now);
        self.responses += 1;
        // Whether a scan came between the timeout and the response is chance.
        if self.is_late(slot, arrival) {
            return self.time_out(i, ticket, arrival);
        }
        self.note_response(slot, response, stamp);
        self.finish(i, ticket, arrival, response.fault);
    }

    /// Whether the request that is remembered in `slot` has waited for longer than the timeout at `at`.
    #[inline]
    pub(super) fn is_late(&self, slot: usize, at: Nanos) -> bool {
        at.saturating_sub(self.flights[slot].sent) >= self.timeout
    }

    /// The request that goes by `ticket` on connection `i` had no whole response within the timeout, which is over at `at`.
    #[cold]
    pub(super) fn time_out(&mut self, i: usize, ticket: Ticket, at: Nanos) {
        let within_s = self.task.config.timeout.as_secs_f64();
        self.complain(|| Some(Complaint::Late { within_s }));
        self.finish(i, ticket, at, Some(ErrorKind::Timeout));
    }

    /// Notes of a whole response what is no time of the request, which is remembered in `slot`.
    #[inline]
    fn note_response(&mut self, slot: usize, response: Response, stamp: Option<Nanos>) {
        if response.changed {
            self.note_change(slot, response.fault);
        }
        if self.is_measured(self.flights[slot].due) {
            self.tally.status(response.status);
            match stamp {
                Some(stamp) => note(&mut self.tally.lag, self.now.saturating_sub(stamp)),
                None => self.tally.counts.unstamped += 1,
            }
        }
    }

    /// A response is not as it was when the server was verified; with another status it is no good one. Or its body is not as long as the first one:
    /// if that is so from the beginning, bodies vary.
    #[cold]
    fn note_change(&mut self, slot: usize, fault: Option<ErrorKind>) {
        let is_verified = self.task.config.baseline.is_some();
        if !is_verified && self.responses <= FIRST_RESPONSES {
            self.task.protocol.lengths_vary();
            self.findings.lengths_vary = true;
            return;
        }
        if !self.is_measured(self.flights[slot].due) {
            return;
        }
        self.tally.counts.changed += 1;
        if self.findings.change.is_none() {
            let change = self.task.protocol.complaint();
            if fault.is_some() {
                self.complain(|| change.clone());
            }
            self.findings.change = change.map(|change| (self.now, change));
        }
    }

    /// The request that goes by `ticket` on connection `i` came to its end at `at`.
    #[inline]
    pub(super) fn finish(&mut self, i: usize, ticket: Ticket, at: Nanos, fault: Option<ErrorKind>) {
        if fault.is_some() {
            let complaint = self.task.protocol.complaint();
            self.complain(|| complaint);
        }
        let connection = &mut self.connections[i];
        let first = connection.fresh && fault.is_none();
        connection.fresh &= !first;
        connection.served = true;
        connection.proven = true;
        if !P::MANY || connection.in_flight == self.streams {
            connection.free = at;
        }
        let bytes = (connection.bytes_in, connection.bytes_out);
        if P::MANY {
            // What comes and goes from here on belongs to the others.
            (connection.bytes_in, connection.bytes_out) = (0, 0);
        }
        let times = self.give_back(i, ticket);
        let slot = self.slot(i, ticket);
        self.flights[slot].arrived = at;
        if first {
            self.responded(at);
        }
        self.note_end(times, at, fault, bytes);
    }

    /// The request that goes by `ticket` on connection `i` is no longer under way there.
    #[inline]
    pub(super) fn give_back(&mut self, i: usize, ticket: Ticket) -> Times {
        let slot = self.slot(i, ticket);
        let connection = &mut self.connections[i];
        connection.in_flight -= 1;
        let flight = &mut self.flights[slot];
        flight.busy = false;
        if P::MANY {
            flight.next = connection.vacant;
            connection.vacant = ticket.0;
        }
        Times {
            due: flight.due,
            sent: flight.sent,
            late: flight.late,
        }
    }

    /// Since when a request with these times has waited for the server. In an open loop it does from when it falls due, also while no connection
    /// can be had, but for what the generator is late by itself.
    #[inline]
    fn waited_since(&self, times: Times) -> Nanos {
        match self.pacer.is_open() {
            true => times.due + times.late,
            false => times.sent,
        }
    }

    /// A request with these times, for which so many bytes came and went, came to its end at `at`.
    #[inline]
    pub(super) fn note_end(
        &mut self,
        times: Times,
        at: Nanos,
        fault: Option<ErrorKind>,
        (bytes_in, bytes_out): (u64, u64),
    ) {
        self.in_flight -= 1;
        self.findings.last_end = self.findings.last_end.max(at);
        match fault {
            Some(kind) if kind.is_lost() || kind == ErrorKind::Timeout => self.silences.gave_up(at),
            _ => self.silences.responded(self.waited_since(times), at),
        }
        let Times { due, sent, late } = times;
        let measured = self.is_measured(due);
        let counts = &mut self.tally.counts;
        if fault.is_none() {
            counts.good += 1;
            if at >= self.opens && at <= self.closes {
                counts.responses_in_window += 1;
            }
        }
        if !measured {
            self.note_carried(due, at);
            return;
        }
        let counts = &mut self.tally.counts;
        counts.requests += 1;
        counts.bytes_in += bytes_in;
        counts.bytes_out += bytes_out;
        counts.outlasted += at.saturating_sub(self.closes);
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
            if late > 0 {
                self.tally.late.note(at.saturating_sub(due), late);
            }
        }
    }

    /// A request that is not of the window came to its end at `at`: it may have been under way within the window.
    fn note_carried(&mut self, due: Nanos, at: Nanos) {
        if due < self.opens {
            let within = at.min(self.closes).saturating_sub(self.opens);
            self.tally.counts.carried += within;
        }
    }

    /// A connection's first good response of the slice came at `at`.
    #[cold]
    fn responded(&mut self, at: Nanos) {
        self.refusals = None;
        let first = self.findings.first_response.get_or_insert(at);
        *first = at.min(*first);
        self.unresponded = self.unresponded.saturating_sub(1);
        if self.unresponded == 0 {
            self.findings.all_responded = Some(at);
        }
    }
}
