//! Rounds that several pairs of machines share: each pair takes one after the other until none is left.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// How often a pair that waits for rounds of others notices an interrupt.
const POLL_INTERVAL: Duration = Duration::from_millis(200);

/// Rounds that several pairs of machines share.
#[derive(Debug)]
pub struct Deal {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Debug)]
struct State {
    /// Rounds that nobody has taken.
    left: u32,
    /// Rounds that are being measured.
    taken: u32,
    /// Pairs that still take rounds.
    pairs: u32,
}

impl Deal {
    /// So many rounds for so many pairs of machines.
    pub fn new(rounds: u32, pairs: u32) -> Deal {
        let state = State {
            left: rounds,
            taken: 0,
            pairs,
        };
        Deal {
            state: Mutex::new(state),
            changed: Condvar::new(),
        }
    }

    /// Takes a round. If none is left, waits for as long as others measure rounds that may come back. `None`: there is no round for this
    /// pair any more.
    pub(super) fn take(&self, interrupted: &dyn Fn() -> bool) -> Option<Taken<'_>> {
        let mut state = self.state();
        while state.left == 0 && state.taken > 0 && !interrupted() {
            let waited = self.changed.wait_timeout(state, POLL_INTERVAL);
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
        if state.left == 0 || interrupted() {
            return None;
        }
        state.left -= 1;
        state.taken += 1;
        Some(Taken {
            deal: self,
            is_measured: false,
        })
    }

    /// A pair takes no more rounds.
    pub fn leave(&self) {
        let mut state = self.state();
        state.pairs = state.pairs.saturating_sub(1);
    }

    /// About how many rounds are left for each pair.
    pub(super) fn share(&self) -> usize {
        let state = self.state();
        state.left.div_ceil(state.pairs.max(1)) as usize
    }

    /// The rounds that no pair has measured or is measuring.
    pub fn left(&self) -> u32 {
        self.state().left
    }

    /// A thread that broke down while it held the lock has left nothing half done.
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A round that a pair measures. Others may have it if it is dropped before it is measured.
#[derive(Debug)]
pub(super) struct Taken<'d> {
    deal: &'d Deal,
    is_measured: bool,
}

impl Taken<'_> {
    /// Keeps the round, which is measured.
    pub(super) fn keep(mut self) {
        self.is_measured = true;
    }
}

impl Drop for Taken<'_> {
    fn drop(&mut self) {
        let mut state = self.deal.state();
        state.taken -= 1;
        state.left += u32::from(!self.is_measured);
        drop(state);
        self.deal.changed.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicBool, Ordering};
    use std::thread;

    use super::*;

    #[test]
    fn rounds_are_dealt_until_none_is_left() {
        let deal = Deal::new(3, 2);
        assert_eq!(deal.share(), 2);
        for left in [2, 1, 0] {
            deal.take(&|| false).expect("a round").keep();
            assert_eq!(deal.left(), left);
        }
        assert!(deal.take(&|| false).is_none());
    }

    /// A pair without a round waits for the round that another one measures, and takes it when it comes back.
    #[test]
    fn a_round_that_comes_back_is_taken_by_a_pair_that_waits() {
        let deal = Deal::new(1, 2);
        let taken = deal.take(&|| false).expect("the round");
        let asked = AtomicBool::new(false);
        let waits = || {
            asked.store(true, Ordering::SeqCst);
            false
        };
        thread::scope(|scope| {
            let other = scope.spawn(|| {
                let taken = deal.take(&waits);
                // Nobody waits after an interrupt.
                assert!(deal.take(&|| true).is_none());
                taken.expect("the round").keep();
            });
            while !asked.load(Ordering::SeqCst) {
                thread::yield_now();
            }
            drop(taken);
            other.join().expect("the other pair");
        });
        assert!(deal.take(&|| false).is_none());
        assert_eq!(deal.left(), 0);
    }
}
