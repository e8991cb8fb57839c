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
use std::thread;
use std::time::Duration;

use crate::clock::{self, MILLISECOND, NEVER, Nanos};
use crate::error::{Error, system};
use crate::outcome::ErrorKind;
use crate::pacing::Pacer;
use crate::poll::Poll;
use crate::protocol::{Protocol, Ticket};
use crate::reader::{BUFFER, Reader};
use crate::record::Tally;
use crate::socket::Source;
use crate::timer::Timer;
use crate::transport::Transport;
use connection::{Connection, Flight, Phase};
use late::Behind;
use photofinish_model::finding::complaint::Complaint;
use photofinish_model::finding::failure::LoadPart;
use silences::Silences;
pub use task::{Findings, Flow, Message, Task};
use unseen::Times;

/// Tokens that are no connection's index.
const TIMER: u64 = u64::MAX;
const WAKER: u64 = u64::MAX - 1;

/// The most events that one poll takes from the kernel.
const EVENTS: usize = 1024;

/// How many connections are read before the next requests are sent. A run of reads and then a run of sends should
/// find more of the kernel's code in the cache, and wake a sleeping server less often, than each in turn. On a busy
/// machine the saving was not distinguishable from noise (0 to 4% of CPU). The turnaround shows its cost: some 20 µs
/// at most.
const TOGETHER: usize = 32;

/// How long before a request is due the loop polls instead of sleeping. A timer of the kernel wakes a thread late by
/// some microseconds, and by tens on a machine whose cores go to sleep.
const POLL_AHEAD: Nanos = 50_000;

/// How long the loop of [`Config::eager`](crate::Config::eager) polls after an event before it sleeps: longer than a
/// server needs to answer a hundred connections that ask at once.
const POLL_ON: Nanos = MILLISECOND;

/// How often a server that has never responded may refuse each connection before the load gives up.
const REFUSALS: usize = 4;

/// The longest interval between checks for timeouts and for the order to stop; shorter timeouts shorten it.
const SCAN: Nanos = 100 * MILLISECOND;

/// The stage of a thread's slice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    /// No slice is ordered. The thread only notices connections that the server closes.
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
    /// The bytes that a transport has unwrapped.
    plain: Box<[u8]>,
    /// Bytes that a protocol sends by itself, until they are queued on their connection.
    out: Vec<u8>,
    /// Connections that wait for a request to be due. May hold some that have been lost since.
    idle: VecDeque<u32>,
    /// Connections that have been read and not yet given their next requests: see [`TOGETHER`].
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
    /// Whether responses are handled in batches: see [`Config::batch`](crate::Config::batch).
    batches: bool,
    /// Bytes that were read, and responses that came, since the session was opened: a read in pieces aims at one
    /// response in each.
    received: u64,
    responses: u64,
    /// When a connection was last seen open.
    alive: Nanos,
    /// How many connections have had no good response in this slice.
    unresponded: usize,
    /// How often the server has refused a connection that it had accepted, for a reason that stays; `None` once it has responded to a request.
    refusals: Option<usize>,
    cpu_before: Option<Duration>,
    /// Until when the loop polls and does not sleep: see [`POLL_ON`].
    polls_until: Nanos,
    /// How long it has polled in vain since the window opened, which is no work that the load needs.
    polled: Nanos,
}

impl<P: Protocol, T: Transport> Worker<P, T> {
    /// Makes a thread's loop, which `waker` wakes; connects nothing yet.
    pub fn new(task: Task<P, T>, waker: impl AsFd) -> Result<Self, Error> {
        let count = task.connections;
        let poll = Poll::new(EVENTS.min(count + 2)).map_err(system(LoadPart::Poll))?;
        let timer = Timer::new(&poll, TIMER).map_err(system(LoadPart::Timer))?;
        poll.watch(waker, WAKER).map_err(system(LoadPart::Poll))?;
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
            batches: !task.config.batch.is_zero(),
            received: 0,
            responses: 0,
            alive: clock::now(),
            unresponded: 0,
            refusals: Some(0),
            cpu_before: None,
            polls_until: 0,
            polled: 0,
            flow,
            task,
        })
    }

    /// Runs one slice after another, until the session is closed.
    pub fn run(mut self) -> Result<(), Error> {
        let eager = self.task.config.eager && !self.task.config.is_open();
        let mut found_nothing = false;
        loop {
            if self.now >= self.wake_at || self.now > self.closes || self.in_flight == 0 {
                self.do_what_is_due()?;
                if self.stage == Stage::Done {
                    return Ok(());
                }
            }
            let sleep = self.may_sleep()?;
            if sleep && self.batches && !found_nothing && self.stage == Stage::Running {
                thread::sleep(self.task.config.batch);
            }
            let events = self.poll.wait(sleep);
            let events = events.map_err(system(LoadPart::Poll))?;
            // After the sleep, however long it was: nothing is sent that falls due after the end.
            self.closes = self.flow.end.load(Ordering::Relaxed);
            let came = events > 0;
            if !came {
                let before = std::mem::replace(&mut self.now, clock::now());
                // The first poll of a row follows work, which is counted.
                if found_nothing && !sleep {
                    self.polled += self.now.saturating_sub(before);
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
                    WAKER => {
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
                self.polls_until = self.now + POLL_ON;
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
            if self.pacer.next_due() <= self.now + POLL_AHEAD {
                self.now = clock::now();
                self.send_due()?;
                if self.pacer.next_due() <= self.now + POLL_AHEAD && !self.idle.is_empty() {
                    return Ok(false);
                }
            }
            wake = wake.min(self.pacer.next_due() - POLL_AHEAD);
        }
        if wake <= self.now || self.now < self.polls_until {
            return Ok(false);
        }
        self.timer.arm(wake).map_err(system(LoadPart::Timer))?;
        Ok(true)
    }

    /// Does what is due by time, and sets when to come back.
    fn do_what_is_due(&mut self) -> Result<(), Error> {
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

    /// Returns the index of a request's [`Flight`].
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
