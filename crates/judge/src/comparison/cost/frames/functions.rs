//! The functions that most CPU time is spent on.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;

use super::{ALPHA, Counts, Difference, Frames};

/// So many are shown.
const TOP: usize = 20;

/// What a request spends on one function.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct FunctionTime {
    /// The function: its module, a backquote and its name.
    pub function: String,
    /// Each target that has stacks.
    pub times: Vec<OnFunction>,
    /// By how much each pair of contenders differs in what it spends on the function itself.
    pub differences: Vec<FunctionDifference>,
}

/// What a request spends on one function in one target.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct OnFunction {
    /// The target.
    pub target: String,
    /// CPU time per request on the function itself in microseconds, the mean over the rounds.
    pub self_us: f64,
    /// The same with all that it calls.
    pub total_us: f64,
}

/// By how much two targets differ in what they spend on a function itself.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct FunctionDifference {
    /// One target.
    pub a: String,
    /// The other.
    pub b: String,
    /// By how much, `b` − `a`.
    pub difference: Difference,
}

/// The functions with the most CPU time of their own in any target, the largest first; pairs are places of targets.
pub(crate) fn functions(frames: &Frames, pairs: &[(usize, usize)]) -> Vec<FunctionTime> {
    let (own, total) = (own(frames), total(frames));
    let targets = 0..frames.targets.len();
    let us = |seen: &Counts| -> Vec<f64> {
        let targets = targets.clone();
        targets.map(|target| frames.us(seen, target)).collect()
    };
    let mut top: Vec<(usize, &Counts, Vec<f64>)> = (own.iter())
        .map(|(name, seen)| (*name, seen, us(seen)))
        .collect();
    let most = |us: &[f64]| us.iter().copied().fold(0.0, f64::max);
    top.sort_by(|a, b| most(&b.2).total_cmp(&most(&a.2)).then(a.0.cmp(&b.0)));
    top.truncate(TOP);
    let alpha = ALPHA / (top.len() * pairs.len()).max(1) as f64;
    let seen: Vec<&Counts> = top.iter().map(|(_, seen, _)| *seen).collect();
    let of_pair = |pair: &(usize, usize)| frames.differences_of(&seen, *pair, alpha);
    let found: Vec<Vec<Option<Difference>>> = pairs.iter().map(of_pair).collect();
    let shown = |(place, (name, _, own_us)): (usize, &(usize, &Counts, Vec<f64>))| {
        let totals = total.get(name).map(us).unwrap_or_default();
        let times =
            (frames.targets.iter().zip(own_us).zip(totals)).map(|((target, self_us), total_us)| {
                OnFunction {
                    target: target.clone(),
                    self_us: *self_us,
                    total_us,
                }
            });
        let differences = pairs.iter().zip(&found).filter_map(|((a, b), found)| {
            Some(FunctionDifference {
                a: frames.targets[*a].clone(),
                b: frames.targets[*b].clone(),
                difference: found[place]?,
            })
        });
        FunctionTime {
            function: frames.names[*name].clone(),
            times: times.collect(),
            differences: differences.collect(),
        }
    };
    top.iter().enumerate().map(shown).collect()
}

/// In how many samples each function was the innermost frame, by name.
fn own(frames: &Frames) -> BTreeMap<usize, Counts> {
    let mut left: Vec<BTreeMap<usize, u64>> = (frames.frames.iter())
        .map(|frame| frame.seen.iter().copied().collect())
        .collect();
    for frame in &frames.frames {
        let Some(parent) = frame.parent else { continue };
        for (source, count) in &frame.seen {
            if let Some(of_parent) = left[parent].get_mut(source) {
                *of_parent = of_parent.saturating_sub(*count);
            }
        }
    }
    let mut own: BTreeMap<usize, BTreeMap<usize, u64>> = BTreeMap::new();
    for (frame, left) in frames.frames.iter().zip(left).skip(1) {
        let sum = own.entry(frame.name).or_default();
        for (source, count) in left.into_iter().filter(|(_, count)| *count > 0) {
            *sum.entry(source).or_default() += count;
        }
    }
    counts(own)
}

/// In how many samples each function was in the stack, by name: in one that calls itself, once.
fn total(frames: &Frames) -> BTreeMap<usize, Counts> {
    let mut total: BTreeMap<usize, BTreeMap<usize, u64>> = BTreeMap::new();
    for frame in frames.frames.iter().skip(1) {
        let caller = |of: &usize| frames.frames[*of].parent;
        let mut callers = std::iter::successors(frame.parent, caller);
        if callers.any(|caller| frames.frames[caller].name == frame.name) {
            continue;
        }
        let sum = total.entry(frame.name).or_default();
        for (source, count) in &frame.seen {
            *sum.entry(*source).or_default() += count;
        }
    }
    counts(total)
}

fn counts(sums: BTreeMap<usize, BTreeMap<usize, u64>>) -> BTreeMap<usize, Counts> {
    let counts = |(name, sum): (usize, BTreeMap<usize, u64>)| (name, sum.into_iter().collect());
    sums.into_iter().map(counts).collect()
}
