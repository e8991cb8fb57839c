//! This machine's wall clock, as an agent reports it.

use std::time::{Duration, SystemTime};

use photofinish_load::{Outcome, Slice};
use photofinish_model::duration::parse_duration;

/// In a build for tests: how far the clock is ahead. Namespaces have no wall clocks of their own, so an agent plays one.
const AHEAD_VARIABLE: &str = "PHOTOFINISH_TEST_CLOCK_AHEAD";

/// A wall clock that is this far ahead of the kernel's: not at all, but in tests.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Wall {
    ahead: Duration,
}

impl Wall {
    /// The clock of this machine.
    pub(crate) fn of_this_machine() -> Wall {
        let told = std::env::var(AHEAD_VARIABLE).ok();
        let told = told.filter(|_| cfg!(debug_assertions));
        let ahead = told.and_then(|told| parse_duration(&told).ok());
        Wall {
            ahead: ahead.unwrap_or_default(),
        }
    }

    /// The time since the epoch.
    pub(crate) fn now(self) -> Option<Duration> {
        let now = SystemTime::UNIX_EPOCH.elapsed().ok()?;
        Some(now + self.ahead)
    }

    /// A slice that begins when this clock says what it names.
    pub(crate) fn by_kernel(self, slice: Slice) -> Slice {
        Slice {
            begin: slice.begin.map(|begin| begin - self.ahead),
            ..slice
        }
    }

    /// What was measured, by this clock.
    pub(crate) fn by_wall(self, outcome: Outcome) -> Outcome {
        Outcome {
            started: outcome.started + self.ahead,
            ..outcome
        }
    }
}
