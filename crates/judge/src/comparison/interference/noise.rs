//! The noise floor: by how much a target differs from a second copy of itself (A/A).

use photofinish_stats::analysis::FEWEST_FOR_TIE;
use photofinish_stats::{Interval, Paired, half_width};
use schemars::JsonSchema;
use serde::Serialize;

use photofinish_model::message::Message;
use photofinish_model::{Metric, Place, TargetRecord};
use photofinish_voice::{noise_floor as found, run_check};

use crate::comparison::checks::tally::{Counted, Failing, Tally};
use crate::comparison::figures::TargetFigures;
use crate::comparison::verdict::invalid::void;
use crate::comparison::verdict::pairs::{judged, pair, resolution};
use crate::comparison::{ALPHA, Cell, stats};

/// By how much a target differed from itself, at one workload, load level and metric.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct NoiseFloor {
    /// What is compared.
    pub metric: Metric,
    /// The target.
    pub target: String,
    /// Its second copy.
    pub again: String,
    /// The rounds that both have.
    pub rounds: usize,
    /// Target / copy; `null` where a figure is missing or zero.
    pub ratio: Option<f64>,
    /// The ratio's 95% interval; `null` under two rounds.
    pub interval: Option<Interval>,
    /// How far the interval reaches from 1, as a ratio above 1, whichever copy is the first; `null` without an interval.
    pub reach: Option<f64>,
    /// Whether it was called different from itself, by Holm's procedure over all A/A comparisons of the run; `null` under two rounds.
    pub different: Option<bool>,
    /// Why nothing may be said of the two; `null` where something may.
    pub void: Option<Message>,
    /// The outcome.
    pub says: Message,
    /// The difference with its interval, whichever copy was ahead; `null` if there is nothing to compare.
    pub size: Option<Message>,
}

impl NoiseFloor {
    /// Whether further rounds are not needed: it was called different from itself, or its interval lies within the margin. `None` where no
    /// rounds will say.
    pub(crate) fn is_decided(&self, margin: f64) -> Option<bool> {
        let is_within = self.reach.is_some_and(|reach| reach <= 1.0 + margin);
        self.is_enough(FEWEST_FOR_TIE, is_within || self.different == Some(true))
    }

    /// The same for an interval that reaches no further than this from the ratio, as a share.
    pub(crate) fn is_narrow(&self, wanted: f64) -> Option<bool> {
        let half = self.interval.and_then(|interval| interval.half_width());
        self.is_enough(
            half_width::FEWEST as usize,
            half.is_some_and(|half| half <= wanted),
        )
    }

    /// Whether it is enough, from so many rounds on.
    fn is_enough(&self, fewest: usize, enough: bool) -> Option<bool> {
        match self.rounds {
            0 => None,
            rounds if rounds < fewest => Some(false),
            _ => self.void.is_none().then_some(enough),
        }
    }
}

/// The floors of one place, from the figures of its targets.
pub(crate) fn floors(targets: &[TargetFigures], records: &[TargetRecord]) -> Vec<NoiseFloor> {
    let find = |label: &str| targets.iter().find(|target| target.target == label);
    let pairs: Vec<(&TargetFigures, &TargetFigures)> = records
        .iter()
        .filter_map(|record| Some((find(record.same_as.as_deref()?)?, find(&record.label)?)))
        .collect();
    let of_metric = |metric| pairs.iter().map(move |(a, b)| floor(metric, a, b));
    judged(targets).into_iter().flat_map(of_metric).collect()
}

fn floor(metric: Metric, target: &TargetFigures, again: &TargetFigures) -> NoiseFloor {
    let (rounds, paired) = pair(target, again, metric);
    let void = void(metric, target, again).map(|invalid| invalid.reason);
    let paired = paired.filter(|_| void.is_none());
    let resolution = resolution([target, again], metric);
    let interval = paired
        .as_ref()
        .and_then(|paired| paired.interval(ALPHA, resolution));
    let ratio = paired.as_ref().map(Paired::ratio);
    NoiseFloor {
        metric,
        target: target.target.clone(),
        again: again.target.clone(),
        rounds,
        ratio,
        interval,
        reach: interval.and_then(reach),
        different: None,
        says: match (&void, &paired) {
            (Some(reason), _) => found::invalid(&target.target, metric, reason),
            (None, None) => found::nothing_to_compare(&target.target, metric),
            (None, Some(paired)) => differed(metric, &target.target, paired, interval),
        },
        size: ratio.map(|ratio| {
            let (by, bounds) = difference(ratio, interval);
            found::size(by, bounds)
        }),
        void,
    }
}

/// How far an interval reaches from 1, as a ratio above 1, whichever of the two is the first.
fn reach(Interval { low, high }: Interval) -> Option<f64> {
    (low > 0.0).then(|| high.max(low.recip()))
}

/// Returns the difference as a share with its interval, whichever copy was ahead: the copies are the same server.
pub(crate) fn difference(ratio: f64, interval: Option<Interval>) -> (f64, Option<Interval>) {
    let turned = ratio < 1.0;
    let share = |value: f64| if turned { value.recip() } else { value } - 1.0;
    let bounds = interval.and_then(|interval| {
        let (low, high) = (share(interval.low), share(interval.high));
        Interval::new(low.min(high), low.max(high))
    });
    (share(ratio), bounds)
}

fn differed(metric: Metric, target: &str, paired: &Paired, interval: Option<Interval>) -> Message {
    let (by, bounds) = difference(paired.ratio(), interval);
    if bounds.is_none() {
        return found::differed_in_rounds(target, metric, by, paired.rounds);
    }
    let unseen = paired.sd;
    let unseen = unseen.and_then(|sd| stats::detectable_ratio(sd, paired.rounds as u32, ALPHA));
    let unseen = unseen.map(|ratio| found::unseen(ratio - 1.0));
    found::differed(target, metric, by, bounds, unseen)
}

/// Says of every A/A comparison of a run whether it was called different. They are judged together, so that a run
/// calls any target different from itself 5 times in 100 at most, however many metrics and levels it has.
pub(crate) fn judge(cells: &mut [Cell]) {
    let paired: Vec<Option<(Paired, f64)>> = cells
        .iter()
        .flat_map(|cell| cell.noise.iter().map(|floor| floor.paired(cell)))
        .collect();
    let p: Vec<Option<f64>> = paired
        .iter()
        .map(|paired| paired.as_ref().and_then(|(paired, _)| paired.p_value()))
        .collect();
    let levels = stats::holm_levels(&p, ALPHA);
    let floors = cells.iter_mut().flat_map(|cell| &mut cell.noise);
    for ((floor, paired), level) in floors.zip(paired).zip(levels) {
        let interval = paired.and_then(|(paired, resolution)| paired.interval(level, resolution));
        floor.different = interval.map(|interval| !interval.contains(1.0));
    }
}

/// The check of the noise floor.
pub(crate) fn tally(cells: &[Cell], smoke: bool) -> Tally {
    let floors: Vec<(&Cell, &NoiseFloor)> = cells
        .iter()
        .flat_map(|cell| cell.noise.iter().map(move |floor| (cell, floor)))
        .filter(|(_, floor)| floor.void.is_none())
        .collect();
    let mut tally = Tally {
        of: floors.len(),
        counted: Counted::AaComparisons,
        ..Tally::default()
    };
    tally.why_not = Some(if smoke {
        run_check::smoke_run()
    } else if floors.is_empty() {
        run_check::no_pair()
    } else {
        run_check::pair_needs_rounds()
    });
    for (cell, floor) in floors {
        let Some(different) = floor.different else {
            continue;
        };
        tally.checked += 1;
        if different {
            tally.failing.push(Failing {
                target: Some(floor.target.clone()),
                workload: Some(cell.workload.clone()),
                level: Some(cell.level.clone()),
                ..Failing::new(match &floor.size {
                    Some(size) => found::differs_from_itself(floor.metric, size),
                    None => floor.says.clone(),
                })
            });
        } else if floor.metric == Metric::Throughput {
            let place = Place::of(&cell.workload, &cell.load);
            tally.notes.push(found::at_place(place, &floor.says));
        }
    }
    tally
}

impl NoiseFloor {
    /// What the rounds say, and how fine that is; `None` where there is nothing to compare.
    fn paired(&self, cell: &Cell) -> Option<(Paired, f64)> {
        let (a, b) = (cell.target(&self.target)?, cell.target(&self.again)?);
        if self.void.is_some() {
            return None;
        }
        let metric = self.metric;
        Some((pair(a, b, metric).1?, resolution([a, b], metric)))
    }
}
