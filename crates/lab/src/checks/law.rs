//! Little's law: are all connections accounted for?

use photofinish_load::outcome::Outcome;
use photofinish_model::{Load, Measurement};
use photofinish_stats::queueing;

use super::Verdict;
use crate::convert::us;

/// How far Little's law may be off.
const TOLERANCE: f64 = 0.05;
/// The law counts those answers that arrive within the window, the mean latency those requests that
/// were due in it. They differ by what was in flight at both ends: at most about two mean latencies'
/// worth of requests, which is the whole tolerance when the mean is a fortieth of the window.
const MEAN_OVER_WINDOW: f64 = 1.0 / 40.0;

/// Connections = rate at which requests end × mean time of a connection's cycle (Little 1961).
pub(super) fn littles_law(measurement: &Measurement, outcome: &Outcome) -> Verdict {
    let Load::Closed { connections } = measurement.load else {
        return (
            None,
            "not checked: an open loop has no fixed number in flight".to_owned(),
        );
    };
    let Some(latency) = measurement.latency_us else {
        return (None, "not checked: no request came to an end".to_owned());
    };
    let failed: u64 = measurement.errors.values().sum();
    if failed * 2 > measurement.requests {
        let (attempts, noun) = measurement.attempts();
        let says = format!("not checked: {failed} of {attempts} {noun} failed");
        return (None, says);
    }
    let window = us(outcome.duration);
    if latency.mean > window * MEAN_OVER_WINDOW {
        let says = format!(
            "not checked: the window of {:.3} s is shorter than 40 times the mean latency of {:.3} s",
            window / 1e6,
            latency.mean / 1e6
        );
        return (None, says);
    }
    let rate = measurement.throughput_rps + failed as f64 / outcome.duration.as_secs_f64();
    let turnaround = measurement.generator.turnaround_us.unwrap_or(0.0);
    let cycle = latency.mean + turnaround;
    let Some(law) = queueing::littles_law(f64::from(connections), rate, cycle / 1e6) else {
        return (None, "not checked: the figures say nothing".to_owned());
    };
    let off = law.ratio - 1.0;
    let says = format!(
        "{rate:.0}/s × ({:.1} + {turnaround:.1}) µs = {:.1} of {connections} connections ({:+.1}%)",
        latency.mean,
        law.in_flight,
        off * 100.0
    );
    (Some(off.abs() <= TOLERANCE), says)
}
