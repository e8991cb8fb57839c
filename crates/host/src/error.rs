//! What can go wrong between the lab and the machine.

use std::io;
use std::path::PathBuf;

use photofinish_model::finding::failure::{FailureFinding, LoadTrouble};
use photofinish_voice::{Language, Say};

/// What can go wrong between the lab and the machine; fragments that fit 'failed to {error}'.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// No free TCP port.
    #[error("find a free TCP port: {0}")]
    NoPort(io::Error),
    /// A command without a program.
    #[error("start a server: its command is empty; state a program")]
    EmptyCommand,
    /// The keeper, the process between photofinish and a server, did not start.
    #[error("start {}, which keeps the server: {source}", path.display())]
    Keeper {
        /// The program.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// The server could not be started.
    #[error("start {command}: {says}")]
    Start {
        /// The server's command.
        command: String,
        /// Why.
        says: String,
    },
    /// Processes that even SIGKILL did not end.
    #[error(
        "end {processes}: still there {seconds} s after SIGKILL; end them by hand before the next run"
    )]
    Unkillable {
        /// Which, such as `process 12 (java)`.
        processes: String,
        /// How long photofinish waited.
        seconds: u64,
    },
    /// Processes that cannot be stopped for a while.
    #[error("stop process {pid} ({name}) for a while: it goes on; leave out --freeze")]
    Unstoppable {
        /// One of them.
        pid: u32,
        /// Its name.
        name: String,
    },
    /// A file or folder could not be used.
    #[error("{verb} {}: {source}", path.display())]
    File {
        /// What was tried: `read`, `write`, …
        verb: &'static str,
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// An agent is not to be had, or gone.
    #[error("reach {machine}: {says}")]
    Unreachable {
        /// What the user calls its machine.
        machine: String,
        /// Why.
        says: String,
    },
    /// Something failed on another machine.
    #[error("{says} (on {machine})")]
    Elsewhere {
        /// What the user calls it.
        machine: String,
        /// What failed there, as it was said there.
        says: String,
    },
    /// What was made is not there any more.
    #[error("find what has the number {0}: it is gone")]
    Gone(u64),
    /// A reply of another kind than was asked for.
    #[error("understand the reply of a machine: it is to another question")]
    OddReply,
    /// There is something wrong with load or its generator; what it says is the catalogue's English.
    #[error("{}", .0.say(Language::En))]
    Load(Box<LoadTrouble>),
    /// Nothing can be sampled of a server.
    #[error("profile the servers: {0}")]
    Profile(#[from] photofinish_profile::Refused),
    /// An agent in a Java virtual machine does not work.
    #[error(transparent)]
    Java(#[from] photofinish_profile::java::NoJava),
    /// No folder for temporary files.
    #[error("make a folder for temporary files: {0}")]
    Temp(io::Error),
    /// A tool that a target needs is not here in a version that fits.
    #[error("find {tool} {wanted}: {found}; {remedy}")]
    Tool {
        /// The tool's name.
        tool: String,
        /// The condition on its version.
        wanted: String,
        /// What was found where.
        found: String,
        /// What to install.
        remedy: String,
    },
    /// A build failed or was interrupted.
    #[error("build {target}: {says}\n  command: {command}\n  log: {}{}", log.display(), tail(last))]
    Build {
        /// The target's label.
        target: String,
        /// How it failed.
        says: String,
        /// The command.
        command: String,
        /// The log.
        log: PathBuf,
        /// The log's last lines.
        last: Vec<String>,
    },
    /// A server that runs already is nobody's to treat so, or its process is not known.
    #[error("{0} a server that photofinish did not start")]
    NotOurs(&'static str),
    /// The person interrupted.
    #[error("finish: interrupted")]
    Interrupted,
    /// The kernel does not say which cores this process may use.
    #[error("find the cores that photofinish may use: {0}")]
    Cores(io::Error),
    /// A core asked for is not there, or may not be used.
    #[error(
        "pin to cores: the {lane}'s lane names core {core}; there are {}",
        list(cores)
    )]
    NoCore {
        /// Whose lane: `server` or `generator`.
        lane: &'static str,
        /// The core.
        core: usize,
        /// Those that may be used.
        cores: Vec<usize>,
    },
}

/// Numbers with commas between them.
pub(super) fn list(numbers: &[usize]) -> String {
    let numbers: Vec<String> = numbers.iter().map(usize::to_string).collect();
    numbers.join(", ")
}

/// A log's last lines, indented below a message.
fn tail(lines: &[String]) -> String {
    lines.iter().map(|line| format!("\n    | {line}")).collect()
}

impl From<LoadTrouble> for Error {
    fn from(trouble: LoadTrouble) -> Error {
        Error::Load(Box::new(trouble))
    }
}

impl From<photofinish_load::Error> for Error {
    fn from(error: photofinish_load::Error) -> Error {
        LoadTrouble::from(&error).into()
    }
}

/// As it is recorded in place of what could not be measured.
impl From<Error> for FailureFinding {
    fn from(error: Error) -> FailureFinding {
        match error {
            Error::Tool {
                tool,
                wanted,
                found,
                remedy,
            } => FailureFinding::Tool {
                tool,
                wanted,
                found,
                remedy,
            },
            Error::Build {
                target,
                says,
                command,
                log,
                last,
            } => FailureFinding::Build {
                target,
                says,
                command,
                log: log.display().to_string(),
                last,
            },
            Error::Start { command, says } => FailureFinding::Start { command, says },
            Error::Unreachable { machine, says } => FailureFinding::Unreachable { machine, says },
            Error::Elsewhere { machine, says } => FailureFinding::Elsewhere { machine, says },
            Error::Load(why) => FailureFinding::Load { why: *why },
            Error::NoPort(source) => FailureFinding::NoPort {
                says: source.to_string(),
            },
            Error::Temp(source) => FailureFinding::NoTemporaryFolder {
                says: source.to_string(),
            },
            Error::Unkillable { processes, seconds } => {
                FailureFinding::Unkillable { processes, seconds }
            }
            error => FailureFinding::Machine {
                says: error.to_string(),
            },
        }
    }
}
