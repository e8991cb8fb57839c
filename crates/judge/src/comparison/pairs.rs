//! Two targets' figures round by round.

use photofinish_model::Metric;
use photofinish_stats::Paired;

use super::figures::TargetFigures;
use super::looks::Series;

/// The rounds' figures of two targets, as pairs, where both have one.
pub(super) fn series(a: &TargetFigures, b: &TargetFigures, metric: Metric) -> Series {
    let rounds = |figures: &TargetFigures| {
        figures
            .figure(metric)
            .map(|figure| figure.rounds.clone())
            .unwrap_or_default()
    };
    (1..)
        .zip(rounds(a).into_iter().zip(rounds(b)))
        .filter_map(|(round, (a, b))| Some((round, (a?, b?))))
        .collect()
}

/// How many rounds both have, and what they say.
pub(super) fn pair(
    a: &TargetFigures,
    b: &TargetFigures,
    metric: Metric,
) -> (usize, Option<Paired>) {
    let pairs: Vec<(f64, f64)> = (series(a, b, metric).into_iter())
        .map(|(_, pair)| pair)
        .collect();
    (pairs.len(), Paired::new(&pairs))
}
