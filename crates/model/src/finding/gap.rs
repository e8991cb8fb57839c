//! What is not there: failures, and measurements that were never made.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Why something is not there.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "code", rename_all = "kebab-case")]
pub enum GapFinding {
    /// As it was recorded when it failed: one English sentence.
    Recorded {
        /// The sentence.
        says: String,
    },
    /// No reason was recorded.
    NoReason {},
}
