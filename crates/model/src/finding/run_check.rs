//! What came of the validity checks of a whole run.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::check::CheckFinding;
use super::noise::NoiseFinding;
use crate::load::Load;
use crate::network::{FullLink, Interface};

/// What came of a validity check over a whole run, or at one place of it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "code", rename_all = "kebab-case")]
pub enum RunCheckFinding {
    /// The check's name, in a few words.
    Title {
        /// The check: one of the names in [`check`](crate::check).
        check: String,
    },
    /// It passed wherever it was to be made.
    Passed {
        /// How many were checked.
        checked: usize,
        /// What is counted.
        counted: Counted,
    },
    /// It failed somewhere.
    Failed {
        /// The check.
        check: String,
        /// In how many places.
        failing: usize,
        /// How many were checked.
        checked: usize,
        /// What is counted.
        counted: Counted,
    },
    /// It passed where it was made, which is not everywhere.
    Partly {
        /// How many were checked.
        checked: usize,
        /// How many there are.
        of: usize,
        /// What is counted.
        counted: Counted,
        /// Why it was not made elsewhere, where that is known.
        why: Option<Box<RunCheckFinding>>,
    },
    /// It was not made.
    NotChecked {
        /// Why, where that is known.
        why: Option<Box<RunCheckFinding>>,
    },
    /// What came of it at one measurement.
    Measured {
        /// That.
        finding: CheckFinding,
    },
    /// The same as an older version recorded it: one English sentence.
    Recorded {
        /// The sentence.
        says: String,
    },
    /// Noise floor: the study has no A/A pair.
    NoPair {},
    /// Noise floor: a smoke run has none.
    SmokeRun {},
    /// Noise floor: fewer than two rounds have both copies.
    PairNeedsRounds {},
    /// A target against its second copy, at one place.
    NoiseFloor {
        /// The workload.
        workload: String,
        /// The load level.
        load: Load,
        /// The floor.
        floor: NoiseFinding,
    },
    /// A target was called different from its second copy.
    DiffersFromItself {
        /// By how much.
        floor: NoiseFinding,
    },
    /// A server process served two trials.
    SharedProcess {
        /// The process.
        pid: u32,
        /// The target that it served first.
        target: String,
        /// In this round.
        round: u32,
    },
    /// The servers ran already: none was started for its round.
    RanAlready {},
    /// A pod has no cores of its own: it may run on others than it asked for, and is stopped when its time is used up.
    NoOwnCores {
        /// Its node.
        machine: String,
        /// Its name.
        pod: String,
        /// How many cores it asked for.
        asked: u32,
        /// How many it may run on.
        may: u32,
    },
    /// A Slurm job may run on other cores of a node than it was given there, or on fewer.
    NotBound {
        /// The node.
        machine: String,
        /// The job's id.
        job: String,
        /// How many cores it was to have.
        asked: u32,
        /// How many it may run on.
        may: u32,
    },
    /// A network link carried about as much as it can.
    FullLink {
        /// The link.
        link: FullLink,
    },
    /// Whether a link was full cannot be said: its speed is not known.
    NoLinkSpeed {
        /// Whose.
        machine: String,
        /// Which; `null` where that is not known.
        interface: Option<Interface>,
    },
    /// The targets did not take turns.
    Grouped {},
    /// The seed of the random order.
    Seed {
        /// The seed.
        seed: u64,
    },
    /// A target's response is not that of another.
    OtherResponse {
        /// What it responded.
        got: Responded,
        /// The other target.
        other: String,
        /// What that responded.
        expected: Responded,
    },
    /// The bytes of a response on the wire differ between targets that do the same job.
    WireBytes {
        /// The workload.
        workload: String,
        /// Each target with its bytes.
        bytes: Vec<(String, u64)>,
    },
    /// Some targets send headers that not all send.
    OwnHeaders {
        /// The workload.
        workload: String,
        /// Each target with its own headers.
        headers: Vec<(String, Vec<String>)>,
    },
    /// A warm-up was ended by its bound, before the throughput had settled.
    NeverSettled {
        /// The target.
        target: String,
        /// How long it was warmed up, in seconds.
        duration_s: f64,
        /// The workload.
        workload: String,
        /// The load level.
        load: Load,
        /// The round.
        round: u32,
    },
}

/// What a check counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Counted {
    /// Measurements.
    #[default]
    Measurements,
    /// Trials.
    Trials,
    /// Pods.
    Pods,
    /// Nodes of a Slurm job.
    Nodes,
    /// Pairs of a target and a workload.
    TargetsAndWorkloads,
    /// Comparisons of a target with its second copy.
    AaComparisons,
}

/// A response as far as it is compared with others.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Responded {
    /// The status; 0 where the protocol has none.
    pub status: u16,
    /// Bytes of the body.
    pub bytes: u64,
    /// SHA-256 of the body, in hexadecimal.
    pub sha256: String,
}
