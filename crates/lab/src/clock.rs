//! How long the rest of a run will take.

use std::time::Duration;

use crate::events::Progress;

/// Knows how long the rest of a run will take.
///
/// A measurement's length is known, but for a search's, which is guessed; what a trial takes beside them (start, verification, warm-up,
/// stop) is guessed from the plan's bounds until the first trials have shown it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Clock {
    /// Of the measurements that are ahead.
    measuring: Duration,
    /// Of all trials that were ahead, beside their measurements.
    guessed: Duration,
    trials: u32,
    seen: Duration,
    trials_seen: u32,
    trials_left: u32,
    /// Those of them whose servers are up and warm: beside their measurements next to nothing is ahead.
    trials_up: u32,
    done: usize,
    total: usize,
}

impl Clock {
    /// Adds a trial's measurements that an earlier run has made already.
    pub(crate) fn add_done(&mut self, measurements: usize) {
        self.done += measurements;
        self.total += measurements;
    }

    /// Adds a trial that is ahead, whose measurements take so long, and what is beside them about so long.
    pub(crate) fn add_trial(&mut self, measurements: usize, measuring: Duration, beside: Duration) {
        self.measuring += measuring;
        self.guessed += beside;
        self.trials += 1;
        self.trials_left += 1;
        self.total += measurements;
    }

    /// Measurements were made or given up, which were added with so long.
    pub(crate) fn measured(&mut self, measurements: usize, measuring: Duration) {
        self.measuring = self.measuring.saturating_sub(measuring);
        self.done += measurements;
    }

    /// A trial's server is up and warm.
    pub(crate) fn trial_is_up(&mut self) {
        self.trials_up += 1;
    }

    /// A trial ended, having taken so long beside its measurements.
    pub(crate) fn trial_ended(&mut self, beside: Duration) {
        self.trial_is_over(true);
        self.seen += beside;
        self.trials_seen += 1;
    }

    /// A trial is over; where it failed, that says nothing of how long the others will take. `was_up`: its server was up and warm before.
    pub(crate) fn trial_is_over(&mut self, was_up: bool) {
        self.trials_left = self.trials_left.saturating_sub(1);
        self.trials_up = self.trials_up.saturating_sub(was_up.into());
    }

    /// How far the run is, where measurements take so many times as long as they were added with.
    pub(crate) fn progress(&self, stretch: f64) -> Progress {
        let beside = self
            .seen
            .checked_div(self.trials_seen)
            .unwrap_or_else(|| self.guessed / self.trials.max(1));
        Progress {
            done: self.done,
            total: self.total,
            left: self.measuring.mul_f64(stretch)
                + beside * self.trials_left.saturating_sub(self.trials_up),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const S: Duration = Duration::from_secs(1);

    #[test]
    fn the_time_left_follows_from_the_plan_then_from_trials() {
        let mut clock = Clock::default();
        assert_eq!(clock.progress(1.0).left, Duration::ZERO);
        clock.add_done(1);
        for beside in [20, 20, 50] {
            clock.add_trial(2, 12 * S, beside * S);
        }
        // 6 measurements of 6 s, and 90 s of three trials beside them.
        let expected = Progress {
            done: 1,
            total: 7,
            left: 126 * S,
        };
        assert_eq!(clock.progress(1.0), expected);
        // One is up: what it took beside its measurements, guessed at 30 s, is past.
        clock.trial_is_up();
        assert_eq!(clock.progress(1.0).left, 96 * S);
        clock.measured(2, 12 * S);
        assert_eq!(clock.progress(1.0).left, 84 * S);
        // Four measurements of 12 s, not of 6.
        assert_eq!(clock.progress(2.0).left, 108 * S);
        clock.trial_ended(10 * S);
        // 4 measurements of 6 s, 2 trials that take 10 s like the one seen.
        let expected = Progress {
            done: 3,
            total: 7,
            left: 44 * S,
        };
        assert_eq!(clock.progress(1.0), expected);
        clock.measured(2, 12 * S);
        clock.trial_is_over(false);
        assert_eq!(clock.progress(1.0).left, 22 * S);
        clock.trial_is_up();
        clock.trial_is_over(true);
        assert_eq!(clock.progress(1.0).left, 12 * S);
    }
}
