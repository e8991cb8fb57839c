//! What a study's runs show over time.

use photofinish_stats::Interval;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Metric;
use crate::finding::headline::Place;

/// A figure that shifted from one run to the next, and stayed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Shifted {
    /// Where.
    pub place: Place,
    /// The target.
    pub target: String,
    /// What shifted.
    pub metric: Metric,
    /// The baseline that it is a ratio to; `null` for the figure itself.
    pub over: Option<String>,
    /// By which share it is above what it was: −0.05 is 5% below.
    pub change: f64,
    /// The interval of that; `null` where the runs bound nothing.
    pub interval: Option<Interval>,
    /// When the first run with the new figure began.
    pub since: String,
    /// The first run that may have it, with 95% confidence.
    pub earliest: String,
    /// The last run that may be the first to have it.
    pub latest: String,
    /// Whether something of the machine or of photofinish changed among these runs.
    pub machine_changed: bool,
}

/// Something that a history shows.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "code", rename_all = "kebab-case")]
pub enum HistoryFinding {
    /// A figure shifted.
    Shifted(Box<Shifted>),
    /// No figure shifted.
    Stable {
        /// How many series were looked at.
        series: usize,
        /// Of so many runs.
        runs: usize,
    },
    /// Too few runs to look for shifts.
    FewRuns {
        /// The runs that there are.
        runs: usize,
        /// Those that it takes.
        needed: usize,
    },
}
