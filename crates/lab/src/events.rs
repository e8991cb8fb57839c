//! What a run tells while it goes on, for whoever shows it.

use std::sync::Arc;
use std::time::Duration;

use photofinish_model::Window;
use photofinish_model::capacity::Step;
use photofinish_model::finding::check::CheckFinding;
use photofinish_model::{Line, Load};

use crate::error::service;
use crate::lanes::Shared;

/// Something that happened in a run.
#[derive(Clone, Debug)]
pub enum Event {
    /// A target is being built.
    Building {
        /// The target's label.
        target: String,
    },
    /// A target is built.
    Built {
        /// The target's label.
        target: String,
        /// Whether an earlier build of the same inputs was taken.
        cached: bool,
    },
    /// A target cannot run at all; all its trials will be recorded as failed, the others go on.
    Unusable {
        /// The target's label.
        target: String,
        /// Why.
        reason: String,
    },
    /// A service is being fetched or started, or is up.
    Service {
        /// The service's name.
        service: String,
        /// How far it is.
        phase: ServicePhase,
    },
    /// Everything is checked; trials begin.
    Begins {
        /// Trials to hold.
        trials: u32,
        /// The seed of the order.
        seed: u64,
        /// What is ahead.
        progress: Progress,
    },
    /// A trial begins: its server is being started.
    Starting {
        /// The target's label.
        target: String,
        /// The round, counted from 1.
        round: u32,
        /// The rounds of the run.
        rounds: u32,
        /// The trial's place in the run, counted from 1.
        trial: u32,
        /// How far the run is.
        progress: Progress,
    },
    /// The server is ready.
    Ready {
        /// The target's label.
        target: String,
        /// How long it took from the start of its process.
        after: Duration,
    },
    /// The server's responses are those that were expected.
    Verified {
        /// The target's label.
        target: String,
    },
    /// Two targets respond differently to a workload: they do not do the same job. Once a workload.
    Differs(CheckFinding),
    /// Load begins to flow, to warm the server up.
    Warming {
        /// The target's label.
        target: String,
        /// The workload.
        workload: String,
        /// The level.
        load: Load,
        /// How long it may take.
        bound: Duration,
    },
    /// The warm-up of a workload ended.
    Warmed {
        /// The target's label.
        target: String,
        /// How long it took.
        took: Duration,
        /// Whether throughput had settled.
        settled: bool,
    },
    /// A measurement begins, with its lead-in.
    Measuring {
        /// The target's label.
        target: String,
        /// The workload.
        workload: String,
        /// The level.
        load: Load,
        /// About how long it takes.
        takes: Duration,
        /// How far the run is.
        progress: Progress,
    },
    /// A step of a search for a capacity ended.
    Step {
        /// The step, counted from 1.
        number: u32,
        /// What it told.
        step: Step,
    },
    /// A second of the load that flows now, in a warm-up or a measurement.
    Window(Window),
    /// A round ended in a run that adds rounds until it is decided, and its data were looked at.
    Looked {
        /// The round, counted from 1.
        round: u32,
        /// The verdicts and claims that are not decided yet.
        open: usize,
        /// All of them.
        of: usize,
    },
    /// A measurement ended and is on disk.
    Measured {
        /// What was recorded.
        line: Box<Line>,
        /// How far the run is.
        progress: Progress,
    },
    /// A trial, or what was left of it, failed; its missing measurements are recorded as failed.
    Failed {
        /// The target's label.
        target: String,
        /// The round, counted from 1.
        round: u32,
        /// How many measurements are missing for it.
        missing: usize,
        /// Why, with the server's last lines where it had any.
        reason: String,
        /// Whether [`Event::Unusable`] has given this reason already.
        known: bool,
        /// How far the run is.
        progress: Progress,
    },
    /// Something that a user should know and that does not end anything.
    Warning(Warning),
}

/// How far a service is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ServicePhase {
    /// Its programs are being fetched.
    Fetching {
        /// The artifact's coordinates.
        artifact: String,
    },
    /// It is being started and filled.
    Starting {
        /// The database's name, such as `PostgreSQL`.
        title: &'static str,
        /// Its version.
        version: String,
        /// Where it comes from.
        origin: String,
    },
    /// It is up and filled.
    Up,
}

/// What a user should know.
#[derive(Clone, Debug)]
pub enum Warning {
    /// Server and generator slow each other.
    Lanes(Shared),
    /// A service could not be stopped.
    Service(Arc<service::Error>),
}

/// How far a run is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// Measurements that are done, well or badly; those of an earlier run that is resumed included.
    pub done: usize,
    /// Measurements of the whole run.
    pub total: usize,
    /// The time left, from the plan and from what trials have taken so far.
    pub left: Duration,
}

/// Tells how long the rest of a run will take.
///
/// A measurement's length is known, but for a search's, which is guessed; what a trial takes beside them (start, verification, warm-up,
/// stop) is guessed from the plan's bounds until the first trials have shown it.
#[derive(Clone, Debug)]
pub(crate) struct Clock {
    /// Of the measurements that are ahead.
    measuring: Duration,
    guess: Duration,
    seen: Duration,
    trials_seen: u32,
    trials_left: u32,
    done: usize,
    total: usize,
}

impl Clock {
    /// A clock for trials that each take `guess` at most beside their measurements.
    pub(crate) fn new(guess: Duration) -> Clock {
        Clock {
            measuring: Duration::ZERO,
            guess,
            seen: Duration::ZERO,
            trials_seen: 0,
            trials_left: 0,
            done: 0,
            total: 0,
        }
    }

    /// Adds a trial's measurements that an earlier run has made already.
    pub(crate) fn add_done(&mut self, measurements: usize) {
        self.done += measurements;
        self.total += measurements;
    }

    /// Adds a trial that is ahead, whose measurements take so long.
    pub(crate) fn add_trial(&mut self, measurements: usize, measuring: Duration) {
        self.measuring += measuring;
        self.trials_left += 1;
        self.total += measurements;
    }

    /// Measurements were made or given up, which were added with so long.
    pub(crate) fn measured(&mut self, measurements: usize, measuring: Duration) {
        self.measuring = self.measuring.saturating_sub(measuring);
        self.done += measurements;
    }

    /// A trial ended, having taken so long beside its measurements. One that failed tells
    /// nothing of how long the others will take.
    pub(crate) fn trial_ended(&mut self, beside: Option<Duration>) {
        self.trials_left = self.trials_left.saturating_sub(1);
        if let Some(beside) = beside {
            self.seen += beside;
            self.trials_seen += 1;
        }
    }

    /// How far the run is.
    pub(crate) fn progress(&self) -> Progress {
        let beside = self
            .seen
            .checked_div(self.trials_seen)
            .unwrap_or(self.guess);
        Progress {
            done: self.done,
            total: self.total,
            left: self.measuring + beside * self.trials_left,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const S: Duration = Duration::from_secs(1);

    #[test]
    fn the_time_left_follows_from_the_plan_then_from_trials() {
        let mut clock = Clock::new(30 * S);
        clock.add_done(1);
        for _ in 0..3 {
            clock.add_trial(2, 12 * S);
        }
        // 6 measurements of 6 s and 3 trials of 30 s beside them.
        let expected = Progress {
            done: 1,
            total: 7,
            left: 126 * S,
        };
        assert_eq!(clock.progress(), expected);
        clock.measured(2, 12 * S);
        clock.trial_ended(Some(10 * S));
        // 4 measurements of 6 s, 2 trials that take 10 s like the one seen.
        let expected = Progress {
            done: 3,
            total: 7,
            left: 44 * S,
        };
        assert_eq!(clock.progress(), expected);
        clock.measured(2, 12 * S);
        clock.trial_ended(None);
        assert_eq!(clock.progress().left, 22 * S);
    }
}
