//! What load generators used, and how late they were.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::times::{Lag, Latency};

/// What the load generator used and how late it was.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Generator {
    /// Its threads.
    pub threads: u32,
    /// CPU time per request, user and system, in microseconds.
    pub cpu_us_per_request: Option<f64>,
    /// The share of one core that its busiest thread used, 0 to 1.
    pub cpu_utilisation: f64,
    /// How long responses lay in the socket before they were read; `null` without kernel timestamps.
    pub lag_us: Option<Lag>,
    /// From a response's arrival to the sending of the next request on its connection, mean in
    /// microseconds (closed loop); with the mean latency it makes up a connection's cycle.
    pub turnaround_us: Option<f64>,
    /// Achieved rate over offered rate; 1 in a closed loop.
    pub achieved_ratio: f64,
    /// What timed the arrival of responses.
    pub arrival_clock: ArrivalClock,
    /// Requests that were sent late though a connection was idle, or not at all (open loop); `null` if none was.
    pub late: Option<Late>,
    /// How long its core stood still; `null` if it was not watched.
    pub stood_still: Option<StoodStill>,
    /// The share of the window for which the kernel stopped it because it had used up its CPU limit (cgroup); `null` if it has none or was not
    /// watched.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub throttled_share: Option<f64>,
}

/// What one of several generators measured.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct GeneratorPart {
    /// What the user calls its machine.
    pub machine: String,
    /// Its connections.
    pub connections: u32,
    /// Requests of its window that were completed, well or badly.
    pub requests: u64,
    /// Those that ended badly.
    pub errors: u64,
    /// Good responses that arrived within its window, per second.
    pub throughput_rps: f64,
    /// Response time; `null` where no request was completed.
    pub latency_us: Option<Latency>,
    /// The generator itself.
    pub generator: Generator,
    /// Whether it was the bottleneck, by what it measured alone.
    pub limited: bool,
    /// Threads that did not stay on the cores that they were put on.
    pub astray: u32,
    /// Whether it runs on the servers' machine.
    pub shares_server: bool,
    /// How far its machine's clock was ahead of that of the machine that photofinish was run on, in microseconds; negative where it
    /// was behind. Of several slices where it was known worst.
    pub clock_ahead_us: f64,
    /// How wrong that may be, either way, in microseconds.
    pub clock_uncertain_us: f64,
}

/// Requests of an open loop that were late because the generator's thread did not run: their connection was idle, or had been before
/// those took it that were late for the same reason. The response times contain that.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Late {
    /// How many there were.
    pub requests: u64,
    /// How late the latest was, in microseconds.
    pub longest_us: f64,
    /// The 99th percentile of the response time in microseconds without what they were late; `null` where no request was left.
    pub p99_in_time_us: Option<f64>,
}

/// A core stood still where a thread that only sleeps woke so late at least, in microseconds. On a core that the load generator keeps
/// busy it wakes up to some 4 ms late; a busy core is no standstill, however short the window and the response times are.
pub const STANDSTILL_US: f64 = 5_000.0;

/// For how long a core did not run what wanted to run on it: a thread that only sleeps was woken 5 ms late or more. What stands still
/// may be the whole machine, or the program alone.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct StoodStill {
    /// The longest time at once, in microseconds; 0 where it did not stand still.
    pub longest_us: f64,
    /// All such times together, in microseconds.
    pub total_us: f64,
}

/// What timed the arrival of responses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ArrivalClock {
    /// The kernel's receive timestamp.
    Kernel,
    /// The clock, read when the generator got round to the response.
    Reading,
}
