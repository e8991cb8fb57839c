//! Two targets' figures round by round.

use photofinish_model::Metric;
use photofinish_stats::Paired;

use crate::comparison::figures::TargetFigures;
use crate::comparison::interference::by_turn::series;
use crate::comparison::verdict::metrics::JUDGED;

/// How many rounds both have, and what they say.
pub(crate) fn pair(
    a: &TargetFigures,
    b: &TargetFigures,
    metric: Metric,
) -> (usize, Option<Paired>) {
    let series = series(a, b, metric);
    (series.counted.len(), series.paired(u32::MAX))
}

/// The metrics on which verdicts are given about these targets. At a capacity each has a rate of its own, so their
/// response times and CPU times are figures for different questions. CPU time is not known of every server.
pub(crate) fn judged<'t>(targets: impl IntoIterator<Item = &'t TargetFigures>) -> Vec<Metric> {
    let targets: Vec<&TargetFigures> = targets.into_iter().collect();
    let searched = targets.iter().any(|target| target.sustained.is_some());
    let is_known = |metric: Metric| {
        let with = targets
            .iter()
            .filter(|target| target.figure(metric).is_some());
        metric != Metric::ServerCpu || with.count() > 1
    };
    let judged = |metric: &Metric| match searched {
        true => *metric == Metric::Throughput,
        false => is_known(*metric),
    };
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
