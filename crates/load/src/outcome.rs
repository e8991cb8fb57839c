//! What a load run told.

use std::collections::BTreeMap;
use std::time::{Duration, SystemTime};

use hdrhistogram::Histogram;

/// What came of a run. Histograms are in nanoseconds with 3 significant digits.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// When the window opened.
    pub started: SystemTime,
    /// The window's length.
    pub duration: Duration,
    /// Requests that were due in the window and came to an end, well or badly.
    pub requests: u64,
    /// Good answers that arrived within the window (whenever they were due).
    pub answers_in_window: u64,
    /// Requests of the window that ended badly.
    pub errors: BTreeMap<ErrorKind, u64>,
    /// Response times of all requests of the window (see the crate's documentation for those that failed).
    pub latency: Histogram<u64>,
    /// Service times of the same.
    pub service: Histogram<u64>,
    /// How long answers lay in the socket before they were read; `None` without kernel timestamps.
    pub lag: Option<Histogram<u64>>,
    /// From an answer's arrival to the next send on its connection, mean (closed loop).
    pub turnaround: Option<Duration>,
    /// Requests of the window whose good answers arrived after its end.
    pub drained: u64,
    /// Requests of the window that had no answer when the run stopped waiting.
    pub censored: u64,
    /// Requests that were due before the window opened.
    pub lead_in_requests: u64,
    /// Requests that were sent in the whole run, before, within and after the window.
    pub sent: u64,
    /// Good answers in the whole run.
    pub good: u64,
    /// Requests that fell due in the window by the schedule (open loop), sent or not.
    pub offered: Option<u64>,
    /// Of these, the ones that were sent only after its end, though a connection was free: their thread was late.
    pub sent_late: u64,
    /// Answers by status; empty where the protocol has none.
    pub status: BTreeMap<u16, u64>,
    /// Bytes of answers, heads included, of the window's requests.
    pub bytes_in: u64,
    /// Bytes of requests, likewise.
    pub bytes_out: u64,
    /// Connections opened, the first ones included.
    pub connects: u64,
    /// Connections opened in place of a lost one.
    pub reconnects: u64,
    /// Each thread's CPU time, user and system, within the window.
    pub thread_cpu: Vec<Duration>,
    /// The run in windows of [`Config::window`](crate::Config::window).
    pub windows: Vec<Window>,
    /// Whether arrivals were told by the kernel.
    pub kernel_timestamps: bool,
    /// The first wrong answer or the first system error, told in a sentence.
    pub first_error: Option<String>,
    /// How far the wall clock was stepped against the monotonic one during the run (kernel
    /// timestamps are in wall-clock time, so a step spoils latencies).
    pub clock_step: Duration,
}

/// A slice of a run.
#[derive(Clone, Debug, PartialEq)]
pub struct Window {
    /// When it began, from the opening of the run's window (negative in the lead-in: not sent).
    pub start: Duration,
    /// Its length.
    pub duration: Duration,
    /// Good answers that arrived in it.
    pub answers: u64,
    /// Requests that ended badly in it.
    pub errors: u64,
    /// Median response time; `None` where nothing arrived.
    pub p50: Option<Duration>,
    /// 99th percentile.
    pub p99: Option<Duration>,
    /// The largest.
    pub max: Option<Duration>,
}

/// How a request can end badly.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ErrorKind {
    /// Nobody listens.
    ConnectRefused,
    /// No connection within the timeout.
    ConnectTimeout,
    /// Any other failure to connect.
    Connect,
    /// The connection was reset.
    Reset,
    /// The connection was closed before the answer was whole.
    Closed,
    /// No whole answer within the timeout.
    Timeout,
    /// Another status than expected.
    Status,
    /// Another body than expected.
    Body,
    /// Not HTTP, or beyond the limits of what is accepted.
    Malformed,
    /// Bytes that answer nothing: more than the head promised, or a second answer.
    Unasked,
    /// Any other failure to send or to receive.
    Io,
    /// No answer yet when the run stopped waiting.
    Censored,
}

impl ErrorKind {
    /// Whether the server responded, though not as expected.
    pub fn is_response(self) -> bool {
        match self {
            ErrorKind::Status | ErrorKind::Body | ErrorKind::Malformed | ErrorKind::Unasked => true,
            ErrorKind::ConnectRefused
            | ErrorKind::ConnectTimeout
            | ErrorKind::Connect
            | ErrorKind::Reset
            | ErrorKind::Closed
            | ErrorKind::Timeout
            | ErrorKind::Io
            | ErrorKind::Censored => false,
        }
    }

    /// Whether a request ended so before its response could come: how long that took is no response time.
    pub fn is_lost(self) -> bool {
        match self {
            ErrorKind::Reset | ErrorKind::Closed | ErrorKind::Io | ErrorKind::Censored => true,
            ErrorKind::ConnectRefused
            | ErrorKind::ConnectTimeout
            | ErrorKind::Connect
            | ErrorKind::Timeout
            | ErrorKind::Status
            | ErrorKind::Body
            | ErrorKind::Malformed
            | ErrorKind::Unasked => false,
        }
    }

    /// The name in files and tables.
    pub fn name(self) -> &'static str {
        match self {
            ErrorKind::ConnectRefused => "connect-refused",
            ErrorKind::ConnectTimeout => "connect-timeout",
            ErrorKind::Connect => "connect",
            ErrorKind::Reset => "reset",
            ErrorKind::Closed => "closed-early",
            ErrorKind::Timeout => "timeout",
            ErrorKind::Status => "status",
            ErrorKind::Body => "body",
            ErrorKind::Malformed => "malformed",
            ErrorKind::Unasked => "unasked-bytes",
            ErrorKind::Io => "io",
            ErrorKind::Censored => "censored",
        }
    }
}
