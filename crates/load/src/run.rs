//! The coordinator: starts the threads, lets them begin together, adds what they noted.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::thread;
use std::time::Duration;

use photofinish_model::request::LARGEST_MESSAGE;
use photofinish_model::{Exchange, Expect, Load, Part, Recall, Request};

use crate::affinity;
use crate::clock::{self, MILLISECOND, NEVER, Nanos, SECOND};
use crate::config::{Config, Until};
use crate::control::Control;
use crate::echo::{Echo, Messages};
use crate::error::{ConfigError, Error};
use crate::files;
use crate::gather::Gather;
use crate::http::Http;
use crate::limits;
use crate::marks::Marks;
use crate::outcome::{ErrorKind, Outcome};
use crate::pacing::Budget;
use crate::protocol::{Place, Protocol};
use crate::record::Tally;
use crate::socket;
use crate::worker::{Findings, Message, Shared, Task, Worker};

/// How often `Control::stop` is looked for. Each look costs some 25 µs of CPU time: forty a second are a
/// thousandth of a core.
const LOOK: Duration = Duration::from_millis(25);

/// From the word to begin until the load begins, so that all threads have heard it: they listen for it.
const START_DELAY: Nanos = 2 * MILLISECOND;

/// How long the kernel is given to begin with timestamps.
const STAMPS: Duration = Duration::from_millis(100);

/// From the word to stop until the window closes, for the same reason: threads that have something to do look for it each
/// time, and others send nothing.
const STOP_DELAY: Nanos = 2 * MILLISECOND;

/// Sends load as `config` says and tells what came of it.
///
/// Returns when the window is closed and the answers that were in flight are in, or were waited for as long
/// as the timeout allows. What is counted is told in the crate's documentation.
pub fn run(config: &Config, control: &Control) -> Result<Outcome, Error> {
    validate(config)?;
    match &config.exchange {
        Exchange::Http { request, expect } => {
            let http = |place| {
                Http::new(request, expect, &config.authority, config.seed, place)
                    .map_err(|error| Error::Config(error.into()))
            };
            // Errors of the request are found before anything is started.
            http(Place::default())?;
            run_protocol(config, control, http)
        }
        Exchange::TcpEcho { size } => {
            let connections = config.load.connections() as usize;
            let messages = Messages::new(*size as usize, connections, config.seed);
            run_protocol(config, control, |place| Ok(Echo::new(&messages, place)))
        }
    }
}

fn run_protocol<P: Protocol>(
    config: &Config,
    control: &Control,
    protocol: impl Fn(Place) -> Result<P, Error> + Sync,
) -> Result<Outcome, Error> {
    let wanted = if config.cpus.is_empty() {
        config.threads
    } else {
        config.cpus.len()
    };
    let connections = config.load.connections();
    // A thread without a connection could never send its part of a schedule.
    let threads = wanted.min(connections as usize);
    limits::allow_files(u64::from(connections), threads as u64)?;
    let requests = match config.until {
        Until::Requests(requests) => Some(requests),
        Until::Elapsed(_) => None,
    };
    let shared = Shared {
        start: AtomicU64::new(0),
        end: AtomicU64::new(NEVER),
        budget: Budget::new(requests, threads),
    };
    let (messages, inbox) = mpsc::channel();
    let difference = clock::wall_minus_monotonic();
    thread::scope(|scope| {
        let mut recycle = Vec::with_capacity(threads);
        let mut handles = Vec::with_capacity(threads);
        for index in 0..threads {
            let (give, recycled) = mpsc::channel();
            recycle.push(give);
            let (shared, protocol, messages) = (&shared, &protocol, messages.clone());
            let own = dealt(connections as usize, index, threads);
            let place = Place {
                thread: index,
                threads,
                first: (0..index)
                    .map(|before| dealt(connections as usize, before, threads))
                    .sum(),
            };
            let body = move || -> Result<Findings, Error> {
                // Whatever ends this thread early ends the others too, which would wait for it.
                let abort = Abort(Some(shared));
                if let Some(&cpu) = config.cpus.get(index) {
                    affinity::pin(cpu).map_err(|source| Error::Pin { cpu, source })?;
                }
                files::own();
                let protocol = protocol(place)?;
                let task = Task {
                    thread: index,
                    threads,
                    connections: own,
                    config,
                    shared,
                    protocol,
                    messages,
                    recycled,
                };
                let findings = Worker::new(task)?.run()?;
                abort.not();
                Ok(findings)
            };
            let handle = thread::Builder::new()
                .name(format!("load-{index}"))
                .spawn_scoped(scope, body)
                .map_err(Error::system("start a thread"));
            match handle {
                Ok(handle) => handles.push(handle),
                Err(error) => {
                    drop(Abort(Some(shared)));
                    return Err(error);
                }
            }
        }
        // From here on the inbox closes when the last thread has ended.
        drop(messages);
        let mut coordinator = Coordinator {
            config,
            control,
            shared: &shared,
            inbox,
            recycle,
            gather: Gather::new(config.is_open(), threads, config.window_length()),
        };
        let followed = coordinator.follow(threads);
        let mut findings = Vec::with_capacity(threads);
        let mut failed = None;
        for handle in handles {
            match handle.join() {
                Ok(Ok(found)) => findings.push(found),
                Ok(Err(error)) => failed = failed.or(Some(error)),
                Err(panic) => std::panic::resume_unwind(panic),
            }
        }
        // A thread's own error is the cause; what the coordinator saw follows from it.
        if let Some(error) = failed {
            return Err(error);
        }
        let window = followed?;
        let step = clock::wall_minus_monotonic().abs_diff(difference);
        Ok(coordinator.gather.outcome(window, findings, step))
    })
}

/// Ends the run when it is dropped.
struct Abort<'a>(Option<&'a Shared>);

impl Abort<'_> {
    /// All went well.
    fn not(mut self) {
        self.0 = None;
    }
}

impl Drop for Abort<'_> {
    fn drop(&mut self) {
        if let Some(shared) = self.0 {
            shared.end.store(0, Ordering::Relaxed);
            shared.start.store(NEVER, Ordering::Release);
        }
    }
}

/// How many of `all` connections thread `index` of `threads` gets.
fn dealt(all: usize, index: usize, threads: usize) -> usize {
    all / threads + usize::from(index < all % threads)
}

struct Coordinator<'a> {
    config: &'a Config,
    control: &'a Control,
    shared: &'a Shared,
    inbox: Receiver<Message>,
    /// The way back of tallies that were added.
    recycle: Vec<Sender<Box<Tally>>>,
    gather: Gather,
}

/// When the window was to open and to close ([`NEVER`]: with the last answer).
#[derive(Clone, Copy, Debug)]
pub struct Span {
    pub opens: Nanos,
    pub closes: Nanos,
}

impl Coordinator<'_> {
    /// From the first connect to the last answer.
    fn follow(&mut self, threads: usize) -> Result<Span, Error> {
        let mut ready = 0;
        let mut open = 0;
        let mut failure: Option<(ErrorKind, String)> = None;
        let mut stopped = false;
        let mut opens = NEVER;
        let mut marks = Marks::new(self.control);
        loop {
            let closes = self.shared.end.load(Ordering::Relaxed);
            let look = marks
                .wait(opens, closes)
                .map_or(LOOK, |wait| wait.min(LOOK));
            let message = self.inbox.recv_timeout(look);
            marks.tell(opens, closes);
            match message {
                Ok(Message::Ready {
                    open: more,
                    failure: one,
                }) => {
                    ready += 1;
                    open += more;
                    failure = failure.or(one);
                    if ready == threads {
                        if open == 0 {
                            self.shared.start.store(NEVER, Ordering::Release);
                            let (kind, says) = failure.unwrap_or((
                                ErrorKind::Connect,
                                "stopped before a connection was open".to_owned(),
                            ));
                            return Err(Error::Connect {
                                address: self.config.address,
                                kind,
                                says,
                            });
                        }
                        opens = self.begin();
                    }
                }
                Ok(Message::Window {
                    thread,
                    window,
                    tally,
                    last,
                }) => {
                    let complete = self.gather.add(thread, window, &tally, last);
                    if let Some(windows) = self.control.windows() {
                        for window in complete {
                            // Whoever listened has gone: that is no reason to end the run.
                            let _ = windows.send(window);
                        }
                    }
                    let mut tally = tally;
                    tally.clear();
                    let _ = self.recycle[thread].send(tally);
                }
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => break,
            }
            if self.control.stopped() && !stopped {
                stopped = true;
                let end = clock::now() + STOP_DELAY;
                self.shared.end.fetch_min(end, Ordering::Relaxed);
            }
        }
        let closes = self.shared.end.load(Ordering::Relaxed);
        // With so many requests the window closes with the last answer, which is in.
        marks.tell(opens, closes.min(clock::now()));
        Ok(Span { opens, closes })
    }

    /// Lets the load begin.
    fn begin(&mut self) -> Nanos {
        // Where that fails or takes too long, answers tell themselves that they have no stamp.
        let _ = socket::await_stamps(STAMPS);
        let start = clock::now() + START_DELAY;
        let mut opens = start;
        if let Until::Elapsed(duration) = self.config.until {
            opens = opens.saturating_add(clock::nanos(self.config.lead_in));
            self.shared.end.fetch_min(
                opens.saturating_add(clock::nanos(duration)),
                Ordering::Relaxed,
            );
        }
        self.shared.start.store(start, Ordering::Release);
        opens
    }
}

fn validate(config: &Config) -> Result<(), ConfigError> {
    if config.load.connections() == 0 {
        return Err(ConfigError::NoConnection);
    }
    if config.cpus.is_empty() && config.threads == 0 {
        return Err(ConfigError::NoThread);
    }
    match &config.exchange {
        Exchange::TcpEcho { size } if !(1..=LARGEST_MESSAGE).contains(size) => {
            return Err(ConfigError::MessageSize);
        }
        Exchange::TcpEcho { .. } => {}
        Exchange::Http { request, expect } => validate_recall(request, expect)?,
    }
    if config.timeout.is_zero() {
        return Err(ConfigError::NoTimeout);
    }
    if let Load::Capacity(_) = config.load {
        return Err(ConfigError::Search);
    }
    if let Some((_, stages)) = config.schedule() {
        let mut rates = stages.iter().flat_map(|stage| [stage.from, stage.to]);
        if !rates.clone().all(|rate| (0.0..1e9).contains(&rate)) {
            return Err(ConfigError::Rate);
        }
        if rates.all(|rate| rate == 0.0) {
            return Err(ConfigError::NoRate);
        }
    }
    match config.until {
        Until::Requests(0) => Err(ConfigError::NoRequest),
        Until::Elapsed(duration) if duration.is_zero() => Err(ConfigError::NoDuration),
        Until::Elapsed(duration) if clock::nanos(duration) > 1_000_000_000 * SECOND => {
            Err(ConfigError::TooLong)
        }
        _ => Ok(()),
    }
}

/// What a response is to repeat must be in the request.
fn validate_recall(request: &Request, expect: &Expect) -> Result<(), ConfigError> {
    let has = |wanted: fn(&Part) -> bool| {
        let mut parts = request.templates().flat_map(|template| &template.0);
        parts.any(wanted)
    };
    for recall in &expect.contains {
        let (there, what) = match recall {
            Recall::Bytes(_) => continue,
            Recall::Random => (
                has(|part| matches!(part, Part::Random { .. })),
                "random number",
            ),
            Recall::Counter => (has(|part| matches!(part, Part::Counter)), "number"),
        };
        if !there {
            return Err(ConfigError::NothingToRecall { what });
        }
    }
    Ok(())
}
