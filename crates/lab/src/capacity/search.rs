//! Which rate to try next: double until one fails, then bisect. No I/O and no clock.

/// The first rate is halved at most down to this; below, steps of seconds have too few requests to show anything.
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
    /// The other rates that failed, the highest first: those above `failed`.
    above: Vec<f64>,
    /// Whether the lowest rate that failed did so again when the search was done.
    sure: bool,
}

impl Rates {
    /// Begins at `start` requests per second and ends within `precision` (0.02 = 2%).
    pub(super) fn new(start: f64, precision: f64) -> Rates {
        Rates {
            held: None,
            failed: None,
            precision,
            next: start.max(LOWEST),
            above: Vec::new(),
            sure: false,
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
    pub(super) fn note(&mut self, holds: bool) {
        if holds {
            self.held = Some(self.next);
        } else {
            self.above.extend(self.failed.replace(self.next));
        }
        self.aim();
    }

    /// The lowest rate that failed, once the search is done and it was not yet tried again: both of its tries may have met one slow
    /// spell of the machine. `None` if no rate held.
    pub(super) fn doubtful(&self) -> Option<f64> {
        let is_done = self.next().is_none() && self.held.is_some();
        self.failed.filter(|_| is_done && !self.sure)
    }

    /// What came of the rate that [`Rates::doubtful`] gave. Where it holds, the search continues above it.
    pub(super) fn note_doubtful(&mut self, holds: bool) {
        if holds {
            self.held = self.failed;
            self.failed = self.above.pop();
            self.aim();
        } else {
            self.sure = true;
        }
    }

    /// Chooses the next rate.
    fn aim(&mut self) {
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
            search.note(rate <= limit);
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

    /// Both tries at 4,000/s met a slow spell: the search ended below it, and finds the limit of 9,000/s after all.
    #[test]
    fn a_rate_that_holds_when_it_is_tried_again_takes_the_search_on() {
        let mut search = Rates::new(1_000.0, 0.02);
        let mut again = 0;
        let mut failed = Vec::new();
        for _ in 0..100 {
            if let Some(rate) = search.next() {
                let holds = rate < 4_000.0 || (rate <= 9_000.0 && again > 0);
                failed.extend((!holds).then_some(rate));
                search.note(holds);
            } else if let Some(rate) = search.doubtful() {
                assert_eq!(search.bracket().1, Some(rate));
                again += 1;
                search.note_doubtful(rate <= 9_000.0);
            }
        }
        assert_eq!(failed[0], 4_000.0);
        let (held, failed) = search.bracket();
        let (held, failed) = (held.expect("held"), failed.expect("failed"));
        assert!(held <= 9_000.0 && 9_000.0 < failed && failed / held <= 1.02);
        // Once at 4,000/s, which held, and once at the end, which did not.
        assert_eq!(again, 2);
    }

    /// A rate in the middle failed by bad luck, and the one above it truly.
    #[test]
    fn the_next_higher_rate_that_failed_still_counts() {
        let mut search = Rates::new(1_000.0, 0.3);
        for holds in [true, false, false] {
            search.note(holds); // 1,000 held, 2,000 and 1,414 failed.
        }
        search.note(true); // 1,189 held: done.
        assert_eq!(search.next(), None);
        let rate = search.doubtful().expect("a rate");
        assert!((rate - 1_414.2).abs() < 0.1, "{rate}");
        search.note_doubtful(true);
        let (held, failed) = search.bracket();
        assert_eq!((held, failed), (Some(rate), Some(2_000.0)));
        assert!(
            search
                .next()
                .is_some_and(|next| next > rate && next < 2_000.0)
        );
    }

    #[test]
    fn a_server_that_holds_nothing_ends_the_search() {
        assert_eq!(search(1_000.0, 0.5).0, (None, Some(LOWEST)));
        assert_eq!(search(0.1, 0.5).0, (None, Some(LOWEST)));
    }
}
