//! What to send, to whom, how fast and for how long.

use std::net::SocketAddr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::Sender;
use std::time::{Duration, Instant};

use crate::clock::{self, MILLISECOND, Nanos};
use crate::outcome::Window;
use crate::template::{Recall, Template};

/// One load run.
#[derive(Clone, Debug)]
pub struct Config {
    /// The server.
    pub address: SocketAddr,
    /// What goes out and what must come back.
    pub exchange: Exchange,
    /// How many connections are open.
    pub connections: u32,
    /// When requests are due.
    pub pacing: Pacing,
    /// When the run ends.
    pub until: Until,
    /// How long load flows before the window opens; requests due in it are not measured.
    pub lead_in: Duration,
    /// How long each window is that is told while the run goes on, and in its outcome; 1 ms at least.
    pub window: Duration,
    /// How long an answer may take; also how long the run waits for answers after its end.
    pub timeout: Duration,
    /// The cores to run on, one thread each; empty = `threads` threads that are not pinned.
    pub cpus: Vec<usize>,
    /// Threads when `cpus` is empty.
    pub threads: usize,
    /// The seed of random choices: Poisson arrivals, and what varies in requests.
    pub seed: u64,
}

/// What goes out on a connection and what must come back, again and again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Exchange {
    /// HTTP/1.1.
    Http {
        /// What is sent.
        request: Request,
        /// What must come back.
        expect: Expect,
    },
    /// Plain TCP: a message of so many bytes is sent, and the same bytes must come back. No message of
    /// one connection is the same as one of another (as far as so few bytes can differ).
    Echo {
        /// The message's bytes, 1 to [`LARGEST_MESSAGE`].
        size: usize,
    },
}

/// The longest message of an echo, in bytes: 16 MiB.
pub const LARGEST_MESSAGE: usize = 16 << 20;

impl Config {
    /// The length of a window on the run's clock.
    pub(crate) fn window_length(&self) -> Nanos {
        clock::nanos(self.window).max(MILLISECOND)
    }
}

/// An HTTP request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Request {
    /// `GET`, `POST`, …
    pub method: String,
    /// Path and query.
    pub path: Template,
    /// The `Host` header's value.
    pub host: String,
    /// Further headers, in order. `Host` and `Content-Length` here take the place of the ones that are made.
    pub headers: Vec<(String, Template)>,
    /// The body; empty = none.
    pub body: Template,
}

/// What an answer must be.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Expect {
    /// The status; `None` = any from 200 to 399.
    pub status: Option<u16>,
    /// The body, byte for byte; `None` = any of the length that the head promises.
    pub body: Option<Vec<u8>>,
    /// What must stand somewhere in the body; empty = nothing.
    pub contains: Vec<Recall>,
    /// How many elements the first JSON array of the body must have.
    pub rows: Option<u64>,
}

/// When requests are due.
#[derive(Clone, Debug, PartialEq)]
pub enum Pacing {
    /// Each connection sends its next request when its last answer is in.
    Closed,
    /// By a schedule over all connections together.
    Open {
        /// How the gaps between due times are distributed.
        arrivals: Arrivals,
        /// The rate over time.
        stages: Vec<Stage>,
    },
}

/// The distribution of the gaps between due times.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arrivals {
    /// Exponential gaps.
    Poisson,
    /// Equal gaps.
    Constant,
}

/// A part of an open loop: the rate goes linearly from `from` to `to` within `duration`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stage {
    /// How long.
    pub duration: Duration,
    /// Requests per second at its start.
    pub from: f64,
    /// Requests per second at its end.
    pub to: f64,
}

/// When a run ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Until {
    /// After exactly so many requests.
    Requests(u64),
    /// After this long.
    Elapsed(Duration),
}

/// A moment of a run at which the caller may want to sample something else, such as the server's CPU time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mark {
    /// The window opened at this moment: the lead-in is over.
    Opened(Instant),
    /// The window closed at this moment: what is in flight is still waited for.
    Closed(Instant),
}

/// How the caller follows and ends a run.
#[derive(Debug, Default)]
pub struct Control {
    /// Set to end the run now: the window is closed, answers in flight are waited for.
    stop: AtomicBool,
    /// Gets each window as it ends.
    windows: Option<Sender<Window>>,
    /// Gets each mark as it is reached.
    marks: Option<Sender<Mark>>,
}

impl Control {
    /// A control that passes each window on as it ends.
    pub fn with_windows(windows: Sender<Window>) -> Self {
        Control {
            windows: Some(windows),
            ..Control::default()
        }
    }

    /// The same, which also tells when the window opens and closes.
    pub fn with_marks(mut self, marks: Sender<Mark>) -> Self {
        self.marks = Some(marks);
        self
    }

    /// Tells the caller that a mark is reached. The run calls this once for each mark, as soon as
    /// it can after that moment, from whichever of its threads.
    pub fn mark(&self, mark: Mark) {
        if let Some(marks) = &self.marks {
            // A caller that no longer listens is no reason to end the run.
            let _ = marks.send(mark);
        }
    }

    /// Ends the run soon (within some 30 ms, and the draining of what is in flight).
    /// May be called from any thread, and from a signal handler.
    pub fn stop(&self) {
        self.stop.store(true, Ordering::Relaxed);
    }

    /// Whether the run was asked to end.
    pub fn stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    /// Where windows go.
    pub fn windows(&self) -> Option<&Sender<Window>> {
        self.windows.as_ref()
    }
}
