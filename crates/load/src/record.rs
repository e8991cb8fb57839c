//! What a thread notes of a second of its run, and how threads' notes are added.

use std::collections::BTreeMap;

use hdrhistogram::Histogram;

use crate::clock::Nanos;
use crate::histogram::{add, histogram, small};
use crate::outcome::{ErrorKind, KIND_COUNT, KINDS, Late, Opening};

/// Statuses have three digits.
const STATUSES: usize = 1000;

/// What one thread counted.
#[derive(Clone, Debug)]
pub struct Tally {
    pub latency: Histogram<u64>,
    /// Only in an open loop: in a closed one it would repeat `latency`.
    pub service: Option<Histogram<u64>>,
    /// How long requests had waited that never got a response, from when they were due and from when they were sent.
    pub lost: Lost,
    pub late: Late,
    pub lag: Histogram<u64>,
    pub opening: Opening,
    pub status: Box<[u64; STATUSES]>,
    pub counts: Counts,
}

/// The times of requests that never got a response.
#[derive(Clone, Debug)]
pub struct Lost {
    pub latency: Histogram<u64>,
    pub service: Histogram<u64>,
}

impl Lost {
    fn new() -> Self {
        Lost {
            latency: small(),
            service: small(),
        }
    }
}

/// How many errors there were, by the index of their kind.
#[derive(Clone, Copy, Debug)]
pub struct Errors(pub [u64; KIND_COUNT]);

impl Default for Errors {
    fn default() -> Self {
        Errors([0; KIND_COUNT])
    }
}

impl Errors {
    /// Counts one.
    pub fn add(&mut self, kind: ErrorKind) {
        self.0[kind.index()] += 1;
    }

    /// How many there are.
    fn all(&self) -> u64 {
        self.0.iter().sum()
    }

    /// Those of each kind that there is.
    pub fn by_kind(&self) -> BTreeMap<ErrorKind, u64> {
        let all = KINDS.into_iter().zip(self.0);
        all.filter(|(_, count)| *count > 0).collect()
    }

    fn merge(&mut self, other: &Errors) {
        for (mine, theirs) in self.0.iter_mut().zip(other.0) {
            *mine += theirs;
        }
    }
}

/// The numbers that are simply added.
#[derive(Clone, Copy, Debug, Default)]
pub struct Counts {
    pub requests: u64,
    pub responses_in_window: u64,
    /// Requests of the window that ended badly.
    pub errors: Errors,
    /// Connections that could not be opened, or were closed before a request ended on them.
    pub unopened: Errors,
    /// Connections that ended while no request was in flight on them.
    pub idle_ends: Errors,
    pub drained: u64,
    /// Time within the window of requests that were due before it, all together.
    pub carried: Nanos,
    /// Time after the window of its requests, all together.
    pub outlasted: Nanos,
    pub lead_in_requests: u64,
    /// Requests that were sent, and good responses, whenever that was.
    pub sent: u64,
    pub good: u64,
    /// Of the window's good responses, those that were not as when the server was verified, or not as long as the first ones.
    pub changed: u64,
    /// Fell due within the window, in an open loop.
    pub offered: u64,
    /// Of these, sent after it, or not at all, by the generator's doing.
    pub sent_late: u64,
    pub bytes_in: u64,
    pub bytes_out: u64,
    pub connects: u64,
    pub reconnects: u64,
    pub turnaround: Nanos,
    pub turnarounds: u64,
    /// Requests of the window that no turnaround precedes (closed loop).
    pub firsts: u64,
    /// Time within the window in which places for requests were idle before their first request, or because nothing was left to send (closed loop).
    pub idle: Nanos,
    /// Responses without a kernel stamp.
    pub unstamped: u64,
}

impl Tally {
    /// Nothing yet.
    pub fn new(open: bool) -> Self {
        Tally {
            latency: histogram(),
            service: open.then(histogram),
            lost: Lost::new(),
            late: Late::default(),
            lag: histogram(),
            opening: Opening::default(),
            status: Box::new([0; STATUSES]),
            counts: Counts::default(),
        }
    }

    /// Back to nothing, with the memory kept.
    pub fn clear(&mut self) {
        self.latency.reset();
        self.lag.reset();
        if let Some(service) = &mut self.service {
            service.reset();
        }
        self.lost.latency.reset();
        self.lost.service.reset();
        self.late.clear();
        self.opening.clear();
        self.status.fill(0);
        self.counts = Counts::default();
    }

    /// Counts an error.
    pub fn error(&mut self, kind: ErrorKind) {
        self.counts.errors.add(kind);
    }

    /// Counts a status.
    #[inline]
    pub fn status(&mut self, status: u16) {
        if let Some(count) = self.status.get_mut(usize::from(status)) {
            *count += 1;
        }
    }

    /// Adds another thread's or another second's.
    pub fn add(&mut self, other: &Tally) {
        add(&mut self.latency, &other.latency);
        add(&mut self.lag, &other.lag);
        if let (Some(mine), Some(theirs)) = (&mut self.service, &other.service) {
            add(mine, theirs);
        }
        add(&mut self.lost.latency, &other.lost.latency);
        add(&mut self.lost.service, &other.lost.service);
        self.late.add(&other.late);
        self.opening.add(&other.opening);
        for (mine, theirs) in self.status.iter_mut().zip(other.status.iter()) {
            *mine += theirs;
        }
        self.counts.add(&other.counts);
    }
}

impl Counts {
    /// Errors of all kinds, failed connects included.
    pub fn all_errors(&self) -> u64 {
        self.errors.all() + self.unopened.all()
    }

    fn add(&mut self, other: &Counts) {
        // Taken apart in full, so that a new field cannot be forgotten here.
        let Counts {
            requests,
            responses_in_window,
            errors,
            unopened,
            idle_ends,
            drained,
            carried,
            outlasted,
            lead_in_requests,
            sent,
            good,
            changed,
            offered,
            sent_late,
            bytes_in,
            bytes_out,
            connects,
            reconnects,
            turnaround,
            turnarounds,
            firsts,
            idle,
            unstamped,
        } = other;
        self.errors.merge(errors);
        self.unopened.merge(unopened);
        self.idle_ends.merge(idle_ends);
        for (mine, theirs) in [
            (&mut self.requests, requests),
            (&mut self.responses_in_window, responses_in_window),
            (&mut self.drained, drained),
            (&mut self.carried, carried),
            (&mut self.outlasted, outlasted),
            (&mut self.lead_in_requests, lead_in_requests),
            (&mut self.sent, sent),
            (&mut self.good, good),
            (&mut self.changed, changed),
            (&mut self.offered, offered),
            (&mut self.sent_late, sent_late),
            (&mut self.bytes_in, bytes_in),
            (&mut self.bytes_out, bytes_out),
            (&mut self.connects, connects),
            (&mut self.reconnects, reconnects),
            (&mut self.turnaround, turnaround),
            (&mut self.turnarounds, turnarounds),
            (&mut self.firsts, firsts),
            (&mut self.idle, idle),
            (&mut self.unstamped, unstamped),
        ] {
            *mine += theirs;
        }
    }
}

#[cfg(test)]
mod tests;
