//! What passes between a session and its threads.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, Sender};
use std::time::Duration;

use crate::clock::{NEVER, Nanos};
use crate::config::{Config, Share, Slice};
use crate::error::Error;
use crate::outcome::{ErrorKind, Silence};
use crate::pacing::Budget;
use crate::protocol::Place;
use crate::record::Tally;
use photofinish_model::finding::complaint::Complaint;

/// One stretch of load. All threads share it; the coordinator writes it, and the threads read it once a pass of their loops.
#[derive(Debug)]
pub struct Flow {
    /// What is sent when. `None`: nothing; connections are opened, and that is all.
    pub slice: Option<Slice>,
    /// When load begins: 0 = not known yet, [`NEVER`] = it will not.
    pub start: AtomicU64,
    /// When it was to begin, from which schedule and window are counted; set before the start.
    pub origin: AtomicU64,
    /// When the window closes.
    pub end: AtomicU64,
    /// How many requests may still begin.
    pub budget: Arc<Budget>,
}

impl Flow {
    /// Not begun yet.
    pub fn new(slice: Option<Slice>, share: Share, threads: usize) -> Self {
        let requests = slice.as_ref().and_then(|slice| slice.requests(share));
        Flow {
            slice,
            start: AtomicU64::new(0),
            origin: AtomicU64::new(0),
            end: AtomicU64::new(NEVER),
            budget: Arc::new(Budget::new(requests, threads)),
        }
    }

    /// It will not begin, or ends now.
    pub fn give_up(&self) {
        self.end.store(0, Ordering::Relaxed);
        self.start.store(NEVER, Ordering::Release);
    }
}

/// What a thread reports.
#[derive(Debug)]
pub enum Message {
    /// Every connection was tried once.
    Ready {
        /// How many are open.
        open: usize,
        failure: Option<(ErrorKind, Complaint)>,
    },
    /// The thread has left its window `window` behind.
    Window {
        thread: usize,
        window: u64,
        tally: Box<Tally>,
        /// The slice is over for this thread.
        last: Option<Findings>,
    },
    /// The thread has ended, and not because it was asked to; without an error, it broke down.
    Broken(Option<Error>),
}

/// What a thread found in a slice, beside its tallies.
#[derive(Debug, Default)]
pub struct Findings {
    /// CPU time within the window.
    pub cpu: Duration,
    /// When it had no response for long.
    pub silences: Vec<Silence>,
    /// When its last request ended.
    pub last_end: Nanos,
    /// How many places for requests had none in flight at the end, and the sum of the times since when, not before the window's opening.
    pub free: (u64, u128),
    /// The first thing that went wrong, and when.
    pub complaint: Option<(Nanos, Complaint)>,
    /// The first response that was not as when the server was verified, or not as long as the first ones, and when.
    pub change: Option<(Nanos, Complaint)>,
    /// Bodies have several lengths, so that no response was changed.
    pub lengths_vary: bool,
    /// When the first good response came, and when every connection had had one.
    pub first_response: Option<Nanos>,
    pub all_responded: Option<Nanos>,
    /// How many of its connections had no good response, though each would have sent all the time (closed loop by time).
    pub mute: usize,
    /// It may run on other cores than the one that it was put on.
    pub astray: bool,
}

/// What a thread is given.
#[derive(Debug)]
pub struct Task<P, T> {
    /// Which of the session's threads it is, of how many.
    pub thread: usize,
    pub threads: usize,
    /// Which part of the whole load, by however many generators that is sent.
    pub place: Place,
    pub connections: usize,
    pub config: Arc<Config>,
    pub protocol: P,
    pub transport: T,
    /// What to do next; closed when the session is.
    pub orders: Receiver<Arc<Flow>>,
    pub messages: Sender<Message>,
    /// Tallies that the coordinator has read, to be used again.
    pub recycled: Receiver<Box<Tally>>,
}
