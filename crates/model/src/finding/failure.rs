//! Why something was not measured: what became of a target that did not build, start, get ready or do its job, and of a
//! measurement that came to nothing.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::complaint::Complaint;
use crate::load::Load;

mod request;
mod response;
mod sending;
mod service;
mod words;

pub use request::{RequestFault, RequestPart};
pub use response::{Difference, NoResponse, Wrong};
pub use sending::{LoadPart, LoadTrouble};
pub use service::{DatabaseFate, ServiceTrouble, StartedDatabase};

/// Why something was not measured. `says` is what others said of it: the system, a compiler, a database.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "code", rename_all = "kebab-case")]
pub enum FailureFinding {
    /// No reason was recorded.
    NoReason {},
    /// A tool that the target needs is not there in a version that fits.
    Tool {
        /// The tool.
        tool: String,
        /// The condition on its version.
        wanted: String,
        /// What was found where.
        found: String,
        /// What to install.
        remedy: String,
    },
    /// It did not build.
    Build {
        /// The target's label.
        target: String,
        /// How it failed.
        says: String,
        /// The command.
        command: String,
        /// The log.
        log: String,
        /// The log's last lines.
        last: Vec<String>,
    },
    /// The image that it runs from is not here, and could not be pulled.
    Image {
        /// The target's label.
        target: String,
        /// The image.
        image: String,
        /// How that failed.
        says: String,
        /// The log.
        log: String,
        /// The log's last lines.
        last: Vec<String>,
    },
    /// Its server could not be started.
    Start {
        /// The command.
        command: String,
        /// Why.
        says: String,
    },
    /// A command of its own around its server failed.
    Around {
        /// Which one.
        around: Around,
        /// The command.
        command: String,
        /// How it failed.
        fate: AroundFate,
        /// What it printed last.
        printed: Printed,
    },
    /// A machine, or photofinish's agent there, cannot be reached.
    Unreachable {
        /// What the user calls the machine.
        machine: String,
        /// Why, in the words of the system, of ssh or of the agent.
        says: String,
    },
    /// Something failed on another machine.
    Elsewhere {
        /// What the user calls the machine.
        machine: String,
        /// What, as it was said there.
        says: String,
    },
    /// No TCP port is free.
    NoPort {
        /// What the system said.
        says: String,
    },
    /// There is no folder for temporary files.
    NoTemporaryFolder {
        /// What the system said.
        says: String,
    },
    /// Processes that even SIGKILL did not end.
    Unkillable {
        /// Which, such as `process 12 (java)`.
        processes: String,
        /// How long photofinish waited.
        seconds: u64,
    },
    /// Something else failed between photofinish and the machine.
    Machine {
        /// What, as a fragment that follows 'failed to'.
        says: String,
    },
    /// A service that it needs is not there.
    NotServed {
        /// Why.
        why: ServiceTrouble,
    },
    /// A service that it needs failed otherwise.
    Service {
        /// What, as a fragment that follows 'failed to'.
        says: String,
    },
    /// A service that its workload names and that the study does not have.
    NoService {
        /// The service.
        service: String,
    },
    /// The port that it needs is taken.
    Port {
        /// The port.
        port: u16,
        /// The target's label.
        target: String,
        /// Who listens on it.
        holder: PortHolder,
    },
    /// Somebody else listens on the Unix socket that it needs.
    Socket {
        /// The socket's path.
        path: String,
        /// The target's label.
        target: String,
        /// Who listens on it.
        holder: PortHolder,
    },
    /// Its server does not go as it should.
    Server {
        /// What became of it.
        fate: Fate,
        /// What it printed last.
        printed: Printed,
    },
    /// Its response is another one than was stated.
    Response {
        /// What is wrong with it.
        wrong: Wrong,
    },
    /// No load could be sent.
    Load {
        /// Why.
        why: LoadTrouble,
    },
    /// No good response came at a level.
    Silent {
        /// The level, and what is known.
        silence: Silence,
    },
    /// No good response came at a level, and then none to a single request either.
    Gone {
        /// The level, and what is known.
        silence: Silence,
        /// What the single request met.
        then: Box<FailureFinding>,
    },
    /// It failed to start in the two rounds before, and is not started again.
    GivenUp {
        /// The rounds in which it failed.
        rounds: [u32; 2],
    },
    /// Fewer than two servers of the round could be compared, so the run ended before it was measured.
    NoContest {
        /// Whether the others responded differently; else they failed.
        different_jobs: bool,
    },
    /// A search for a capacity had no time for a single step.
    NoStep {},
}

/// When a target's own command runs that is not its server.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Around {
    /// Before each start of its server.
    Prepare,
    /// After each stop.
    Cleanup,
}

impl Around {
    /// As it is called in target files and, after `--`, on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Around::Prepare => "prepare",
            Around::Cleanup => "cleanup",
        }
    }
}

/// How a command failed that was to come to its end.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "fate", rename_all = "kebab-case")]
pub enum AroundFate {
    /// It ended badly.
    Ended {
        /// Its exit status or signal.
        how: String,
    },
    /// It had not ended in time, and was ended.
    TooLong {
        /// In what time, in seconds.
        within_s: f64,
    },
}

/// Who listens on a port or a Unix socket.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PortHolder {
    /// The process; 0 where this user may not see it.
    pub pid: u32,
    /// Its command line; empty where this user may not see it.
    pub command: String,
}

impl FailureFinding {
    /// The log of what failed, where it holds something.
    pub fn log(&self) -> Option<&str> {
        match self {
            FailureFinding::Build { log, .. } | FailureFinding::Image { log, .. } => Some(log),
            FailureFinding::Server { printed, .. } | FailureFinding::Around { printed, .. } => {
                let holds = !printed.lines.is_empty() && !printed.log.is_empty();
                holds.then_some(&printed.log)
            }
            FailureFinding::Gone { then, .. } => then.log(),
            _ => None,
        }
    }
}

/// What a program printed last.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Printed {
    /// The file that holds all of it; empty for a server that photofinish did not start.
    pub log: String,
    /// The last lines; none where it printed nothing.
    pub lines: Vec<String>,
}

/// What became of a server.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "fate", rename_all = "kebab-case")]
pub enum Fate {
    /// It took too long to be ready.
    NotReady {
        /// The target's bound in seconds.
        within_s: f64,
        /// What the last question met.
        why: NotReady,
    },
    /// It ended by itself.
    Ended {
        /// At which point of its life.
        when: When,
        /// Its exit status or signal.
        how: String,
        /// Whether it reported success: most likely it went into the background.
        well: bool,
    },
    /// Whether it lives is not known.
    Lost {
        /// At which point of its life.
        when: When,
        /// Why.
        why: Box<FailureFinding>,
    },
    /// It gives no whole response.
    Silent {
        /// To what, and what came.
        wrong: Wrong,
    },
}

/// A point in the life of a server.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum When {
    /// It was not ready yet.
    BeforeReady,
    /// It was being verified.
    Verified,
    /// Load was being sent.
    Loaded,
    /// Load had been sent.
    AfterLoad,
}

/// Why a server is not ready yet.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "why", rename_all = "kebab-case")]
pub enum NotReady {
    /// Nobody listens.
    Connect {
        /// Where.
        address: String,
        /// What the system said.
        says: String,
    },
    /// It says that it cannot serve yet.
    Status {
        /// What was asked for.
        url: String,
        /// 500 or more.
        status: u16,
    },
    /// It gave no whole response.
    NoResponse {
        /// What was asked for.
        url: String,
        /// What came of it.
        met: NoResponse,
    },
}

impl NotReady {
    /// Whether nobody listens there.
    pub fn is_no_listener(&self) -> bool {
        matches!(
            self,
            NotReady::Connect { .. }
                | NotReady::NoResponse {
                    met: NoResponse::Connect { .. },
                    ..
                }
        )
    }
}

/// A level at which not one good response came in the window.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Silence {
    /// How long the window was, in seconds.
    pub window_s: f64,
    /// The workload.
    pub workload: String,
    /// The level.
    pub load: Load,
    /// What else is known.
    pub why: Unanswered,
}

/// What is known of requests to which no good response came.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "why", rename_all = "kebab-case")]
pub enum Unanswered {
    /// What went wrong first.
    Error {
        /// The first complaint.
        first: Complaint,
    },
    /// Every request was sent before the window, and its response came after it.
    Later {},
    /// Nothing.
    Nothing {},
}
