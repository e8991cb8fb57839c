//! A level that each target is measured at in one continuous run, one target after the other.

use std::time::Instant;

use photofinish_model::OnePiece;

use super::Turns;
use crate::error::Error;

impl Turns<'_, '_, '_> {
    /// Measures the level so. `why`: why not in turns, where targets are compared at it.
    ///
    /// # Errors
    /// Only if nothing can be recorded any more.
    pub(super) fn measure_in_one_piece(&mut self, why: Option<OnePiece>) -> Result<(), Error> {
        for place in self.order(0) {
            self.let_run(place)?;
            // A thread for each connection that ends is CPU time that this one would be without.
            self.wait_for_rest(|turns| turns.clocks(place).1);
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
            measured.add_idle_servers(used, took);
            self.with(place, |running, journal| {
                running.profile_and_record(measured, took, journal)
            })?;
        }
        self.let_all_run()
    }
}
