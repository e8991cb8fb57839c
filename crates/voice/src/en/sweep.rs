//! Sweeps over one variable.

use photofinish_model::finding::sweep::SweepFinding;
use photofinish_model::units::{Unit, percent};

pub(crate) fn finding(finding: &SweepFinding) -> String {
    match finding {
        SweepFinding::OutOfLine {
            target,
            workload,
            load,
            throughput,
            expected,
        } => {
            let off = throughput / expected - 1.0;
            let side = if off < 0.0 { "below" } else { "above" };
            let rate = |value: f64| Unit::RequestsPerSecond.text(value);
            format!(
                "{target}, {workload}, {}: {} is {} {side} the {} expected from its other levels",
                super::load::level(load),
                rate(*throughput),
                percent(off.abs()),
                rate(*expected)
            )
        }
        SweepFinding::InLine {} => "No level is an outlier.".to_owned(),
        SweepFinding::TooFewLevels { needed } => {
            format!("Fewer than {needed} levels: too few to find outliers.")
        }
    }
}
