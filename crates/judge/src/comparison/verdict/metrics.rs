//! On which metrics verdicts are given, and what they take.

use photofinish_model::Metric;
use photofinish_model::metric::Of;

/// The metrics on which verdicts are given.
pub const JUDGED: [Metric; 6] = [
    Metric::Throughput,
    Metric::Mean,
    Metric::P50,
    Metric::P99,
    Metric::P999,
    Metric::ServerCpu,
];

/// A percentile is judged with at least so many requests beyond it in every round.
const BEYOND: f64 = 10.0;

/// How many requests a percentile takes in a round; `None` for what is none.
pub(crate) fn requests_for(metric: Metric) -> Option<u64> {
    match metric.spec().of {
        // Rounded, since 1 − 0.999 is a little more than 0.001 to a computer.
        Of::Percentile(share) => Some((BEYOND / (1.0 - share)).round() as u64),
        _ => None,
    }
}
