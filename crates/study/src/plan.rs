//! The checked plan: what a run will do, with every name resolved and every number in range.

mod service;
mod target;
mod workload;

use std::time::Duration;

use photofinish_model::Claim;
use photofinish_model::finding::left_out::LeftOut;

pub use service::{Service, ServiceKind, ServiceUrl, SqlFile};
pub use target::{Build, Endpoint, Image, Listen, Ready, Start, Stop, Target};
pub use workload::{Before, CountAfter, Workload};

/// A study, ready to run.
#[derive(Clone, Debug, PartialEq)]
pub struct Plan {
    /// The study's name; also the name of its folder under `results/`.
    pub name: String,
    /// A line that says what is compared.
    pub title: String,
    /// Where it was published.
    pub source: Option<String>,
    /// What a reader should know beside the figures, such as what the authors did not measure.
    pub notes: Option<String>,
    /// The study file's text as it was read (made up for `compare`).
    pub text: String,
    /// Rounds: each target has one trial a round.
    pub rounds: u32,
    /// Whether the run ends as soon as every verdict is decided; `rounds` is then the most that there may be.
    pub until_decided: bool,
    /// How long the rounds may take together; `None`: as long as they need.
    pub within: Option<Within>,
    /// The length of each measurement.
    pub duration: Duration,
    /// How long load flows before each measurement's window opens.
    pub lead_in: Duration,
    /// The bounds of the warm-up.
    pub warmup: WarmupBounds,
    /// A ratio within 1 ± margin is a tie.
    pub margin: f64,
    /// Whether a second copy of the first target races along (A/A); [`crate::apply`] adds it.
    pub aa: bool,
    /// Which cores server and generator get.
    pub lanes: Lanes,
    /// The contenders, in the order of the file; the study's limit, where it has one, stands behind them.
    pub targets: Vec<Target>,
    /// What the contenders need beside them.
    pub services: Vec<Service>,
    /// What is sent and what must come back.
    pub workloads: Vec<Workload>,
    /// What others have published.
    pub claims: Vec<Claim>,
    /// What flags such as `--only` have left out of the study, for the report to say.
    pub left_out: Vec<LeftOut>,
    /// Whether the targets of a round are up together and measured in turns; else one after the other.
    pub turns: bool,
    /// Whether the other servers of a round are stopped while one of them has load.
    pub freeze: bool,
    /// Whether servers have the usual CPU priority also where they could come before other programs.
    pub usual_priority: bool,
    /// Whether further slices show what CPU time is spent on; `None`: where they cost less than a tenth of the run's time.
    pub profile: Option<bool>,
    /// Whether further slices show what the threads of Java servers wait for.
    pub waits: bool,
    /// Smoke run: one round, short windows, no statistics.
    pub smoke: bool,
}

/// A limit of time: no round is begun that would not end by then, and where there is time left levels have more turns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Within {
    /// For all rounds together.
    pub time: Duration,
    /// Where not even so many rounds fit, there is no limit.
    pub fewest: u32,
}

/// The bounds of a warm-up: it ends when throughput has settled, but not before `min` nor after `max`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WarmupBounds {
    /// The shortest.
    pub min: Duration,
    /// The longest.
    pub max: Duration,
}

impl Within {
    /// A limit that holds however few rounds fit.
    pub fn of(time: Duration) -> Within {
        Within { time, fewest: 1 }
    }
}

impl WarmupBounds {
    /// Whether nothing is left to decide: it takes as long whatever throughput does.
    pub fn is_fixed(&self) -> bool {
        self.min >= self.max
    }
}

/// Which cores server and generator run on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Lanes {
    /// Disjoint halves of the cores that there are.
    Split,
    /// No pinning.
    None,
    /// These.
    Explicit {
        /// The server's cores.
        server: Vec<usize>,
        /// The generator's cores.
        generator: Vec<usize>,
    },
}
