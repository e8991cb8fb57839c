//! What differs between two runs of a study.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::finding::asked::Asked;
use crate::finding::headline::Place;
use crate::finding::verdict::Void;
use crate::load::Load;

/// Something beside the figures that differs, and may be the cause of what changed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "code", rename_all = "kebab-case")]
pub enum Differs {
    /// One thing.
    Thing {
        /// What.
        what: Thing,
        /// In the first run; `null` where there was none.
        before: Option<Had>,
        /// In the second one.
        after: Option<Had>,
    },
    /// One of them was a smoke run.
    Smoke,
    /// The second run began before the first.
    Backwards,
    /// A target gave other responses than in the run before: it did another job.
    OtherResponse {
        /// The target.
        target: String,
        /// The workload.
        workload: String,
    },
    /// A target was measured at a place in one of them only, though both were to.
    NotMeasured(Unmeasured),
}

/// A target that one of two runs did not measure.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Unmeasured {
    /// Where.
    pub place: Place,
    /// The target.
    pub target: String,
    /// Whether it is the later run that lacks it.
    pub later: bool,
}

/// What a run had of a thing.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "code", rename_all = "kebab-case")]
pub enum Had {
    /// A name, a version or a command, as it was recorded.
    Name {
        /// The name.
        name: String,
    },
    /// Several of them.
    Names {
        /// The names.
        names: Vec<String>,
    },
    /// Validity checks, by their names.
    Checks {
        /// The names.
        names: Vec<String>,
    },
    /// So many.
    Count {
        /// How many.
        count: usize,
    },
    /// Memory.
    Bytes {
        /// How much, in bytes.
        bytes: u64,
    },
    /// A time.
    Seconds {
        /// How long, in seconds.
        seconds: f64,
    },
    /// The workloads.
    Workloads {
        /// Each of them.
        workloads: Vec<HadWorkload>,
    },
}

/// A workload that a run had.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct HadWorkload {
    /// Its name.
    pub name: String,
    /// What it asks for.
    pub asked: Asked,
    /// Its load levels.
    pub loads: Vec<Load>,
}

/// What may differ.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "code", rename_all = "kebab-case")]
pub enum Thing {
    /// The study.
    Study,
    /// The processor.
    Processor,
    /// The number of cores.
    Cores,
    /// The cores of the servers.
    ServerCores,
    /// The cores of the load generator.
    GeneratorCores,
    /// The memory.
    Memory,
    /// The kernel.
    Kernel,
    /// The operating system.
    OperatingSystem,
    /// The CPU's governor.
    Governor,
    /// The CPU priority of the servers, where it is not the usual one.
    ServerPriority,
    /// The hypervisor.
    Hypervisor,
    /// photofinish's version.
    Photofinish,
    /// The commit of the study.
    Commit,
    /// The length of a measurement.
    Duration,
    /// The command of a target.
    Command {
        /// The target.
        target: String,
    },
    /// A tool of a target.
    Tool {
        /// The target.
        target: String,
        /// The tool.
        tool: String,
    },
    /// The targets.
    Targets,
    /// The workloads and loads.
    Loads,
    /// The validity checks that failed.
    FailedChecks,
}

/// What came of a figure from one run to the other.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "code", rename_all = "kebab-case")]
pub enum Changed {
    /// More requests per second.
    Faster,
    /// Fewer requests per second.
    Slower,
    /// A longer time.
    Higher,
    /// A shorter time.
    Lower,
    /// Within the margin.
    Tie,
    /// The rounds do not decide it.
    Undecided,
    /// Nothing may be said.
    Void {
        /// Why.
        reason: Void,
    },
}
