//! Two targets' figures round by round.

use photofinish_model::Metric;
use photofinish_stats::Paired;

use crate::comparison::figures::TargetFigures;
use crate::comparison::interference::by_turn::series;
use crate::comparison::verdict::metrics::JUDGED;

/// How many rounds both have, and what they say.
pub(in crate::comparison) fn pair(
    a: &TargetFigures,
    b: &TargetFigures,
    metric: Metric,
) -> (usize, Option<Paired>) {
    let series = series(a, b, metric);
    (series.counted.len(), series.paired(u32::MAX))
}

/// The metrics on which verdicts are given about these targets. At a capacity each has a rate of its own, so their
/// response times are figures for different questions.
pub(in crate::comparison) fn judged<'t>(
    targets: impl IntoIterator<Item = &'t TargetFigures>,
) -> Vec<Metric> {
    let searched = targets.into_iter().any(|target| target.sustained.is_some());
    let judged = |metric: &Metric| !searched || *metric == Metric::Throughput;
    JUDGED.into_iter().filter(judged).collect()
}

/// The finest relative difference in a metric that can be shown between these targets.
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
