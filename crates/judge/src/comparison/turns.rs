//! What the turns of the rounds say of a pair beside its verdict.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use photofinish_model::finding::verdict::Note;
use photofinish_model::{Disturbed, DisturbedTurns, OnePiece, Turn, Turns};
use photofinish_stats::turns::trimmed_ratio;
use photofinish_stats::{Interval, Paired};
use schemars::JsonSchema;
use serde::Serialize;

use super::by_turn::{self, AtEqualSpeed};
use super::figures::TargetFigures;

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
    /// Whether it was mostly other targets' servers, which were not paused meanwhile.
    pub freeze: bool,
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
    let equal = by_turn::at_equal_speed(a, b);
    let counted = (a.turns.iter())
        .filter(|(round, _)| a.counts(**round))
        .filter_map(|(round, turns)| Some((turns, b.turns.get(round)?)));
    let trimmed = counted.map(|(a, b)| trimmed_ratio(&throughputs(a, b, equal.as_ref())));
    // What is made up for disturbs nothing.
    let disturbs = |turn: &&Turn| {
        let is_made_up_for = equal.is_some() && turn.disturbed == Some(Disturbed::UnevenCores);
        !is_made_up_for
    };
    let why = why((both().flat_map(|(turns, _)| &turns.turns)).filter(disturbs));
    let kept = |(a, b): (&Turns, &Turns)| match &equal {
        Some(_) => by_turn::comparable(a, b).count(),
        None => a.kept(),
    };
    Some(PairedTurns {
        made: both().map(|(turns, _)| turns.made()).sum(),
        kept: both().map(kept).sum(),
        disturbed: why.iter().map(|of| of.turns).sum(),
        freeze: why
            .first()
            .is_some_and(|most| most.what == Disturbed::Bystanders)
            && both().any(|(turns, _)| !turns.frozen),
        why,
        all_turns_ratio: over_rounds(all.collect()),
        trimmed_ratio: over_rounds(trimmed.collect()),
        blocks: blocks(a, b),
    })
}

/// What both have done in each turn that counts, at equally fast cores where that is known.
fn throughputs(a: &Turns, b: &Turns, equal: Option<&AtEqualSpeed>) -> Vec<(f64, f64)> {
    let Some(equal) = equal else {
        let turns = a.turns.iter().zip(&b.turns);
        let kept = turns.filter(|(turn, _)| turn.counts());
        return kept
            .map(|(a, b)| (a.throughput_rps, b.throughput_rps))
            .collect();
    };
    by_turn::comparable(a, b)
        .filter_map(by_turn::slices)
        .map(|slices| equal.how.corrected(&slices))
        .collect()
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
            freeze: self.freeze,
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
