//! Why a target is ahead: of what the servers took for a request, that which stands out most.

use photofinish_model::Metric;
use photofinish_model::finding::because::{Because, LayerMore};
use photofinish_model::finding::headline::Place;
use photofinish_model::metric::{Of, Per};
use photofinish_model::units::is_wide;
use photofinish_stats::{Interval, Paired};

use super::beside::LayersBeside;
use super::figures::TargetFigures;
use super::headline::place;
use super::lead::Gap;
use super::pairs::pair;
use super::{ALPHA, Cell};

/// No interval counts as narrower than this (a factor's logarithm, so about a hundredth): figures that hardly vary would else
/// stand out however little they differ.
const NARROWEST: f64 = 0.01;

/// What stands out most, at the place where the leader is furthest ahead of the next; `None` where nobody is ahead, or where
/// nothing that the servers took for a request says why. `margin`: a difference within it is none.
pub(super) fn because(cells: &[Cell], margin: f64) -> Option<Because> {
    let measured: Vec<&Cell> = cells
        .iter()
        .filter(|cell| cell.contenders().any(|t| t.rounds > 0))
        .collect();
    let mut ahead: Vec<(&Cell, f64)> = (measured.iter())
        .filter_map(|cell| Some((*cell, gap(cell)?.ratio.ln().abs())))
        .collect();
    ahead.sort_by(|a, b| b.1.total_cmp(&a.1));
    ahead.into_iter().find_map(|(cell, _)| {
        let place = (measured.len() > 1).then(|| place(cell, &measured));
        of_cell(cell, place, margin)
    })
}

/// By how much the leaders are ahead, in throughput, or else in the slowest hundredth.
fn gap(cell: &Cell) -> Option<&Gap> {
    let gap = |metric| cell.lead(metric).and_then(|lead| lead.gap.as_ref());
    gap(Metric::Throughput).or_else(|| gap(Metric::P99))
}

fn of_cell(cell: &Cell, place: Option<Place>, margin: f64) -> Option<Because> {
    let gap = gap(cell)?;
    let find = |label: &str| cell.targets.iter().find(|target| target.target == label);
    let (ahead, behind) = (find(&gap.of)?, find(&gap.over)?);
    if let Some(layers) = spends_more(cell, ahead, behind, &place) {
        return Some(layers);
    }
    let costs: Vec<(Metric, Paired)> = (Metric::ALL.iter())
        .filter(|metric| is_cost(**metric))
        .filter_map(|&metric| Some((metric, pair(behind, ahead, metric).1?)))
        .collect();
    // One is chosen out of so many: each has its share of the chance of error.
    let alpha = ALPHA / costs.len() as f64;
    let more = costs.iter().filter_map(|(metric, paired)| {
        let interval = paired.interval(alpha, metric.spec().resolution)?;
        // A figure that is next to nothing on one side has a ratio that nobody can picture, and an interval to match.
        if is_wide(interval) {
            return None;
        }
        let half = (interval.high / interval.low).ln() / 2.0;
        let stands_out = paired.ratio().ln() / half.max(NARROWEST);
        (interval.low > 1.0 + margin).then_some((*metric, paired.ratio(), interval, stands_out))
    });
    let (metric, ratio, interval, _) = more.max_by(|a, b| a.3.total_cmp(&b.3))?;
    Some(Because::TakesMore {
        ahead: ahead.target.clone(),
        behind: behind.target.clone(),
        metric,
        ratio,
        interval,
        ahead_takes: ahead.figure(metric)?.mean?,
        behind_takes: behind.figure(metric)?.mean?,
        place,
    })
}

/// What the server behind spends more CPU time on; `None` where that was not profiled, no layer differs for certain, or it needs no more.
fn spends_more(
    cell: &Cell,
    ahead: &TargetFigures,
    behind: &TargetFigures,
    place: &Option<Place>,
) -> Option<Because> {
    let is_it = |pair: &&LayersBeside| {
        let is = |a: &TargetFigures, b: &TargetFigures| pair.a == a.target && pair.b == b.target;
        is(ahead, behind) || is(behind, ahead)
    };
    let pair = cell.layers.iter().find(is_it)?;
    let turned = pair.a == behind.target;
    let more_us = behind.profile.as_ref()?.cpu_us - ahead.profile.as_ref()?.cpu_us;
    let sure = pair.layers.iter().filter(|difference| difference.is_sure);
    let layers: Vec<LayerMore> = sure
        .filter_map(|difference| {
            let Interval { low, high } = difference.interval?;
            let (more_us, low, high) = match turned {
                true => (-difference.more_us, -high, -low),
                false => (difference.more_us, low, high),
            };
            Some(LayerMore {
                layer: difference.layer,
                more_us,
                interval: Interval::new(low, high)?,
            })
        })
        .collect();
    let says_why = more_us > 0.0 && layers.iter().any(|layer| layer.more_us > 0.0);
    says_why.then(|| Because::SpendsMore {
        ahead: ahead.target.clone(),
        behind: behind.target.clone(),
        more_us,
        layers,
        place: place.clone(),
    })
}

/// Whether a metric is what a server or its service takes for a request. Bytes on the wire are not: they are what is sent.
fn is_cost(metric: Metric) -> bool {
    let spec = metric.spec();
    spec.per == Per::Request && matches!(spec.of, Of::Server | Of::Service)
}
