//! One thread of a session: its event loop, from the first connect to the last response of the last slice.

mod connection;
mod finish;
mod late;
mod links;
mod receive;
mod send;
mod silences;
mod slice;
mod task;
mod unseen;

use std::collections::VecDeque;
use std::os::fd::AsFd;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use crate::clock::{self, MILLISECOND, NEVER, Nanos};
use crate::error::Error;
use crate::outcome::ErrorKind;
use crate::pacing::Pacer;
use crate::poll::Poll;
use crate::protocol::{Protocol, Ticket};
use crate::record::Tally;
use crate::socket::{BUFFER, Reader, Source};
use crate::timer::Timer;
use crate::transport::Transport;
use connection::{Connection, Flight, Phase};
use late::Behind;
use photofinish_model::finding::complaint::Complaint;
use photofinish_model::finding::failure::LoadPart;
use silences::Silences;
pub use task::{Findings, Flow, Message, Task};
use unseen::Times;

/// Not connections.
const TIMER: u64 = u64::MAX;
const BELL: u64 = u64::MAX - 1;

/// Events taken from the kernel at once.
const EVENTS: usize = 1024;

/// So many responses are read before the next requests are sent. A run of reads and then a run of sends should find
/// more of the kernel's code in the cache, and wake a sleeping server less often, than each in turn; what it
/// saves was not distinguishable from noise on a busy machine (0 to 4% of CPU). Some 20 µs of work at most, which the
/// turnaround shows.
const TOGETHER: usize = 32;

/// A timer of the kernel wakes a thread late by some microseconds, by tens on a machine whose cores go to
/// sleep; for this long before a request is due the loop looks instead of sleeping.
const LOOK_AHEAD: Nanos = 50_000;

/// For so long after something came the loop of [`Config::eager`](crate::Config::eager) looks before it sleeps: longer than a server takes for
/// what a hundred connections ask at once.
const LOOK_ON: Nanos = MILLISECOND;

/// A server that has refused each connection so often, and has never responded, is not asked again.
const REFUSALS: usize = 4;

/// How often timeouts are looked for, and the word to stop where nothing else happens; more often where the timeout is shorter.
const SCAN: Nanos = 100 * MILLISECOND;

/// Where the thread is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    /// Nothing is ordered. Connections that the server closes are noticed, and that is all.
    Idle,
    Connecting,
    Waiting,
    Running,
    Draining,
    Done,
}

/// One thread's loop.
pub struct Worker<P: Protocol, T: Transport> {
    task: Task<P, T>,
    flow: Arc<Flow>,
    poll: Poll,
    timer: Timer,
    reader: Reader,
    connections: Vec<Connection<P::State, T::Link>>,
    /// How many requests may be in flight on a connection, and what is remembered of each: see [`Worker::slot`].
    streams: u32,
    flights: Vec<Flight>,
    /// What a transport has unwrapped.
    plain: Box<[u8]>,
    /// What a protocol says of itself, until the connection has it.
    out: Vec<u8>,
    /// Connections that wait for a request to be due. May hold some that have been lost since.
    idle: VecDeque<u32>,
    /// Connections whose responses are in and that have not been looked at since: see [`TOGETHER`].
    free: Vec<u32>,
    /// Requests that are in flight and on no connection: they are sent again.
    unseen: VecDeque<Times>,
    pacer: Pacer,
    behind: Behind,
    silences: Silences,
    tally: Box<Tally>,
    findings: Findings,
    stage: Stage,
    /// The last reading of the clock.
    now: Nanos,
    /// The window.
    opens: Nanos,
    closes: Nanos,
    timeout: Nanos,
    in_flight: usize,
    /// Opening: connects under way, connections that are to be opened, connections not tried to the end.
    pending: usize,
    unopened: VecDeque<u32>,
    untried: usize,
    open_at_start: usize,
    failure: Option<(ErrorKind, Complaint)>,
    source: Source,
    /// When something has to be done though nothing arrives.
    wake_at: Nanos,
    next_connects: Nanos,
    next_scan: Nanos,
    next_retry: Nanos,
    next_window: Nanos,
    window: u64,
    /// When a connection was last seen open.
    alive: Nanos,
    /// How many connections have had no good response in this slice.
    unresponded: usize,
    /// How often the server has refused a connection that it had accepted, for a reason that stays; `None` once it has responded to a request.
    refusals: Option<usize>,
    cpu_before: Option<Duration>,
    /// Until when the loop looks and does not sleep: see [`LOOK_ON`].
    looks_until: Nanos,
    /// For how long it has looked and found nothing since the window opened: no work that the load takes.
    looked: Nanos,
}

impl<P: Protocol, T: Transport> Worker<P, T> {
    /// Makes a thread's loop, which is woken by `bell`; connects nothing yet.
    pub fn new(task: Task<P, T>, bell: impl AsFd) -> Result<Self, Error> {
        let count = task.connections;
        let poll = Poll::new(EVENTS.min(count + 2)).map_err(Error::system(LoadPart::Poll))?;
        let timer = Timer::new(&poll, TIMER).map_err(Error::system(LoadPart::Timer))?;
        poll.watch(bell, BELL)
            .map_err(Error::system(LoadPart::Poll))?;
        let connections = (0..count)
            .map(|i| Connection::new(task.protocol.state(i)))
            .collect();
        let streams = task.protocol.streams().max(1);
        let flights = (0..count).flat_map(|_| Flight::all(streams)).collect();
        let plain = if T::WRAPS { BUFFER } else { 0 };
        let flow = Arc::new(Flow::new(None, task.config.share, task.threads));
        Ok(Worker {
            poll,
            timer,
            reader: Reader::new(),
            connections,
            streams,
            flights,
            plain: vec![0; plain].into_boxed_slice(),
            out: Vec::new(),
            idle: VecDeque::with_capacity(count),
            free: Vec::with_capacity(TOGETHER),
            unseen: VecDeque::new(),
            pacer: Pacer::new(Arc::clone(&flow.budget), None),
            behind: Behind::default(),
            silences: Silences::begin(0),
            tally: Box::new(Tally::new(task.config.is_open())),
            findings: Findings::default(),
            stage: Stage::Idle,
            now: clock::now(),
            opens: NEVER,
            closes: NEVER,
            timeout: clock::nanos(task.config.timeout),
            in_flight: 0,
            pending: 0,
            unopened: VecDeque::with_capacity(count),
            untried: 0,
            open_at_start: 0,
            failure: None,
            source: Source::default(),
            wake_at: 0,
            next_connects: 0,
            next_scan: 0,
            next_retry: NEVER,
            next_window: NEVER,
            window: 0,
            alive: clock::now(),
            unresponded: 0,
            refusals: Some(0),
            cpu_before: None,
            looks_until: 0,
            looked: 0,
            flow,
            task,
        })
    }

    /// The whole of it: one slice after another, until the session is closed.
    pub fn run(mut self) -> Result<(), Error> {
        let eager = self.task.config.eager && !self.task.config.is_open();
        let mut found_nothing = false;
        loop {
            if self.now >= self.wake_at || self.now > self.closes || self.in_flight == 0 {
                self.turn()?;
                if self.stage == Stage::Done {
                    return Ok(());
                }
            }
            let sleep = self.may_sleep()?;
            let events = self.poll.wait(sleep);
            let events = events.map_err(Error::system(LoadPart::Poll))?;
            // After the sleep, however long it was: nothing is sent that falls due after the end.
            self.closes = self.flow.end.load(Ordering::Relaxed);
            let came = events > 0;
            if !came {
                let before = std::mem::replace(&mut self.now, clock::now());
                // The first look of a row comes after work, which is counted.
                if found_nothing && !sleep {
                    self.looked += self.now.saturating_sub(before);
                }
            }
            found_nothing = !came;
            for at in 0..events {
                let event = self.poll.event(at);
                match event.token {
                    TIMER => {
                        self.timer.rang();
                        self.now = clock::now();
                    }
                    BELL => {
                        self.now = clock::now();
                        self.wake_at = self.now;
                    }
                    _ => self.event(event)?,
                }
                if self.free.len() >= TOGETHER {
                    self.dispatch_free()?;
                }
                if self.pacer.next_due() <= self.now {
                    self.send_due()?;
                }
            }
            self.dispatch_free()?;
            if eager && came && self.stage == Stage::Running {
                self.looks_until = self.now + LOOK_ON;
            }
        }
    }

    /// Sets when to wake up: when something is to be done, or a request falls due that a connection is free for. Whether
    /// the poll may sleep until then.
    ///
    /// A timer ends the sleep, and no time limit of the poll's own: that counts whole milliseconds, and the kernel would
    /// set up and take down a timer each time that the loop sleeps, which it does every few responses.
    fn may_sleep(&mut self) -> Result<bool, Error> {
        let mut wake = self.wake_at;
        if self.stage == Stage::Running && self.pacer.is_open() && !self.idle.is_empty() {
            if self.pacer.next_due() <= self.now + LOOK_AHEAD {
                self.now = clock::now();
                self.send_due()?;
                if self.pacer.next_due() <= self.now + LOOK_AHEAD && !self.idle.is_empty() {
                    return Ok(false);
                }
            }
            wake = wake.min(self.pacer.next_due() - LOOK_AHEAD);
        }
        if wake <= self.now || self.now < self.looks_until {
            return Ok(false);
        }
        self.timer
            .arm(wake)
            .map_err(Error::system(LoadPart::Timer))?;
        Ok(true)
    }

    /// What has to be done by time; sets when to come back.
    fn turn(&mut self) -> Result<(), Error> {
        self.now = clock::now();
        match self.stage {
            Stage::Idle => self.take_order()?,
            Stage::Connecting => self.connect_more()?,
            Stage::Waiting => self.await_start()?,
            Stage::Running | Stage::Draining => self.keep_time()?,
            Stage::Done => {}
        }
        if self.now >= self.next_retry {
            self.retry()?;
        }
        self.wake_at = match self.stage {
            Stage::Idle => NEVER,
            Stage::Connecting => self.next_connects,
            Stage::Waiting => match self.flow.start.load(Ordering::Acquire) {
                0 => self.next_scan.min(self.next_retry),
                NEVER => self.now,
                start => start,
            },
            _ => {
                let ends = if self.next_window < self.closes {
                    self.next_window
                } else {
                    NEVER
                };
                self.next_scan
                    .min(ends)
                    .min(self.next_retry)
                    .min(self.next_event())
            }
        };
        Ok(())
    }

    /// The next of the run's own instants.
    fn next_event(&self) -> Nanos {
        match self.stage {
            Stage::Running if self.now < self.opens => self.opens.min(self.closes),
            Stage::Running => self.closes.saturating_add(1),
            _ => self.closes.saturating_add(self.timeout),
        }
    }

    /// Where what is remembered of a request stands.
    #[inline]
    fn slot(&self, i: usize, ticket: Ticket) -> usize {
        match P::MANY {
            true => i * self.streams as usize + ticket.0 as usize,
            false => i,
        }
    }

    /// Keeps the first complaint about what went wrong.
    fn complain(&mut self, complaint: impl FnOnce() -> Option<Complaint>) {
        if self.findings.complaint.is_none() {
            self.findings.complaint = complaint().map(|complaint| (self.now, complaint));
        }
    }
}
