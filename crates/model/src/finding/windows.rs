//! What the windows of all measurements show.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Whether anything changed within measurements.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "code", rename_all = "kebab-case")]
pub enum WindowsFinding {
    /// Nothing did.
    AllFlat {},
    /// Something did within some.
    Changed {
        /// How many measurements.
        count: usize,
        /// Of so many that have windows enough to say.
        of: usize,
    },
}
