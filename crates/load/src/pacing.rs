//! When a free connection may send: the whole difference between a closed and an open loop.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::clock::{NEVER, Nanos};
use crate::schedule::Schedule;

/// How many requests all threads together may still begin.
#[derive(Debug)]
pub struct Budget {
    /// What is left to claim, and in the lowest [`HOLDERS`] bits how many threads hold more than they have begun: both at once, so that
    /// whoever finds nothing left knows whether something may come back. [`UNLIMITED`] stays as it is.
    state: AtomicU64,
    /// The divisor that makes claims small enough for all threads to end at about the same time.
    parts: u64,
}

const HOLDERS: u32 = 16;
const UNLIMITED: u64 = u64::MAX;
/// So many requests are claimed at once at most.
const CLAIM: u64 = 1024;

impl Budget {
    /// `None`: no limit.
    pub fn new(requests: Option<u64>, threads: usize) -> Self {
        // More than can be counted here would take years.
        let state = |requests: u64| requests.min((UNLIMITED >> HOLDERS) - 1) << HOLDERS;
        Budget {
            state: AtomicU64::new(requests.map_or(UNLIMITED, state)),
            parts: threads as u64 * 16,
        }
    }

    /// Takes a share, large while much is left, so that threads seldom meet here; 0 = nothing is left. Whoever takes more than one is
    /// a holder until all are begun or given back.
    fn claim(&self, at_most: u64) -> u64 {
        let mut claimed = 0;
        self.update(|state| {
            if state == UNLIMITED {
                claimed = UNLIMITED;
                return None;
            }
            let left = state >> HOLDERS;
            claimed = (left / self.parts).clamp(1, at_most).min(left);
            (left > 0).then(|| state - (claimed << HOLDERS) + u64::from(claimed > 1))
        });
        claimed
    }

    /// One holder less, who gives back what it will not use.
    fn release(&self, unused: u64) {
        self.update(|state| (state != UNLIMITED).then(|| state - 1 + (unused << HOLDERS)));
    }

    fn update(&self, change: impl FnMut(u64) -> Option<u64>) {
        let _ = (self.state).fetch_update(Ordering::Relaxed, Ordering::Relaxed, change);
    }

    /// Whether nothing is left to claim.
    fn is_claimed(&self) -> bool {
        self.state.load(Ordering::Relaxed) >> HOLDERS == 0
    }

    /// Whether nothing is left, and nothing can come back.
    fn is_used_up(&self) -> bool {
        self.state.load(Ordering::Relaxed) == 0
    }
}

/// One thread's policy.
#[derive(Debug)]
pub struct Pacer {
    budget: Arc<Budget>,
    allowance: u64,
    /// It counts among the budget's holders.
    holds: bool,
    /// `None`: a closed loop.
    schedule: Option<Schedule>,
}

impl Pacer {
    /// A closed loop, or an open one by `schedule`.
    pub fn new(budget: Arc<Budget>, schedule: Option<Schedule>) -> Self {
        Pacer {
            budget,
            allowance: 0,
            holds: false,
            schedule,
        }
    }

    /// Whether requests are due by a schedule.
    #[inline]
    pub fn is_open(&self) -> bool {
        self.schedule.is_some()
    }

    /// Takes the next request if it may be sent now: when it was due. One that falls due at the very end belongs to what comes after,
    /// so that a rate over a time is exactly so many requests.
    #[inline]
    pub fn take(&mut self, now: Nanos, end: Nanos) -> Option<Nanos> {
        let due = match &self.schedule {
            None => now,
            Some(schedule) => schedule.next(),
        };
        if due > now || due >= end || !self.allowed() {
            return None;
        }
        self.allowance -= 1;
        if self.allowance == 0 {
            self.give_up();
        }
        if let Some(schedule) = &mut self.schedule {
            schedule.advance();
        }
        Some(due)
    }

    /// When a request falls due without a response coming first.
    #[inline]
    pub fn next_due(&self) -> Nanos {
        self.schedule.as_ref().map_or(NEVER, Schedule::next)
    }

    /// Takes a request that fell due before `end` and will not be sent any more: when it was due.
    pub fn take_unsent(&mut self, end: Nanos) -> Option<Nanos> {
        self.schedule.as_ref()?;
        self.take(end, end)
    }

    /// Whether no further request will be due.
    pub fn exhausted(&self) -> bool {
        (self.allowance == 0 && self.budget.is_used_up()) || {
            let schedule = self.schedule.as_ref();
            schedule.is_some_and(|schedule| schedule.next() == NEVER)
        }
    }

    /// Leaves what it holds to the other threads where those have nothing left: they may have connections that are free, while
    /// all of this one's wait for responses.
    pub fn share(&mut self) {
        if self.budget.is_claimed() {
            self.give_up();
        }
    }

    /// Leaves what is left to the other threads.
    pub fn give_up(&mut self) {
        if self.holds {
            self.budget.release(self.allowance);
            (self.allowance, self.holds) = (0, false);
        }
    }

    #[inline]
    fn allowed(&mut self) -> bool {
        if self.allowance == 0 {
            // By a schedule, a claim of many would let a thread run ahead of the others' due times.
            self.allowance = self.budget.claim(if self.is_open() { 1 } else { CLAIM });
            self.holds = (2..UNLIMITED).contains(&self.allowance);
        }
        self.allowance > 0
    }
}

impl Drop for Pacer {
    fn drop(&mut self) {
        self.give_up();
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use proptest::prelude::*;

    use super::*;
    use crate::clock::SECOND;
    use crate::schedule::Rate;
    use photofinish_model::{Arrivals, Stage};

    /// What threads take of an open loop at `rate` per second, each by a clock that jumps by `steps`, until `end`: when
    /// each request was due and when it was taken, in the order of their due times.
    fn taken(
        arrivals: Arrivals,
        rate: f64,
        threads: usize,
        steps: &[Nanos],
        end: Nanos,
    ) -> Vec<(Nanos, Nanos)> {
        let budget = Arc::new(Budget::new(None, threads));
        let stage = Stage {
            duration: Duration::from_secs(1),
            from: rate,
            to: rate,
        };
        let mut all = Vec::new();
        for thread in 0..threads {
            let rate = Rate::new(0.0, &[stage]);
            let schedule = Schedule::new(arrivals, rate, 0, thread, threads, 7);
            let mut pacer = Pacer::new(Arc::clone(&budget), Some(schedule));
            let mut now = 0;
            let mut steps = steps.iter().cycle();
            while now < end {
                while let Some(due) = pacer.take(now, end) {
                    all.push((due, now));
                }
                now += steps.next().copied().unwrap_or(end).max(1);
            }
            while let Some(due) = pacer.take_unsent(end) {
                all.push((due, end));
            }
        }
        all.sort_unstable();
        all
    }

    #[test]
    fn two_hundred_thousand_a_second_are_exactly_that() {
        for threads in [1, 2, 8] {
            let all = taken(
                Arrivals::Constant,
                200_000.0,
                threads,
                &[3_000, 250_000, 17],
                SECOND,
            );
            // One every 5 µs from the very start, so that no request is early and none is left out.
            assert_eq!(all.len(), 200_000);
            for (slot, (due, at)) in (0..).zip(&all) {
                assert_eq!(*due, slot * 5_000, "{threads} threads");
                assert!(at >= due);
            }
        }
    }

    #[test]
    fn a_rate_over_a_time_is_so_many_requests() {
        for (rate, seconds) in [(1, 3), (2, 2), (3, 7), (333, 3), (1_000, 1)] {
            for threads in [1, 2, 5] {
                let end = seconds * SECOND;
                let all = taken(Arrivals::Constant, rate as f64, threads, &[1_700_000], end);
                let due = rate * seconds;
                assert_eq!(all.len() as u64, due, "{rate}/s, {threads} threads");
            }
        }
    }

    #[test]
    fn poisson_arrivals_do_not_burst_at_the_start() {
        // 2,000 are due in the first 10 ms and 200,000 in the second, with standard deviations of their square roots.
        let all = taken(Arrivals::Poisson, 200_000.0, 4, &[100_000], SECOND);
        for (until, expected) in [(SECOND / 100, 2_000.0_f64), (SECOND, 200_000.0)] {
            let count = all.iter().filter(|(due, _)| *due <= until).count() as f64;
            let sigmas = (count - expected) / expected.sqrt();
            assert!(
                sigmas.abs() < 5.0,
                "{count} by {until} ns, expected {expected}"
            );
        }
    }

    proptest! {
        /// By any instant of any clock exactly those are taken that are due: a request every 1 / rate from the first.
        #[test]
        fn as_many_are_taken_as_are_due(
            rate in 1u64..=200_000,
            threads in 1usize..=8,
            steps in proptest::collection::vec(1u64..5_000_000, 1..20),
        ) {
            let end = SECOND / 20;
            let all = taken(Arrivals::Constant, rate as f64, threads, &steps, end);
            let due_before = |time: u64| (u128::from(time) * u128::from(rate)).div_ceil(u128::from(SECOND));
            let exact = due_before(end);
            // A due time is rounded to whole nanoseconds: one just before the end may fall on it.
            prop_assert!((exact - 1..=exact).contains(&(all.len() as u128)), "{} of {exact}", all.len());
            for (slot, (due, at)) in (0u128..).zip(&all) {
                let ideal = slot * u128::from(SECOND) / u128::from(rate);
                prop_assert!(u128::from(*due).abs_diff(ideal) <= 1);
                // Taken at the first instant of its thread's clock that is not before it.
                prop_assert!(at >= due && at - due < 5_000_000);
            }
        }
    }

    #[test]
    fn threads_together_begin_exactly_so_many() {
        for requests in [1, 7, 1000, 1_000_003] {
            let budget = Arc::new(Budget::new(Some(requests), 3));
            let mut pacers = [0; 3].map(|_| Pacer::new(Arc::clone(&budget), None));
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
            assert!(pacers.iter().all(Pacer::exhausted));
        }
    }

    #[test]
    fn what_a_thread_cannot_send_goes_to_those_that_can() {
        let budget = Arc::new(Budget::new(Some(1_000), 2));
        let [mut stuck, mut free] = [0; 2].map(|_| Pacer::new(Arc::clone(&budget), None));
        assert!(stuck.take(1, NEVER).is_some());
        // As long as the others have some of their own, it keeps its own.
        stuck.share();
        let mut sent = 1;
        let mut all = |pacer: &mut Pacer| {
            while pacer.take(1, NEVER).is_some() {
                sent += 1;
            }
            sent
        };
        let held = 1_000 / 32 - 1;
        assert_eq!(all(&mut free), 1_000 - held);
        assert!(!free.exhausted(), "what the other holds may come back");
        stuck.share();
        assert_eq!(all(&mut free), 1_000);
        assert!(free.exhausted() && stuck.exhausted());
        // One that ends gives back by itself.
        let budget = Arc::new(Budget::new(Some(64), 2));
        let [mut ends, mut free] = [0; 2].map(|_| Pacer::new(Arc::clone(&budget), None));
        assert!(ends.take(1, NEVER).is_some());
        drop(ends);
        let rest = std::iter::from_fn(|| free.take(1, NEVER)).count();
        assert_eq!((rest, free.exhausted()), (63, true));
    }

    #[test]
    fn a_closed_loop_sends_until_the_end() {
        let budget = Arc::new(Budget::new(None, 1));
        let mut pacer = Pacer::new(Arc::clone(&budget), None);
        assert_eq!(pacer.take(5, 9), Some(5));
        assert_eq!((pacer.take(9, 9), pacer.take(10, 9)), (None, None));
        assert_eq!((pacer.next_due(), pacer.take_unsent(9)), (NEVER, None));
    }
}
