//! What the searches at a capacity found of a target, over the rounds.

use photofinish_stats::Interval;
use schemars::JsonSchema;
use serde::Serialize;

use photofinish_model::Line;
use photofinish_model::capacity::{Ended, Found, Step};
use photofinish_model::finding::capacity::Broken;
use photofinish_model::message::Message;
use photofinish_voice::capacity::{broken, lower_bound, sustained as said};
use photofinish_voice::verdict::reason;

use crate::comparison::figures::figure::Figure;
use crate::comparison::reason::Invalid;

/// What the searches at a capacity found of a target. The rate is its figure of [`Metric::Throughput`].
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Sustained {
    /// What had to hold.
    pub objective: String,
    /// The rounds in which no rate met the objective: they have no figure.
    pub none_held: Vec<u32>,
    /// The rounds whose rate is a lower bound: the server may sustain more.
    pub lower_bound: Vec<u32>,
    /// By what share the rate that failed was above the one that met the objective, in the round where it was most: no figure and no
    /// ratio is known finer than that.
    pub gap: f64,
    /// What is sustained; a lower bound is called one.
    pub says: Message,
    /// What to doubt of it.
    pub doubts: Vec<Message>,
    /// The steps of all rounds by rising rate.
    pub curve: Vec<Point>,
}

/// The steps at one rate.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Point {
    /// The rate that was asked for, in requests per second.
    pub offered_rps: f64,
    /// The steps that were made at it.
    pub steps: u32,
    /// Those in which the objective was met.
    pub held: u32,
    /// The lowest and highest median response time of a step in microseconds; `null` where no request was completed.
    pub p50_us: Option<Interval>,
    /// The same of the 99th percentile.
    pub p99_us: Option<Interval>,
    /// Requests of all steps.
    pub requests: u64,
    /// Those that ended badly.
    pub errors: u64,
    /// Why the last of them that missed it did so; `null` where all met it.
    pub why: Option<Message>,
}

impl Sustained {
    /// Sums up a target's lines; `None` where they are none of a capacity. `rate` is their throughput: its interval is
    /// made no narrower than what the searches can resolve.
    pub(crate) fn from(lines: &[&Line], rate: Option<&mut Figure>) -> Option<Sustained> {
        let searches = || lines.iter().filter_map(|line| Some((line, search(line)?)));
        let objective = searches().find_map(|(line, _)| line.load.objective())?;
        let rounds = |chosen: &dyn Fn(&Found) -> bool| -> Vec<u32> {
            let chosen = searches().filter(|(_, found)| chosen(found));
            chosen.map(|(line, _)| line.round).collect()
        };
        let none_held = rounds(&|found| found.sustained_rps.is_none());
        let is_bound = rounds(&|found| found.lower_bound().is_some());
        let gaps = searches().filter_map(|(_, found)| found.gap());
        let gap = gaps.fold(0.0, f64::max);
        let lowest = searches().filter_map(|(_, found)| found.failed_rps);
        let says = match rate {
            Some(rate) => {
                widen(rate, gap);
                let rate = match rate.mean {
                    Some(mean) => said::rate(mean, rate.interval),
                    None if rate.min == rate.max => said::rate(rate.max, None),
                    None => said::rate_range(rate.min, rate.max),
                };
                let sustains = match is_bound.is_empty() {
                    true => said::sustains(rate, objective),
                    false => said::sustains_at_least(rate, objective),
                };
                match none_held.is_empty() {
                    true => sustains,
                    false => said::but_none_in(sustains, &none_held),
                }
            }
            None => match lowest.reduce(f64::min) {
                None => said::none_holds(objective),
                Some(lowest) => said::none_holds_down_to(objective, lowest),
            },
        };
        let doubts = searches().flat_map(|(line, found)| doubts(Some(line.round), found));
        Some(Sustained {
            objective: objective.to_owned(),
            none_held,
            lower_bound: is_bound,
            gap,
            says,
            doubts: doubts.collect(),
            curve: curve(searches().flat_map(|(_, found)| &found.steps)),
        })
    }

    /// Why its rates cannot be compared with another target's; `None`: they can.
    pub(crate) fn void(&self, target: &str) -> Option<Invalid> {
        let says = match (self.none_held.as_slice(), self.lower_bound.as_slice()) {
            ([], []) => return None,
            ([], bounds) => reason::lower_bound(target, bounds),
            (rounds, _) => reason::no_rate_held(target, rounds),
        };
        Some(Invalid::not_comparable(says))
    }
}

/// Whether a line is a search in which no rate met the objective: what was measured is then of a rate that missed it.
pub(crate) fn none_held(line: &Line) -> bool {
    search(line).is_some_and(|found| found.sustained_rps.is_none())
}

/// What a search of a line found.
fn search(line: &Line) -> Option<&Found> {
    line.measurement.as_ref()?.capacity.as_ref()
}

/// Returns warnings about a search: a round's, or one by itself.
pub fn doubts(round: Option<u32>, found: &Found) -> Vec<Message> {
    let alone = round.is_none();
    let rate = match (found.sustained_rps, found.failed_rps, found.lower_bound()) {
        (Some(held), _, Some(why)) => Some(said::lower_bound(held, lower_bound(why, alone))),
        (Some(held), Some(failed), None) => {
            let early = early(found.ended, alone);
            early.map(|how| said::ended_early(how, held, failed))
        }
        (None, failed, _) => Some(none_met(failed, found, alone)),
        (Some(_), None, None) => None,
    };
    let noise = found.noise_us.map(said::too_noisy);
    let all = rate.into_iter().chain(noise);
    all.map(|says| match round {
        Some(round) => said::in_round(round, says),
        None => says,
    })
    .collect()
}

/// Returns that no rate met the objective, and why.
fn none_met(failed: Option<f64>, found: &Found, alone: bool) -> Message {
    // A lower rate may have been tried once, which decides nothing.
    let mut steps = found.steps.iter().rev();
    let last =
        steps.find(|step| step.why.is_some() && failed.is_none_or(|it| it == step.offered_rps));
    let why = last.and_then(|step| step.why.as_ref());
    let how = match (found.ended, why) {
        (Ended::Floor, Some(Broken::Errors { .. })) => Some(said::ended_all_wrong()),
        (ended, _) => early(ended, alone),
    };
    let how = how.map(said::the_search);
    match (failed, why) {
        (Some(failed), Some(why)) => said::none_held(failed, broken(why), how),
        _ => said::none_held_untried(how),
    }
}

/// Returns what ended a search early; `None` if it found its limit.
fn early(ended: Ended, alone: bool) -> Option<Message> {
    match (ended, alone) {
        (Ended::Found, _) => None,
        (Ended::Floor, _) => Some(said::ended_at_floor()),
        (Ended::Steps, false) => Some(said::made_all_steps()),
        (Ended::Steps, true) => Some(said::made_all_steps_flag()),
        (Ended::Time, false) => Some(said::ran_out_of_time()),
        (Ended::Time, true) => Some(said::ran_out_of_time_flag()),
        (Ended::Interrupted, _) => Some(said::was_interrupted()),
    }
}

/// The steps by rising rate, those at one rate together.
fn curve<'s>(steps: impl Iterator<Item = &'s Step>) -> Vec<Point> {
    let mut steps: Vec<&Step> = steps.collect();
    steps.sort_by(|a, b| a.offered_rps.total_cmp(&b.offered_rps));
    let same = |a: &&Step, b: &&Step| a.offered_rps == b.offered_rps;
    let points = steps.chunk_by(same).filter_map(|steps| {
        let held = steps.iter().filter(|step| step.holds).count();
        Some(Point {
            offered_rps: steps.first()?.offered_rps,
            steps: steps.len() as u32,
            held: held as u32,
            p50_us: Interval::around(steps.iter().filter_map(|step| step.p50_us)),
            p99_us: Interval::around(steps.iter().filter_map(|step| step.p99_us)),
            requests: steps.iter().map(|step| step.requests).sum(),
            errors: steps.iter().map(|step| step.errors).sum(),
            why: steps
                .iter()
                .rev()
                .find_map(|step| step.why.as_ref())
                .map(broken),
        })
    });
    points.collect()
}

/// Makes a figure's interval no narrower than what a search can resolve.
fn widen(figure: &mut Figure, gap: f64) {
    if let (Some(mean), Some(interval)) = (figure.mean, &mut figure.interval) {
        interval.low = interval.low.min(mean / (1.0 + gap));
        interval.high = interval.high.max(mean * (1.0 + gap));
    }
}
