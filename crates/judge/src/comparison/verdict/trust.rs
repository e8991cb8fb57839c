//! How far a run's figures may be trusted: one grade, with the worst reason first.
//!
//! `docs/checks.md` has the table of what leads to which grade.

use photofinish_model::message::{Message, Parts};
use photofinish_model::{Measurement, check};
use photofinish_voice::trust as said;
use schemars::JsonSchema;
use serde::Serialize;

use crate::comparison::verdict::grade::{Grade, MANY_ERRORS, grade_of};
use crate::comparison::verdict::warnings::Warning;
use crate::comparison::{CheckResult, CheckStatus};

/// The grade of a run and its reasons.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Trust {
    /// The grade.
    pub grade: Grade,
    /// The grade with its worst reason, and the other reasons by name.
    #[serde(flatten)]
    pub says: Message,
}

/// Returns the grade of a run by its warnings, the gravest first.
pub(crate) fn trust(warnings: &[Warning], checks: &[CheckResult]) -> Trust {
    let of = |status: CheckStatus| checks.iter().filter(|c| c.status == status).count();
    let passed = of(CheckStatus::Ok);
    graded(warnings, passed, of(CheckStatus::Partly))
}

/// Returns the grade by warnings, and by how many checks passed and were made in part.
fn graded(warnings: &[Warning], passed: usize, partly: usize) -> Trust {
    let counts = |warning: &&Warning| warning.grade > Grade::Quotable;
    let mut reasons = warnings.iter().filter(counts);
    let Some(worst) = reasons.next() else {
        let (grade, says) = match (passed, partly) {
            (0, 0) => (Grade::NotQuotable, said::no_checks()),
            (_, 0) => (Grade::Quotable, said::quotable(passed)),
            _ => (Grade::Quotable, said::quotable_partly(passed, partly)),
        };
        return Trust { grade, says };
    };
    let mut others: Vec<Message> = Vec::new();
    for warning in reasons {
        if warning.short != worst.short && !others.contains(&warning.short) {
            others.push(warning.short.clone());
        }
    }
    let also = (!others.is_empty()).then(|| said::also(Parts(others)));
    let says = match worst.grade {
        Grade::NotQuotable => said::not_quotable(&worst.says, also),
        _ => said::with_care(&worst.says, also),
    };
    Trust {
        grade: worst.grade,
        says,
    }
}

/// Returns the grade of a load run by its own checks, and by what else is known to limit it.
pub fn trust_of(measurement: &Measurement, limit: Option<Message>) -> Trust {
    let failed = measurement.checks.iter().filter(|c| c.ok == Some(false));
    let errors: u64 = measurement.errors.values().sum();
    let many_errors = errors as f64 > MANY_ERRORS * measurement.requests.max(1) as f64;
    let mut warnings: Vec<Warning> = failed
        .map(|check| {
            let grade = match check.name.as_str() {
                check::ERRORS if many_errors => Grade::NotQuotable,
                check::BODY_LENGTH if !measurement.is_another_job() => Grade::WithCare,
                name => grade_of(name),
            };
            Warning::of_check(&check.name, None, grade)
        })
        .collect();
    warnings.extend(limit.map(Warning::of_limit));
    warnings.sort_by_key(|warning| std::cmp::Reverse(warning.grade));
    let passed = measurement.checks.iter().filter(|c| c.ok == Some(true));
    graded(&warnings, passed.count(), 0)
}
