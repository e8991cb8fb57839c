//! How figures change within a measurement.

use photofinish_model::finding::check::{Change, SteadySeries};
use photofinish_model::units::Unit;
use photofinish_stats::shape::Class;

use super::changed;

pub(super) fn series(series: SteadySeries) -> &'static str {
    match series {
        SteadySeries::Throughput => "throughput",
        SteadySeries::MedianResponseTime => "median response time",
    }
}

fn unit(series: SteadySeries) -> Unit {
    match series {
        SteadySeries::Throughput => Unit::RequestsPerSecond,
        SteadySeries::MedianResponseTime => Unit::Microseconds,
    }
}

fn class(class: Class) -> &'static str {
    match class {
        Class::Flat => "flat",
        Class::WarmUp => "warm-up",
        Class::SlowDown => "slow-down",
        Class::NoSteadyState => "no steady state",
    }
}

pub(super) fn change(change: &Change) -> String {
    let what = format!("{}: {}", class(change.class), series(change.series));
    let unit = unit(change.series);
    match (change.shift, change.drift) {
        (Some(shift), _) => {
            let shifts = match shift.of {
                1 => String::new(),
                n => format!(", the largest of {n} shifts"),
            };
            format!(
                "{what} {} from {} to {} at {:.1} s of {:.1} s{shifts}",
                changed(shift.from, shift.to),
                unit.text(shift.from),
                unit.text(shift.to),
                shift.at_s,
                change.length_s
            )
        }
        (None, Some(drift)) => format!(
            "{what} {} from {} to {} from start to end (linear fit over {:.1} s)",
            changed(drift.from, drift.to),
            unit.text(drift.from),
            unit.text(drift.to),
            change.length_s
        ),
        (None, None) => what,
    }
}
