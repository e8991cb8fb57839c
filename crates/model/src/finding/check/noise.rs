//! What may disturb a measurement.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Something that may disturb a measurement, and how much of it there was.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct NoiseSource {
    /// What it is.
    pub what: Noise,
    /// How much there was.
    pub value: f64,
    /// How much there may be.
    pub limit: f64,
}

impl NoiseSource {
    /// Whether there was too much.
    pub fn is_noisy(&self) -> bool {
        self.value > self.limit
    }
}

/// What may disturb a measurement.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Noise {
    /// The share of all cores' time that the hypervisor took.
    Steal,
    /// CPU that other processes used, in cores.
    OtherProcesses,
    /// How late a thread that only sleeps woke, 99th percentile in microseconds.
    Hiccups,
    /// The longest time for which the load generator's core stood still, in microseconds.
    StoodStill,
    /// The share of the time in which some process waited for memory.
    MemoryStall,
    /// Pages that were swapped in or out, per second.
    Swap,
    /// The share of the time for which the servers' container was stopped, having used up its own.
    Throttled,
    /// How many times as long or as short the core-to-core latency between server and load generator was after the measurement as before.
    MovedCores,
}
