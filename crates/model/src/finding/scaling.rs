//! How throughput scales with connections.

use photofinish_stats::Interval;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What the Universal Scalability Law makes of a target.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "code", rename_all = "kebab-case")]
pub enum ScalingFinding {
    /// It does not describe the figures.
    DoesNotFit {
        /// The target.
        target: String,
        /// How far they lie from it, relative (root mean square).
        residual: f64,
    },
    /// Throughput rises without end.
    NoPeak {
        /// The target.
        target: String,
        /// The most connections that were measured.
        largest: u32,
    },
    /// The figures do not bound where it peaks.
    PeakUnknown {
        /// The target.
        target: String,
    },
    /// It would peak beyond the levels that were measured.
    PeakBeyond {
        /// The target.
        target: String,
        /// At about so many connections.
        connections: f64,
    },
    /// It peaks within the levels that were measured.
    Peak {
        /// The target.
        target: String,
        /// At about so many connections.
        connections: f64,
        /// The 95% interval.
        interval: Interval,
    },
    /// The workload has too few levels of connections for a fit.
    TooFewLevels {
        /// So many it has.
        levels: usize,
        /// So many are needed.
        needed: usize,
    },
    /// A target has figures at too few of them, or figures that no law can be fitted to.
    NotFitted {
        /// The target.
        target: String,
    },
}
