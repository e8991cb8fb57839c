//! What came of a load run: data that can be sent from another machine.

/// An enum with a name for each variant. After `and`: variants that have the name of their content.
macro_rules! named {
    ($(#[$about:meta])+ $kind:ident, $list:ident:
    $($(#[doc = $doc:literal])+ $variant:ident $name:literal;)+
    $(and { $($(#[doc = $doc_of:literal])+ $of:ident($inner:ident);)+ })?) => {
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        $(#[$about])+
        pub enum $kind {
            $($(#[doc = $doc])+ $variant,)+
            $($($(#[doc = $doc_of])+ $of($inner),)+)?
        }

        impl $kind {
            /// All of them but those with content, in their order.
            pub const $list: &[$kind] = &[$($kind::$variant),+];

            /// The name in files and tables.
            pub fn name(self) -> &'static str {
                match self {
                    $($kind::$variant => $name,)+
                    $($($kind::$of(inner) => inner.name(),)+)?
                }
            }
        }
    };
}

mod add;
mod as_text;
pub(crate) mod close_code;
mod compact;
mod error_kind;
mod gaps;
mod grpc_fault;
mod together;

use std::collections::BTreeMap;
use std::time::{Duration, SystemTime};

use hdrhistogram::Histogram;
use photofinish_model::Window;
use photofinish_model::finding::complaint::Complaint;
use serde::{Deserialize, Serialize};

use crate::censored::completed;
use crate::clock::Nanos;
use crate::histogram;

pub use close_code::CloseCode;
pub use compact::Compact;
pub use error_kind::{ErrorKind, KIND_COUNT, KINDS};
pub use gaps::{Gap, SliceStalls};
pub(crate) use gaps::{LEAST, Silence, common};
pub use grpc_fault::GrpcFault;
pub use together::{Ahead, Part, side_by_side};

/// What came of a run. Histograms are in nanoseconds with 3 significant digits.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Outcome {
    /// When the window opened.
    pub started: SystemTime,
    /// The window's length.
    pub duration: Duration,
    /// How long load flowed before the window opened.
    pub lead_in: Duration,
    /// Requests that were due in the window and came to an end, well or badly.
    pub requests: u64,
    /// Good responses that arrived within the window (whenever they were due).
    pub responses_in_window: u64,
    /// Requests of the window that ended badly.
    pub errors: BTreeMap<ErrorKind, u64>,
    /// Connections that could not be opened, or ended before a request ended on them; of the whole run.
    pub unopened: BTreeMap<ErrorKind, u64>,
    /// Connections on which requests had ended and that ended while none was in flight; of the whole run. A server may close those.
    pub idle_ends: BTreeMap<ErrorKind, u64>,
    /// Response times of all requests of the window (see the crate's documentation for those that failed).
    #[serde(with = "histogram")]
    pub latency: Histogram<u64>,
    /// Service times of the same.
    #[serde(with = "histogram")]
    pub service: Histogram<u64>,
    /// Where requests never got a response: what the two above were made from, so that outcomes can be added.
    pub lost: Option<Lost>,
    /// Requests that were sent late, or not at all, though a connection was idle; `None`: no request was.
    pub late: Option<Late>,
    /// How long responses lay in the socket before they were read; `None` without kernel timestamps.
    #[serde(with = "histogram::optional")]
    pub lag: Option<Histogram<u64>>,
    /// From a response's arrival to the next send on its connection, mean (closed loop).
    pub turnaround: Option<Duration>,
    /// How many times that was.
    pub turnarounds: u64,
    /// From the beginning of load until the first good response; of several slices the longest. `None`: none came.
    pub first_response: Option<Duration>,
    /// The same until every connection had its first one: until load flows as it will. `None` where some connection had none.
    pub all_responded: Option<Duration>,
    /// Connections that had no good response, though each would have sent all the time (closed loop by time); of several slices the most.
    pub mute: u64,
    /// Requests of the window whose good responses arrived after its end.
    pub drained: u64,
    /// Time within the window in which places for requests were idle by the generator's own doing, all together: before their first request, and when
    /// no request was left to send (closed loop).
    pub idle: Duration,
    /// Requests of the window that no turnaround precedes: the first ones of their places (closed loop).
    pub firsts: u64,
    /// Time within the window of requests that were due before it, all together.
    pub carried: Duration,
    /// Time after the window of its requests, all together.
    pub outlasted: Duration,
    /// From the window's end until the last request that was in flight had come to its own.
    pub draining: Duration,
    /// Times in which requests waited and no response came on any connection, in their order.
    pub gaps: Vec<Gap>,
    /// Requests of the window that had no response when the run stopped waiting.
    pub censored: u64,
    /// Requests that were due before the window opened.
    pub lead_in_requests: u64,
    /// Requests that were sent in the whole run, before, within and after the window.
    pub sent: u64,
    /// Good responses in the whole run.
    pub good: u64,
    /// Good responses to the window's requests that were not as when the server was verified. Without a [`Baseline`](crate::Baseline), those whose bodies
    /// were not as long as the first ones, if these had one length.
    pub changed: u64,
    /// The first of them.
    #[serde(with = "as_text")]
    pub first_change: Option<Complaint>,
    /// How long after the beginning of load it came.
    pub first_change_at: Option<Duration>,
    /// Requests that fell due in the window by the schedule (open loop), sent or not.
    pub offered: Option<u64>,
    /// Of these, the ones that were sent only after its end or not at all, though a connection was free: their thread was late.
    pub sent_late: u64,
    /// Responses by status; empty where the protocol has none.
    pub status: BTreeMap<u16, u64>,
    /// Bytes of responses, heads included, of the window's requests.
    pub bytes_in: u64,
    /// Bytes of requests, likewise.
    pub bytes_out: u64,
    /// Connections opened, the first ones included.
    pub connects: u64,
    /// Connections opened in place of a lost one.
    pub reconnects: u64,
    /// How long opening them took.
    pub opening: Opening,
    /// Each thread's CPU time, user and system, within the window, without the time in which it only looked (see
    /// [`Config::eager`](crate::Config::eager)).
    pub thread_cpu: Vec<Duration>,
    /// Threads that were no longer on the core that they were put on when the window closed, in the slice in which they were most.
    pub astray: u32,
    /// The run in windows of [`Config::window`](crate::Config::window).
    pub windows: Vec<Window>,
    /// Whether arrivals were stamped by the kernel.
    pub kernel_timestamps: bool,
    /// The first wrong response or the first system error.
    #[serde(with = "as_text")]
    pub first_error: Option<Complaint>,
    /// How long after the beginning of load it came.
    pub first_error_at: Option<Duration>,
    /// How far the wall clock was stepped against the monotonic one during the run (kernel
    /// timestamps are in wall-clock time, so a step spoils latencies).
    pub clock_step: Duration,
    /// What each of several generators measured; empty where there was one.
    pub parts: Vec<Part>,
}

/// How long it took to open connections, whenever they were opened. Histograms as in [`Outcome`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Opening {
    /// From the start of each connect to its end.
    #[serde(with = "histogram")]
    pub connect: Histogram<u64>,
    /// From there to the end of the handshake of the transport, where that was a full one.
    #[serde(with = "histogram")]
    pub full: Histogram<u64>,
    /// The same where an earlier session was resumed.
    #[serde(with = "histogram")]
    pub resumed: Histogram<u64>,
}

impl Default for Opening {
    fn default() -> Self {
        Opening {
            connect: histogram::small(),
            full: histogram::small(),
            resumed: histogram::small(),
        }
    }
}

impl Opening {
    pub(crate) fn add(&mut self, other: &Opening) {
        histogram::add(&mut self.connect, &other.connect);
        histogram::add(&mut self.full, &other.full);
        histogram::add(&mut self.resumed, &other.resumed);
    }

    pub(crate) fn clear(&mut self) {
        self.connect.reset();
        self.full.reset();
        self.resumed.reset();
    }
}

/// The times of requests, some of which never got a response. Histograms as in [`Outcome`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Lost {
    /// Response times of those that got one.
    #[serde(with = "histogram")]
    pub latency: Histogram<u64>,
    /// Service times of the same, where they differ (open loop).
    #[serde(with = "histogram::optional")]
    pub service: Option<Histogram<u64>>,
    /// How long the others had waited, from when they were due.
    #[serde(with = "histogram")]
    pub waited: Histogram<u64>,
    /// The same from when they were sent, of those that were.
    #[serde(with = "histogram")]
    pub waited_since_sent: Histogram<u64>,
}

/// Requests of the window of an open loop that were sent late though a connection was idle: the generator's thread did not run. What
/// fell due behind them is among them, for as long as it waited for that reason. Histograms as in [`Outcome`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Late {
    /// Their response times, of those that were sent.
    #[serde(with = "histogram")]
    pub latency: Histogram<u64>,
    /// The same without what the generator was late.
    #[serde(with = "histogram")]
    pub without: Histogram<u64>,
    /// How long the others had waited when the window closed; they are censored.
    #[serde(with = "histogram")]
    pub unsent: Histogram<u64>,
    /// How late the latest was.
    pub longest: Duration,
}

impl Default for Late {
    fn default() -> Self {
        Late {
            latency: histogram::small(),
            without: histogram::small(),
            unsent: histogram::small(),
            longest: Duration::ZERO,
        }
    }
}

impl Late {
    /// How many there were.
    pub fn requests(&self) -> u64 {
        self.latency.len() + self.unsent.len()
    }

    /// Notes a request that took `latency`, `late` of it by the generator's doing.
    #[cold]
    pub(crate) fn note(&mut self, latency: Nanos, late: Nanos) {
        histogram::note(&mut self.latency, latency);
        histogram::note(&mut self.without, latency.saturating_sub(late));
        self.longest = self.longest.max(Duration::from_nanos(late));
    }

    /// Notes a request that had waited so long by the generator's doing when the window closed.
    pub(crate) fn left(&mut self, waited: Nanos) {
        histogram::note(&mut self.unsent, waited);
        self.longest = self.longest.max(Duration::from_nanos(waited));
    }

    pub(crate) fn clear(&mut self) {
        self.latency.reset();
        self.without.reset();
        self.unsent.reset();
        self.longest = Duration::ZERO;
    }

    pub(crate) fn add(&mut self, other: &Late) {
        histogram::add(&mut self.latency, &other.latency);
        histogram::add(&mut self.without, &other.without);
        histogram::add(&mut self.unsent, &other.unsent);
        self.longest = self.longest.max(other.longest);
    }
}

impl Lost {
    /// Response times of all of them, and service times where they differ.
    pub(crate) fn completed(&self) -> (Histogram<u64>, Option<Histogram<u64>>) {
        let service = self.service.clone();
        (
            completed(self.latency.clone(), &self.waited),
            service.map(|service| completed(service, &self.waited_since_sent)),
        )
    }
}

impl Outcome {
    /// The median time from sending a request to its response, of the requests that got one; 0 if none did. Unlike the median of
    /// [`latency`](Outcome::latency), it contains neither the queue of an overloaded open loop nor the wait for a server that is gone.
    pub fn usual_service(&self) -> Duration {
        let good = (self.lost.as_ref()).map(|lost| lost.service.as_ref().unwrap_or(&lost.latency));
        let service = good.unwrap_or(&self.service);
        Duration::from_nanos(service.value_at_quantile(0.5))
    }

    /// Response times without what the generator was late; `None` where it was not. A request that it left unsent is not
    /// among them: how long its response would have taken is not known.
    pub fn latency_in_time(&self) -> Option<Histogram<u64>> {
        let late = self.late.as_ref()?;
        let lost = self.lost.as_ref();
        let mut latency = lost.map_or(&self.latency, |lost| &lost.latency).clone();
        // What was late is among them, in the same bins.
        latency.subtract(&late.latency).ok()?;
        histogram::add(&mut latency, &late.without);
        let Some(lost) = lost else {
            return Some(latency);
        };
        let mut waited = lost.waited.clone();
        waited.subtract(&late.unsent).ok()?;
        Some(completed(latency, &waited))
    }
}

#[cfg(test)]
mod tests;
