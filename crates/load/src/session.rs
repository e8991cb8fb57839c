//! A session: threads and connections that stay, and slices of load on them.
//!
//! The caller's own thread coordinates a slice: it lets the threads begin together, adds what they note, and ends them.

mod thread;

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::time::Duration;

use photofinish_model::Address;

use crate::clock::{self, MILLISECOND, NEVER, Nanos};
use crate::config::{Config, Share, Slice, Until};
use crate::control::Control;
use crate::error::{ConfigError, Error};
use crate::gather::{Gather, Span};
use crate::limits;
use crate::marks::Marks;
use crate::outcome::{ErrorKind, Outcome};
use crate::protocol::{Place, Protocol};
use crate::protocols::{self, Begin};
use crate::socket;
use crate::tls::{self, Tls};
use crate::transport::{Plain, Transport};
use crate::worker::{Findings, Flow, Message};
use photofinish_model::finding::complaint::Complaint;
use thread::Thread;

/// How often `Control::stop` is looked for. Each look costs some 25 µs of CPU time: forty a second are a
/// thousandth of a core.
const LOOK: Duration = Duration::from_millis(25);

/// From the word to begin until the load begins, so that all threads have heard it: they are woken for it.
const START_DELAY: Nanos = MILLISECOND / 2;

/// How long the kernel is given to begin with timestamps.
const STAMPS: Duration = Duration::from_millis(100);

/// From the word to stop until the window closes, for the same reason.
const STOP_DELAY: Nanos = 2 * MILLISECOND;

/// Threads and connections to one server that stay open from slice to slice.
///
/// Between slices it uses no CPU. A connection that the server closes meanwhile is noticed, and opened again before the
/// next slice begins; it counts among the `reconnects` of that one. Several sessions may stand side by side.
#[derive(Debug)]
pub struct Session {
    config: Arc<Config>,
    threads: Vec<Thread>,
    inbox: Receiver<Message>,
    /// A thread has ended before its time.
    broken: bool,
}

impl Session {
    /// Starts the threads and opens the connections; `control` may end that early. What `config` says of a slice is not
    /// looked at.
    ///
    /// # Errors
    /// For a configuration that cannot be, and where not one connection can be opened.
    pub fn open(config: &Config, control: &Control) -> Result<Session, Error> {
        config.validate()?;
        protocols::validate(&config.exchange)?;
        let config = Arc::new(config.clone());
        protocols::with(config.terms(), Starter(&config))?.ready(control)
    }

    /// Opens the connections.
    fn ready(mut self, control: &Control) -> Result<Session, Error> {
        let session = &mut self;
        let flow = Arc::new(Flow::new(None, session.config.share, session.threads.len()));
        let connected = session.prepare(&flow, control);
        flow.give_up();
        session.wake();
        connected?;
        if let Address::Tcp(_) = session.config.address {
            // Where that fails or takes too long, responses show themselves that they have no stamp.
            let _ = socket::await_stamps(STAMPS);
        }
        Ok(self)
    }

    fn start<P: Protocol, T: Transport>(
        config: &Arc<Config>,
        protocol: impl Fn(Place) -> Result<P, Error> + Clone + Send + 'static,
        transport: impl Fn() -> Result<T, Error> + Clone + Send + 'static,
    ) -> Result<Session, Error> {
        let wanted = match config.cpus.len() {
            0 => config.threads,
            cpus => cpus,
        };
        let connections = config.connections() as usize;
        let share = config.share;
        let before = share.before(config.load.connections().into()) as usize;
        // A thread without a connection could never send its part of a schedule.
        let count = wanted.min(connections);
        limits::allow_files(connections as u64, count as u64)?;
        let (messages, inbox) = mpsc::channel();
        let mut session = Session {
            config: Arc::clone(config),
            threads: Vec::with_capacity(count),
            inbox,
            broken: false,
        };
        for index in 0..count {
            let part = Share { index, of: count };
            let place = Place {
                thread: index * share.of + share.index,
                threads: count * share.of,
                first: before + part.before(connections as u64) as usize,
                single: false,
            };
            // Dropping the session ends the threads that were started.
            let make = (protocol.clone(), transport.clone());
            let thread = Thread::start(part, place, config, make, messages.clone())?;
            session.threads.push(thread);
        }
        Ok(session)
    }

    /// Lets load flow on the connections, and returns what came of it when the window is closed and the responses that
    /// were in flight are in, or were waited for as long as the timeout allows.
    ///
    /// # Errors
    /// For a slice that cannot be, where no connection is open and none can be opened (the session may be tried again), and
    /// where a thread has ended before its time.
    pub fn slice(&mut self, slice: &Slice, control: &Control) -> Result<Outcome, Error> {
        self.config.validate_slice(slice)?;
        if self.broken {
            return Err(Error::Broken {});
        }
        let flow = Flow::new(Some(slice.clone()), self.config.share, self.threads.len());
        let flow = Arc::new(flow);
        let difference = clock::wall_minus_monotonic();
        if let Err(error) = self.prepare(&flow, control) {
            flow.give_up();
            self.wake();
            return Err(error);
        }
        let span = self.begin(&flow, slice);
        let (gather, span, findings) = self.follow(&flow, slice, span, control)?;
        let step = clock::wall_minus_monotonic().abs_diff(difference);
        Ok(gather.outcome(span, findings, step))
    }

    /// Closes the connections and ends the threads.
    ///
    /// # Errors
    /// Where a thread has ended before its time.
    pub fn close(mut self) -> Result<(), Error> {
        self.end();
        match self.broken {
            true => Err(Error::Broken {}),
            false => Ok(()),
        }
    }

    fn end(&mut self) {
        for thread in &mut self.threads {
            thread.orders = None;
        }
        self.wake();
        for thread in &mut self.threads {
            if let Some(handle) = thread.handle.take()
                && let Err(panic) = handle.join()
                && !std::thread::panicking()
            {
                std::panic::resume_unwind(panic);
            }
        }
    }

    fn wake(&self) {
        self.threads.iter().for_each(|thread| thread.waker.wake());
    }

    /// Orders a flow, and waits until every connection that is not open was tried.
    fn prepare(&mut self, flow: &Arc<Flow>, control: &Control) -> Result<(), Error> {
        for thread in &self.threads {
            if let Some(orders) = &thread.orders {
                // A thread that is gone has said why.
                let _ = orders.send(Arc::clone(flow));
            }
        }
        self.wake();
        let (mut open, mut failure) = (0, None);
        let mut waiting = self.threads.len();
        while waiting > 0 {
            match self.inbox.recv_timeout(LOOK) {
                Ok(Message::Ready {
                    open: more,
                    failure: one,
                }) => {
                    waiting -= 1;
                    open += more;
                    failure = failure.or(one);
                }
                // Nothing flows yet.
                Ok(Message::Window { .. }) | Err(RecvTimeoutError::Timeout) => {}
                Ok(Message::Broken(error)) => return Err(self.broke(flow, error)),
                Err(RecvTimeoutError::Disconnected) => return Err(self.broke(flow, None)),
            }
            if control.stopped() {
                // A run that is stopped waits for no connection.
                flow.end.fetch_min(clock::now(), Ordering::Relaxed);
                self.wake();
            }
        }
        if open == 0 {
            let (kind, why) = failure.unwrap_or_else(|| {
                let why = match control.stopped() {
                    true => Complaint::Stopped {},
                    false => Complaint::Pausing {},
                };
                (ErrorKind::Connect, why)
            });
            return Err(Error::Connect {
                address: self.config.address.to_string(),
                kind: kind.name().to_owned(),
                why,
            });
        }
        Ok(())
    }

    /// A thread has ended before its time: the others end too.
    fn broke(&mut self, flow: &Flow, error: Option<Error>) -> Error {
        self.broken = true;
        flow.give_up();
        self.end();
        error.unwrap_or(Error::Broken {})
    }

    /// Lets the load begin.
    fn begin(&self, flow: &Flow, slice: &Slice) -> Span {
        let soonest = clock::now() + START_DELAY;
        let origin = slice.begins(soonest);
        let start = origin.max(soonest);
        let opens = origin.saturating_add(clock::nanos(slice.lead_in()));
        if let Until::Elapsed(duration) = slice.until {
            let closes = opens.saturating_add(clock::nanos(duration));
            flow.end.fetch_min(closes, Ordering::Relaxed);
        }
        flow.origin.store(origin, Ordering::Relaxed);
        flow.start.store(start, Ordering::Release);
        self.wake();
        Span {
            start,
            opens,
            closes: NEVER,
        }
    }

    /// From the first request to the last response.
    fn follow(
        &mut self,
        flow: &Flow,
        slice: &Slice,
        span: Span,
        control: &Control,
    ) -> Result<(Gather, Span, Vec<Findings>), Error> {
        let count = self.threads.len();
        let mut gather = Gather::new(self.config.is_open(), count, slice.window_length());
        let mut findings: Vec<Option<Findings>> = (0..count).map(|_| None).collect();
        let mut stopped = false;
        let mut marks = Marks::new(control);
        while findings.iter().any(Option::is_none) {
            let closes = flow.end.load(Ordering::Relaxed);
            let look = marks
                .wait(span.opens, closes)
                .map_or(LOOK, |wait| wait.min(LOOK));
            let message = self.inbox.recv_timeout(look);
            marks.report(span.opens, closes);
            match message {
                Ok(Message::Window {
                    thread,
                    window,
                    mut tally,
                    last,
                }) => {
                    let complete = gather.add(thread, window, &tally, last.is_some());
                    if let Some(windows) = control.windows() {
                        for window in complete {
                            // Whoever listened has gone: that is no reason to end the run.
                            let _ = windows.send(window);
                        }
                    }
                    tally.clear();
                    let _ = self.threads[thread].recycle.send(tally);
                    if last.is_some() {
                        findings[thread] = last;
                    }
                }
                Ok(Message::Ready { .. }) | Err(RecvTimeoutError::Timeout) => {}
                Ok(Message::Broken(error)) => return Err(self.broke(flow, error)),
                Err(RecvTimeoutError::Disconnected) => return Err(self.broke(flow, None)),
            }
            if control.stopped() && !stopped {
                stopped = true;
                let end = clock::now() + STOP_DELAY;
                flow.end.fetch_min(end, Ordering::Relaxed);
                self.wake();
            }
        }
        let closes = flow.end.load(Ordering::Relaxed);
        // With so many requests the window closes with the last response, which is in.
        marks.report(span.opens, closes.min(clock::now()));
        let findings = findings.into_iter().flatten().collect();
        Ok((gather, Span { closes, ..span }, findings))
    }
}

/// Starts a session's threads.
struct Starter<'c>(&'c Arc<Config>);

impl Begin for Starter<'_> {
    type Output = Session;

    fn begin<P: Protocol>(
        self,
        speaker: impl Fn(Place) -> Result<P, Error> + Clone + Send + 'static,
    ) -> Result<Session, Error> {
        let Some(tls) = &self.0.tls else {
            return Session::start(self.0, speaker, || Ok(Plain));
        };
        let alpn = protocols::alpn(&self.0.exchange);
        let settings =
            tls::Settings::new(tls, &self.0.authority, alpn).map_err(ConfigError::from)?;
        Session::start(self.0, speaker, move || Ok(Tls::new(&settings)))
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        self.end();
    }
}

#[cfg(test)]
mod tests;
