//! That there was no time for all rounds of a run: a line of `time-over.jsonl`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// One line of `time-over.jsonl`: no further round was begun, because it would not have ended within the limit of time. A run that is resumed may
/// add another line.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TimeOver {
    /// The version of this format.
    pub version: u32,
    /// When: RFC 3339, UTC.
    pub at: String,
    /// The rounds that were made before.
    pub rounds: u32,
}
