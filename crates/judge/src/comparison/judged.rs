//! On which metrics verdicts are given, and how finely.

use photofinish_model::Metric;

use super::figures::TargetFigures;

/// The metrics on which verdicts are given.
pub const JUDGED: [Metric; 5] = [
    Metric::Throughput,
    Metric::Mean,
    Metric::P50,
    Metric::P99,
    Metric::P999,
];

/// The metrics on which verdicts are given about these targets. At a capacity each has a rate of its own, so their
/// response times are answers to different questions.
pub(super) fn judged<'t>(targets: impl IntoIterator<Item = &'t TargetFigures>) -> Vec<Metric> {
    let searched = targets.into_iter().any(|target| target.sustained.is_some());
    let judged = |metric: &Metric| !searched || *metric == Metric::Throughput;
    JUDGED.into_iter().filter(judged).collect()
}

/// The finest relative difference in a metric that can be told between these targets.
pub(crate) fn resolution<'t>(
    targets: impl IntoIterator<Item = &'t TargetFigures>,
    metric: Metric,
) -> f64 {
    let searched = targets
        .into_iter()
        .filter_map(|target| target.sustained.as_ref());
    let gaps = searched
        .filter(|_| metric == Metric::Throughput)
        .map(|sustained| sustained.gap);
    gaps.fold(metric.resolution(), f64::max)
}
