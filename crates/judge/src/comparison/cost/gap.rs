//! The cost line: what a request costs the server behind more than the one ahead, in parts that add up.
//!
//! What a request costs is time: causes are ranked by how many microseconds they explain. A ratio ranks nothing: a hundred times next to
//! nothing is next to nothing.

use photofinish_model::Metric;
use photofinish_model::Place;
use photofinish_model::message::{AtPlaces, Details, Message, Parts, Tail};
use photofinish_model::metric::{Of, Per};
use photofinish_model::units::{Unit, is_wide};
use photofinish_stats::Interval;
use photofinish_voice::{cost as said, place as places_said};

use crate::comparison::cost::beside;
use crate::comparison::cost::layers::mean;
use crate::comparison::figures::TargetFigures;
use crate::comparison::interference::by_turn::series;
use crate::comparison::verdict::headline::place;
use crate::comparison::verdict::lead::Gap;
use crate::comparison::verdict::pairs::pair;
use crate::comparison::{ALPHA, Cell};

/// What explains a smaller share of the gap is not named.
const NOTABLE: f64 = 0.1;
/// What a context switch usually costs, in microseconds of CPU time: one to two for itself and about as much for the caches that it
/// leaves cold (Li, Ding & Shen 2007, "Quantifying the cost of context switch", have 3.8 for itself on the processors of that time).
const SWITCH_US: f64 = 3.0;
/// What a page fault without I/O usually costs: some tenths of a microsecond for the entry and about as much for a page of zeros.
const FAULT_MINOR_US: f64 = 1.0;
/// What one with I/O costs in CPU time, beside the waiting: the way through the file system and the block layer, and two switches.
const FAULT_MAJOR_US: f64 = 10.0;

/// Returns the cost line of the place where the leader is furthest ahead of the next; `None` if nobody is ahead, or if no time that
/// servers take for a request differs for certain. `margin`: a difference within it is none.
pub(crate) fn cost(cells: &[Cell], margin: f64) -> Option<Message> {
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

/// By how much the leaders are ahead, in the metric of the headline, or else in throughput, in CPU time or in the slowest hundredth.
fn gap(cell: &Cell) -> Option<&Gap> {
    let metrics = [
        cell.headline_metric,
        Metric::Throughput,
        Metric::ServerCpu,
        Metric::P99,
    ];
    let gap = |metric: &Metric| cell.lead(*metric).and_then(|lead| lead.gap.as_ref());
    metrics.iter().find_map(gap)
}

fn of_cell(cell: &Cell, place: Option<Place>, margin: f64) -> Option<Message> {
    let gap = gap(cell)?;
    let (ahead, behind) = (cell.target(&gap.of)?, cell.target(&gap.over)?);
    let metric = takes_most_more(ahead, behind, margin)?;
    let figure = |target: &TargetFigures| target.figure(metric)?.mean;
    // As the table shows them, so that the line is the difference of two figures that stand above it.
    let more_us = figure(behind)? - figure(ahead)?;
    if more_us <= 0.0 {
        return None;
    }
    let scale = Scale::of(more_us);
    let causes = match metric {
        Metric::ServerCpu => causes(ahead, behind),
        _ => Vec::new(),
    };
    let parts = scale.parts(more_us, causes);
    let parts = (!parts.is_empty()).then(|| said::parts(Parts(parts)));
    let counts = match metric {
        Metric::ServerCpu => count(ahead, behind, more_us),
        _ => None,
    };
    let at = AtPlaces(place.map(places_said::at));
    let total = scale.with_unit(scale.steps(more_us));
    Some(said::takes(
        &behind.target,
        total,
        metric,
        at,
        Details(parts),
        Tail(counts),
    ))
}

/// The time for a request of which the server behind takes most more; `None` if no time differs for certain.
fn takes_most_more(ahead: &TargetFigures, behind: &TargetFigures, margin: f64) -> Option<Metric> {
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
        Some((metric, more(ahead, behind, metric, alpha)?.0))
    });
    let most = certain.max_by(|a, b| a.1.total_cmp(&b.1))?;
    Some(most.0)
}

/// What the server behind spends more CPU time on for certain, or less, in microseconds: layers of its profiles, or else user and
/// system time.
fn causes(ahead: &TargetFigures, behind: &TargetFigures) -> Vec<(Metric, f64)> {
    // Only these two are looked at, who are not chosen by what they spend: the level allows for the layers, and for no other pair.
    let layers = beside::pair(ahead, behind, 1).layers;
    if !layers.is_empty() {
        let sure = layers.into_iter().filter(|layer| layer.difference.is_sure);
        return sure
            .map(|layer| (Metric::of_layer(layer.layer), layer.difference.more_us))
            .collect();
    }
    let halves = [Metric::CpuUser, Metric::CpuSystem];
    let sure = halves.into_iter().filter_map(|metric| {
        let (more_us, interval) = more(ahead, behind, metric, ALPHA / 2.0)?;
        interval
            .is_some_and(|interval| !interval.contains(0.0))
            .then_some((metric, more_us))
    });
    sure.collect()
}

/// In which unit and with how many digits the parts of a line are printed: all alike, so that what is printed adds up.
struct Scale {
    /// Microseconds of a step of the last digit.
    step_us: f64,
    /// Microseconds of the unit.
    unit_us: f64,
    unit: &'static str,
    decimals: usize,
}

impl Scale {
    /// Two digits of the whole.
    fn of(more_us: f64) -> Scale {
        let (unit_us, unit) = match more_us {
            ..1e3 => (1.0, "µs"),
            1e3..1e6 => (1e3, "ms"),
            _ => (1e6, "s"),
        };
        let digits = (more_us / unit_us).log10().floor().clamp(-6.0, 2.0) as i32 - 1;
        let digits = digits.min(0);
        Scale {
            step_us: unit_us * 10_f64.powi(digits),
            unit_us,
            unit,
            decimals: digits.unsigned_abs() as usize,
        }
    }

    /// A time in whole steps.
    fn steps(&self, us: f64) -> f64 {
        (us / self.step_us).round()
    }

    fn text(&self, steps: f64) -> String {
        let text = format!("{:.*}", self.decimals, steps * self.step_us / self.unit_us);
        text.replace('-', "−")
    }

    fn with_unit(&self, steps: f64) -> String {
        format!("{} {}", self.text(steps), self.unit)
    }

    /// Returns the notable causes, the largest first, and what they leave unexplained: what is printed adds up to the whole.
    fn parts(&self, more_us: f64, mut causes: Vec<(Metric, f64)>) -> Vec<Message> {
        causes.retain(|(_, us)| us.abs() >= NOTABLE * more_us && self.steps(*us) != 0.0);
        if causes.is_empty() {
            return Vec::new();
        }
        causes.sort_by(|a, b| b.1.total_cmp(&a.1));
        let explained: f64 = causes.iter().map(|(_, us)| self.steps(*us)).sum();
        let rest = self.steps(more_us) - explained;
        let parts = causes.into_iter();
        let parts = parts.map(|(metric, us)| said::part(metric, self.text(self.steps(us))));
        let rest = (rest != 0.0).then(|| said::unexplained(self.text(rest)));
        parts.chain(rest).collect()
    }
}

/// What the server behind does more often for a request for certain, if that explains a notable part of its CPU time: the count that
/// explains most.
fn count(ahead: &TargetFigures, behind: &TargetFigures, gap_us: f64) -> Option<Message> {
    let counts = Metric::ALL.iter().copied();
    let counts: Vec<(Metric, f64)> = counts
        .filter_map(|metric| Some((metric, usual_us(metric)?)))
        .filter(|(metric, _)| more(ahead, behind, *metric, ALPHA).is_some())
        .collect();
    let alpha = ALPHA / counts.len().max(1) as f64;
    let explains = |(metric, each_us): (Metric, f64)| {
        let (times, interval) = more(ahead, behind, metric, alpha)?;
        interval.filter(|interval| interval.low > 0.0)?;
        // They are part of the CPU time: they cannot explain more than all of it.
        let explains_us = (times * each_us).min(gap_us);
        (explains_us >= NOTABLE * gap_us).then_some((metric, times, explains_us))
    };
    let found = counts.into_iter().filter_map(explains);
    let (metric, times, explains_us) = found.max_by(|a, b| a.2.total_cmp(&b.2))?;
    Some(said::with_count(
        (metric.unit(), times),
        metric,
        explains_us,
    ))
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
        Metric::SwitchesVoluntary | Metric::SwitchesForced => Some(SWITCH_US),
        Metric::FaultsMinor => Some(FAULT_MINOR_US),
        Metric::FaultsMajor => Some(FAULT_MAJOR_US),
        _ => None,
    }
}

/// Whether a metric is what a server or its service takes for a request. Bytes on the wire are not: they are what is sent.
fn is_cost(metric: Metric) -> bool {
    let spec = metric.spec();
    // Who waits takes nothing: a request that waits beside 99 others adds 99 times as much.
    metric != Metric::RunQueue
        && spec.per == Per::Request
        && matches!(spec.of, Of::Server | Of::Service)
}
