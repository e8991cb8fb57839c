//! When a free connection may send: the whole difference between a closed and an open loop.

use std::sync::atomic::{AtomicU64, Ordering};

use crate::clock::{NEVER, Nanos};
use crate::schedule::Schedule;

/// How many requests all threads together may still begin.
#[derive(Debug)]
pub struct Budget {
    left: AtomicU64,
    /// The divisor that makes claims small enough for all threads to end at about the same time.
    parts: u64,
}

/// So many requests are claimed at once at most.
const CLAIM: u64 = 1024;

impl Budget {
    /// `None`: no limit.
    pub fn new(requests: Option<u64>, threads: usize) -> Self {
        Budget {
            left: AtomicU64::new(requests.unwrap_or(u64::MAX)),
            parts: threads as u64 * 16,
        }
    }

    /// Takes a share, large while much is left, so that threads seldom meet here; 0 = nothing is left.
    fn claim(&self, at_most: u64) -> u64 {
        let mut claimed = 0;
        let _ = self
            .left
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| {
                if left == u64::MAX {
                    claimed = u64::MAX;
                    return None;
                }
                claimed = (left / self.parts).clamp(1, at_most).min(left);
                (left > 0).then(|| left - claimed)
            });
        claimed
    }

    /// Gives back what will not be used.
    fn give_back(&self, unused: u64) {
        let _ = self
            .left
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| {
                (left != u64::MAX).then(|| left + unused)
            });
    }
}

/// One thread's policy.
#[derive(Debug)]
pub struct Pacer<'a> {
    budget: &'a Budget,
    allowance: u64,
    /// `None`: a closed loop.
    schedule: Option<Schedule>,
}

impl<'a> Pacer<'a> {
    /// A closed loop, or an open one by `schedule`.
    pub fn new(budget: &'a Budget, schedule: Option<Schedule>) -> Self {
        Pacer {
            budget,
            allowance: 0,
            schedule,
        }
    }

    /// Whether requests are due by a schedule.
    #[inline]
    pub fn is_open(&self) -> bool {
        self.schedule.is_some()
    }

    /// Takes the next request if it may be sent now: when it was due.
    #[inline]
    pub fn take(&mut self, now: Nanos, end: Nanos) -> Option<Nanos> {
        let due = match &self.schedule {
            None => now,
            Some(schedule) => schedule.next(),
        };
        if due > now || due > end || !self.allowed() {
            return None;
        }
        self.allowance -= 1;
        if let Some(schedule) = &mut self.schedule {
            schedule.advance();
        }
        Some(due)
    }

    /// When a request falls due without an answer coming first.
    #[inline]
    pub fn next_due(&self) -> Nanos {
        self.schedule.as_ref().map_or(NEVER, Schedule::next)
    }

    /// Takes a request that fell due by `end` and will not be sent any more: when it was due.
    pub fn take_unsent(&mut self, end: Nanos) -> Option<Nanos> {
        self.schedule.as_ref()?;
        self.take(end, end)
    }

    /// Whether no further request will be due.
    pub fn exhausted(&mut self) -> bool {
        !self.allowed()
            || self
                .schedule
                .as_ref()
                .is_some_and(|schedule| schedule.next() == NEVER)
    }

    /// Leaves what is left to the other threads.
    pub fn give_up(&mut self) {
        self.budget.give_back(self.allowance);
        self.allowance = 0;
    }

    #[inline]
    fn allowed(&mut self) -> bool {
        if self.allowance == 0 {
            // By a schedule, a claim of many would let a thread run ahead of the others' due times.
            self.allowance = self.budget.claim(if self.is_open() { 1 } else { CLAIM });
        }
        self.allowance > 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threads_together_begin_exactly_so_many() {
        for requests in [1, 7, 1000, 1_000_003] {
            let budget = Budget::new(Some(requests), 3);
            let mut pacers = [0; 3].map(|_| Pacer::new(&budget, None));
            let mut sent = 0;
            // One thread is faster than the others, and one gives up.
            while pacers[0].take(1, NEVER).is_some() {
                sent += 1;
                if sent % 5 == 0 {
                    sent += u64::from(pacers[1].take(1, NEVER).is_some());
                }
                if sent == 100 {
                    sent += u64::from(pacers[2].take(1, NEVER).is_some());
                    pacers[2].give_up();
                }
            }
            while pacers[1].take(1, NEVER).is_some() {
                sent += 1;
            }
            assert_eq!(sent, requests);
            assert!(pacers.iter_mut().all(Pacer::exhausted));
        }
    }

    #[test]
    fn a_closed_loop_sends_until_the_end() {
        let budget = Budget::new(None, 1);
        let mut pacer = Pacer::new(&budget, None);
        assert_eq!(pacer.take(5, 9), Some(5));
        assert_eq!(pacer.take(10, 9), None);
        assert_eq!((pacer.next_due(), pacer.take_unsent(9)), (NEVER, None));
    }
}
