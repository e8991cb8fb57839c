//! What the turns of the rounds say of a pair beside its verdict.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use photofinish_model::finding::verdict::Note;
use photofinish_model::{DisturbedTurns, Metric, OnePiece, Turn, Turns};
use photofinish_stats::turns::{self, median_ratio, trimmed_ratio};
use photofinish_stats::{Interval, Paired};
use schemars::JsonSchema;
use serde::Serialize;

use super::figures::TargetFigures;
use super::looks::Series;

/// The turns of two targets, beside the ratio that the verdict is drawn from (that of the sums over the turns that count).
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct PairedTurns {
    /// How many turns were made, over all rounds in which both were measured in turns.
    pub made: usize,
    /// How many of them count.
    pub kept: usize,
    /// How many were disturbed, whether they count or not.
    pub disturbed: usize,
    /// What disturbed them, the most frequent first.
    pub why: Vec<DisturbedTurns>,
    /// A / B over all turns, the disturbed ones too: the geometric mean over the rounds; `null` where a round has a zero.
    pub all_turns_ratio: Option<f64>,
    /// A / B by the mean of the logarithms of the ratios of the turns that count, without the lowest and the highest fifth of each round:
    /// the geometric mean over the rounds; `null` where a turn has a zero.
    pub trimmed_ratio: Option<f64>,
    /// The same levels in one piece; `null` where no round has them undisturbed for both.
    pub blocks: Option<PairedBlocks>,
}

/// The ratio in one piece beside that in turns, in the rounds in which nothing disturbed the pieces.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct PairedBlocks {
    /// How many rounds.
    pub rounds: usize,
    /// A / B in one piece: the geometric mean over these rounds.
    pub ratio: f64,
    /// A / B in turns, in the same rounds.
    pub turns_ratio: f64,
    /// The interval, at 95%, of the one over the other; `null` from a single round.
    pub over_turns: Option<Interval>,
}

/// The turns of both; `None` where they share no round that was measured in turns.
pub(super) fn paired(a: &TargetFigures, b: &TargetFigures) -> Option<PairedTurns> {
    let both = || {
        let of_a = a.turns.iter();
        of_a.filter_map(|(round, turns)| Some((turns, b.turns.get(round)?)))
    };
    both().next()?;
    let over_rounds = |ratios: Option<Vec<f64>>| {
        let pairs: Vec<(f64, f64)> = ratios?.into_iter().map(|ratio| (ratio, 1.0)).collect();
        Paired::new(&pairs).as_ref().map(Paired::ratio)
    };
    let all = both().map(|(a, b)| Some(a.all_turns_rps()? / b.all_turns_rps()?));
    let counted = (a.turns.iter())
        .filter(|(round, _)| a.counts(**round))
        .filter_map(|(round, turns)| Some((turns, b.turns.get(round)?)));
    let trimmed = counted.map(|(a, b)| {
        let turns = a.turns.iter().zip(&b.turns);
        let kept = turns.filter(|(turn, _)| turn.counts());
        let pairs: Vec<(f64, f64)> = kept
            .map(|(a, b)| (a.throughput_rps, b.throughput_rps))
            .collect();
        trimmed_ratio(&pairs)
    });
    let why = why(both().flat_map(|(turns, _)| &turns.turns));
    Some(PairedTurns {
        made: both().map(|(turns, _)| turns.made()).sum(),
        kept: both().map(|(turns, _)| turns.kept()).sum(),
        disturbed: why.iter().map(|of| of.turns).sum(),
        why,
        all_turns_ratio: over_rounds(all.collect()),
        trimmed_ratio: over_rounds(trimmed.collect()),
        blocks: blocks(a, b),
    })
}

/// What disturbed turns, the most frequent first.
fn why<'t>(turns: impl Iterator<Item = &'t Turn>) -> Vec<DisturbedTurns> {
    let mut counts = BTreeMap::new();
    for what in turns.filter_map(|turn| turn.disturbed) {
        *counts.entry(what).or_default() += 1;
    }
    let counts = counts.into_iter();
    let mut all: Vec<_> = counts
        .map(|(what, turns)| DisturbedTurns { what, turns })
        .collect();
    all.sort_by_key(|of| Reverse(of.turns));
    all
}

/// A slice with fewer requests than this does not have ten on either side of its median.
const FOR_MEDIAN: f64 = 20.0;

/// The ratio of the medians of two targets in a round, the median of that of its turns that count; `None` where it was not measured in turns, or slices hold too
/// few requests.
///
/// A machine's state that lasts for some turns meets both targets in each of them. All requests of each target together have a
/// median that falls into the one state or the other where half of them were in each, and not into the same for both.
fn ratio_of_medians(a: &TargetFigures, b: &TargetFigures, round: u32) -> Option<f64> {
    let turns = medians_of_turns(&[a, b], round)?;
    let both: Vec<(f64, f64)> = turns.iter().map(|turn| (turn[0], turn[1])).collect();
    median_ratio(&both)
}

/// The medians of these targets in each turn of a round that counts; `None` where one of them was not measured in turns, or a slice holds too
/// few requests.
fn medians_of_turns(targets: &[&TargetFigures], round: u32) -> Option<Vec<Vec<f64>>> {
    let all: Option<Vec<&Turns>> = targets
        .iter()
        .map(|target| target.turns.get(&round))
        .collect();
    let all = all?;
    let first = all.first()?;
    if all
        .iter()
        .any(|turns| turns.turns.len() != first.turns.len())
    {
        return None;
    }
    let median = |of: &Turns, number: usize| {
        let turn = &of.turns[number];
        let requests = turn.throughput_rps * of.slice_s;
        turn.p50_us.filter(|_| requests >= FOR_MEDIAN)
    };
    let counted = (0..first.turns.len()).filter(|number| first.turns[*number].counts());
    counted
        .map(|number| all.iter().map(|of| median(of, number)).collect())
        .collect()
}

/// By how much each of these targets' medians lies beside those of all of them in a round, as a ratio, by the turns: (target's place, (round, ratio)).
/// They spread as the ratios of two of them do. Empty where a round has none for all of them.
pub(super) fn medians_beside(targets: &[&TargetFigures]) -> Vec<Series<f64>> {
    let mut beside = vec![Series::default(); targets.len()];
    let all: BTreeSet<(bool, u32)> = (targets.iter())
        .flat_map(|target| {
            let counted = target.counted(Metric::P50).into_keys();
            let aside = target.aside(Metric::P50).into_keys();
            let counted = counted.map(|round| (true, round));
            counted.chain(aside.map(|round| (false, round)))
        })
        .collect();
    for (counts, round) in all {
        let turns = medians_of_turns(targets, round);
        let Some(medians) = turns.and_then(|turns| turns::medians_beside(&turns)) else {
            return Vec::new();
        };
        for (beside, median) in beside.iter_mut().zip(medians) {
            let rounds = match counts {
                true => &mut beside.counted,
                false => &mut beside.aside,
            };
            rounds.push((round, median.exp()));
        }
    }
    beside
}

/// The medians of a round with the ratio of its turns, where there is one: around their geometric mean.
pub(super) fn with_medians(
    a: &TargetFigures,
    b: &TargetFigures,
    round: u32,
    (median_a, median_b): (f64, f64),
) -> (f64, f64) {
    let half = ratio_of_medians(a, b, round).map(f64::sqrt);
    match half.filter(|_| median_a > 0.0 && median_b > 0.0) {
        Some(half) => {
            let middle = (median_a * median_b).sqrt();
            (middle * half, middle / half)
        }
        None => (median_a, median_b),
    }
}

/// That the ratio of medians is that of turns, and what that of all requests together is; `None`: no round has one.
pub(super) fn medians_by_turn(a: &TargetFigures, b: &TargetFigures) -> Option<Note> {
    let figures = (a.figure(Metric::P50)?, b.figure(Metric::P50)?);
    let rounds = figures.0.rounds.iter().zip(&figures.1.rounds);
    let pairs: Vec<(f64, f64)> = rounds.filter_map(|(a, b)| Some(((*a)?, (*b)?))).collect();
    has_medians(a, b).then_some(())?;
    Some(Note::MediansByTurn {
        pooled: Paired::new(&pairs).as_ref().map(Paired::ratio)?,
    })
}

/// Whether the ratio of medians is that of turns in any round.
pub(super) fn has_medians(a: &TargetFigures, b: &TargetFigures) -> bool {
    (a.turns.keys()).any(|round| ratio_of_medians(a, b, *round).is_some())
}

/// That rounds were measured in one piece, and why the first of them was; `None`: none was, or that goes without saying.
pub(super) fn in_one_piece(a: &TargetFigures, b: &TargetFigures) -> Option<Note> {
    let both = a.one_piece.iter();
    let both = both.filter(|(round, _)| b.one_piece.contains_key(round));
    let (rounds, why): (Vec<u32>, Vec<OnePiece>) = both.unzip();
    let why = *why.first().filter(|why| **why != OnePiece::Search)?;
    Some(Note::InOnePiece { rounds, why })
}

fn blocks(a: &TargetFigures, b: &TargetFigures) -> Option<PairedBlocks> {
    let (in_turns, in_blocks): (Vec<f64>, Vec<f64>) = (a.turns.iter())
        .filter(|(round, _)| a.counts(**round))
        .filter_map(|(round, turns)| {
            let of_b = b.turns.get(round)?;
            let in_turns = counted_rps(turns)? / counted_rps(of_b)?;
            let in_blocks = block_rps(turns)? / block_rps(of_b)?;
            Some((in_turns, in_blocks))
        })
        .unzip();
    let mean = |ratios: &[f64]| {
        let pairs: Vec<(f64, f64)> = ratios.iter().map(|ratio| (*ratio, 1.0)).collect();
        Paired::new(&pairs).as_ref().map(Paired::ratio)
    };
    let pairs: Vec<(f64, f64)> = in_blocks.iter().copied().zip(in_turns.clone()).collect();
    Some(PairedBlocks {
        rounds: pairs.len(),
        ratio: mean(&in_blocks)?,
        turns_ratio: mean(&in_turns)?,
        over_turns: Paired::new(&pairs)?.interval(0.05, 0.0),
    })
}

/// Good responses per second over the turns that count; `None` where there were none.
fn counted_rps(turns: &Turns) -> Option<f64> {
    let counted = turns.turns.iter().filter(|turn| turn.counts());
    let sum: f64 = counted.map(|turn| turn.throughput_rps).sum();
    (sum > 0.0).then(|| sum / turns.kept() as f64)
}

fn block_rps(turns: &Turns) -> Option<f64> {
    let seen = &turns.block.as_ref()?.seen;
    (seen.disturbed.is_none() && seen.throughput_rps > 0.0).then_some(seen.throughput_rps)
}

impl PairedTurns {
    /// What a reader should know of them. `margin`: below it a difference does not matter.
    pub(super) fn notes(&self, margin: f64) -> Vec<Note> {
        let reported = Note::InTurns {
            made: self.made,
            kept: self.kept,
            trimmed: self.trimmed_ratio,
            blocks: self.blocks.as_ref().map(|blocks| blocks.ratio),
        };
        let differ = self
            .blocks
            .as_ref()
            .and_then(|blocks| blocks.differ(margin));
        self.set_aside()
            .into_iter()
            .chain(differ)
            .chain([reported])
            .collect()
    }

    fn set_aside(&self) -> Option<Note> {
        let all = self.all_turns_ratio.filter(|_| self.disturbed > 0)?;
        Some(Note::SetAside {
            disturbed: self.disturbed,
            made: self.made,
            kept: self.kept,
            why: self.why.clone(),
            all,
        })
    }
}

impl PairedBlocks {
    /// Where the whole interval of the difference lies beyond the margin.
    fn differ(&self, margin: f64) -> Option<Note> {
        let Interval { low, high } = self.over_turns?;
        let beyond = low > 1.0 + margin || high < 1.0 / (1.0 + margin);
        beyond.then_some(Note::TurnsDiffer {
            turns: self.turns_ratio,
            blocks: self.ratio,
            rounds: self.rounds,
        })
    }
}
