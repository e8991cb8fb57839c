//! Which rate to try next: double until one fails, then bisect. No I/O and no clock.

/// The first rate is halved at most down to this; below, steps of seconds hold too few requests to tell anything.
pub(super) const LOWEST: f64 = 1.0;

/// A search for the highest rate that holds.
#[derive(Clone, Debug)]
pub(super) struct Rates {
    /// The highest rate that held.
    held: Option<f64>,
    /// The lowest rate that failed.
    failed: Option<f64>,
    /// Done when the two differ by this share at most.
    precision: f64,
    /// The rate to try.
    next: f64,
}

impl Rates {
    /// Begins at `start` requests per second and ends within `precision` (0.02 = 2%).
    pub(super) fn new(start: f64, precision: f64) -> Rates {
        Rates {
            held: None,
            failed: None,
            precision,
            next: start.max(LOWEST),
        }
    }

    /// The rate to try; `None` when the search is done.
    pub(super) fn next(&self) -> Option<f64> {
        match (self.held, self.failed) {
            (Some(held), Some(failed)) if failed <= held * (1.0 + self.precision) => None,
            (None, Some(failed)) if failed <= LOWEST => None,
            _ => Some(self.next),
        }
    }

    /// What came of the rate that [`Rates::next`] gave.
    pub(super) fn tell(&mut self, holds: bool) {
        if holds {
            self.held = Some(self.next);
        } else {
            self.failed = Some(self.next);
        }
        self.next = match (self.held, self.failed) {
            (Some(held), None) => held * 2.0,
            (None, Some(failed)) => (failed / 2.0).max(LOWEST),
            // Halfway by ratio, as the precision is one.
            (Some(held), Some(failed)) => (held * failed).sqrt(),
            (None, None) => self.next,
        };
    }

    /// The highest rate that held and the lowest that failed.
    pub(super) fn bracket(&self) -> (Option<f64>, Option<f64>) {
        (self.held, self.failed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Searches against a server that holds up to `limit`: the bracket, and how many steps it took.
    fn search(start: f64, limit: f64) -> ((Option<f64>, Option<f64>), usize) {
        let mut search = Rates::new(start, 0.02);
        let mut steps = 0;
        while let Some(rate) = search.next() {
            search.tell(rate <= limit);
            steps += 1;
            assert!(steps < 100, "the search does not end");
        }
        (search.bracket(), steps)
    }

    #[test]
    fn the_limit_is_found_within_two_percent_from_below_and_from_above() {
        for limit in [1.0, 3.0, 999.0, 1_000.0, 4_321.0, 1_500_000.0] {
            for start in [1.0, 1_000.0, 80_000.0] {
                let ((held, failed), steps) = search(start, limit);
                let (held, failed) = (held.expect("held"), failed.expect("failed"));
                assert!(held <= limit && limit < failed, "{held} {limit} {failed}");
                assert!(failed / held <= 1.02, "{held} {failed}");
                // Doublings between start and limit, the step beyond, and log2(ln 2 / ln 1.02) = 5.1 halvings.
                let doublings = (limit / start).log2().abs().ceil() as usize + 2;
                assert!(steps <= doublings + 6, "{start} {limit}: {steps}");
            }
        }
    }

    #[test]
    fn a_server_that_holds_nothing_ends_the_search() {
        assert_eq!(search(1_000.0, 0.5).0, (None, Some(LOWEST)));
        assert_eq!(search(0.1, 0.5).0, (None, Some(LOWEST)));
    }
}
