//! What travels between photofinish and an agent.

use std::net::IpAddr;
use std::path::PathBuf;

use photofinish_model::Window;
use serde::{Deserialize, Serialize};

use crate::request::Ask;

/// What an agent says of itself, first.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Welcome {
    /// Itself as a program.
    pub(super) program: PathBuf,
    /// Where builds are kept.
    pub(super) cache: PathBuf,
    /// The address at which whoever started it from elsewhere reached its machine.
    pub(super) address: Option<IpAddr>,
}

/// To an agent.
#[derive(Debug, Serialize, Deserialize)]
pub(super) enum ToAgent {
    /// A request, by the number that its reply will have, and whatever it makes.
    Ask(u64, Ask),
    /// What was asked for by this number is to end early: a load, or a wait.
    Cancel(u64),
    /// For the connection of this number; nothing: no more will come.
    Bytes(u64, Vec<u8>),
    /// What has this number is not needed any more.
    Drop(u64),
    /// The asker is still there.
    Alive,
}

/// From an agent.
#[derive(Debug, Serialize, Deserialize)]
pub(super) enum FromAgent {
    /// What came of the request with this number: its reply, encoded, or why there is none, in words that fit 'failed to'.
    Reply(u64, Result<Vec<u8>, String>),
    /// Something of it on the way.
    News(u64, News),
    /// The agent is still there.
    Alive,
}

/// What happens before a reply, or to what was made.
#[derive(Debug, Serialize, Deserialize)]
pub(super) enum News {
    Window(Window),
    Opened,
    Closed,
    /// What came over a connection; nothing: no more will come.
    Bytes(Vec<u8>),
}

#[cfg(test)]
mod tests;
