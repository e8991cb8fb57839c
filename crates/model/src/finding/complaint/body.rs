//! How a body differs from what was stated.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use thiserror::Error;

/// How a body differs. What is shown of a body is escaped and shortened.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema, Error)]
#[serde(tag = "mismatch", rename_all = "kebab-case")]
pub enum BodyMismatch {
    /// At a byte.
    #[error("body differs at byte {at}: expected \"{expected}\", got \"{got}\"")]
    Differs {
        /// Which one, counted from 0.
        at: u64,
        /// What was expected from there on.
        expected: String,
        /// What came.
        got: String,
    },
    /// It is longer.
    #[error("body longer than the expected {expected} bytes: it continues with \"{more}\"")]
    Longer {
        /// Bytes that were expected.
        expected: u64,
        /// What it goes on with.
        more: String,
    },
    /// It is shorter.
    #[error("body of {got} bytes, expected {expected}: \"{missing}\" is missing")]
    Shorter {
        /// Bytes that came.
        got: u64,
        /// Bytes that were expected.
        expected: u64,
        /// What is missing.
        missing: String,
    },
    /// It lacks what it must contain.
    #[error("expected a body that contains \"{expected}\"; {start}")]
    Lacks {
        /// What that is.
        expected: String,
        /// How it begins.
        start: Start,
    },
    /// Its first JSON array has another number of elements.
    #[error("expected {expected} rows, got {}; {start}", rows(*.got))]
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
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema, Error)]
#[error("the body begins with \"{text}\"{}", if *.more { "…" } else { "" })]
pub struct Start {
    /// The text, escaped.
    pub text: String,
    /// Whether more may follow.
    pub more: bool,
}

fn rows(got: Option<u64>) -> String {
    got.map_or_else(
        || "no complete JSON array".to_owned(),
        |got| format!("{got} (elements of the first JSON array)"),
    )
}
