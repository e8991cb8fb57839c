//! Waiting until servers rest.

use std::thread;
use std::time::{Duration, Instant};

use photofinish_judge::checks::RESTING_CORES;

use super::Turns;
use super::evidence::Clock;

/// They are looked at so often while they come to rest …
const LOOK: Duration = Duration::from_millis(20);
/// … and for no longer than this: what never rests fails its check.
const REST: Duration = Duration::from_secs(2);

impl Turns<'_, '_, '_> {
    /// Waits until those whose CPU time this is have done what load and connections left them to do.
    pub(super) fn wait_for_rest(&mut self, used: impl Fn(&mut Self) -> Clock) {
        let (until, mut before) = (Instant::now() + REST, used(self));
        while let Some(then) = before {
            thread::sleep(LOOK);
            let now = used(self);
            let busy = now.and_then(|now| now.checked_sub(then));
            if busy.is_none_or(|busy| busy < LOOK.mul_f64(RESTING_CORES)) || Instant::now() > until
            {
                return;
            }
            before = now;
        }
    }

    /// The same for all servers and services of the round.
    pub(super) fn wait_for_all_to_rest(&mut self) {
        let Some(first) = self.places.first().copied() else {
            return;
        };
        self.wait_for_rest(|turns| {
            let (own, others) = turns.clocks(first);
            Some(own? + others?)
        });
    }
}
