//! Which failed check leads to which grade of trust.
//!
//! `docs/checks.md` has the table.

use photofinish_model::check;
use schemars::JsonSchema;
use serde::Serialize;

use crate::comparison::{Cell, CheckResult};

/// With errors in more than this share of its requests a server's figures are not those of the job.
pub(super) const MANY_ERRORS: f64 = 0.01;

/// A check that fails in this share of the measurements at the most spoils few of them, so its figures may be quoted with care.
const FEW: f64 = 0.1;

/// How far a run's figures may be trusted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Grade {
    /// Nothing speaks against the figures.
    Quotable,
    /// The figures hold, together with the reason that is named.
    WithCare,
    /// The figures do not show what they seem to show.
    NotQuotable,
}

/// Returns the grade that a check leaves that failed everywhere.
pub(super) fn grade_of(name: &str) -> Grade {
    match name {
        check::LITTLES_LAW
        | check::SAME_JOB
        | check::AS_VERIFIED
        | check::BODY_LENGTH
        | check::ROWS
        | check::BYTES
        | check::GENERATORS => Grade::NotQuotable,
        _ => Grade::WithCare,
    }
}

/// Returns the grade that a failed check leaves.
pub(super) fn grade_of_check(check: &CheckResult, cells: &[Cell]) -> Grade {
    let grade = match check.name.as_str() {
        check::ERRORS if has_many_errors(cells) => return Grade::NotQuotable,
        name => grade_of(name),
    };
    // Those of measurements; the others are of servers, machines or the run.
    let of_measurements = check.failing.iter().all(|failing| failing.round.is_some());
    let few = (check.failing.len() as f64) <= FEW * check.checked as f64;
    match of_measurements && few {
        true => grade.min(Grade::WithCare),
        false => grade,
    }
}

fn has_many_errors(cells: &[Cell]) -> bool {
    let mut targets = cells.iter().flat_map(Cell::contenders);
    targets
        .any(|target| target.error_count() as f64 > MANY_ERRORS * (target.requests.max(1) as f64))
}
