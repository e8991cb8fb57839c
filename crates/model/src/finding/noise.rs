//! The noise floor: a target against a second copy of itself (A/A).

use photofinish_stats::Interval;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::verdict::Void;
use crate::metric::Metric;

/// By how much a target differed from its second copy.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "code", rename_all = "kebab-case")]
pub enum NoiseFinding {
    /// Nothing may be said of the two.
    Void {
        /// The target.
        target: String,
        /// What is compared.
        metric: Metric,
        /// Why.
        reason: Void,
    },
    /// A figure is missing or zero.
    NothingToCompare {
        /// The target.
        target: String,
        /// What is compared.
        metric: Metric,
    },
    /// It differed by so much.
    Differed {
        /// The target.
        target: String,
        /// What is compared.
        metric: Metric,
        /// The difference, whichever copy was ahead: the ratio of the larger to the smaller, less one.
        by: f64,
        /// Its 95% interval; `null` under two rounds.
        interval: Option<Interval>,
        /// The rounds that both have.
        rounds: usize,
        /// The smallest difference, as a share, that so many rounds with this spread find 80 times in 100; `null` where that cannot be said.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        unseen: Option<f64>,
    },
}
