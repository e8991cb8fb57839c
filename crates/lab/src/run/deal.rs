//! Rounds that several pairs of machines share: each pair takes one after the other until none is left, or until they are decided.
//!
//! Rounds that are added until it is decided come in waves: no pair begins a further round before each pair has measured as many. Then the
//! rounds of all pairs are analysed together.

use std::fmt;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use crate::error::Error;

/// How often a pair that waits for others notices an interrupt.
const POLL_INTERVAL: Duration = Duration::from_millis(200);

/// Analyses the rounds of all pairs; returns whether further ones are of no use.
pub type Analyze = Box<dyn Fn() -> Result<bool, Error> + Send + Sync>;

/// Rounds that several pairs of machines share.
pub struct Deal {
    state: Mutex<State>,
    changed: Condvar,
    /// What ends the rounds early; `None`: nothing does.
    analyze: Option<Analyze>,
}

#[derive(Debug)]
struct State {
    /// Rounds that nobody has taken.
    left: u32,
    /// Rounds that are being measured.
    taken: u32,
    /// How many rounds each pair has measured; `None`: it takes no more.
    pairs: Vec<Option<u32>>,
    /// How many rounds each pair must have measured before the next analysis.
    next_analysis: u32,
    is_analyzing: bool,
    /// Whether an analysis has shown that further rounds are of no use.
    is_decided: bool,
}

impl fmt::Debug for Deal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.state.fmt(f)
    }
}

impl Deal {
    /// So many rounds for so many pairs of machines.
    pub fn new(rounds: u32, pairs: usize) -> Deal {
        let state = State {
            left: rounds,
            taken: 0,
            pairs: vec![Some(0); pairs],
            next_analysis: 0,
            is_analyzing: false,
            is_decided: false,
        };
        Deal {
            state: Mutex::new(state),
            changed: Condvar::new(),
            analyze: None,
        }
    }

    /// The same rounds in waves, until an analysis has decided. Rounds that were measured before are analysed before the first wave.
    pub fn until_decided(mut self, analyze: Analyze, is_resumed: bool) -> Deal {
        self.state().next_analysis = u32::from(!is_resumed);
        self.analyze = Some(analyze);
        self
    }

    /// Takes a round for a pair, by its number. If none is left, waits for as long as others measure rounds that may come back; at the end of
    /// a wave, waits for the others. `None`: there is no round for this pair any more.
    ///
    /// # Errors
    /// If the rounds cannot be analysed.
    pub(super) fn take(
        &self,
        pair: usize,
        interrupted: &dyn Fn() -> bool,
    ) -> Result<Option<Taken<'_>>, Error> {
        let mut state = self.state();
        loop {
            let is_over = state.left == 0 && state.taken == 0;
            if state.is_decided || is_over || interrupted() {
                return Ok(None);
            }
            let measured = state.pairs[pair].unwrap_or(0);
            match &self.analyze {
                _ if state.left == 0 => {}
                Some(analyze) if measured >= state.next_analysis => {
                    if state.have_all(measured) && !state.is_analyzing {
                        state.is_analyzing = true;
                        drop(state);
                        let analyzing = Analyzing(self);
                        let is_decided = analyze()?;
                        state = self.state();
                        state.next_analysis = measured + 1;
                        state.is_decided = is_decided;
                        drop(state);
                        drop(analyzing);
                        state = self.state();
                        continue;
                    }
                }
                Some(_) | None => {
                    state.left -= 1;
                    state.taken += 1;
                    return Ok(Some(Taken {
                        deal: self,
                        pair,
                        is_measured: false,
                    }));
                }
            }
            let waited = self.changed.wait_timeout(state, POLL_INTERVAL);
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// A pair takes no more rounds, and nobody waits for it.
    pub fn leave(&self, pair: usize) {
        self.state().pairs[pair] = None;
        self.changed.notify_all();
    }

    /// The pairs that still take rounds.
    pub(super) fn pairs(&self) -> usize {
        self.state().pairs.iter().flatten().count()
    }

    /// About how many rounds are left for each pair.
    pub(super) fn share(&self) -> usize {
        (self.left() as usize).div_ceil(self.pairs().max(1))
    }

    /// The rounds that no pair has measured or is measuring.
    pub fn left(&self) -> u32 {
        self.state().left
    }

    /// Whether an analysis has ended the rounds.
    pub fn is_decided(&self) -> bool {
        self.state().is_decided
    }

    /// A thread that broke down while it held the lock has left nothing half done.
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    /// Whether each pair that still takes rounds has measured so many.
    fn have_all(&self, rounds: u32) -> bool {
        self.pairs.iter().flatten().all(|own| *own >= rounds)
    }
}

/// An analysis that is under way; however it ends, others continue.
struct Analyzing<'d>(&'d Deal);

impl Drop for Analyzing<'_> {
    fn drop(&mut self) {
        self.0.state().is_analyzing = false;
        self.0.changed.notify_all();
    }
}

/// A round that a pair measures. Others may have it if it is dropped before it is measured.
#[derive(Debug)]
pub(super) struct Taken<'d> {
    deal: &'d Deal,
    pair: usize,
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
        match self.is_measured {
            true => {
                let own = &mut state.pairs[self.pair];
                *own = own.map(|measured| measured + 1);
            }
            false => state.left += 1,
        }
        drop(state);
        self.deal.changed.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
    use std::thread;

    use super::*;

    /// Takes a round that nobody interrupts.
    fn take(deal: &Deal, pair: usize) -> Option<Taken<'_>> {
        deal.take(pair, &|| false).expect("no analysis fails")
    }

    #[test]
    fn rounds_are_dealt_until_none_is_left() {
        let deal = Deal::new(3, 2);
        assert_eq!(deal.share(), 2);
        for left in [2, 1, 0] {
            take(&deal, 0).expect("a round").keep();
            assert_eq!(deal.left(), left);
        }
        assert!(take(&deal, 0).is_none());
    }

    /// A pair without a round waits for the round that another one measures, and takes it when it comes back.
    #[test]
    fn a_round_that_comes_back_is_taken_by_a_pair_that_waits() {
        let deal = Deal::new(1, 2);
        let taken = take(&deal, 0).expect("the round");
        let asked = AtomicBool::new(false);
        let waits = || {
            asked.store(true, Ordering::SeqCst);
            false
        };
        thread::scope(|scope| {
            let other = scope.spawn(|| {
                let taken = deal.take(1, &waits).expect("no analysis");
                // Nobody waits after an interrupt.
                assert!(deal.take(1, &|| true).expect("no analysis").is_none());
                taken.expect("the round").keep();
            });
            while !asked.load(Ordering::SeqCst) {
                thread::yield_now();
            }
            drop(taken);
            other.join().expect("the other pair");
        });
        assert!(take(&deal, 0).is_none());
        assert_eq!(deal.left(), 0);
    }

    /// Each pair takes rounds until there is none; returns how many it measured.
    fn rounds_of_each(deal: &Deal, pairs: usize) -> Vec<u32> {
        thread::scope(|scope| {
            let runs: Vec<_> = (0..pairs)
                .map(|pair| scope.spawn(move || rounds_of(deal, pair)))
                .collect();
            let ended = runs.into_iter().map(|run| run.join().expect("a pair"));
            ended.collect()
        })
    }

    #[test]
    fn waves_end_when_an_analysis_has_decided() {
        let analyses = Arc::new(AtomicU32::new(0));
        let seen = Arc::clone(&analyses);
        let third: Analyze = Box::new(move || Ok(seen.fetch_add(1, Ordering::SeqCst) == 2));
        let deal = Deal::new(100, 3).until_decided(third, false);
        assert_eq!(rounds_of_each(&deal, 3), [3; 3]);
        assert_eq!((deal.left(), deal.is_decided()), (91, true));
        assert_eq!(analyses.load(Ordering::SeqCst), 3);
        // What was decided before is not measured again.
        let deal = Deal::new(100, 2).until_decided(Box::new(|| Ok(true)), true);
        assert_eq!(rounds_of_each(&deal, 2), [0; 2]);
    }

    #[test]
    fn a_wave_does_not_wait_for_a_pair_that_has_left() {
        let deal = Deal::new(5, 2).until_decided(Box::new(|| Ok(false)), false);
        take(&deal, 0).expect("a round").keep();
        let lost = take(&deal, 1).expect("a round");
        thread::scope(|scope| {
            let other = scope.spawn(|| rounds_of(&deal, 0));
            drop(lost);
            deal.leave(1);
            assert_eq!(other.join().expect("the other pair"), 4);
        });
        assert_eq!((deal.left(), deal.is_decided()), (0, false));
    }

    /// How many rounds a pair takes until there is none.
    fn rounds_of(deal: &Deal, pair: usize) -> u32 {
        let taken = std::iter::from_fn(|| take(deal, pair));
        taken.map(Taken::keep).count() as u32
    }

    #[test]
    fn an_analysis_that_fails_ends_the_pair_that_made_it() {
        let failing: Analyze = Box::new(|| {
            let study = "x".to_owned();
            Err(Error::Nothing { study })
        });
        let deal = Deal::new(5, 1).until_decided(failing, false);
        take(&deal, 0).expect("a round").keep();
        assert!(deal.take(0, &|| false).is_err());
    }
}
