//! Waiting until servers rest.

use std::thread;
use std::time::{Duration, Instant};

use photofinish_judge::checks::RESTING_CORES;

use super::Turns;
use crate::interference::evidence::CpuTime;

/// How often idle servers are sampled while they come to rest.
const POLL_INTERVAL: Duration = Duration::from_millis(10);
/// Longest wait for idle servers. One that never rests fails its check.
const MAX_WAIT: Duration = Duration::from_secs(2);
/// Share of the time between two slices, and CPU time, from which a server is busy after the first of them.
const BUSY: (f64, Duration) = (0.25, Duration::from_micros(300));

/// What is known of a level's servers between its slices.
#[derive(Debug, Default)]
pub(super) struct Rest {
    /// When the last slice ended, and what all had used by then.
    ended: Option<(Instant, Duration)>,
    /// Whether a wait was in vain: there is no other in this level.
    pub(super) in_vain: bool,
}

impl Turns<'_, '_, '_> {
    /// Waits until those whose CPU time this is have done what load and connections left them to do, and returns whether they have.
    pub(super) fn wait_for_rest(&mut self, used: impl Fn(&mut Self) -> CpuTime) -> bool {
        let (until, mut before) = (Instant::now() + MAX_WAIT, used(self));
        while let Some(then) = before {
            thread::sleep(POLL_INTERVAL);
            let now = used(self);
            let busy = now.and_then(|now| now.checked_sub(then));
            if busy.is_none_or(|busy| busy < POLL_INTERVAL.mul_f64(RESTING_CORES)) {
                return true;
            }
            if Instant::now() > until {
                return false;
            }
            before = now;
        }
        true
    }

    /// The same for all servers and services of the round.
    pub(super) fn wait_for_all_to_rest(&mut self) -> bool {
        let Some(first) = self.places.first().copied() else {
            return true;
        };
        self.wait_for_rest(|turns| used_by_all(turns.clocks(first)))
    }

    /// The clocks right before a slice of the target in this place: once all rest, if it is the first or somebody works on since the slice before.
    pub(super) fn rested_clocks(&mut self, place: usize) -> (CpuTime, CpuTime) {
        let clocks = self.clocks(place);
        if self.rest.in_vain || !self.rest.somebody_works(used_by_all(clocks)) {
            return clocks;
        }
        self.rest.in_vain = !self.wait_for_all_to_rest();
        self.clocks(place)
    }

    /// The clocks right after a slice of the target in this place.
    pub(super) fn clocks_after(&mut self, place: usize) -> (CpuTime, CpuTime) {
        let clocks = self.clocks(place);
        self.rest.ended = used_by_all(clocks).map(|used| (Instant::now(), used));
        clocks
    }
}

impl Rest {
    fn somebody_works(&self, used: CpuTime) -> bool {
        let Some(((at, before), now)) = self.ended.zip(used) else {
            // Before the first slice: what was tried out may have left work.
            return self.ended.is_none() && used.is_some();
        };
        let (share, least) = BUSY;
        let worked = now.saturating_sub(before);
        worked > least && worked > at.elapsed().mul_f64(share)
    }
}

fn used_by_all((own, others): (CpuTime, CpuTime)) -> CpuTime {
    Some(own? + others?)
}
