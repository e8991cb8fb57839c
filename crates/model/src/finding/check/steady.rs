//! How a series changed within a measurement.

use photofinish_stats::shape::Class;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What is looked at for shifts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum SteadySeries {
    /// Responses per second.
    Throughput,
    /// The median response time in microseconds.
    MedianResponseTime,
}

/// How a series changed within a measurement.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Change {
    /// What changed.
    pub series: SteadySeries,
    /// What that makes of it.
    pub class: Class,
    /// The largest shift; `null` where it drifted without one.
    pub shift: Option<Shift>,
    /// The straight line through it, where it drifted without a shift.
    pub drift: Option<Drift>,
    /// The length of all windows in seconds.
    pub length_s: f64,
}

/// A shift from one level to another.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Shift {
    /// The level before.
    pub from: f64,
    /// The level after.
    pub to: f64,
    /// When, in seconds from the beginning.
    pub at_s: f64,
    /// How many shifts there were.
    pub of: usize,
}

/// The two ends of a straight line through a measurement, neither below zero.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Drift {
    /// Where it begins.
    pub from: f64,
    /// Where it ends.
    pub to: f64,
}
