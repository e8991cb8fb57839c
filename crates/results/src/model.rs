//! The records of a results folder, as they are written to disk.
//!
//! | file | record |
//! |---|---|
//! | `study.json` | [`StudyRecord`] |
//! | `environment.json` | [`Environment`] |
//! | `measurements.jsonl` | one [`Line`] a measurement |
//! | `trials.jsonl` | one [`TrialRecord`] a trial |
//!
//! Times carry their unit in the name: `_s` seconds, `_us` microseconds. Shares are fractions
//! of one, never percentages. A figure that could not be had is `null`, never zero or NaN.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The version of the format that this program writes.
pub const VERSION: u32 = 1;

/// One line of `measurements.jsonl`: one target at one workload and load level in one round.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Line {
    /// The version of this format; see [`VERSION`].
    pub version: u32,
    /// The round, counted from 1.
    pub round: u32,
    /// The trial's place in the order in which the run held its trials, counted from 1.
    pub trial: u32,
    /// The measurement's place within its trial, counted from 1.
    pub order: u32,
    /// The target with its variant, such as `tio-boot@virtual-threads`.
    pub target: String,
    /// The workload's name.
    pub workload: String,
    /// How the load was sent.
    pub load: Load,
    /// When the measurement began: RFC 3339, UTC.
    pub at: String,
    /// What was measured; `null` where the measurement failed.
    pub measurement: Option<Measurement>,
    /// What the server used meanwhile; `null` where it could not be sampled.
    pub server: Option<ServerUse>,
    /// What the target's services (its database) used meanwhile, per request of the target; `null` where it has none of
    /// the run's own, or it could not be sampled.
    #[serde(default)]
    pub service: Option<ServerUse>,
    /// What the machine did meanwhile besides this race; `null` where it could not be sampled.
    pub machine: Option<MachineUse>,
    /// Why there is no measurement; `null` where there is one.
    pub failure: Option<String>,
}

/// How load is sent.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Load {
    /// Closed loop: each of the connections sends its next request when its last answer is in.
    Closed {
        /// How many connections are open.
        connections: u32,
    },
    /// Open loop: requests are due by a schedule, whether or not the last answer is in.
    Open {
        /// The offered rate, in requests per second, over all connections.
        rate: f64,
        /// How the gaps between due times are distributed.
        arrivals: Arrivals,
        /// How many connections are open.
        connections: u32,
    },
}

/// The distribution of the gaps between due times in an open loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Arrivals {
    /// Exponential gaps.
    Poisson,
    /// Equal gaps.
    Constant,
}

impl Load {
    /// The level in a few words, such as `100 connections` or `5000/s`.
    pub fn label(&self) -> String {
        match self {
            Load::Closed { connections: 1 } => "1 connection".to_owned(),
            Load::Closed { connections } => format!("{connections} connections"),
            Load::Open { rate, .. } => format!("{rate}/s"),
        }
    }
}

/// What one load run told. `photofinish load --json` prints exactly this.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Measurement {
    /// Requests that fell due in the window and came to an end, well or badly.
    pub requests: u64,
    /// Those that did not end with the answer that was expected, by kind; empty where there were none.
    pub errors: BTreeMap<String, u64>,
    /// The window's length in seconds.
    pub duration_s: f64,
    /// Good answers that arrived within the window, per second.
    pub throughput_rps: f64,
    /// Response time: from when a request should have been sent until its answer reached this
    /// machine; `null` where no request came to an end.
    pub latency_us: Option<Latency>,
    /// Service time: the same from when the request was sent.
    pub service_us: Option<Latency>,
    /// Bytes of answers as they were on the wire, heads included.
    pub bytes_in: u64,
    /// Bytes of requests as they were on the wire.
    pub bytes_out: u64,
    /// How the load was sent.
    pub load: Load,
    /// Requests of the window whose answers arrived after its end; they are in the latency, not in the throughput.
    pub drained: u64,
    /// Requests of the window that had no answer when the run stopped waiting; they are in the
    /// latency with the time that they had waited, and among the errors.
    pub censored: u64,
    /// Set where an open loop's rate was not achieved: what the latency would have been at the
    /// offered rate is then not known; `null` in a closed loop and where the rate was achieved.
    #[serde(default)]
    pub overloaded: Option<Overloaded>,
    /// Requests that were sent before the window opened, to let the load settle.
    pub lead_in_requests: u64,
    /// Answers by HTTP status.
    pub status: BTreeMap<String, u64>,
    /// Connections opened, the first ones included.
    pub connects: u64,
    /// Connections opened in place of one that was closed or lost.
    pub reconnects: u64,
    /// The generator itself.
    pub generator: Generator,
    /// The window in slices of equal length (the last one may be shorter).
    pub windows: Vec<Window>,
    /// The honesty rules, as far as one measurement alone can tell.
    pub checks: Vec<Check>,
}

impl Measurement {
    /// Bytes of answers per second; `None` for an empty window. Requests of the window count with all of their bytes, also
    /// with those that came after its end, as they do in `bytes_in`.
    pub fn bytes_in_per_s(&self) -> Option<f64> {
        (self.duration_s > 0.0).then(|| self.bytes_in as f64 / self.duration_s)
    }

    /// The same for requests.
    pub fn bytes_out_per_s(&self) -> Option<f64> {
        (self.duration_s > 0.0).then(|| self.bytes_out as f64 / self.duration_s)
    }
}

/// An open loop whose requests came in faster than they were answered.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Overloaded {
    /// Requests that fell due in the window, per second.
    pub offered_rps: f64,
    /// Good answers that arrived in it, per second.
    pub achieved_rps: f64,
}

impl Measurement {
    /// What may have failed, and its name: requests, and connects where some of them failed, which
    /// are errors without a request.
    pub fn attempts(&self) -> (u64, &'static str) {
        match failed_connects(&self.errors) {
            0 => (self.requests, "requests"),
            connects => (self.requests + connects, "requests and connects"),
        }
    }
}

/// How many of these errors are connects that failed.
pub fn failed_connects(errors: &BTreeMap<String, u64>) -> u64 {
    let connects = errors
        .iter()
        .filter(|(kind, _)| kind.starts_with("connect"));
    connects.map(|(_, count)| count).sum()
}

/// A distribution of times in microseconds, from a histogram with 3 significant digits.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Latency {
    /// The arithmetic mean.
    pub mean: f64,
    /// The smallest.
    pub min: f64,
    /// The median.
    pub p50: f64,
    /// The 90th percentile.
    pub p90: f64,
    /// The 95th percentile.
    pub p95: f64,
    /// The 99th percentile.
    pub p99: f64,
    /// The 99.9th percentile.
    pub p999: f64,
    /// The largest.
    pub max: f64,
}

/// What the load generator used and how late it was.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Generator {
    /// Its threads.
    pub threads: u32,
    /// CPU time per request, user and system, in microseconds.
    pub cpu_us_per_request: Option<f64>,
    /// The share of one core that its busiest thread used, 0 to 1.
    pub cpu_utilisation: f64,
    /// How long answers lay in the socket before they were read; `null` without kernel timestamps.
    pub lag_us: Option<Lag>,
    /// From an answer's arrival to the sending of the next request on its connection, mean in
    /// microseconds (closed loop); with the mean latency it makes up a connection's cycle.
    pub turnaround_us: Option<f64>,
    /// Achieved rate over offered rate; 1 in a closed loop.
    pub achieved_ratio: f64,
    /// What told an answer's arrival.
    pub arrival_clock: ArrivalClock,
}

/// How late the generator read answers, in microseconds.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Lag {
    /// The mean.
    pub mean: f64,
    /// The median.
    pub p50: f64,
    /// The 99th percentile.
    pub p99: f64,
    /// The largest.
    pub max: f64,
}

/// What told when an answer arrived.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ArrivalClock {
    /// The kernel's receive timestamp.
    Kernel,
    /// The clock, read when the generator got round to the answer.
    Reading,
}

/// A slice of a load run.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Window {
    /// When it began, in seconds from the start of the run's window.
    pub start_s: f64,
    /// Its length in seconds.
    pub duration_s: f64,
    /// Good answers that arrived in it.
    pub answers: u64,
    /// Requests that ended badly in it.
    pub errors: u64,
    /// Median response time; `null` where nothing arrived.
    pub p50_us: Option<f64>,
    /// 99th percentile of the response time.
    pub p99_us: Option<f64>,
    /// The largest response time.
    pub max_us: Option<f64>,
}

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

/// What the server's processes used during a measurement.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ServerUse {
    /// CPU time in user mode per request, in microseconds.
    pub cpu_user_us_per_request: Option<f64>,
    /// CPU time in the kernel per request, in microseconds.
    pub cpu_system_us_per_request: Option<f64>,
    /// CPU used, in cores (1.5 = one and a half cores).
    pub cpu_cores: f64,
    /// Context switches that the server asked for (it waited), per request.
    pub switches_voluntary_per_request: Option<f64>,
    /// Context switches that it was forced to, per request.
    pub switches_forced_per_request: Option<f64>,
    /// Page faults served without I/O, per request.
    pub faults_minor_per_request: Option<f64>,
    /// Page faults that needed I/O, per request.
    pub faults_major_per_request: Option<f64>,
    /// The largest resident memory seen, in bytes, over all of its processes.
    pub rss_max_bytes: u64,
    /// The largest number of threads seen.
    pub threads_max: u32,
    /// The largest number of processes seen.
    pub processes_max: u32,
}

impl ServerUse {
    /// CPU time per request, user and system, in microseconds.
    pub fn cpu_us_per_request(&self) -> Option<f64> {
        Some(self.cpu_user_us_per_request? + self.cpu_system_us_per_request?)
    }
}

/// What the machine did during a measurement besides the race.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct MachineUse {
    /// The share of all cores' time that the hypervisor took away.
    pub steal_share: f64,
    /// CPU used by processes that belong neither to the server nor to photofinish, in cores.
    pub other_cores: f64,
    /// How late a thread that only sleeps woke up, in microseconds; `null` where it was not measured.
    pub hiccup_us: Option<Lag>,
    /// How many cores the machine has; `null` where it was not noted.
    pub cores: Option<u32>,
    /// The share of the time in which some process waited for memory (pressure stall information);
    /// `null` where the kernel does not tell.
    pub memory_stall_share: Option<f64>,
    /// Pages that were swapped in or out, per second; `null` where the kernel does not tell.
    pub swapped_pages_per_s: Option<f64>,
}

/// One line of `trials.jsonl`: the life of one server process.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TrialRecord {
    /// The version of this format; see [`VERSION`].
    pub version: u32,
    /// The round, counted from 1.
    pub round: u32,
    /// The trial's place in the order of the run, counted from 1.
    pub trial: u32,
    /// The target with its variant.
    pub target: String,
    /// When the trial began: RFC 3339, UTC.
    pub at: String,
    /// The server's process; `null` where it never started.
    pub pid: Option<u32>,
    /// The port that it served.
    pub port: Option<u16>,
    /// The command that was run.
    pub command: Vec<String>,
    /// Seconds from the start of the process until it was ready.
    pub ready_s: Option<f64>,
    /// The warm-ups, one for each workload; empty where the trial did not get so far.
    pub warmups: Vec<Warmup>,
    /// The answers by which the server was verified.
    pub verified: Vec<Verified>,
    /// Why the trial failed; `null` where it did not.
    pub failure: Option<String>,
}

/// How a trial was warmed up for one workload.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Warmup {
    /// How long it took, in seconds.
    pub duration_s: f64,
    /// Whether the throughput had settled when it ended; `false` where the bound ended it.
    pub settled: bool,
    /// The load that it used.
    pub load: Load,
    /// The workload that it used.
    pub workload: String,
    /// Its windows.
    pub windows: Vec<Window>,
    /// The windows at which the throughput shifted, counted from 0.
    pub shifts: Vec<u32>,
}

/// The answer to one workload when the server was verified.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Verified {
    /// The workload's name.
    pub workload: String,
    /// HTTP status; 0 where the protocol has none.
    pub status: u16,
    /// The answer's head, as it was on the wire.
    pub head: String,
    /// Bytes of the body.
    pub body_bytes: u64,
    /// SHA-256 of the body, in hexadecimal.
    pub body_sha256: String,
    /// Bytes of the whole answer on the wire.
    pub wire_bytes: u64,
}

/// `study.json`: the study as it was run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct StudyRecord {
    /// The version of this format; see [`VERSION`].
    pub version: u32,
    /// The study's name.
    pub name: String,
    /// A line that says what is compared.
    pub title: String,
    /// Where it was published; `null` for one's own.
    pub source: Option<String>,
    /// What a reader should know beside the figures; `null` where there is nothing.
    pub notes: Option<String>,
    /// What flags have taken out of the study, or left out of the run, a sentence each.
    #[serde(default)]
    pub left_out: Vec<String>,
    /// When the run began: RFC 3339, UTC.
    pub started: String,
    /// The seed of every random choice.
    pub seed: u64,
    /// The rounds asked for; where rounds are added until it is decided, the most that there may be.
    pub rounds: u32,
    /// The cap of the rounds where they are added until it is decided (`--until-decided`); the levels of all intervals
    /// follow from it. `null` where the number of rounds is fixed.
    pub max_rounds: Option<u32>,
    /// The length of each measurement in seconds.
    pub duration_s: f64,
    /// A ratio within 1 ± margin is a tie.
    pub margin: f64,
    /// Whether this was a smoke run, from which nothing may be concluded.
    pub smoke: bool,
    /// The contenders, in the order of the file.
    pub targets: Vec<TargetRecord>,
    /// What the contenders need beside them.
    #[serde(default)]
    pub services: Vec<ServiceRecord>,
    /// What is sent and what must come back.
    pub workloads: Vec<WorkloadRecord>,
    /// What others have published.
    pub claims: Vec<Claim>,
}

/// A contender as it was run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TargetRecord {
    /// The target with its variant.
    pub label: String,
    /// What it is, in a line.
    pub title: String,
    /// The label of the earlier contender that it is a second copy of (A/A); `null` where it is none.
    pub same_as: Option<String>,
    /// The command that starts it, with `{port}` and the like not yet filled in.
    pub command: Vec<String>,
    /// The tools that it was built and run with, such as `jdk` → `25.0.1 (/usr/lib/jvm/…)`.
    pub tools: BTreeMap<String, String>,
}

/// A service as it was run: a database.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ServiceRecord {
    /// Its name.
    pub name: String,
    /// What it is: `postgresql` or `mariadb`.
    pub kind: String,
    /// Its version; empty where it was not found.
    pub version: String,
    /// Where it came from: the server's program, the artifact that was fetched, or the address of a
    /// server that was there already; empty where it was not found.
    pub origin: String,
    /// What an instance of the run's own was set to; all else is its makers' default.
    pub settings: BTreeMap<String, String>,
    /// The cores that an instance of the run's own could use, those of the server; empty = not pinned.
    pub cpus: Vec<u32>,
    /// The files that were run before the first trial.
    pub schema: Vec<String>,
    /// Tables and their rows, as counted before the first trial.
    pub rows: BTreeMap<String, u64>,
    /// The labels of the targets that need it; empty = all.
    pub targets: Vec<String>,
}

/// A workload as it was run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct WorkloadRecord {
    /// Its name.
    pub name: String,
    /// The request in a line, such as `GET /plaintext` or `TCP echo of 1024 bytes`.
    pub request: String,
    /// The levels at which it was offered.
    pub loads: Vec<Load>,
    /// The labels of the targets that take it; empty = all.
    pub targets: Vec<String>,
    /// Whether answers may differ from target to target and are held to a shape only.
    #[serde(default)]
    pub answers_vary: bool,
    /// The sweep that it is a part of; `null` for a workload by itself.
    #[serde(default)]
    pub sweep: Option<Sweep>,
}

/// Which of several workloads, that differ in one variable, a workload is.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Sweep {
    /// The name that they share.
    pub name: String,
    /// What differs: `size`, in bytes.
    pub variable: String,
    /// What it is for this one.
    pub value: u64,
}

/// A published statement 'metric of A / metric of B = r'.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Claim {
    /// A short name, such as `a`.
    pub id: String,
    /// The statement in words.
    pub says: String,
    /// What is compared.
    pub metric: Metric,
    /// The label of target A.
    pub of: String,
    /// The label of target B.
    pub over: String,
    /// The ratio r.
    pub ratio: f64,
    /// The workload that it is about.
    pub workload: String,
    /// The level at which it was published.
    pub load: Load,
    /// The level at which it is tested where that one was not run; `null`: at none.
    #[serde(default)]
    pub measured_at: Option<Load>,
    /// The workload of target B, where it is another.
    #[serde(default)]
    pub over_workload: Option<String>,
    /// The level of target B, where it is another.
    #[serde(default)]
    pub over_load: Option<Load>,
    /// The figures that were published, as they were.
    pub figures: String,
    /// Where they were published.
    pub source: String,
    /// Whether it can be judged; `false` for a maximum, which is only shown.
    pub judged: bool,
}

/// A figure of a measurement that can be compared.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum Metric {
    /// Good answers per second.
    Throughput,
    /// Mean response time.
    Mean,
    /// Median response time.
    P50,
    /// 90th percentile of the response time.
    P90,
    /// 95th percentile of the response time.
    P95,
    /// 99th percentile of the response time.
    P99,
    /// 99.9th percentile of the response time.
    P999,
    /// The largest response time: shown with its range, never judged.
    Max,
    /// The server's CPU time per request, user and system.
    ServerCpu,
    /// CPU that the server used, in cores.
    ServerCores,
    /// Bytes per second over the wire, in both directions together.
    Network,
    /// The server's context switches per request, of both kinds.
    ContextSwitches,
    /// The server's largest resident memory.
    Memory,
}

impl Metric {
    /// Whether a larger figure is the better one.
    pub fn larger_is_better(self) -> bool {
        self == Metric::Throughput
    }

    /// The figure of one line, in the metric's unit (requests/s, µs, bytes or a count); `None` where there is none.
    pub fn of(self, line: &Line) -> Option<f64> {
        let measurement = line.measurement.as_ref()?;
        let latency = measurement.latency_us.as_ref();
        let server = line.server.as_ref();
        match self {
            Metric::Throughput => Some(measurement.throughput_rps),
            Metric::Mean => latency.map(|l| l.mean),
            Metric::P50 => latency.map(|l| l.p50),
            Metric::P90 => latency.map(|l| l.p90),
            Metric::P95 => latency.map(|l| l.p95),
            Metric::P99 => latency.map(|l| l.p99),
            Metric::P999 => latency.map(|l| l.p999),
            Metric::Max => latency.map(|l| l.max),
            Metric::ServerCpu => server.and_then(ServerUse::cpu_us_per_request),
            Metric::ServerCores => server.map(|s| s.cpu_cores),
            Metric::Network => Some(measurement.bytes_in_per_s()? + measurement.bytes_out_per_s()?),
            Metric::ContextSwitches => {
                let server = server?;
                Some(server.switches_voluntary_per_request? + server.switches_forced_per_request?)
            }
            Metric::Memory => server.map(|s| s.rss_max_bytes as f64),
        }
    }
}

/// `environment.json`: the machine and the program.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Environment {
    /// The version of this format; see [`VERSION`].
    pub version: u32,
    /// photofinish's version.
    pub photofinish: String,
    /// The commit that photofinish was run in, where the studies lie in a git checkout.
    pub commit: Option<String>,
    /// The processor's name.
    pub cpu: String,
    /// The cores that this process may use.
    pub cpus: Vec<u32>,
    /// The cores of the server's lane; empty = not pinned.
    pub server_cpus: Vec<u32>,
    /// The cores of the generator's lane; empty = not pinned.
    pub generator_cpus: Vec<u32>,
    /// Memory in bytes.
    pub memory_bytes: u64,
    /// The kernel's release.
    pub kernel: String,
    /// The operating system's name.
    pub os: String,
    /// The frequency governor, where there is one.
    pub governor: Option<String>,
    /// The hypervisor, where one is told.
    pub hypervisor: Option<String>,
    /// The limit of open files.
    pub open_files: u64,
    /// The tools found: name → version (path).
    pub tools: BTreeMap<String, String>,
}
