//! The honesty rules and what came of them.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// One honesty rule and what came of it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Check {
    /// The rule: one of the names in [`check`].
    pub name: String,
    /// Whether it holds; `null` where it was not checked.
    pub ok: Option<bool>,
    /// The arithmetic, or why it was not checked, in one sentence.
    pub says: String,
}

/// The names of the honesty rules, in the order in which they are shown.
pub mod check {
    /// Connections = throughput × mean time of a cycle.
    pub const LITTLES_LAW: &str = "littles-law";
    /// The generator was not the limit.
    pub const GENERATOR: &str = "generator-limit";
    /// No errors and no timeouts.
    pub const ERRORS: &str = "errors";
    /// No shift within the measurement.
    pub const STEADY: &str = "steady";
    /// All targets gave the same answer.
    pub const SAME_JOB: &str = "same-job";
    /// Nothing else ran.
    pub const QUIET: &str = "quiet-machine";
    /// New processes, interleaved in random order.
    pub const INTERLEAVED: &str = "fresh-and-interleaved";
    /// An A/A pair tells the noise floor.
    pub const RULER: &str = "known-ruler";
    /// As many bytes came and went as the answers and requests must have.
    pub const BYTES: &str = "bytes";
    /// A table holds as many rows as requests were answered with success. Only a workload that says
    /// so is checked; it is none of [`ALL`].
    pub const ROWS: &str = "rows-as-answered";
    /// All that every measurement is checked by.
    pub const ALL: [&str; 9] = [
        LITTLES_LAW,
        GENERATOR,
        ERRORS,
        STEADY,
        SAME_JOB,
        QUIET,
        INTERLEAVED,
        RULER,
        BYTES,
    ];
}
