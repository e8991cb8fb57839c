//! Why distributions of response times are lacking.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Why the file of histograms could not be read, or not all of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "code", rename_all = "kebab-case")]
pub enum LatencyProblem {
    /// It is not there.
    NotThere {
        /// Its name.
        file: String,
    },
    /// The system does not let it be read.
    Unreadable {
        /// Its name.
        file: String,
        /// What the system said.
        says: String,
    },
    /// It has a line that is none of its format.
    Line {
        /// Its name.
        file: String,
    },
    /// An entry of it holds no histogram.
    Entry {
        /// Its name.
        file: String,
        /// The entry's tag.
        tag: String,
        /// What the decoder said.
        says: String,
    },
}
