//! Where a request's CPU time goes.

use std::collections::BTreeMap;

use photofinish_model::{Layer, Line, Metric, Profile};
use photofinish_stats::summary::geometric_mean;
use photofinish_stats::{Interval, Paired, difference};
use schemars::JsonSchema;
use serde::Serialize;

use crate::comparison::ALPHA;

/// What samples of a target's stacks showed, over the rounds that have any.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct TargetProfile {
    /// The rounds.
    pub rounds: usize,
    /// Samples, summed over the rounds.
    pub samples: u64,
    /// Those that the kernel had no room for.
    pub lost: u64,
    /// Throughput while it was profiled / throughput of all its other slices, the disturbed ones too (so may those of the profile be): the
    /// geometric mean over the rounds; `null` where one is zero. What is missing to 1 is the profiler's price.
    pub throughput_ratio: Option<f64>,
    /// Its 95% interval; `null` under two rounds.
    pub throughput_interval: Option<Interval>,
    /// Good responses per second while it was profiled: the geometric mean over the rounds; `null` where one is zero.
    pub profiled_rps: Option<f64>,
    /// The same of its other slices in these rounds.
    pub unprofiled_rps: Option<f64>,
    /// CPU time per request in microseconds, measured without a profiler: the mean over the rounds, and the sum of the layers.
    pub cpu_us: f64,
    /// What it was spent on, where there was any sample, in the order of layers.
    pub layers: Vec<LayerTime>,
}

/// What a request spends on a layer.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct LayerTime {
    /// The layer.
    pub layer: Layer,
    /// CPU time per request in microseconds, the mean over the rounds.
    pub us: f64,
    /// Its 95% interval; `null` under two rounds.
    pub interval: Option<Interval>,
    /// Its share of the CPU time, 0 to 1.
    pub share: f64,
}

/// A round's profile, and the CPU time per request in microseconds that it divides.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Round {
    pub(crate) cpu_us: f64,
    pub(crate) profile: Profile,
}

impl Round {
    /// What a request spends on a layer, in microseconds, and the standard error that this has by chance alone.
    pub(crate) fn spends(&self, layer: Layer) -> (f64, f64) {
        let count = self.profile.layers.get(&layer).copied().unwrap_or(0);
        // A results folder may come from anywhere: no layers are more than all of them.
        let all = self.profile.layers.values().copied();
        let samples = self.profile.samples.max(all.fold(0, u64::saturating_add));
        spent(self.cpu_us, count, samples)
    }
}

/// What a request spends on what so many samples show, of its CPU time in microseconds, and the standard error that this has by chance
/// alone.
pub(crate) fn spent(cpu_us: f64, count: u64, samples: u64) -> (f64, f64) {
    let us = cpu_us * count as f64 / samples as f64;
    (us, cpu_us * difference::share_error(count, samples))
}

/// The profiles of one target by round.
pub(crate) fn by_round(lines: &[&Line]) -> BTreeMap<u32, Round> {
    let round = |line: &&Line| {
        let profile = line.profile.clone().filter(|profile| profile.samples > 0)?;
        let cpu_us = Metric::ServerCpu.of(line)?;
        Some((line.round, Round { cpu_us, profile }))
    };
    lines.iter().filter_map(round).collect()
}

/// What one target's profiles show; `None` where there are none.
pub(crate) fn profile(lines: &[&Line]) -> Option<TargetProfile> {
    let rounds = by_round(lines);
    let cpu: Vec<f64> = rounds.values().map(|round| round.cpu_us).collect();
    let cpu_us = difference::mean(&cpu)?;
    let prices: Vec<(f64, f64)> = (lines.iter())
        .filter_map(|line| {
            let profiled = line.profile.as_ref()?.throughput_rps;
            Some((profiled, of_all_slices(line)?))
        })
        .collect();
    let price = Paired::new(&prices);
    let (profiled, unprofiled): (Vec<f64>, Vec<f64>) = prices.into_iter().unzip();
    let rps = |rounds: &[f64]| geometric_mean(rounds, ALPHA).map(|mean| mean.mean);
    let of_layer = |layer: Layer| {
        let (us, interval) = mean(rounds.values().map(|round| round.spends(layer)), ALPHA)?;
        let share = if cpu_us > 0.0 { us / cpu_us } else { 0.0 };
        (us > 0.0).then_some(LayerTime {
            layer,
            us,
            // Time is not negative.
            interval: interval.map(|interval| Interval {
                low: interval.low.max(0.0),
                ..interval
            }),
            share,
        })
    };
    Some(TargetProfile {
        rounds: rounds.len(),
        // A results folder may come from anywhere.
        samples: (rounds.values().map(|round| round.profile.samples)).fold(0, u64::saturating_add),
        lost: (rounds.values().map(|round| round.profile.lost)).fold(0, u64::saturating_add),
        throughput_ratio: price.as_ref().map(Paired::ratio),
        throughput_interval: price.and_then(|price| price.interval(ALPHA, 0.0)),
        profiled_rps: rps(&profiled),
        unprofiled_rps: rps(&unprofiled),
        cpu_us,
        layers: Layer::ALL.iter().copied().filter_map(of_layer).collect(),
    })
}

/// What two targets spend on something in each round, each with the standard error that this has by chance alone.
pub(crate) type SpentByBoth = Vec<[(f64, f64); 2]>;

/// By how much two targets differ in what a request spends.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Difference {
    /// CPU time per request of the second − that of the first in microseconds, the mean over the rounds.
    pub more_us: f64,
    /// Its interval, at a level that allows for all that were looked at; `null` under two rounds.
    pub interval: Option<Interval>,
    /// Whether the interval excludes 0.
    pub is_sure: bool,
}

impl Difference {
    pub(crate) fn new(more_us: f64, interval: Option<Interval>) -> Difference {
        Difference {
            more_us,
            interval,
            is_sure: interval.is_some_and(|interval| !interval.contains(0.0)),
        }
    }
}

/// By how much the second of two targets spends more on each of several things, at level `alpha`. `cpu_us` is the CPU time per request of
/// both in each round: a share of it is expected to vary as sampling makes it, and as that time does.
pub(crate) fn differences(
    cpu_us: &[[f64; 2]],
    things: &[SpentByBoth],
    alpha: f64,
) -> Vec<Option<Difference>> {
    let more: Vec<f64> = cpu_us.iter().map(|[a, b]| b - a).collect();
    let varies = difference::deviation(&more).unwrap_or(0.0);
    let sampled = |rounds: &SpentByBoth| {
        let errors = rounds.iter().map(|[(_, a), (_, b)]| a.hypot(*b));
        let errors: Vec<f64> = errors.collect();
        let expected = rounds.iter().zip(cpu_us).zip(&errors).map(
            |(([(a, _), (b, _)], [cpu_a, cpu_b]), error)| {
                let share = (a + b) / (cpu_a + cpu_b).max(f64::MIN_POSITIVE);
                error.hypot(share * varies)
            },
        );
        difference::Sampled {
            figures: rounds.iter().map(|[(a, _), (b, _)]| b - a).collect(),
            expected: expected.collect(),
            errors,
        }
    };
    let sampled: Vec<difference::Sampled> = things.iter().map(sampled).collect();
    let found = difference::sampled(&sampled, alpha).into_iter();
    found
        .map(|found| found.map(|(more_us, interval)| Difference::new(more_us, interval)))
        .collect()
}

/// Good responses per second in all slices of a round, those too that do not count because something disturbed them: the profile's may be
/// disturbed as often. Where it was measured in one piece, of that.
fn of_all_slices(line: &Line) -> Option<f64> {
    let slices = line.turns.as_ref().map(|turns| {
        let slices = turns.turns.iter().map(|turn| turn.throughput_rps);
        difference::mean(&slices.collect::<Vec<f64>>())
    });
    slices.unwrap_or_else(|| Metric::Throughput.of(line))
}

/// The mean over the rounds and its interval, of figures with the errors that they have by chance alone.
pub(crate) fn mean(
    rounds: impl Iterator<Item = (f64, f64)>,
    alpha: f64,
) -> Option<(f64, Option<Interval>)> {
    let (figures, errors): (Vec<f64>, Vec<f64>) = rounds.unzip();
    let squares: f64 = errors.iter().map(|error| error * error).sum();
    let least = squares.sqrt() / errors.len() as f64;
    let mean = difference::mean(&figures)?;
    Some((mean, difference::mean_interval(&figures, least, alpha)))
}
