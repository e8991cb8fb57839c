//! What to send, to whom, how fast and for how long: data that can be sent to another machine.

use std::borrow::Cow;
use std::net::SocketAddr;
use std::time::Duration;

use photofinish_model::{Arrivals, Exchange, Load, Stage};
use serde::{Deserialize, Serialize};

use crate::clock::{self, MILLISECOND, Nanos};

/// One load run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Config {
    /// The server.
    pub address: SocketAddr,
    /// What requests call it: the `Host` header's value.
    pub authority: String,
    /// What goes out and what must come back.
    pub exchange: Exchange,
    /// How many connections are open, and when requests are due. A search is many runs, and none by itself.
    pub load: Load,
    /// The rate of an open loop over time, in place of its constant one; empty = that.
    pub stages: Vec<Stage>,
    /// When the run ends.
    pub until: Until,
    /// How long load flows before the window opens; requests due in it are not measured.
    pub lead_in: Duration,
    /// How long each window is that is reported while the run goes on, and in its outcome; 1 ms at least.
    pub window: Duration,
    /// How long a response may take; also how long the run waits for responses after its end.
    pub timeout: Duration,
    /// The cores to run on, one thread each; empty = `threads` threads that are not pinned.
    pub cpus: Vec<usize>,
    /// Threads when `cpus` is empty.
    pub threads: usize,
    /// The seed of random choices: Poisson arrivals, and what varies in requests.
    pub seed: u64,
}

impl Config {
    /// The length of a window on the run's clock.
    pub(crate) fn window_length(&self) -> Nanos {
        clock::nanos(self.window).max(MILLISECOND)
    }

    /// How many connections are open.
    pub fn connections(&self) -> u32 {
        self.load.connections()
    }

    /// Whether requests are due by a schedule.
    pub(crate) fn is_open(&self) -> bool {
        matches!(self.load, Load::Open { .. })
    }

    /// When requests of an open loop are due; `None`: it is a closed one.
    pub(crate) fn schedule(&self) -> Option<(Arrivals, Cow<'_, [Stage]>)> {
        let Load::Open { rate, arrivals, .. } = self.load else {
            return None;
        };
        let stages = match self.stages.is_empty() {
            false => Cow::Borrowed(&self.stages[..]),
            // The last stage's rate holds on.
            true => Cow::Owned(vec![Stage {
                duration: Duration::from_secs(1),
                from: rate,
                to: rate,
            }]),
        };
        Some((arrivals, stages))
    }
}

/// When a run ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Until {
    /// After exactly so many requests.
    Requests(u64),
    /// After this long.
    Elapsed(Duration),
}
