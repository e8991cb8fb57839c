//! How a body differs from what was stated.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How a body differs. What is shown of a body is escaped and shortened.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "mismatch", rename_all = "kebab-case")]
pub enum BodyMismatch {
    /// At a byte.
    Differs {
        /// Which one, counted from 0.
        at: u64,
        /// What was expected from there on.
        expected: String,
        /// What came.
        got: String,
    },
    /// It is longer.
    Longer {
        /// Bytes that were expected.
        expected: u64,
        /// What it goes on with.
        more: String,
    },
    /// It is shorter.
    Shorter {
        /// Bytes that came.
        got: u64,
        /// Bytes that were expected.
        expected: u64,
        /// What is missing.
        missing: String,
    },
    /// It lacks what it must contain.
    Lacks {
        /// What that is.
        expected: String,
        /// How it begins.
        start: Start,
    },
    /// Its first JSON array has another number of elements.
    Rows {
        /// How many were expected.
        expected: u64,
        /// How many there are; `null` = no array has come to its end.
        got: Option<u64>,
        /// How it begins.
        start: Start,
    },
}

/// How a body begins.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Start {
    /// The text, escaped.
    pub text: String,
    /// Whether more may follow.
    pub more: bool,
}
