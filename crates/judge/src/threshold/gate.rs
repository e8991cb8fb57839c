//! Conditions as a gate: what came of each, and whether the job fails by it.

use photofinish_model::settings::Undecided;
use photofinish_model::store::Results;

use super::{Condition, Outcome, Status};
use crate::comparison::{Comparison, Progress};
use crate::days::Days;
use crate::pooled::PairRuns;

/// A condition and what came of it.
#[derive(Clone, Debug, PartialEq)]
pub struct Gate<'c> {
    /// The condition.
    pub condition: &'c Condition,
    /// What came of it.
    pub outcome: Outcome,
    /// Whether the job fails by it.
    pub fails: bool,
}

impl Gate<'_> {
    /// Holds a condition against a run.
    pub fn new<'c>(
        condition: &'c Condition,
        results: &Results,
        comparison: &Comparison,
        undecided: Undecided,
    ) -> Gate<'c> {
        Gate::from(condition, condition.check(results, comparison), undecided)
    }

    /// Holds a condition against a run on several pairs of machines.
    pub fn on_pairs<'c>(
        condition: &'c Condition,
        pairs: &PairRuns,
        undecided: Undecided,
    ) -> Gate<'c> {
        Gate::from(condition, condition.check_on_pairs(pairs), undecided)
    }

    /// Holds a condition of [`Condition::parse_of_two_runs`] against what changed from one run to a later one.
    pub fn of_two_runs<'c>(
        condition: &'c Condition,
        days: &Days,
        undecided: Undecided,
    ) -> Gate<'c> {
        Gate::from(condition, condition.check_two_runs(days), undecided)
    }

    fn from(condition: &Condition, outcome: Outcome, undecided: Undecided) -> Gate<'_> {
        let fails = match outcome.status {
            Status::Holds => true,
            Status::DoesNotHold => false,
            Status::Undecided | Status::Void => undecided == Undecided::Fail,
        };
        Gate {
            condition,
            outcome,
            fails,
        }
    }
}

/// What a run that adds rounds until it is decided waits for: its conditions where there are some that rounds decide, until one has failed
/// the job, else its verdicts and claims.
pub fn progress(conditions: &[Condition], results: &Results, comparison: &Comparison) -> Progress {
    let has_half_width = comparison.head.settings.half_width.is_some();
    let status = |condition: &Condition| condition.check(results, comparison).status;
    of_conditions(conditions, has_half_width, status).unwrap_or_else(|| comparison.progress())
}

/// What a run on several pairs of machines waits for: its conditions, as [`progress`] has it, else its verdicts on these machines.
pub fn progress_on_pairs(conditions: &[Condition], pairs: &PairRuns) -> Progress {
    let has_half_width = pairs.pooled.head.settings.half_width.is_some();
    let status = |condition: &Condition| condition.check_on_pairs(pairs).status;
    of_conditions(conditions, has_half_width, status).unwrap_or_else(|| pairs.pooled.progress())
}

/// How far the conditions are that rounds decide; `None` if there are none, and if a half-width is waited for.
fn of_conditions(
    conditions: &[Condition],
    has_half_width: bool,
    status: impl Fn(&Condition) -> Status,
) -> Option<Progress> {
    let asked: Vec<&Condition> = (conditions.iter())
        .filter(|condition| condition.takes_rounds())
        .collect();
    if asked.is_empty() || has_half_width {
        return None;
    }
    let came: Vec<Status> = asked.iter().map(|condition| status(condition)).collect();
    let open = came.iter().filter(|status| **status == Status::Undecided);
    let open = open.count();
    Some(Progress {
        open,
        // Whatever the others come to, a job that one has failed fails.
        hopeless: match came.contains(&Status::Holds) {
            true => open,
            false => 0,
        },
        of: asked.len(),
    })
}
