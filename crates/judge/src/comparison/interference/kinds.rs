//! Whether the rounds of a target fall into two groups, a fast and a slow kind of process.

use photofinish_model::Metric;
use photofinish_stats::groups::{self, two_groups};

use crate::comparison::figures::TargetFigures;
use crate::comparison::interference::by_turn::series;
use crate::comparison::note::Groups;

/// The groups of the rounds of `target`, in a metric, that the rounds of `other` do not fall into with it; `None` where it has none. What
/// splits the rounds of both is the machine's doing.
pub(crate) fn of_pair(
    target: &TargetFigures,
    other: &TargetFigures,
    metric: Metric,
) -> Option<Groups> {
    let pairs: Vec<(f64, f64)> = (series(target, other, metric).counted.into_iter())
        .map(|(_, pair)| pair)
        .collect();
    let logs: Vec<f64> = pairs.iter().map(|(own, _)| own.ln()).collect();
    let found = two_groups(&logs)?;
    let mean = |group: &[usize]| {
        let ratios = group.iter().map(|i| (pairs[*i].0 / pairs[*i].1).ln());
        ratios.sum::<f64>() / group.len() as f64
    };
    let beside_the_other = mean(&found.high) - mean(&found.low);
    (beside_the_other > found.apart / 2.0).then(|| reported(&found))
}

/// The groups as they are reported: the smaller one beside the larger one, the slower where they are equal.
fn reported(found: &groups::Groups) -> Groups {
    let (low, high) = (found.low.len(), found.high.len());
    let few_are_low = low <= high;
    Groups {
        few: low.min(high),
        rounds: low + high,
        ratio: if few_are_low {
            -found.apart
        } else {
            found.apart
        }
        .exp(),
    }
}
