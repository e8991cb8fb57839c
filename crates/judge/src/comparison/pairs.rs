//! Two targets' figures round by round.

use std::collections::BTreeMap;

use photofinish_model::Metric;
use photofinish_stats::Paired;

use super::by_turn;
use super::figures::TargetFigures;
use super::judged::JUDGED;
use super::looks::Series;

/// The rounds' figures of two targets, as pairs, where both have one. Those of a round in turns have the
/// ratio of these, where it is made turn by turn.
pub(crate) fn series(a: &TargetFigures, b: &TargetFigures, metric: Metric) -> Series {
    let ratios = by_turn::ratios(a, b, metric);
    let pairs = |of_a: BTreeMap<u32, f64>, of_b: BTreeMap<u32, f64>| {
        let both = of_a.into_iter();
        let both = both.filter_map(|(round, a)| Some((round, (a, *of_b.get(&round)?))));
        both.map(|(round, pair)| (round, by_turn::around(pair, ratios.get(&round).copied())))
            .collect()
    };
    Series {
        counted: pairs(a.counted(metric), b.counted(metric)),
        aside: pairs(a.aside(metric), b.aside(metric)),
    }
}

/// How many rounds both have, and what they say.
pub(super) fn pair(
    a: &TargetFigures,
    b: &TargetFigures,
    metric: Metric,
) -> (usize, Option<Paired>) {
    let series = series(a, b, metric);
    (series.counted.len(), series.paired(u32::MAX))
}

/// The metrics on which verdicts are given about these targets. At a capacity each has a rate of its own, so their
/// response times are figures for different questions.
pub(super) fn judged<'t>(targets: impl IntoIterator<Item = &'t TargetFigures>) -> Vec<Metric> {
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
