//! The targets of a place as shares of the limit.

use photofinish_stats::Paired;
use photofinish_voice::figure as found;

use photofinish_model::{Load, Metric, Role};

use crate::comparison::Cell;
use crate::comparison::figures::TargetFigures;
use crate::comparison::interference::by_turn::series;
use crate::comparison::reach::share::{Share, is_shown};
use crate::comparison::verdict::interim::Analyses;
use crate::comparison::verdict::invalid::void;
use crate::comparison::verdict::pairs::resolution;

/// Notes each target of a place as a share of the limit, where that was measured there.
pub(crate) fn note_shares(
    targets: &mut [TargetFigures],
    load: &Load,
    analyses: &Analyses,
    margin: f64,
) {
    if !is_shown(load) {
        return;
    }
    let limit = targets.iter().find(|target| target.role == Role::Limit);
    let Some(limit) = limit.cloned() else {
        return;
    };
    for target in targets.iter_mut().filter(|t| t.role != Role::Limit) {
        target.share_of_limit = share(target, &limit, analyses, margin);
    }
}

/// Says beside the limit's figures that it could do more, where the load generator held it back.
pub(crate) fn say_held_back(cell: &mut Cell) {
    let rounds = cell.limit_held_back;
    let limit = cell.targets.iter_mut().find(|t| t.role == Role::Limit);
    if let Some(limit) = limit.filter(|_| rounds > 0) {
        let of = limit.rounds;
        limit.says.push(found::reference_held_back(rounds, of));
    }
}

fn share(
    target: &TargetFigures,
    limit: &TargetFigures,
    analyses: &Analyses,
    margin: f64,
) -> Option<Share> {
    let metric = Metric::Throughput;
    if void(metric, target, limit).is_some() {
        return None;
    }
    let series = series(target, limit, metric);
    let rounds = series.counted.len();
    let judged = analyses.judge(&[series], resolution([target, limit], metric), margin);
    let judged = judged.into_iter().next()?;
    Some(Share {
        rounds,
        ratio: judged.paired.as_ref().map(Paired::ratio)?,
        interval: judged.decision.interval,
    })
}
