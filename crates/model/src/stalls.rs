//! Stalls: times without a response on any connection.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How long a server stood still under its own load, and how long it responded. Turns that do not count are included, and the continuous
/// run next to turns.
///
/// A stall is a time in which requests waited and no response came on any connection, longer than `longer_than_s`. It belongs to the slice in
/// which it began, and counts whole.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Stalls {
    /// Only longer times without a response are stalls, in seconds: 5 ms, or four times the median response time.
    pub longer_than_s: f64,
    /// For how long responses flowed, in seconds.
    pub flow_s: f64,
    /// How long the stalls lasted, all of them together, in seconds.
    pub stalled_s: f64,
    /// How many there were.
    pub count: u64,
    /// The longest, in seconds, also of those that were under way when a slice began, which are in no other figure; 0 where there was none.
    pub longest_s: f64,
    /// When the longest began: RFC 3339, UTC; `null` where there was none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub longest_at: Option<String>,
    /// Good responses per second while they flowed.
    pub flow_rps: f64,
}

impl Stalls {
    /// The share of the time under load that stalls took; `None` where there was no such time.
    pub fn share(&self) -> Option<f64> {
        Stalls::share_of(self.flow_s, self.stalled_s)
    }

    /// The same of seconds in which responses flowed and in which they did not.
    pub fn share_of(flow_s: f64, stalled_s: f64) -> Option<f64> {
        let all = flow_s + stalled_s;
        (all > 0.0).then(|| stalled_s / all)
    }

    /// By how much stalls slow the server down: its throughput over that while responses flow.
    pub fn slow_down(&self) -> f64 {
        1.0 - self.share().unwrap_or(0.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_are_of_the_time_under_load() {
        let stalls = Stalls {
            longer_than_s: 0.002,
            flow_s: 1.5,
            stalled_s: 0.5,
            count: 1,
            longest_s: 0.5,
            longest_at: None,
            flow_rps: 1_000.0,
        };
        assert_eq!(stalls.share(), Some(0.25));
        assert_eq!(stalls.slow_down(), 0.75);
        let none = Stalls {
            flow_s: 0.0,
            stalled_s: 0.0,
            ..stalls
        };
        assert_eq!((none.share(), none.slow_down()), (None, 1.0));
    }
}
