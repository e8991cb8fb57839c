//! One thread of a session: its event loop, from the first connect to the last response of the last slice.

mod connection;
mod late;
mod links;
mod task;
mod traffic;

use std::collections::VecDeque;
use std::os::fd::AsFd;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::sync::mpsc::TryRecvError;
use std::time::Duration;

use crate::clock::{self, MILLISECOND, NEVER, Nanos};
use crate::config::Slice;
use crate::error::Error;
use crate::histogram::note;
use crate::outcome::ErrorKind;
use crate::pacing::Pacer;
use crate::poll::Poll;
use crate::protocol::Protocol;
use crate::record::Tally;
use crate::schedule::{Rate, Schedule};
use crate::socket::{BUFFER, Reader, Source};
use crate::timer::Timer;
use crate::transport::Transport;
use connection::{Connection, Flight, Phase};
use late::Behind;
pub use task::{Findings, Flow, Message, Task};

/// Not connections.
const TIMER: u64 = u64::MAX;
const BELL: u64 = u64::MAX - 1;

/// Events taken from the kernel at once.
const EVENTS: usize = 1024;

/// So many responses are read before the next requests are sent. A run of reads and then a run of sends should find
/// more of the kernel's code in the cache, and wake a sleeping server less often, than each in turn; what it
/// saves was not told from noise on a busy machine (0 to 4% of CPU). Some 20 µs of work at most, which the
/// turnaround shows.
const TOGETHER: usize = 32;

/// A timer of the kernel wakes a thread late by some microseconds, by tens on a machine whose cores go to
/// sleep; for this long before a request is due the loop looks instead of sleeping.
const LOOK_AHEAD: Nanos = 50_000;

/// How often timeouts are looked for, and the word to stop where nothing else happens.
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
    pacer: Pacer,
    behind: Behind,
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
    failure: Option<(ErrorKind, String)>,
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
    cpu_before: Option<Duration>,
}

impl<P: Protocol, T: Transport> Worker<P, T> {
    /// Makes a thread's loop, which is woken by `bell`; connects nothing yet.
    pub fn new(task: Task<P, T>, bell: impl AsFd) -> Result<Self, Error> {
        let count = task.connections;
        let poll = Poll::new(EVENTS.min(count + 2)).map_err(Error::system("make a poll"))?;
        let timer = Timer::new(&poll, TIMER).map_err(Error::system("make a timer"))?;
        poll.watch(bell, BELL)
            .map_err(Error::system("watch for orders"))?;
        let connections = (0..count)
            .map(|i| Connection::new(task.protocol.state(i)))
            .collect();
        let streams = task.protocol.streams().max(1);
        let flights = (0..count).flat_map(|_| Flight::all(streams)).collect();
        let plain = if T::WRAPS { BUFFER } else { 0 };
        let flow = Arc::new(Flow::new(None, task.threads));
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
            pacer: Pacer::new(Arc::clone(&flow.budget), None),
            behind: Behind::default(),
            tally: Box::new(Tally::new(task.config.is_open())),
            findings: Findings::default(),
            stage: Stage::Idle,
            now: clock::now(),
            opens: NEVER,
            closes: NEVER,
            timeout: clock::nanos(task.config.timeout).max(MILLISECOND),
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
            cpu_before: None,
            flow,
            task,
        })
    }

    /// The whole of it: one slice after another, until the session is closed.
    pub fn run(mut self) -> Result<(), Error> {
        loop {
            if self.now >= self.wake_at || self.now > self.closes || self.in_flight == 0 {
                self.turn()?;
                if self.stage == Stage::Done {
                    return Ok(());
                }
            }
            let sleep = self.may_sleep()?;
            let events = self.poll.wait(sleep);
            let events = events.map_err(Error::system("wait for events"))?;
            // After the sleep, however long it was: nothing is sent that falls due after the end.
            self.closes = self.flow.end.load(Ordering::Relaxed);
            if events == 0 {
                self.now = clock::now();
            }
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
        if wake <= self.now {
            return Ok(false);
        }
        self.timer.arm(wake).map_err(Error::system("set a timer"))?;
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

    /// What is ordered, if something is.
    fn take_order(&mut self) -> Result<(), Error> {
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
                }
                Phase::Open => self.open_at_start += 1,
            }
        }
        self.next_connects = self.now;
        self.next_scan = self.now;
    }

    fn await_start(&mut self) -> Result<(), Error> {
        let start = self.flow.start.load(Ordering::Acquire);
        if start == NEVER {
            self.stage = Stage::Idle;
            self.next_retry = NEVER;
            return self.take_order();
        } else if start != 0 && self.now >= start {
            return self.begin(start);
        } else if self.now >= self.next_scan {
            self.next_scan = self.now + SCAN;
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
        // Told before the start was.
        self.closes = flow.end.load(Ordering::Relaxed);
        let lead_in = slice.lead_in();
        self.opens = start.saturating_add(clock::nanos(lead_in));
        self.next_window = self.opens.saturating_add(slice.window_length());
        self.window = 0;
        let schedule = (self.task.config.schedule(slice)).map(|(arrivals, stages)| {
            let rate = Rate::new(lead_in.as_secs_f64(), &stages);
            let (thread, threads) = (self.task.thread, self.task.threads);
            Schedule::new(arrivals, rate, start, thread, threads, slice.seed)
        });
        self.pacer = Pacer::new(Arc::clone(&flow.budget), schedule);
        self.behind = Behind::default();
        for connection in &mut self.connections {
            connection.served = false;
            connection.fresh = true;
        }
        for flight in &mut self.flights {
            flight.arrived = 0;
        }
        self.unresponded = self.connections.len();
        self.task.protocol.begin();
        // From here on it is told as the slice's first error. Until then it was kept: a protocol says once why it was given up.
        self.failure = None;
        self.stage = Stage::Running;
        self.alive = self.now;
        self.keep_time()?;
        self.send_due()
    }

    fn keep_time(&mut self) -> Result<(), Error> {
        if self.now >= self.opens && self.cpu_before.is_none() {
            self.cpu_before = Some(clock::thread_cpu());
        }
        while self.now >= self.next_window && self.next_window < self.closes {
            self.hand_over(None);
        }
        if self.now >= self.next_scan {
            self.next_scan = self.now + SCAN.min(self.timeout / 4).max(MILLISECOND);
            self.scan()?;
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
            _ => self.in_flight == 0 || self.now >= self.closes.saturating_add(self.timeout),
        };
        if over {
            self.finish_slice();
        }
        Ok(())
    }

    fn limited(&self) -> bool {
        self.flow.slice.as_ref().and_then(Slice::requests).is_some()
    }

    /// A run by number would never end when the server is gone.
    fn given_up(&mut self) -> bool {
        let gone = self.limited() && self.now.saturating_sub(self.alive) > self.timeout;
        if gone {
            self.note_not_set_up();
            self.pacer.give_up();
        }
        gone
    }

    /// The window is closed: nothing more is sent, and what found no connection is lost.
    fn close_window(&mut self) {
        self.stage = Stage::Draining;
        self.note_cpu();
        while let Some(due) = self.pacer.take_unsent(self.closes) {
            if due >= self.opens {
                self.tally.counts.offered += 1;
                self.tally.counts.requests += 1;
                self.tally.error(ErrorKind::Censored);
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
        self.findings.cpu = clock::thread_cpu().saturating_sub(before);
    }

    /// The slice is over: what has no response yet will have none.
    fn finish_slice(&mut self) {
        if self.stage == Stage::Running {
            self.note_cpu();
        }
        self.stage = Stage::Idle;
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
        let findings = std::mem::take(&mut self.findings);
        self.hand_over(Some(findings));
    }

    /// Passes the window's notes on and begins new ones.
    fn hand_over(&mut self, last: Option<Findings>) {
        let fresh = self.task.recycled.try_recv();
        let fresh = fresh.unwrap_or_else(|_| Box::new(Tally::new(self.task.config.is_open())));
        let tally = std::mem::replace(&mut self.tally, fresh);
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

    /// Keeps the first sentence about what went wrong.
    fn complain(&mut self, sentence: impl FnOnce() -> Option<String>) {
        if self.findings.complaint.is_none() {
            self.findings.complaint = sentence().map(|sentence| (self.now, sentence));
        }
    }
}
