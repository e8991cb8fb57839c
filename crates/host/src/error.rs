//! What can go wrong between the lab and the machine.

use std::io;
use std::path::{Path, PathBuf};

use photofinish_model::finding::failure::{FailureFinding, LoadPart, LoadTrouble};

/// What can go wrong between the lab and the machine; fragments that fit 'failed to {error}'.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// What keeps a target from being measured, as it is recorded.
    #[error("{}", .0.fragment())]
    Finding(Box<FailureFinding>),
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
    /// No load can be sent.
    #[error("{0}")]
    Load(Box<LoadTrouble>),
    /// A connection from a machine to a server.
    #[error("{0}")]
    Connect(io::Error),
    /// What is to be sent did not arrive as it was meant.
    #[error("read what is to be sent: {0}")]
    Config(String),
    /// A reply cannot travel.
    #[error("write a reply: {0}")]
    Reply(postcard::Error),
    /// What a machine made earlier is not there.
    #[error("find what has the number {0}: it is gone")]
    Gone(u64),
    /// A wall clock that shows no time since the epoch.
    #[error("read the clock: it is before 1970")]
    EarlyClock,
    /// Nothing can be sampled of a server.
    #[error("profile the servers: {0}")]
    Profile(#[from] photofinish_profile::Refused),
    /// An agent in a Java virtual machine does not work.
    #[error(transparent)]
    Java(#[from] photofinish_profile::java::NoJava),
    /// No folder for temporary files.
    #[error("make a folder for temporary files: {0}")]
    Temp(io::Error),
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

impl Error {
    /// Makes the error of something with a path: `verb` is `read`, `write`, …
    pub fn file(verb: &'static str, path: &Path) -> impl Fn(io::Error) -> Error + use<> {
        let path = path.to_owned();
        move |source| Error::File {
            verb,
            path: path.clone(),
            source,
        }
    }

    /// Makes the error of a machine that cannot be reached.
    pub(crate) fn unreachable(machine: &str, says: impl Into<String>) -> Error {
        FailureFinding::Unreachable {
            machine: machine.to_owned(),
            says: says.into(),
        }
        .into()
    }

    /// Makes the error of something that failed on another machine.
    pub(crate) fn elsewhere(machine: &str, says: String) -> Error {
        let machine = machine.to_owned();
        FailureFinding::Elsewhere { machine, says }.into()
    }

    /// There is no thread for a load.
    pub(crate) fn no_thread(source: io::Error) -> Error {
        LoadTrouble::System {
            what: LoadPart::Thread,
            says: source.to_string(),
        }
        .into()
    }

    /// A load's thread panicked.
    pub(crate) fn broke_down() -> Error {
        LoadTrouble::Broken {}.into()
    }
}

impl From<FailureFinding> for Error {
    fn from(finding: FailureFinding) -> Error {
        Error::Finding(Box::new(finding))
    }
}

impl From<LoadTrouble> for Error {
    fn from(trouble: LoadTrouble) -> Error {
        Error::Load(Box::new(trouble))
    }
}

/// Numbers with commas between them.
pub(super) fn list(numbers: &[usize]) -> String {
    let numbers: Vec<String> = numbers.iter().map(usize::to_string).collect();
    numbers.join(", ")
}

/// As it is recorded in place of what could not be measured.
impl From<Error> for FailureFinding {
    fn from(error: Error) -> FailureFinding {
        match error {
            Error::Finding(finding) => *finding,
            Error::Load(why) => FailureFinding::Load { why: *why },
            Error::NoPort(source) => FailureFinding::NoPort {
                says: source.to_string(),
            },
            Error::Temp(source) => FailureFinding::NoTemporaryFolder {
                says: source.to_string(),
            },
            error => FailureFinding::Machine {
                says: error.to_string(),
            },
        }
    }
}
