//! Why one target is ahead of another: what the servers took for a request.

use photofinish_stats::Interval;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Metric;
use crate::finding::headline::Place;

/// The evidence that stands out most.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "code", rename_all = "kebab-case")]
pub enum Because {
    /// The target behind takes more of something for a request.
    TakesMore {
        /// The target that is ahead.
        ahead: String,
        /// The next one.
        behind: String,
        /// What it takes more of.
        metric: Metric,
        /// The figure of `behind` / that of `ahead`: above 1.
        ratio: f64,
        /// Its interval, at a level that allows for the metrics among which this one was chosen.
        interval: Interval,
        /// The figure of `ahead`, in the metric's unit: the mean over the rounds.
        ahead_takes: f64,
        /// That of `behind`.
        behind_takes: f64,
        /// Where; `null` where there is one place only.
        place: Option<Place>,
    },
}
