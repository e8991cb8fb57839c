//! One thread of a run: its event loop, from the first connect to the last answer.

mod connection;
mod links;
mod task;
mod traffic;

use std::collections::VecDeque;
use std::sync::atomic::Ordering;
use std::time::Duration;

use crate::clock::{self, MILLISECOND, NEVER, Nanos};
use crate::config::Until;
use crate::error::Error;
use crate::histogram::note;
use crate::outcome::ErrorKind;
use crate::pacing::Pacer;
use crate::poll::Poll;
use crate::protocol::Protocol;
use crate::record::Tally;
use crate::schedule::{Rate, Schedule};
use crate::socket::{Reader, Source};
use crate::timer::Timer;
use connection::{Connection, Phase};
pub use task::{Findings, Message, Shared, Task};

/// Not a connection.
const TIMER: u64 = u64::MAX;

/// Events taken from the kernel at once.
const EVENTS: usize = 1024;

/// So many answers are read before the next requests are sent. A run of reads and then a run of sends should find
/// more of the kernel's code in the cache, and wake a sleeping server less often, than each in turn; what it
/// saves was not told from noise on a busy machine (0 to 4% of CPU). Some 20 µs of work at most, which the
/// turnaround shows.
const TOGETHER: usize = 32;

/// A timer of the kernel wakes a thread late by some microseconds, by tens on a machine whose cores go to
/// sleep; for this long before a request is due the loop looks instead of sleeping.
const LOOK_AHEAD: Nanos = 50_000;

/// How often timeouts are looked for, and the word to stop where nothing else happens.
const SCAN: Nanos = 100 * MILLISECOND;

/// How often the word to begin is listened for: a quarter of what lies between the word and the beginning.
const LISTEN: Nanos = MILLISECOND / 2;

/// Where the thread is in the run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    Connecting,
    Waiting,
    Running,
    Draining,
    Done,
}

/// One thread's loop.
pub struct Worker<'a, P: Protocol> {
    task: Task<'a, P>,
    poll: Poll,
    timer: Timer,
    reader: Reader,
    connections: Vec<Connection<P::State>>,
    /// Connections that wait for a request to be due. May hold some that have been lost since.
    idle: VecDeque<u32>,
    /// Connections whose answers are in and that have not been looked at since: see [`TOGETHER`].
    free: Vec<u32>,
    pacer: Pacer<'a>,
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
    /// Opening: connects under way, connections not begun, connections not tried to the end.
    pending: usize,
    unopened: usize,
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
    cpu_before: Option<Duration>,
}

impl<'a, P: Protocol> Worker<'a, P> {
    /// Makes a thread's loop; connects nothing yet.
    pub fn new(task: Task<'a, P>) -> Result<Self, Error> {
        let count = task.connections;
        let poll = Poll::new(EVENTS.min(count + 1)).map_err(Error::system("make a poll"))?;
        let timer = Timer::new(&poll, TIMER).map_err(Error::system("make a timer"))?;
        let connections = (0..count)
            .map(|i| Connection::new(task.protocol.state(i)))
            .collect();
        let open = task.config.is_open();
        Ok(Worker {
            poll,
            timer,
            reader: Reader::new(),
            connections,
            idle: VecDeque::with_capacity(count),
            free: Vec::with_capacity(TOGETHER),
            pacer: Pacer::new(&task.shared.budget, None),
            tally: Box::new(Tally::new(open)),
            findings: Findings::default(),
            stage: Stage::Connecting,
            now: clock::now(),
            opens: NEVER,
            closes: NEVER,
            timeout: clock::nanos(task.config.timeout).max(MILLISECOND),
            in_flight: 0,
            pending: 0,
            unopened: count,
            untried: count,
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
            cpu_before: None,
            task,
        })
    }

    /// The whole of it.
    pub fn run(mut self) -> Result<Findings, Error> {
        loop {
            if self.now >= self.wake_at || self.now > self.closes || self.in_flight == 0 {
                self.turn()?;
                if self.stage == Stage::Done {
                    break;
                }
            }
            let sleep = self.may_sleep()?;
            let events = self.poll.wait(sleep);
            let events = events.map_err(Error::system("wait for events"))?;
            // After the sleep, however long it was: nothing is sent that falls due after the end.
            self.closes = self.task.shared.end.load(Ordering::Relaxed);
            if events == 0 {
                self.now = clock::now();
            }
            for at in 0..events {
                let event = self.poll.event(at);
                if event.token == TIMER {
                    self.timer.rang();
                    self.now = clock::now();
                } else {
                    self.event(event)?;
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
        self.hand_over(true);
        Ok(self.findings)
    }

    /// Sets when to wake up: when something is to be done, or a request falls due that a connection is free for. Whether
    /// the poll may sleep until then.
    ///
    /// A timer ends the sleep, and no time limit of the poll's own: that counts whole milliseconds, and the kernel would
    /// set up and take down a timer each time that the loop sleeps, which it does every few answers.
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
            Stage::Connecting => self.connect_more()?,
            Stage::Waiting => self.await_start()?,
            Stage::Running | Stage::Draining => self.keep_time()?,
            Stage::Done => {}
        }
        if self.now >= self.next_retry {
            self.retry()?;
        }
        self.wake_at = match self.stage {
            Stage::Connecting => self.next_connects,
            Stage::Waiting => match self.task.shared.start.load(Ordering::Acquire) {
                0 => self.next_scan,
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

    fn await_start(&mut self) -> Result<(), Error> {
        let start = self.task.shared.start.load(Ordering::Acquire);
        if start == NEVER {
            self.stage = Stage::Done;
        } else if start != 0 && self.now >= start {
            self.begin(start)?;
        } else if self.now >= self.next_scan {
            self.next_scan = self.now + LISTEN;
        }
        Ok(())
    }

    /// Load begins.
    fn begin(&mut self, start: Nanos) -> Result<(), Error> {
        let config = self.task.config;
        // Told before the start was.
        self.closes = self.task.shared.end.load(Ordering::Relaxed);
        let lead_in = match config.until {
            Until::Requests(_) => Duration::ZERO,
            Until::Elapsed(_) => config.lead_in,
        };
        self.opens = start.saturating_add(clock::nanos(lead_in));
        self.next_window = self.opens.saturating_add(self.task.config.window_length());
        if let Some((arrivals, stages)) = config.schedule() {
            let rate = Rate::new(lead_in.as_secs_f64(), &stages);
            let (thread, threads) = (self.task.thread, self.task.threads);
            let schedule = Schedule::new(arrivals, rate, start, thread, threads, config.seed);
            self.pacer = Pacer::new(&self.task.shared.budget, Some(schedule));
        }
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
            self.hand_over(false);
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
            self.finish_run();
        }
        Ok(())
    }

    fn limited(&self) -> bool {
        matches!(self.task.config.until, Until::Requests(_))
    }

    /// A run by number would never end when the server is gone.
    fn given_up(&mut self) -> bool {
        let gone = self.limited() && self.now.saturating_sub(self.alive) > self.timeout;
        if gone {
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
            }
        }
    }

    fn note_cpu(&mut self) {
        let before = self.cpu_before.unwrap_or_else(clock::thread_cpu);
        self.findings.cpu = clock::thread_cpu().saturating_sub(before);
    }

    fn finish_run(&mut self) {
        if self.stage == Stage::Running {
            self.note_cpu();
        }
        for i in 0..self.connections.len() {
            if self.connections[i].phase == Phase::Busy {
                self.finish(i, self.now, Some(ErrorKind::Censored));
            }
        }
        self.stage = Stage::Done;
    }

    /// Passes the window's notes on and begins new ones.
    fn hand_over(&mut self, last: bool) {
        let open = self.task.config.is_open();
        let fresh = if last {
            None
        } else {
            self.task.recycled.try_recv().ok()
        };
        let fresh = fresh.unwrap_or_else(|| Box::new(Tally::new(open)));
        let tally = std::mem::replace(&mut self.tally, fresh);
        // Nobody listens any more only when the run was given up.
        let _ = self.task.messages.send(Message::Window {
            thread: self.task.thread,
            window: self.window,
            tally,
            last,
        });
        self.window += 1;
        self.next_window = self
            .next_window
            .saturating_add(self.task.config.window_length());
    }

    /// Keeps the first sentence about what went wrong.
    fn complain(&mut self, sentence: impl FnOnce() -> Option<String>) {
        if self.findings.complaint.is_none() {
            self.findings.complaint = sentence().map(|sentence| (self.now, sentence));
        }
    }
}
