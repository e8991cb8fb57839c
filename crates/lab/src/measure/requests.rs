//! How many requests were sent.

use photofinish_load::Outcome;

/// How many requests there were, and how many of them succeeded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Requests {
    pub(crate) sent: u64,
    pub(crate) good: u64,
}

impl Requests {
    /// Those of a load run.
    pub(crate) fn of(outcome: &Outcome) -> Requests {
        Requests {
            sent: outcome.sent,
            good: outcome.good,
        }
    }
}
