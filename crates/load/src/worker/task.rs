//! What passes between the coordinator and a thread.

use std::sync::atomic::AtomicU64;
use std::sync::mpsc::{Receiver, Sender};
use std::time::Duration;

use crate::clock::Nanos;
use crate::config::Config;
use crate::outcome::ErrorKind;
use crate::pacing::Budget;
use crate::record::Tally;

/// What all threads share. Written by the coordinator, and read once a pass of the loops.
#[derive(Debug)]
pub struct Shared {
    /// When load begins: 0 = not known yet, [`NEVER`](crate::clock::NEVER) = it will not.
    pub start: AtomicU64,
    /// When the window closes.
    pub end: AtomicU64,
    /// How many requests may still begin.
    pub budget: Budget,
}

/// What a thread tells the coordinator.
#[derive(Debug)]
pub enum Message {
    /// Every connection was tried once.
    Ready {
        open: usize,
        failure: Option<(ErrorKind, String)>,
    },
    /// The thread has left its window `window` behind (and is done, if `last`).
    Window {
        thread: usize,
        window: u64,
        tally: Box<Tally>,
        last: bool,
    },
}

/// What a thread found, beside its tallies.
#[derive(Debug, Default)]
pub struct Findings {
    /// CPU time within the window.
    pub cpu: Duration,
    /// When its last request ended.
    pub last_end: Nanos,
    /// The first thing that went wrong, and when.
    pub complaint: Option<(Nanos, String)>,
}

/// What a thread is given.
#[derive(Debug)]
pub struct Task<'a, P> {
    pub thread: usize,
    pub threads: usize,
    pub connections: usize,
    pub config: &'a Config,
    pub shared: &'a Shared,
    pub protocol: P,
    pub messages: Sender<Message>,
    /// Tallies that the coordinator has read, to be used again.
    pub recycled: Receiver<Box<Tally>>,
}
