//! Why something was not measured: what became of a target that did not build, start, get ready or do its job, and of a
//! measurement that came to nothing.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::complaint::{Complaint, span};
use crate::load::Load;

mod request;
mod response;
mod sending;
mod server;
mod service;

pub use request::{RequestFault, RequestPart};
pub use response::{Difference, NoResponse, Unfollowed, Wrong};
pub use sending::{LoadPart, LoadTrouble};
use server::tail;
pub use server::{Fate, NotReady, PortHolder, Printed, When};
pub use service::{DatabaseFate, ServiceTrouble, StartedDatabase};

/// Why something was not measured. `says` is what others said of it: the system, a compiler, a database.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema, Error)]
#[serde(tag = "code", rename_all = "kebab-case")]
pub enum FailureFinding {
    /// No reason was recorded.
    #[error("no reason was recorded")]
    NoReason {},
    /// A tool that the target needs is not there in a version that fits.
    #[error("failed to find {tool} {wanted}: {found}; {remedy}")]
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
    #[error("failed to build {target}: {says}\n  command: {command}\n  log: {log}{}", tail(.last))]
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
    #[error("failed to pull {image}, the image of {target}: {says}; see that its name is right and begins with its registry, such as docker.io/library/, and that the servers' machine reaches it; or pull or build it there before the run\n  log: {log}{}", tail(.last))]
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
    #[error("failed to start {command}: {says}")]
    Start {
        /// The command.
        command: String,
        /// Why.
        says: String,
    },
    /// A command of its own around its server failed.
    #[error("{}{printed}", around_failed(*.around, .command, .fate))]
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
    #[error("failed to reach {machine}: {says}")]
    Unreachable {
        /// What the user calls the machine.
        machine: String,
        /// Why, in the words of the system, of ssh or of the agent.
        says: String,
    },
    /// Something failed on another machine.
    #[error("failed to {says} (on {machine})")]
    Elsewhere {
        /// What the user calls the machine.
        machine: String,
        /// What, as it was said there.
        says: String,
    },
    /// No TCP port is free.
    #[error("failed to find a free TCP port: {says}")]
    NoPort {
        /// What the system said.
        says: String,
    },
    /// There is no folder for temporary files.
    #[error("failed to make a folder for temporary files: {says}")]
    NoTemporaryFolder {
        /// What the system said.
        says: String,
    },
    /// Processes that even SIGKILL did not end.
    #[error(
        "failed to end {processes}: still there {seconds} s after SIGKILL; end them by hand before the next run"
    )]
    Unkillable {
        /// Which, such as `process 12 (java)`.
        processes: String,
        /// How long photofinish waited.
        seconds: u64,
    },
    /// Something else failed between photofinish and the machine.
    #[error("failed to {says}")]
    Machine {
        /// What, as a fragment that follows 'failed to'.
        says: String,
    },
    /// A service that it needs is not there.
    #[error("failed to {why}")]
    NotServed {
        /// Why.
        why: ServiceTrouble,
    },
    /// A service that it needs failed otherwise.
    #[error("failed to {says}")]
    Service {
        /// What, as a fragment that follows 'failed to'.
        says: String,
    },
    /// A service that its workload names and that the study does not have.
    #[error("there is no service {service}")]
    NoService {
        /// The service.
        service: String,
    },
    /// The port that it needs is taken.
    #[error(
        "port {port}, which {target} needs, is taken by {holder}; end that, or give the target another port"
    )]
    Port {
        /// The port.
        port: u16,
        /// The target's label.
        target: String,
        /// Who listens on it.
        holder: PortHolder,
    },
    /// Somebody else listens on the Unix socket that it needs.
    #[error(
        "the Unix socket {path}, on which {target} listens, is taken by {holder}; end that, or give the target another path"
    )]
    Socket {
        /// The socket's path.
        path: String,
        /// The target's label.
        target: String,
        /// Who listens on it.
        holder: PortHolder,
    },
    /// Its server does not go as it should.
    #[error("the server {fate}{printed}")]
    Server {
        /// What became of it.
        fate: Fate,
        /// What it printed last.
        printed: Printed,
    },
    /// Its response is another one than was stated.
    #[error(transparent)]
    Response {
        /// What is wrong with it.
        wrong: Wrong,
    },
    /// No load could be sent.
    #[error("failed to send load: {why}")]
    Load {
        /// Why.
        why: LoadTrouble,
    },
    /// No good response came at a level.
    #[error(transparent)]
    Silent {
        /// The level, and what is known.
        silence: Silence,
    },
    /// No good response came at a level, and then none to a single request either.
    #[error("{silence}; then {then}")]
    Gone {
        /// The level, and what is known.
        silence: Silence,
        /// What the single request met.
        then: Box<FailureFinding>,
    },
    /// It failed to start in the two rounds before, and is not started again.
    #[error("not started again: it failed to start in rounds {} and {}; once that is fixed, --resume measures what is missing", .rounds[0], .rounds[1])]
    GivenUp {
        /// The rounds in which it failed.
        rounds: [u32; 2],
    },
    /// Fewer than two servers of the round could be compared, so the run ended before it was measured.
    #[error("not measured: {}", no_contest(*.different_jobs))]
    NoContest {
        /// Whether the others responded differently; else they failed.
        different_jobs: bool,
    },
    /// A search for a capacity had no time for a single step.
    #[error("the search had no time for a single step")]
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
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema, Error)]
#[serde(tag = "fate", rename_all = "kebab-case")]
pub enum AroundFate {
    /// It ended badly.
    #[error("failed ({how})")]
    Ended {
        /// Its exit status or signal.
        how: String,
    },
    /// It had not ended in time, and was ended.
    #[error("did not end within {}", span(*.within_s))]
    TooLong {
        /// In what time, in seconds.
        within_s: f64,
    },
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

/// A level at which not one good response came in the window.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema, Error)]
#[error("no good response in {window_s:.1} s of {workload} at {}: {why}", .load.label())]
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
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema, Error)]
#[serde(tag = "why", rename_all = "kebab-case")]
pub enum Unanswered {
    /// What went wrong first.
    #[error("{first}")]
    Error {
        /// The first complaint.
        first: Complaint,
    },
    /// Every request was sent before the window, and its response came after it.
    #[error(
        "responses arrived only after that; measure for longer than a response takes (`duration`)"
    )]
    Later {},
    /// Nothing.
    #[error("no response arrived")]
    Nothing {},
}

impl FailureFinding {
    /// Returns what failed, as a fragment that follows 'failed to'.
    pub fn fragment(&self) -> String {
        let sentence = self.to_string();
        let fragment = sentence.strip_prefix("failed to ");
        fragment.map(str::to_owned).unwrap_or(sentence)
    }

    /// Returns its sentence where there is room for one line, without what a program printed and where that stands.
    pub fn in_a_line(&self) -> String {
        match self {
            FailureFinding::Server { fate, printed } if !printed.lines.is_empty() => {
                format!("the server {fate}")
            }
            FailureFinding::Around {
                around,
                command,
                fate,
                printed,
            } if !printed.lines.is_empty() => around_failed(*around, command, fate),
            FailureFinding::Gone { silence, then } => {
                format!("{silence}; then {}", then.in_a_line())
            }
            other => {
                let says = other.to_string();
                says.lines().next().unwrap_or_default().to_owned()
            }
        }
    }
}

/// Returns what was run around a server, and how that failed.
fn around_failed(around: Around, command: &str, fate: &AroundFate) -> String {
    let which = match around {
        Around::Prepare => "before its start",
        Around::Cleanup => "after its stop",
    };
    format!("the `{}` command {which} {fate}: {command}", around.name())
}

fn no_contest(different_jobs: bool) -> &'static str {
    match different_jobs {
        true => {
            "the servers' responses differ, so they cannot be compared; if they may, state in what they must be alike: --same json, --same status or --expect-contains TEXT"
        }
        false => "no other server is up to compare it with",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn in_a_line_a_failure_is_without_what_was_printed() {
        let ended = |lines: &[&str]| FailureFinding::Server {
            fate: Fate::Ended {
                when: When::BeforeReady,
                how: "exit status 2".to_owned(),
                well: false,
            },
            printed: Printed {
                log: "logs/b-round-1.log".to_owned(),
                lines: lines.iter().map(|&line| line.to_owned()).collect(),
            },
        };
        assert_eq!(
            ended(&["no such file", "bye"]).in_a_line(),
            "the server ended before it was ready (exit status 2)"
        );
        assert_eq!(
            ended(&[]).in_a_line(),
            "the server ended before it was ready (exit status 2); it printed nothing"
        );
    }

    #[test]
    fn a_command_around_a_server_is_named_with_how_it_failed() {
        let failed = |around, fate, lines: &[&str]| FailureFinding::Around {
            around,
            command: "sh -c ./fill".to_owned(),
            fate,
            printed: Printed {
                log: "logs/b-round-1.log".to_owned(),
                lines: lines.iter().map(|&line| line.to_owned()).collect(),
            },
        };
        let ended = || AroundFate::Ended {
            how: "exit status 3".to_owned(),
        };
        assert_eq!(
            failed(Around::Prepare, ended(), &["no database"]).to_string(),
            "the `prepare` command before its start failed (exit status 3): sh -c ./fill; its last lines (logs/b-round-1.log):\n    | no database"
        );
        assert_eq!(
            failed(Around::Prepare, ended(), &["no database"]).in_a_line(),
            "the `prepare` command before its start failed (exit status 3): sh -c ./fill"
        );
        let long = AroundFate::TooLong { within_s: 1200.0 };
        assert_eq!(
            failed(Around::Cleanup, long, &[]).to_string(),
            "the `cleanup` command after its stop did not end within 1200s: sh -c ./fill; it printed nothing"
        );
    }

    #[test]
    fn a_holder_reads_as_a_phrase() {
        let says = |pid, command: &str| {
            let command = command.to_owned();
            PortHolder { pid, command }.to_string()
        };
        assert_eq!(says(12, "java -jar a.jar"), "process 12 (java -jar a.jar)");
        assert_eq!(says(12, ""), "process 12");
        assert_eq!(says(0, ""), "a process of another user or container");
    }
}
