//! Where two targets differ in what a request's CPU time is spent on.

use photofinish_model::Layer;
use photofinish_stats::Interval;
use schemars::JsonSchema;
use serde::Serialize;

use crate::comparison::cost::layers::{Difference, Round, SpentByBoth, differences};
use crate::comparison::figures::TargetFigures;
use crate::comparison::{ALPHA, Cell};

/// Two targets' layers side by side.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct LayerPair {
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

/// Each pair of contenders that both have profiles.
pub(crate) fn beside(cell: &Cell) -> Vec<LayerPair> {
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

/// The rounds in which both have a profile.
fn rounds<'t>(a: &'t TargetFigures, b: &'t TargetFigures) -> Vec<(&'t Round, &'t Round)> {
    (a.profiles.iter())
        .filter_map(|(round, of_a)| Some((of_a, b.profiles.get(round)?)))
        .collect()
}

/// Two targets, as one of so many pairs that are looked at.
pub(crate) fn pair(a: &TargetFigures, b: &TargetFigures, pairs: usize) -> LayerPair {
    let rounds = rounds(a, b);
    let seen = |layer: &&Layer| {
        let has = |round: &Round| round.profile.layers.get(layer).is_some_and(|n| *n > 0);
        rounds.iter().any(|(a, b)| has(a) || has(b))
    };
    let layers: Vec<Layer> = Layer::ALL.iter().filter(seen).copied().collect();
    let alpha = ALPHA / (layers.len() * pairs).max(1) as f64;
    let cpu_us: Vec<[f64; 2]> = rounds.iter().map(|(a, b)| [a.cpu_us, b.cpu_us]).collect();
    let spent = |layer: &Layer| -> SpentByBoth {
        let both = rounds.iter().map(|(a, b)| [a, b]);
        both.map(|both| both.map(|round| round.spends(*layer)))
            .collect()
    };
    let spent: Vec<SpentByBoth> = layers.iter().map(spent).collect();
    let differs = |(layer, found): (Layer, Option<Difference>)| {
        let Difference {
            more_us,
            interval,
            is_sure,
        } = found?;
        Some(LayerDifference {
            layer,
            more_us,
            interval,
            is_sure,
        })
    };
    let found = layers.into_iter().zip(differences(&cpu_us, &spent, alpha));
    let mut layers: Vec<LayerDifference> = found.filter_map(differs).collect();
    layers.sort_by(|a, b| b.more_us.abs().total_cmp(&a.more_us.abs()));
    LayerPair {
        a: a.target.clone(),
        b: b.target.clone(),
        rounds: rounds.len(),
        layers,
    }
}
