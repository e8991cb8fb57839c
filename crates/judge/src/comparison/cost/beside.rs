//! Where two targets differ in what a request's CPU time is spent on.

use photofinish_model::Layer;
use schemars::JsonSchema;
use serde::Serialize;

use crate::comparison::cost::layers::{Difference, Round, SpentByBoth, differences};
use crate::comparison::figures::TargetFigures;
use crate::comparison::{ALPHA, Cell};
use crate::lists::pairs;

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
    /// By how much, `b` − `a`.
    #[serde(flatten)]
    pub difference: Difference,
}

/// Each pair of contenders that both have profiles.
pub(crate) fn beside(cell: &Cell) -> Vec<LayerPair> {
    let contenders: Vec<&TargetFigures> = cell
        .contenders()
        .filter(|target| !target.profiles.is_empty())
        .collect();
    let count = pairs(&contenders).count();
    pairs(&contenders).map(|(a, b)| pair(a, b, count)).collect()
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
        let difference = found?;
        Some(LayerDifference { layer, difference })
    };
    let found = layers.into_iter().zip(differences(&cpu_us, &spent, alpha));
    let mut layers: Vec<LayerDifference> = found.filter_map(differs).collect();
    let size = |layer: &LayerDifference| layer.difference.more_us.abs();
    layers.sort_by(|a, b| size(b).total_cmp(&size(a)));
    LayerPair {
        a: a.target.clone(),
        b: b.target.clone(),
        rounds: rounds.len(),
        layers,
    }
}
