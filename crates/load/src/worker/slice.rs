//! A slice of load in a thread, from the order to what is handed over at its end.

use std::mem;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::sync::mpsc::TryRecvError;
use std::time::Duration;

use super::connection::Flight;
use super::late::Behind;
use super::{Findings, Message, Phase, REFUSALS, Silences, Stage, Worker};
use crate::affinity;
use crate::clock::{self, NEVER, Nanos};
use crate::config::{Slice, Until};
use crate::error::Error;
use crate::histogram::note;
use crate::outcome::ErrorKind;
use crate::pacing::Pacer;
use crate::protocol::{Place, Protocol};
use crate::record::Tally;
use crate::schedule::{Rate, Schedule};
use crate::transport::Transport;

impl<P: Protocol, T: Transport> Worker<P, T> {
    /// What is ordered, if something is.
    pub(super) fn take_order(&mut self) -> Result<(), Error> {
        match self.task.orders.try_recv() {
            Ok(flow) => {
                self.flow = flow;
                self.prepare();
                self.connect_more()
            }
            Err(TryRecvError::Empty) => Ok(()),
            Err(TryRecvError::Disconnected) => {
                self.stage = Stage::Done;
                Ok(())
            }
        }
    }

    /// Before a slice: what the server has closed since the last one is opened again.
    fn prepare(&mut self) {
        self.stage = Stage::Connecting;
        self.closes = self.flow.end.load(Ordering::Relaxed);
        self.open_at_start = 0;
        self.untried = 0;
        self.unopened.clear();
        for (i, connection) in (0..).zip(&mut self.connections) {
            match connection.phase {
                Phase::Down if connection.may_be_tried(self.now) => {
                    connection.tried = false;
                    self.untried += 1;
                    self.unopened.push_back(i);
                }
                // Another attempt failed not long ago, and the next one has its time.
                Phase::Down => self.next_retry = self.next_retry.min(connection.since),
                Phase::Connecting | Phase::Opening => {
                    connection.tried = false;
                    connection.since = self.now;
                    self.untried += 1;
                    if connection.socket.is_none() {
                        self.next_retry = self.now;
                    }
                }
                Phase::Open => self.open_at_start += 1,
            }
        }
        self.next_connects = self.now;
        self.next_scan = self.now;
    }

    pub(super) fn await_start(&mut self) -> Result<(), Error> {
        let start = self.flow.start.load(Ordering::Acquire);
        if start == NEVER {
            self.stage = Stage::Idle;
            self.next_retry = NEVER;
            return self.take_order();
        } else if start != 0 && self.now >= start {
            return self.begin(start);
        } else if self.now >= self.next_scan {
            self.scan()?;
        }
        Ok(())
    }

    /// Load begins.
    fn begin(&mut self, start: Nanos) -> Result<(), Error> {
        let flow = Arc::clone(&self.flow);
        let Some(slice) = &flow.slice else {
            self.stage = Stage::Idle;
            return Ok(());
        };
        // Reported before the start was.
        self.closes = flow.end.load(Ordering::Relaxed);
        let lead_in = slice.lead_in();
        let origin = flow.origin.load(Ordering::Relaxed);
        self.opens = origin.saturating_add(clock::nanos(lead_in));
        self.next_window = self.opens.saturating_add(slice.window_length());
        self.window = 0;
        let schedule = (self.task.config.schedule(slice)).map(|(arrivals, stages)| {
            let rate = Rate::new(lead_in.as_secs_f64(), &stages);
            let Place {
                thread, threads, ..
            } = self.task.place;
            let mut schedule = Schedule::new(arrivals, rate, origin, thread, threads, slice.seed);
            // What was due in a part of the lead-in that there is not is no burst at its beginning.
            while schedule.next() < start {
                schedule.advance();
            }
            schedule
        });
        self.pacer = Pacer::new(Arc::clone(&flow.budget), schedule);
        self.behind = Behind::default();
        self.silences = Silences::begin(start);
        for connection in &mut self.connections {
            connection.served = false;
            connection.fresh = true;
        }
        for flight in &mut self.flights {
            flight.arrived = 0;
        }
        self.unresponded = self.connections.len();
        self.task.protocol.begin();
        // From here on it is reported as the slice's first error. Until then it was kept: a protocol says once why it was given up.
        self.failure = None;
        self.stage = Stage::Running;
        self.alive = self.now;
        self.keep_time()?;
        self.send_due()
    }

    pub(super) fn keep_time(&mut self) -> Result<(), Error> {
        if self.now >= self.opens && self.cpu_before.is_none() {
            self.cpu_before = Some(clock::thread_cpu());
            self.polled = 0;
        }
        while self.now >= self.next_window && self.next_window < self.closes {
            self.hand_over(None);
        }
        if self.now >= self.next_scan {
            self.scan()?;
            // Another thread may have done so before, and connections are free here.
            self.pacer.share();
            self.send_due()?;
        }
        if self.stage == Stage::Running && self.now > self.closes {
            // This thread may have been late: what fell due by the end, and finds a free connection, is sent.
            self.send_due()?;
            self.close_window();
        }
        let over = match self.stage {
            Stage::Running => {
                (self.in_flight == 0 && self.limited() && self.pacer.exhausted()) || self.given_up()
            }
            _ if self.in_flight == 0 => true,
            _ if self.now < self.closes.saturating_add(self.timeout) => false,
            _ => {
                // What has waited for the whole timeout is a timeout, whenever the last scan was.
                self.scan()?;
                true
            }
        };
        if over {
            self.finish_slice();
        }
        Ok(())
    }

    fn limited(&self) -> bool {
        let slice = self.flow.slice.as_ref();
        slice.is_some_and(|slice| matches!(slice.until, Until::Requests(_)))
    }

    /// A run by number would never end when the server is gone, and none has a use when the server refuses every connection.
    fn given_up(&mut self) -> bool {
        let most = REFUSALS * self.connections.len();
        let refused = self.in_flight == 0 && self.refusals.is_some_and(|refusals| refusals >= most);
        let gone = refused || self.limited() && self.now.saturating_sub(self.alive) > self.timeout;
        if gone {
            self.note_all_unready();
            self.silences.gave_up(self.now);
            self.pacer.give_up();
        }
        gone
    }

    /// The window is closed: nothing more is sent, and what found no connection is lost.
    fn close_window(&mut self) {
        self.stage = Stage::Draining;
        self.note_cpu();
        if self.findings.last_end == 0 && self.in_flight == 0 {
            self.note_all_unready();
        }
        let is_closed = !self.pacer.is_open() && !self.limited();
        if is_closed && self.in_flight == 0 {
            // Each connection would have sent.
            self.silences.gave_up(self.closes);
        }
        while let Some(due) = self.pacer.take_unsent(self.closes) {
            if due >= self.opens {
                self.tally.counts.offered += 1;
                self.tally.counts.requests += 1;
                self.tally.error(ErrorKind::Censored);
                self.silences.gave_up(self.closes);
                note(&mut self.tally.lost.latency, self.closes - due);
                if self.behind.leaves(due, self.closes) {
                    self.tally.counts.sent_late += 1;
                    self.tally.late.left(self.closes - due);
                }
            }
        }
    }

    fn note_cpu(&mut self) {
        let before = self.cpu_before.unwrap_or_else(clock::thread_cpu);
        let used = clock::thread_cpu().saturating_sub(before);
        self.findings.cpu = used.saturating_sub(Duration::from_nanos(self.polled));
        self.polls_until = 0;
    }

    /// The slice is over: what has no response yet will have none.
    fn finish_slice(&mut self) {
        if self.stage == Stage::Running {
            self.note_cpu();
        }
        self.stage = Stage::Idle;
        if !self.pacer.is_open() {
            self.note_free();
            self.findings.mute = if self.limited() { 0 } else { self.unresponded };
        }
        let silences = mem::replace(&mut self.silences, Silences::begin(0));
        self.findings.silences = silences.end(self.in_flight > 0, self.now);
        self.lose_unseen(ErrorKind::Censored);
        for i in 0..self.connections.len() {
            match self.connections[i].phase {
                Phase::Open if self.connections[i].in_flight > 0 => {
                    self.lose(i, self.now, ErrorKind::Censored);
                    self.shut(i);
                }
                Phase::Connecting | Phase::Opening => {
                    self.pending -= 1;
                    self.shut(i);
                }
                Phase::Down | Phase::Open => {}
            }
        }
        self.next_retry = NEVER;
        self.next_window = NEVER;
        self.cpu_before = None;
        self.pacer = Pacer::new(Arc::clone(&self.flow.budget), None);
        let core = self.task.config.cpus.get(self.task.thread);
        self.findings.astray = core.is_some_and(|&cpu| !affinity::is_pinned(cpu));
        let findings = mem::take(&mut self.findings);
        self.hand_over(Some(findings));
    }

    /// Notes when the places for requests that have none in flight became free (closed loop): from then on they were idle.
    fn note_free(&mut self) {
        let known = |flight: &&Flight| !flight.busy && flight.arrived != NEVER;
        for flight in self.flights.iter().filter(known) {
            let since = flight.arrived.max(self.opens).min(self.closes);
            self.findings.free.0 += 1;
            self.findings.free.1 += u128::from(since);
        }
    }

    /// Passes the window's notes on and begins new ones.
    fn hand_over(&mut self, last: Option<Findings>) {
        let fresh = self.task.recycled.try_recv();
        let fresh = fresh.unwrap_or_else(|_| Box::new(Tally::new(self.task.config.is_open())));
        let tally = mem::replace(&mut self.tally, fresh);
        // Nobody listens any more only when the session was given up.
        let _ = self.task.messages.send(Message::Window {
            thread: self.task.thread,
            window: self.window,
            tally,
            last,
        });
        self.window += 1;
        let length = (self.flow.slice.as_ref()).map_or(NEVER, Slice::window_length);
        self.next_window = self.next_window.saturating_add(length);
    }
}
