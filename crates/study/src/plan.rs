//! The checked plan: what a run will do, with every name resolved and every number in range.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

pub use crate::capacity::Search;

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
    /// What flags such as `--only` have taken out of the study, a sentence each, for the report to say.
    pub left_out: Vec<String>,
    /// Smoke run: one round, short windows, no statistics.
    pub smoke: bool,
}

/// The bounds of a warm-up: it ends when throughput has settled, but not before `min` nor after `max`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WarmupBounds {
    /// The shortest.
    pub min: Duration,
    /// The longest.
    pub max: Duration,
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

/// A contender: a target, or one of its variants.
#[derive(Clone, Debug, PartialEq)]
pub struct Target {
    /// `name` or `name@variant`; a label of the study's own where it gives one (`as`), such as
    /// for the second of an A/A pair.
    pub label: String,
    /// The target's name: that of its folder.
    pub name: String,
    /// The variant's name.
    pub variant: Option<String>,
    /// What it is, in a line.
    pub title: String,
    /// Whether it is the study's limit: it races along and is no contender.
    pub limit: bool,
    /// The folder with its `target.toml` and sources; `None` for `compare`'s commands.
    pub dir: Option<PathBuf>,
    /// The tools that it needs: `jdk`, `maven`, `cargo`, `node`, `go`, … → what versions.
    pub needs: BTreeMap<String, VersionReq>,
    /// How to build it; `None` where there is nothing to build.
    pub build: Option<Build>,
    /// How to start it.
    pub start: Start,
    /// How to know that it is ready.
    pub ready: Ready,
    /// How to stop it.
    pub stop: Stop,
}

/// A condition on a version, such as `>=21` or `>=17, <22`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VersionReq {
    /// As it was written.
    pub text: String,
    /// All of these must hold.
    pub terms: Vec<VersionTerm>,
}

/// One comparison of a [`VersionReq`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VersionTerm {
    /// How to compare.
    pub op: VersionOp,
    /// The version's numbers, most significant first; missing ones count as 0, but for `=`,
    /// which compares only the numbers that are given (`=17` allows 17.0.15).
    pub version: Vec<u32>,
}

/// How a version is compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VersionOp {
    /// `=`, or no sign.
    Is,
    /// `>=`
    AtLeast,
    /// `>`
    Above,
    /// `<=`
    AtMost,
    /// `<`
    Below,
}

/// How a target is built. It is built in a copy of its folder, once for each set of inputs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Build {
    /// The command and its arguments; placeholders as in [`Start::command`], without `{port}`.
    pub command: Vec<String>,
    /// Environment for the build.
    pub env: BTreeMap<String, String>,
    /// How long it may take.
    pub timeout: Duration,
}

/// How a target is started.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Start {
    /// The command and its arguments. Placeholders: `{port}`, `{dir}` (where it was built),
    /// `{java}` (the chosen JDK's `java`), `{jvm_flags}` (an argument of its own, spliced in),
    /// `{photofinish}` (this program), `{cpus}` (how many cores the server's lane has).
    pub command: Vec<String>,
    /// Environment for the server, over the one that photofinish has.
    pub env: BTreeMap<String, String>,
    /// What `{jvm_flags}` stands for.
    pub jvm_flags: Vec<String>,
    /// The port; `None` = a free one.
    pub port: Option<u16>,
}

/// How to know that a server is ready.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ready {
    /// The path that must answer with any status below 500; `None` = the port must accept a connection.
    pub path: Option<String>,
    /// How long it may take.
    pub timeout: Duration,
}

/// How a server is stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stop {
    /// How long it has after SIGTERM before SIGKILL.
    pub grace: Duration,
}

/// What is sent and what must come back.
#[derive(Clone, Debug, PartialEq)]
pub struct Workload {
    /// Its name.
    pub name: String,
    /// What is spoken. All that is told of a request and of an answer below is HTTP's.
    pub protocol: Protocol,
    /// `GET`, `POST`, …
    pub method: String,
    /// Path and query. It, the headers' values and the body may hold places that are filled in for
    /// each request; see [`crate::template`].
    pub path: String,
    /// Headers, in order.
    pub headers: Vec<(String, String)>,
    /// The body; empty = none.
    pub body: Vec<u8>,
    /// The status that must come back.
    pub expect_status: Option<u16>,
    /// The body that must come back; `None` = the same as every other target's.
    pub expect_body: Option<Vec<u8>>,
    /// What must stand somewhere in the body; `{random}` and `{counter}` are those of the request.
    pub expect_contains: Option<String>,
    /// How many elements the first JSON array of the body must have.
    pub expect_rows: Option<u64>,
    /// How long an answer may take.
    pub timeout: Duration,
    /// The levels.
    pub loads: Vec<Load>,
    /// The levels at which others have published figures; empty = the same.
    pub published_loads: Vec<Load>,
    /// The sweep that it is a part of.
    pub sweep: Option<Sweep>,
    /// The labels of the targets that take it; empty = all.
    pub targets: Vec<String>,
    /// What is done to a service before the server is verified, warmed up and measured by this workload.
    pub before: Option<Before>,
    /// What is counted after each measurement.
    pub count_after: Option<CountAfter>,
}

/// SQL that is run before a workload.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Before {
    /// The service's name.
    pub service: String,
    /// What is run.
    pub sql: SqlFile,
}

/// A table that must hold as many rows after a measurement as requests were answered with success.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CountAfter {
    /// The service's name.
    pub service: String,
    /// The table.
    pub table: String,
}

/// What targets need beside them: a database.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Service {
    /// Its name; in upper case also the beginning of the variables by which servers find it.
    pub name: String,
    /// What it is.
    pub kind: ServiceKind,
    /// Which versions will do.
    pub version: VersionReq,
    /// A server that is there already; `None` = an instance of the run's own.
    pub url: Option<ServiceUrl>,
    /// What is run once before the first trial, in this order.
    pub schema: Vec<SqlFile>,
    /// Tables and how many rows each must hold before the first trial.
    pub rows: BTreeMap<String, u64>,
    /// The labels of the targets that need it; empty = all.
    pub targets: Vec<String>,
}

impl Service {
    /// Whether a target needs it.
    pub fn is_for(&self, label: &str) -> bool {
        self.targets.is_empty() || self.targets.iter().any(|target| target == label)
    }
}

/// The kinds of services.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ServiceKind {
    /// PostgreSQL.
    Postgresql,
    /// MariaDB.
    Mariadb,
}

impl ServiceKind {
    /// As it is written in files.
    pub fn name(self) -> &'static str {
        match self {
            ServiceKind::Postgresql => "postgresql",
            ServiceKind::Mariadb => "mariadb",
        }
    }

    /// As its makers write it.
    pub fn title(self) -> &'static str {
        match self {
            ServiceKind::Postgresql => "PostgreSQL",
            ServiceKind::Mariadb => "MariaDB",
        }
    }

    /// The port on which it listens unless told otherwise.
    pub fn port(self) -> u16 {
        match self {
            ServiceKind::Postgresql => 5432,
            ServiceKind::Mariadb => 3306,
        }
    }
}

/// Where a service is and who may use it.
#[derive(Clone, PartialEq, Eq)]
pub struct ServiceUrl {
    /// The host's name or address.
    pub host: String,
    /// The port.
    pub port: u16,
    /// The user.
    pub user: String,
    /// The password; may be empty.
    pub password: String,
    /// The database.
    pub database: String,
}

/// Without the password: this is what errors and records show.
impl std::fmt::Display for ServiceUrl {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let ServiceUrl {
            host,
            port,
            user,
            database,
            ..
        } = self;
        write!(f, "{user}@{host}:{port}/{database}")
    }
}

impl std::fmt::Debug for ServiceUrl {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "ServiceUrl({self})")
    }
}

/// A file of SQL, as it was when the study was read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SqlFile {
    /// The file, as it is named to the reader.
    pub name: String,
    /// Its text.
    pub text: String,
}

impl Workload {
    /// Whether answers may differ from target to target, so that only their shape is compared.
    pub fn answers_vary(&self) -> bool {
        self.expect_body.is_none() && (self.expect_contains.is_some() || self.expect_rows.is_some())
    }
}

/// What is spoken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Protocol {
    /// HTTP/1.1.
    Http,
    /// Plain TCP: a message is sent, and the same bytes must come back.
    TcpEcho {
        /// The message's bytes.
        size: u64,
    },
}

/// A workload of a file that was written once and stands for several, which differ in one variable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sweep {
    /// The name in the file.
    pub name: String,
    /// What differs: `size`.
    pub variable: String,
    /// What it is here, in bytes.
    pub value: u64,
}

/// How load is sent.
#[derive(Clone, Debug, PartialEq)]
pub enum Load {
    /// Closed loop.
    Closed {
        /// How many connections.
        connections: u32,
    },
    /// Open loop.
    Open {
        /// Requests per second.
        rate: f64,
        /// How the gaps are distributed.
        arrivals: Arrivals,
        /// How many connections.
        connections: u32,
    },
    /// Open loops, at one rate after the other: the highest that holds an objective.
    Capacity {
        /// What is searched for.
        search: Search,
        /// How many connections.
        connections: u32,
    },
}

impl Load {
    /// How many connections it opens.
    pub fn connections(&self) -> u32 {
        match *self {
            Load::Closed { connections }
            | Load::Open { connections, .. }
            | Load::Capacity { connections, .. } => connections,
        }
    }
}

/// The distribution of the gaps between due times.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arrivals {
    /// Exponential gaps.
    Poisson,
    /// Equal gaps.
    Constant,
}

/// A published statement 'metric of A / metric of B = r'.
#[derive(Clone, Debug, PartialEq)]
pub struct Claim {
    /// A short name, such as `a`.
    pub id: String,
    /// The statement in words.
    pub says: String,
    /// What is compared: `throughput`, `mean`, `p50`, `p90`, `p95`, `p99`, `p999`, `max`,
    /// `server-cpu`, `context-switches`, `memory`.
    pub metric: String,
    /// The label of target A.
    pub of: String,
    /// The label of target B.
    pub over: String,
    /// The ratio r.
    pub ratio: f64,
    /// The workload that it is about.
    pub workload: String,
    /// The level that it is about.
    pub load: Load,
    /// The level at which it is tested where its own does not run.
    pub measured_at: Option<Load>,
    /// The workload of target B, where it is another.
    pub over_workload: Option<String>,
    /// The level of target B, where it is another.
    pub over_load: Option<Load>,
    /// The figures that were published, as they were.
    pub figures: String,
    /// Where they were published.
    pub source: String,
}
