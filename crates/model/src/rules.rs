//! The validity checks and what came of them.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::message::Message;

/// One validity check and what came of it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Check {
    /// The check: one of the names in [`check`].
    pub name: String,
    /// Whether it holds; `null` where it was not checked.
    pub ok: Option<bool>,
    /// The arithmetic, or why it was not checked; `null` if one load run by itself cannot show it.
    pub says: Option<Message>,
}

/// The names of the validity checks, in the order in which they are shown.
pub mod check {
    /// Connections = throughput × mean time of a cycle.
    pub const LITTLES_LAW: &str = "littles-law";
    /// The load generator was not the bottleneck.
    pub const GENERATOR: &str = "generator-limit";
    /// No errors and no timeouts.
    pub const ERRORS: &str = "errors";
    /// No shift within the measurement.
    pub const STEADY: &str = "steady";
    /// All targets gave the same response.
    pub const SAME_JOB: &str = "same-job";
    /// Nothing else ran.
    pub const QUIET: &str = "quiet-machine";
    /// New processes, interleaved in random order.
    pub const INTERLEAVED: &str = "fresh-and-interleaved";
    /// A target against itself (A/A).
    pub const NOISE_FLOOR: &str = "noise-floor";
    /// As many bytes came and went as the responses and requests must have.
    pub const BYTES: &str = "bytes";
    /// A table holds as many rows as requests succeeded. Only a workload that says so is checked.
    pub const ROWS: &str = "rows";
    /// Servers that were up beside the one that was measured had rested. Only a measurement in turns is checked.
    pub const BYSTANDERS: &str = "bystanders";
    /// Responses are, to the end, as they were when the server was verified. Only a server that was verified is checked.
    pub const AS_VERIFIED: &str = "as-verified";
    /// Bodies are as long as the first ones. Only a measurement without verification in which they are not is checked.
    pub const BODY_LENGTH: &str = "body-length";
    /// Several load generators sent the load as one would have. Only a measurement by several is checked.
    pub const GENERATORS: &str = "generators-as-one";
    /// The server responded throughout. Only a measurement in which it did not is checked.
    pub const AVAILABLE: &str = "available";
    /// Each pod, or node of a Slurm job, has whole cores of its own. Only a run on such is checked.
    pub const OWN_CORES: &str = "own-cores";
    /// No network link carried as much as it can. Only a run with load from another machine is checked.
    pub const LINK: &str = "link";
    /// Those that are of the machines of a run.
    pub const OF_MACHINES: [&str; 2] = [OWN_CORES, LINK];
    /// Those that only some measurements are checked by.
    pub const SOME: [&str; 6] = [
        AS_VERIFIED,
        BODY_LENGTH,
        ROWS,
        BYSTANDERS,
        GENERATORS,
        AVAILABLE,
    ];
    /// All that every measurement is checked by.
    pub const ALL: [&str; 9] = [
        LITTLES_LAW,
        GENERATOR,
        ERRORS,
        STEADY,
        SAME_JOB,
        QUIET,
        INTERLEAVED,
        NOISE_FLOOR,
        BYTES,
    ];
}
