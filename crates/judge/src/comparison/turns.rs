//! What the turns of the rounds say of a pair beside its verdict.

use photofinish_model::Turn;
use photofinish_model::finding::verdict::Note;
use photofinish_stats::Paired;
use photofinish_stats::turns::trimmed_ratio;
use schemars::JsonSchema;
use serde::Serialize;

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
    /// A / B over all turns, the disturbed ones too: the geometric mean over the rounds; `null` where a round has a zero.
    pub all_turns_ratio: Option<f64>,
    /// A / B by the mean of the logarithms of the ratios of the turns that count, without the lowest and the highest fifth of each round:
    /// the geometric mean over the rounds; `null` where a turn has a zero.
    pub trimmed_ratio: Option<f64>,
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
    let trimmed = both().map(|(a, b)| {
        let turns = a.turns.iter().zip(&b.turns);
        let kept = turns.filter(|(turn, _)| turn.counts());
        let pairs: Vec<(f64, f64)> = kept
            .map(|(a, b)| (a.throughput_rps, b.throughput_rps))
            .collect();
        trimmed_ratio(&pairs)
    });
    let is_disturbed = |turn: &&Turn| turn.disturbed.is_some();
    Some(PairedTurns {
        made: both().map(|(turns, _)| turns.made()).sum(),
        kept: both().map(|(turns, _)| turns.kept()).sum(),
        disturbed: both()
            .map(|(turns, _)| turns.turns.iter().filter(is_disturbed).count())
            .sum(),
        all_turns_ratio: over_rounds(all.collect()),
        trimmed_ratio: over_rounds(trimmed.collect()),
    })
}

impl PairedTurns {
    /// What a reader should know of turns that were disturbed.
    pub(super) fn note(&self) -> Option<Note> {
        let all = self.all_turns_ratio.filter(|_| self.disturbed > 0)?;
        Some(Note::SetAside {
            disturbed: self.disturbed,
            made: self.made,
            kept: self.kept,
            all,
        })
    }
}
