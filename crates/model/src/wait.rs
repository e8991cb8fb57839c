//! What the threads of a server wait for.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What a thread that has a request waits for. One that waits for its next request belongs to none.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum Wait {
    /// A connection of a pool.
    Pool,
    /// A lock that another thread holds.
    Lock,
    /// The other end of a connection: a database's response, or another service's.
    Network,
    /// What another thread makes of it.
    Thread,
    /// Nothing: it sleeps.
    Sleep,
    /// Something else.
    Other,
}

impl Wait {
    /// All of them, in the order in which they are shown.
    pub const ALL: &[Wait] = &[
        Wait::Pool,
        Wait::Lock,
        Wait::Network,
        Wait::Thread,
        Wait::Sleep,
        Wait::Other,
    ];
}

/// What samples of all of a server's threads showed, those that waited too, in slices of load beside those that were measured.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Waits {
    /// Good responses per second meanwhile, which beside the measured throughput is the price of the samples.
    pub throughput_rps: f64,
    /// All responses meanwhile: those that shared the waits.
    pub responses: u64,
    /// How often each thread was really looked at, in hertz: less often than was meant where a busy server leaves no room for it.
    pub hertz: f64,
    /// Samples, of threads that ran or waited for work too.
    pub samples: u64,
    /// How many samples found a thread that waited for this; what no thread was found waiting for is not there.
    pub waits: BTreeMap<Wait, u64>,
    /// Whether there were virtual threads. One that waits is not seen.
    pub has_virtual_threads: bool,
    /// The file with the stacks, in the results folder: folded, a stack a line.
    pub file: String,
    /// Samples of rare stacks that share a line of it.
    pub merged: u64,
}

impl Waits {
    /// For how long a request's threads waited for this, in microseconds: each sample stands for 1 / hertz of a thread's time. `None`
    /// without responses.
    pub fn us_per_request(&self, wait: Wait) -> Option<f64> {
        let found = self.waits.get(&wait).copied().unwrap_or(0) as f64;
        let seconds = found / self.hertz;
        (self.responses > 0 && self.hertz > 0.0).then(|| seconds * 1e6 / self.responses as f64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_are_shared_among_the_responses() {
        let waits = Waits {
            throughput_rps: 500.0,
            responses: 1_000,
            hertz: 100.0,
            samples: 900,
            waits: BTreeMap::from([(Wait::Lock, 300)]),
            has_virtual_threads: false,
            file: String::new(),
            merged: 0,
        };
        // 300 samples of 10 ms are 3 s, which 1,000 requests shared.
        assert_eq!(waits.us_per_request(Wait::Lock), Some(3_000.0));
        assert_eq!(waits.us_per_request(Wait::Pool), Some(0.0));
        let none = Waits {
            responses: 0,
            ..waits
        };
        assert_eq!(none.us_per_request(Wait::Lock), None);
    }
}
