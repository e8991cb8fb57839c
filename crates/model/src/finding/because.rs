//! Why one target is ahead of another: what the servers took for a request.

use photofinish_stats::Interval;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::finding::headline::Place;
use crate::{Layer, Metric};

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
    /// The target behind spends more CPU time on a request, and it is known on what.
    SpendsMore {
        /// The target that is ahead.
        ahead: String,
        /// The next one.
        behind: String,
        /// How much more CPU time in microseconds per request, in all.
        more_us: f64,
        /// What on, where that is certain: the largest difference first; what it spends less on too.
        layers: Vec<LayerMore>,
        /// Where; `null` where there is one place only.
        place: Option<Place>,
    },
}

/// How much more CPU time a target spends on a layer than another.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct LayerMore {
    /// The layer.
    pub layer: Layer,
    /// Microseconds per request; negative where it spends less.
    pub more_us: f64,
    /// Their interval, at a level that allows for all layers among which this one was found; it excludes 0.
    pub interval: Interval,
}
