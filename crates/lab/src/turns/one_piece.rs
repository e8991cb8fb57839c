//! A level that each target is measured at in one piece, one target after the other.

use std::thread;
use std::time::{Duration, Instant};

use photofinish_judge::checks::RESTING_CORES;
use photofinish_model::OnePiece;

use super::Turns;
use crate::error::Error;

/// The others are looked at so often while they come to rest …
const LOOK: Duration = Duration::from_millis(20);
/// … and for no longer than this: what never rests fails its check.
const REST: Duration = Duration::from_secs(1);

impl Turns<'_, '_, '_> {
    /// Measures the level so. `why`: why not in turns, where targets are compared at it.
    ///
    /// # Errors
    /// Only where nothing can be recorded any more.
    pub(super) fn measure_in_one_piece(&mut self, why: Option<OnePiece>) -> Result<(), Error> {
        for place in self.order(0) {
            self.let_run(place)?;
            self.wait_for_rest(place);
            let (began, (_, before)) = (Instant::now(), self.clocks(place));
            let measured = self.with(place, |running, journal| running.measure_next(journal))?;
            let (_, after) = self.clocks(place);
            let Some(mut measured) = measured else {
                continue;
            };
            let took = began.elapsed();
            measured.line.one_piece = why;
            let used = before
                .zip(after)
                .and_then(|(then, now)| now.checked_sub(then));
            measured.add_bystanders(used, took);
            self.with(place, |running, journal| {
                running.profile_and_record(measured, took, journal)
            })?;
        }
        self.let_all_run()
    }

    /// Waits until the others have done what closing their connections left them to do: a thread for each that ends is CPU time that
    /// this one would be without.
    fn wait_for_rest(&mut self, place: usize) {
        let (until, mut before) = (Instant::now() + REST, self.clocks(place).1);
        while let Some(used) = before {
            thread::sleep(LOOK);
            let (_, now) = self.clocks(place);
            let busy = now.and_then(|now| now.checked_sub(used));
            if busy.is_none_or(|busy| busy < LOOK.mul_f64(RESTING_CORES)) || Instant::now() > until
            {
                return;
            }
            before = now;
        }
    }
}
