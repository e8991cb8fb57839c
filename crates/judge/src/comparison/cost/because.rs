//! Why a target is ahead: of what the servers took for a request, that which explains most of the gap.
//!
//! What a request costs is time: causes are ranked by how many microseconds they explain. A ratio ranks nothing: a hundred times next to
//! nothing is next to nothing.

use photofinish_model::Place;
use photofinish_model::message::Message;
use photofinish_model::metric::{Of, Per};
use photofinish_model::units::{Unit, is_wide};
use photofinish_model::{Layer, Metric};
use photofinish_stats::Interval;
use photofinish_voice::cost;

use crate::comparison::cost::beside;
use crate::comparison::cost::layers::mean;
use crate::comparison::figures::TargetFigures;
use crate::comparison::interference::by_turn::series;
use crate::comparison::verdict::headline::place;
use crate::comparison::verdict::lead::Gap;
use crate::comparison::verdict::pairs::pair;
use crate::comparison::{ALPHA, Cell};

/// From this factor on a difference is printed as a factor, and below it as a percentage.
const FACTOR: f64 = 2.0;
/// What explains a smaller share of the gap is not named.
const NOTABLE: f64 = 0.1;
/// So many are named beside the first.
const MOST_ALSO: usize = 3;
/// What a context switch usually costs, in microseconds of CPU time: one to two for itself and about as much for the caches that it
/// leaves cold (Li, Ding & Shen 2007, "Quantifying the cost of context switch", have 3.8 for itself on the processors of that time).
const SWITCH_US: f64 = 3.0;
/// What a page fault without I/O usually costs: some tenths of a microsecond for the entry and about as much for a page of zeros.
const FAULT_MINOR_US: f64 = 1.0;
/// What one with I/O costs in CPU time, beside the waiting: the way through the file system and the block layer, and two switches.
const FAULT_MAJOR_US: f64 = 10.0;

/// What explains most, at the place where the leader is furthest ahead of the next; `None` where nobody is ahead, or where
/// nothing that the servers took for a request says why. `margin`: a difference within it is none.
pub(in crate::comparison) fn because(cells: &[Cell], margin: f64) -> Option<Message> {
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

fn of_cell(cell: &Cell, place: Option<Place>, margin: f64) -> Option<Message> {
    let gap = gap(cell)?;
    let find = |label: &str| cell.targets.iter().find(|target| target.target == label);
    let (ahead, behind) = (find(&gap.of)?, find(&gap.over)?);
    spends_more(ahead, behind, &place).or_else(|| takes_more(ahead, behind, place, margin))
}

/// What the server behind takes more time of, and what explains that; `None` where no time differs for certain.
fn takes_more(
    ahead: &TargetFigures,
    behind: &TargetFigures,
    place: Option<Place>,
    margin: f64,
) -> Option<Message> {
    let whole = |metric: &Metric| {
        let spec = metric.spec();
        is_cost(*metric) && spec.unit == Unit::Microseconds && spec.part_of.is_none()
    };
    let times: Vec<Metric> = (Metric::ALL.iter().copied().filter(whole))
        .filter(|metric| pair(behind, ahead, *metric).1.is_some())
        .collect();
    // One is chosen out of so many: each has its share of the chance of error.
    let alpha = ALPHA / times.len().max(1) as f64;
    let certain = times.into_iter().filter_map(|metric| {
        let paired = pair(behind, ahead, metric).1?;
        let interval = paired.interval(alpha, metric.spec().resolution)?;
        // A figure that is next to nothing on one side has a ratio that nobody can picture, and an interval to match.
        if is_wide(interval) || interval.low <= 1.0 + margin {
            return None;
        }
        let more_us = more(ahead, behind, metric, alpha)?.0;
        Some((metric, paired.ratio(), interval, more_us))
    });
    let certain: Vec<(Metric, f64, Interval, f64)> = certain.collect();
    let cpu_us = (certain.iter()).find(|(metric, ..)| *metric == Metric::ServerCpu);
    let cpu_us = cpu_us.map(|(.., more_us)| *more_us);
    let (metric, ratio, interval, more_us) =
        (certain.into_iter()).max_by(|a, b| a.3.total_cmp(&b.3))?;
    let unit = metric.unit();
    let (of, over) = (&behind.target, &ahead.target);
    let share = Interval {
        low: interval.low - 1.0,
        high: interval.high - 1.0,
    };
    let more = match (ratio >= FACTOR, place) {
        (true, None) => cost::times_as_much(of, ratio, metric, over, interval),
        (true, Some(place)) => cost::times_as_much_at(of, ratio, metric, over, interval, place),
        (false, None) => cost::more(of, ratio - 1.0, metric, over, share),
        (false, Some(place)) => cost::more_at(of, ratio - 1.0, metric, over, share, place),
    };
    let behind_takes = (unit, behind.figure(metric)?.mean?);
    let ahead_takes = (unit, ahead.figure(metric)?.mean?);
    let also = also(ahead, behind, metric, more_us, cpu_us);
    Some(match also.is_empty() {
        true => cost::takes(more, behind_takes, ahead_takes),
        false => cost::takes_with(more, behind_takes, ahead_takes, also),
    })
}

/// What else the server behind takes more of for certain, where that explains a notable part of a gap of so many microseconds, most of
/// which `first` is. `cpu_us`: by how much its CPU time is larger, where that is certain; what counts cost is part of that, so that
/// without it they explain nothing.
fn also(
    ahead: &TargetFigures,
    behind: &TargetFigures,
    first: Metric,
    gap_us: f64,
    cpu_us: Option<f64>,
) -> Vec<Message> {
    // Of a sum its parts speak.
    let has_parts = |metric: Metric| {
        let mut all = Metric::ALL.iter().map(|part| part.spec());
        all.any(|part| part.part_of == Some(metric) && part.of != Of::Profile)
    };
    let others: Vec<Metric> = (Metric::ALL.iter().copied())
        .filter(|metric| is_cost(*metric) && *metric != first && !has_parts(*metric))
        .filter(|metric| more(ahead, behind, *metric, ALPHA).is_some())
        .collect();
    let alpha = ALPHA / others.len().max(1) as f64;
    let explains = |metric: Metric| {
        let (more, interval) = more(ahead, behind, metric, alpha)?;
        let interval = interval.filter(|interval| interval.low > 0.0)?;
        let explains_us = match usual_us(metric) {
            None => more,
            Some(each) => (more * each).min(cpu_us?),
        };
        let unit = metric.unit();
        let says = match unit {
            Unit::Microseconds => cost::also_time((unit, more), metric, (unit, more, interval)),
            _ => cost::also_count((unit, more), metric, (unit, more, interval), explains_us),
        };
        (explains_us >= NOTABLE * gap_us).then_some((explains_us, says))
    };
    let mut also: Vec<(f64, Message)> = others.into_iter().filter_map(explains).collect();
    also.sort_by(|a, b| b.0.total_cmp(&a.0));
    also.truncate(MOST_ALSO);
    also.into_iter().map(|(_, says)| says).collect()
}

/// How much more of something the server behind takes for a request, the mean over the rounds, and the interval of that.
fn more(
    ahead: &TargetFigures,
    behind: &TargetFigures,
    metric: Metric,
    alpha: f64,
) -> Option<(f64, Option<Interval>)> {
    let rounds = series(behind, ahead, metric).counted.into_iter();
    mean(
        rounds.map(|(_, (behind, ahead))| (behind - ahead, 0.0)),
        alpha,
    )
}

/// What one of what a metric counts usually costs, in microseconds of CPU time; `None`: it counts no things but time.
fn usual_us(metric: Metric) -> Option<f64> {
    match metric {
        Metric::ContextSwitches | Metric::SwitchesVoluntary | Metric::SwitchesForced => {
            Some(SWITCH_US)
        }
        Metric::FaultsMinor => Some(FAULT_MINOR_US),
        Metric::FaultsMajor => Some(FAULT_MAJOR_US),
        _ => None,
    }
}

/// What the server behind spends more CPU time on; `None` where that was not profiled, or where neither its CPU time nor any layer is
/// larger for certain.
fn spends_more(
    ahead: &TargetFigures,
    behind: &TargetFigures,
    place: &Option<Place>,
) -> Option<Message> {
    // These two alone are looked at, who are not chosen by what they spend: the level allows for the layers, and for no other pair.
    let pair = beside::pair(ahead, behind, 1);
    let certain = |interval: Option<Interval>| interval.is_some_and(|interval| interval.low > 0.0);
    let (more_us, interval) = beside::more_cpu(ahead, behind)?;
    if !certain(interval) {
        return None;
    }
    let sure = pair.layers.iter().filter(|layer| layer.is_sure);
    let notable = sure.filter(|layer| layer.more_us.abs() >= NOTABLE * more_us);
    // They are in order of size: what it spends less on explains nothing, and comes after what does.
    let (less, more): (Vec<_>, Vec<_>) = notable.partition(|layer| layer.more_us < 0.0);
    if more.is_empty() {
        return None;
    }
    let layers: Vec<Message> = (more.into_iter().chain(less))
        .filter_map(|layer| Some(spent(layer.layer, layer.more_us, layer.interval?)))
        .collect();
    let (of, over) = (&behind.target, &ahead.target);
    Some(match place {
        None => cost::spends(of, more_us, over, layers),
        Some(place) => cost::spends_at(of, more_us, over, layers, place),
    })
}

/// Whether a metric is what a server or its service takes for a request. Bytes on the wire are not: they are what is sent.
fn is_cost(metric: Metric) -> bool {
    let spec = metric.spec();
    // Who waits takes nothing: a request that waits beside 99 others adds 99 times as much.
    metric != Metric::RunQueue
        && spec.per == Per::Request
        && matches!(spec.of, Of::Server | Of::Service)
}

/// Returns how much more, or less, CPU time a server spends on a layer.
fn spent(layer: Layer, more_us: f64, interval: Interval) -> Message {
    let metric = Metric::of_layer(layer);
    if more_us >= 0.0 {
        return cost::layer_more(more_us, metric, interval);
    }
    let less = Interval {
        low: -interval.high,
        high: -interval.low,
    };
    cost::layer_less(-more_us, metric, less)
}
