//! What photofinish asks of an agent, and what it replies.

use std::net::IpAddr;
use std::path::PathBuf;

use photofinish_model::Window;
use serde::{Deserialize, Serialize};

use crate::Error;

/// What an agent says of itself, first.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Welcome {
    /// Itself as a program.
    pub(crate) program: PathBuf,
    /// Where builds are kept.
    pub(crate) cache: PathBuf,
    /// The address at which whoever started it from elsewhere reached its machine.
    pub(crate) address: Option<IpAddr>,
}

/// To an agent. `R` is a request.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) enum ToAgent<R> {
    /// A request, by the number that its reply will have.
    Ask(u64, R),
    /// The load, or the wait, that was asked for by this number is to end.
    Cancel(u64),
    /// For the connection that was asked for by this number; nothing: no more will come.
    Bytes(u64, Vec<u8>),
    /// What has this number is not needed any more: a process, a session, a meter, a lock, a folder, a connection.
    Drop(u64),
    /// The asker is still there.
    Alive,
}

/// From an agent.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) enum FromAgent {
    /// What came of the request with this number: the bytes of its reply.
    Reply(u64, Result<Vec<u8>, Refusal>),
    /// Something of it on the way.
    News(u64, News),
    /// The agent is still there.
    Alive,
}

/// What happened on the way to a reply.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) enum News {
    Window(Window),
    Opened,
    Closed,
    /// What came over a connection; nothing: no more will come.
    Bytes(Vec<u8>),
}

/// Why there is no reply.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Refusal {
    /// In words that fit 'failed to'.
    pub(crate) says: String,
    /// The system's number for it, where it has one.
    pub(crate) number: Option<i32>,
}

impl From<Error> for Refusal {
    fn from(error: Error) -> Refusal {
        let number = match &error {
            Error::Connect(source) | Error::File { source, .. } => source.raw_os_error(),
            _ => None,
        };
        Refusal {
            says: error.to_string(),
            number,
        }
    }
}
