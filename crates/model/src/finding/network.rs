//! What of response times is the network's.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What of the response times at a place is the network's.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "code", rename_all = "kebab-case")]
pub enum NetworkFinding {
    /// How long an empty exchange takes between load generator and server: no response can be quicker.
    EmptyExchange {
        /// The median in microseconds; of several generators the lowest.
        least_us: f64,
        /// The same; of several generators the highest.
        most_us: f64,
        /// Beside the shortest median response time; `null` where no request was completed.
        beside: Option<BesideMedian>,
    },
}

/// An empty exchange beside a target's median response time.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct BesideMedian {
    /// The target with the shortest.
    pub target: String,
    /// `most_us` over that.
    pub share: f64,
}
