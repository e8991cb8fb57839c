//! Why one target is ahead of another: what the servers took for a request.

use photofinish_stats::Interval;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::finding::headline::Place;
use crate::{Layer, Metric};

/// What explains most of the gap.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "code", rename_all = "kebab-case")]
pub enum Because {
    /// The target behind takes more of something for a request.
    TakesMore {
        /// The target that is ahead.
        ahead: String,
        /// The next one.
        behind: String,
        /// What it takes more of: time, of which it explains the largest part of the gap.
        metric: Metric,
        /// The figure of `behind` / that of `ahead`: above 1.
        ratio: f64,
        /// Its interval, at a level that allows for the metrics among which this one was chosen.
        interval: Interval,
        /// The figure of `ahead`, in the metric's unit: the mean over the rounds.
        ahead_takes: f64,
        /// That of `behind`.
        behind_takes: f64,
        /// What else it takes more of, and parts of that: what explains most of the gap first; not there where nothing does for certain.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        also: Vec<AlsoMore>,
        /// Where; `null` where there is one place only.
        place: Option<Place>,
    },
    /// The target behind spends more CPU time on a request, and it is known on what.
    SpendsMore {
        /// The target that is ahead.
        ahead: String,
        /// The next one.
        behind: String,
        /// How much more CPU time in microseconds per request, in all: for certain.
        more_us: f64,
        /// What on, where that is certain and a notable part: what explains most first, then what it spends less on.
        layers: Vec<LayerMore>,
        /// Where; `null` where there is one place only.
        place: Option<Place>,
    },
}

/// How much more of something a target takes for a request than another.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct AlsoMore {
    /// What it takes more of.
    pub metric: Metric,
    /// How much more, in the metric's unit: the mean over the rounds.
    pub more: f64,
    /// Its interval, at a level that allows for the metrics among which this one was found; it excludes 0.
    pub interval: Interval,
    /// How many microseconds of the gap it explains: `more` where that is a time; of a count what so many usually cost, at most all.
    pub explains_us: f64,
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
