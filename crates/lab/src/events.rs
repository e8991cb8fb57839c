//! What a run reports while it continues, for whoever shows it: data, never sentences.

use std::sync::Arc;
use std::time::Duration;

use photofinish_model::Window;
use photofinish_model::capacity::Step;
use photofinish_model::finding::failure::FailureFinding;
use photofinish_model::message::Message;
use photofinish_model::{Line, Load};
use photofinish_study::plan::Listen;

use crate::cpu_sets::Shared;
use crate::error::{NoJava, service};

/// What a target did in a slice, whether or not it will count.
#[derive(Clone, Debug, PartialEq)]
pub struct SliceFigures {
    /// The target's label.
    pub target: String,
    /// Good responses per second.
    pub rate: f64,
    /// The 99th percentile of its response times in microseconds; `None` if there was no response.
    pub p99_us: Option<f64>,
}

/// Something that happened in a run.
#[derive(Clone, Debug)]
pub enum Event {
    /// A target is being built.
    Building {
        /// The target's label.
        target: String,
    },
    /// A target is built.
    Built {
        /// The target's label.
        target: String,
        /// Whether an earlier build of the same inputs was taken.
        cached: bool,
    },
    /// A target cannot run at all; all its trials will be recorded as failed, the others continue.
    Unusable {
        /// The target's label.
        target: String,
        /// Why.
        why: Box<FailureFinding>,
    },
    /// A service is being fetched or started, or is up.
    Service {
        /// The service's name.
        service: String,
        /// How far it is.
        phase: ServicePhase,
    },
    /// Everything is checked; trials begin.
    Begins {
        /// Trials that are ahead.
        trials: u32,
        /// The seed of the order.
        seed: u64,
        /// Whether the run ends once it is decided; the trials are then the most that there may be.
        until_decided: bool,
        /// What is ahead.
        progress: Progress,
    },
    /// A trial begins: its server is being started, unless it runs already.
    Starting {
        /// The target's label.
        target: String,
        /// Whether it runs already.
        already: bool,
        /// The round, counted from 1.
        round: u32,
        /// The rounds of the run.
        rounds: u32,
        /// The trial's place in the run, counted from 1.
        trial: u32,
        /// How far the run is.
        progress: Progress,
    },
    /// The server is ready.
    Ready {
        /// The target's label.
        target: String,
        /// How long it took from the start of its process.
        after: Duration,
    },
    /// The server's responses are those that were expected.
    Verified {
        /// The target's label.
        target: String,
    },
    /// A server redirects a workload to another path, which is loaded. Once a server and workload.
    Redirected {
        /// The target's label.
        target: String,
        /// Where its redirects end.
        path: String,
    },
    /// Two targets respond differently to a workload: they do not do the same job. Once a workload.
    Differs(Message),
    /// Load begins to flow, to warm the server up.
    Warming {
        /// The target's label.
        target: String,
        /// The workload.
        workload: String,
        /// The level.
        load: Load,
        /// How long it may take.
        bound: Duration,
    },
    /// The warm-up of a workload ended.
    Warmed {
        /// The target's label.
        target: String,
        /// How long it took.
        took: Duration,
        /// Whether throughput had settled; `None` if its length was known before.
        settled: Option<bool>,
    },
    /// A measurement begins, with its lead-in.
    Measuring {
        /// The target's label.
        target: String,
        /// The workload.
        workload: String,
        /// The level.
        load: Load,
        /// About how long it takes.
        takes: Duration,
        /// How far the run is.
        progress: Progress,
    },
    /// A level begins that several targets measure in turns.
    Turns {
        /// The targets' labels.
        targets: Vec<String>,
        /// The workload.
        workload: String,
        /// The level.
        load: Load,
        /// About how long it takes for all of them.
        takes: Duration,
        /// How far the run is.
        progress: Progress,
    },
    /// A turn ended: each target's slice.
    Turn {
        /// The turn, counted from 1.
        number: u32,
        /// The level's turns.
        of: u32,
        /// What each target did in its slice.
        slices: Vec<SliceFigures>,
    },
    /// A step of a search for a capacity ended.
    Step {
        /// The step, counted from 1.
        number: u32,
        /// What came of it.
        step: Step,
    },
    /// A second of the load that flows now, in a warm-up or a measurement.
    Window(Window),
    /// A round ended in a run that adds rounds until it is decided, and its data were analysed.
    InterimAnalysis {
        /// The round, counted from 1.
        round: u32,
        /// The verdicts and claims that are not decided yet.
        open: usize,
        /// All of them.
        of: usize,
        /// The first verdict on throughput that is not decided yet; `None` after a single round, and if there is none.
        undecided: Option<Message>,
    },
    /// Even the fewest rounds that a verdict needs do not fit into the plan's time.
    TimeDoesNotHold {
        /// How long they take.
        left: Duration,
    },
    /// No further round would end in the time that the plan has.
    NoTime {
        /// The last that was measured, counted from 1.
        round: u32,
    },
    /// A measurement ended and is on disk.
    Measured {
        /// What was recorded.
        line: Box<Line>,
        /// How far the run is.
        progress: Progress,
    },
    /// A trial, or what was left of it, failed; its missing measurements are recorded as failed.
    Failed {
        /// The target's label.
        target: String,
        /// The round, counted from 1.
        round: u32,
        /// How many measurements are missing for it.
        missing: usize,
        /// Why.
        why: Box<FailureFinding>,
        /// Whether [`Event::Unusable`] has given this reason already.
        known: bool,
        /// How far the run is.
        progress: Progress,
    },
    /// What profiles need is being fetched.
    Fetching {
        /// The artifact's coordinates.
        artifact: String,
    },
    /// Something that a user should know and that does not end anything.
    Warning(Warning),
}

/// How far a service is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ServicePhase {
    /// Its programs are being fetched.
    Fetching {
        /// The artifact's coordinates.
        artifact: String,
    },
    /// It is being started and filled.
    Starting {
        /// The database's name, such as `PostgreSQL`.
        title: &'static str,
        /// Its version.
        version: String,
        /// Where it comes from.
        origin: String,
    },
    /// It is up and filled.
    Up,
}

/// What a user should know.
#[derive(Clone, Debug)]
pub enum Warning {
    /// Server and generator slow each other.
    CpuSets(Shared),
    /// A round is measured sequentially, one target after the other, though turns were wanted.
    Sequential(Sequential),
    /// Nothing can be sampled of the servers, which is all that a run goes without then.
    Unprofiled(Arc<photofinish_host::Error>),
    /// The profiles of a target whose server is a Java virtual machine have no names of Java code.
    NoJava {
        /// The target's label.
        target: String,
        /// Why.
        why: Arc<NoJava>,
        /// Whether it was asked for what its threads wait for, too.
        waits: bool,
    },
    /// What the threads of a target's server wait for is not known, because it is no Java virtual machine.
    NoWaits {
        /// The target's label.
        target: String,
    },
    /// What a target's server used of CPU time is not known, because its ended children are in no counter.
    NoCpu {
        /// The target's label.
        target: String,
    },
    /// What cleans up after a target's server failed, where the target had failed before.
    Cleanup {
        /// The target's label.
        target: String,
        /// Why.
        why: Box<FailureFinding>,
    },
    /// A service could not be stopped.
    Service(Arc<service::Error>),
}

/// Why the servers of a round are not up together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Sequential {
    /// By `--sequential` or the study.
    Asked,
    /// Nothing is concluded from a smoke run.
    Smoke,
    /// There is nothing to take turns with.
    OneTarget,
    /// Only capacities are searched for, each of which takes minutes.
    Searches,
    /// Too little memory is free.
    Memory {
        /// What the servers need together, in bytes, by what was seen of them or their heaps' limits.
        needed: u64,
        /// What the machine has left, in bytes.
        available: u64,
    },
    /// Two targets insist on the same port or Unix socket.
    Listen {
        /// Where they always listen.
        at: Listen,
        /// The targets' labels.
        targets: [String; 2],
    },
    /// Their connections together need more open files than are allowed.
    OpenFiles {
        /// Files that are needed.
        needed: u64,
        /// Files that are allowed.
        limit: u64,
    },
}

/// How far a run is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// Measurements that are done, well or badly; those of an earlier run that is resumed included.
    pub done: usize,
    /// Measurements of the whole run.
    pub total: usize,
    /// The time left, from the plan and from what trials have taken so far.
    pub left: Duration,
}
