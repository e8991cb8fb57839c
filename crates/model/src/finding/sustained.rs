//! What searches for a capacity found.

use photofinish_stats::Interval;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::capacity::LowerBound;
use crate::capacity::Ended;
use crate::finding::capacity::Broken;

/// What a target's searches found, or what to doubt of them. Rates are in requests per second.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "code", rename_all = "kebab-case")]
pub enum SustainedFinding {
    /// The rate that holds the objective.
    Sustains {
        /// What had to hold.
        objective: String,
        /// Whether the rate is a lower bound.
        at_least: bool,
        /// The geometric mean over the rounds; `null` where a round has a zero.
        mean: Option<f64>,
        /// Its interval; `null` under two rounds.
        interval: Option<Interval>,
        /// The rate of the lowest and the highest round.
        range: Interval,
        /// The rounds in which no rate met the objective.
        none_held: Vec<u32>,
    },
    /// No rate met the objective.
    NoRateHolds {
        /// What had to hold.
        objective: String,
        /// The lowest rate that was tried.
        down_to: Option<f64>,
    },
    /// A round's rate is a lower bound.
    LowerBound {
        /// The round; `null` where the search was one by itself.
        round: Option<u32>,
        /// The rate.
        held: f64,
        /// Why the server may sustain more.
        why: LowerBound,
    },
    /// A round's search ended before its rates were as near to each other as was asked for.
    EndedEarly {
        /// The round; `null` where the search was one by itself.
        round: Option<u32>,
        /// What ended it.
        ended: Ended,
        /// The highest rate that met the objective.
        held: f64,
        /// The lowest that did not.
        failed: f64,
    },
    /// No rate met the objective in a round.
    NoneHeld {
        /// The round; `null` where the search was one by itself.
        round: Option<u32>,
        /// The lowest rate that was tried.
        failed: Option<f64>,
        /// Why it missed the objective; `null` where none was tried.
        why: Option<Broken>,
        /// What ended the search.
        ended: Ended,
    },
    /// The machine was too noisy for the objective.
    TooNoisy {
        /// The round; `null` where the search was one by itself.
        round: Option<u32>,
        /// How late a thread that only sleeps woke at the rate that failed, 99th percentile in microseconds.
        late_us: f64,
    },
}
