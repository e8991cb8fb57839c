//! Where a request's CPU time goes, and where two targets differ in that.

use std::collections::BTreeMap;

use photofinish_model::{Layer, Line, Metric, Profile};
use photofinish_stats::summary::geometric_mean;
use photofinish_stats::{Interval, Paired, difference};
use schemars::JsonSchema;
use serde::Serialize;

use super::figures::TargetFigures;
use super::{ALPHA, Cell};

/// What samples of a target's stacks showed, over the rounds that have any.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct TargetProfile {
    /// The rounds.
    pub rounds: usize,
    /// Samples, summed over the rounds.
    pub samples: u64,
    /// Those that the kernel had no room for.
    pub lost: u64,
    /// Throughput while it was profiled / throughput else: the geometric mean over the rounds; `null` where one is zero. What is missing
    /// to 1 is the profiler's price.
    pub throughput_ratio: Option<f64>,
    /// Its 95% interval; `null` under two rounds.
    pub throughput_interval: Option<Interval>,
    /// Good responses per second while it was profiled: the geometric mean over the rounds; `null` where one is zero.
    pub profiled_rps: Option<f64>,
    /// The same of its measured slices in these rounds.
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

/// Two targets' layers side by side.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct LayersBeside {
    /// One target.
    pub a: String,
    /// The other.
    pub b: String,
    /// The rounds that both have.
    pub rounds: usize,
    /// By how much they differ, the largest difference first.
    pub layers: Vec<LayerDifference>,
}

/// By how much two targets differ in a layer.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct LayerDifference {
    /// The layer.
    pub layer: Layer,
    /// CPU time per request of `b` − that of `a` in microseconds, the mean over the rounds.
    pub more_us: f64,
    /// Its interval, at a level that allows for all layers and pairs of the cell; `null` under two rounds.
    pub interval: Option<Interval>,
    /// Whether the interval excludes 0.
    pub is_sure: bool,
}

/// A round's profile, and the CPU time per request in microseconds that it divides.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Round {
    cpu_us: f64,
    profile: Profile,
}

impl Round {
    /// What a request spends on a layer, in microseconds, and the standard error that this has by chance alone.
    fn spends(&self, layer: Layer) -> (f64, f64) {
        let count = self.profile.layers.get(&layer).copied().unwrap_or(0);
        let samples = self.profile.samples;
        spent(self.cpu_us, count, samples)
    }
}

/// What a request spends on what so many samples show, of its CPU time in microseconds, and the standard error that this has by chance
/// alone.
pub(super) fn spent(cpu_us: f64, count: u64, samples: u64) -> (f64, f64) {
    let us = cpu_us * count as f64 / samples as f64;
    (us, cpu_us * difference::share_error(count, samples))
}

/// The profiles of one target by round.
pub(super) fn by_round(lines: &[&Line]) -> BTreeMap<u32, Round> {
    let round = |line: &&Line| {
        let profile = line.profile.clone().filter(|profile| profile.samples > 0)?;
        let cpu_us = Metric::ServerCpu.of(line)?;
        Some((line.round, Round { cpu_us, profile }))
    };
    lines.iter().filter_map(round).collect()
}

/// What one target's profiles show; `None` where there are none.
pub(super) fn profile(lines: &[&Line]) -> Option<TargetProfile> {
    let rounds = by_round(lines);
    let cpu: Vec<f64> = rounds.values().map(|round| round.cpu_us).collect();
    let cpu_us = difference::mean(&cpu)?;
    let prices: Vec<(f64, f64)> = (lines.iter())
        .filter_map(|line| {
            let profiled = line.profile.as_ref()?.throughput_rps;
            Some((profiled, Metric::Throughput.of(line)?))
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
        samples: rounds.values().map(|round| round.profile.samples).sum(),
        lost: rounds.values().map(|round| round.profile.lost).sum(),
        throughput_ratio: price.as_ref().map(Paired::ratio),
        throughput_interval: price.and_then(|price| price.interval(ALPHA, 0.0)),
        profiled_rps: rps(&profiled),
        unprofiled_rps: rps(&unprofiled),
        cpu_us,
        layers: Layer::ALL.iter().copied().filter_map(of_layer).collect(),
    })
}

/// The mean over the rounds and its interval, of figures with the errors that they have by chance alone.
pub(super) fn mean(
    rounds: impl Iterator<Item = (f64, f64)>,
    alpha: f64,
) -> Option<(f64, Option<Interval>)> {
    let (figures, errors): (Vec<f64>, Vec<f64>) = rounds.unzip();
    let squares: f64 = errors.iter().map(|error| error * error).sum();
    let least = squares.sqrt() / errors.len() as f64;
    let mean = difference::mean(&figures)?;
    Some((mean, difference::mean_interval(&figures, least, alpha)))
}

/// Each pair of contenders that both have profiles.
pub(super) fn beside(cell: &Cell) -> Vec<LayersBeside> {
    let contenders: Vec<&TargetFigures> = cell
        .contenders()
        .filter(|target| !target.profiles.is_empty())
        .collect();
    let pairs: Vec<(&TargetFigures, &TargetFigures)> = (contenders.iter().enumerate())
        .flat_map(|(place, a)| contenders[place + 1..].iter().map(move |b| (*a, *b)))
        .collect();
    let count = pairs.len();
    pairs.into_iter().map(|(a, b)| pair(a, b, count)).collect()
}

fn pair(a: &TargetFigures, b: &TargetFigures, pairs: usize) -> LayersBeside {
    let rounds: Vec<(&Round, &Round)> = (a.profiles.iter())
        .filter_map(|(round, of_a)| Some((of_a, b.profiles.get(round)?)))
        .collect();
    let seen = |layer: &&Layer| {
        let has = |round: &Round| round.profile.layers.get(layer).is_some_and(|n| *n > 0);
        rounds.iter().any(|(a, b)| has(a) || has(b))
    };
    let layers: Vec<Layer> = Layer::ALL.iter().filter(seen).copied().collect();
    let alpha = ALPHA / (layers.len() * pairs).max(1) as f64;
    let differs = |layer: Layer| {
        let differences = rounds.iter().map(|(a, b)| {
            let ((a, error_a), (b, error_b)) = (a.spends(layer), b.spends(layer));
            (b - a, error_a.hypot(error_b))
        });
        let (more_us, interval) = mean(differences, alpha)?;
        Some(LayerDifference {
            layer,
            more_us,
            interval,
            is_sure: interval.is_some_and(|interval| !interval.contains(0.0)),
        })
    };
    let mut layers: Vec<LayerDifference> = layers.into_iter().filter_map(differs).collect();
    layers.sort_by(|a, b| b.more_us.abs().total_cmp(&a.more_us.abs()));
    LayersBeside {
        a: a.target.clone(),
        b: b.target.clone(),
        rounds: rounds.len(),
        layers,
    }
}
