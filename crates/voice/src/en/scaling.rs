//! How throughput scales with connections.

use photofinish_model::finding::scaling::ScalingFinding;
use photofinish_model::units::{percent, thousands};

pub(crate) fn finding(finding: &ScalingFinding) -> String {
    let whole = |value: f64| thousands(value.round());
    match finding {
        ScalingFinding::DoesNotFit { target, residual } => format!(
            "{target}: the law does not describe these figures (residual {})",
            percent(*residual)
        ),
        ScalingFinding::NoPeak { target, largest } => {
            format!("{target}: throughput has no peak up to {largest} connections")
        }
        ScalingFinding::PeakUnknown { target } => {
            format!("{target}: the figures do not show a peak")
        }
        ScalingFinding::PeakBeyond {
            target,
            connections,
        } => format!(
            "{target}: throughput would peak beyond the levels that were measured, at about {} connections",
            whole(*connections)
        ),
        ScalingFinding::Peak {
            target,
            connections,
            interval,
        } => format!(
            "{target}: throughput peaks at about {} connections [{} … {}]",
            whole(*connections),
            whole(interval.low),
            whole(interval.high)
        ),
        ScalingFinding::TooFewLevels { levels, needed } => format!(
            "No law is fitted: it needs {needed} levels of connections, and this run has {levels}."
        ),
        ScalingFinding::NotFitted { target } => {
            format!("{target}: no law could be fitted to its figures")
        }
    }
}
