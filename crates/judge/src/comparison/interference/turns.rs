//! What the turns of the rounds say of a pair beside its verdict.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use photofinish_model::message::Message;
use photofinish_model::{Disturbed, DisturbedTurns, Metric, OnePiece, Turn, Turns};
use photofinish_stats::difference::MeanDifference;
use photofinish_stats::turns::trimmed_ratio;
use photofinish_stats::{Interval, Paired};
use photofinish_voice::verdict::{note, reason};
use schemars::JsonSchema;
use serde::Serialize;

use crate::comparison::figures::TargetFigures;
use crate::comparison::interference::by_turn;
use crate::comparison::note::Note;
use crate::comparison::reason::Invalid;

/// The chance of calling a level invalid though its turns and continuous runs agree: a hundredth of that for a wrong verdict, in each of some metrics
/// and pairs.
const SURELY: f64 = 0.0005;
/// Turns and continuous runs contradict each other if they certainly differ by more than this. Servers with just-in-time compilers respond up to 3%
/// faster in the one or the other.
const CONTRADICTS: f64 = 0.05;

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
    /// The same at a level at which no chance is left.
    #[serde(skip)]
    surely: Option<Interval>,
}

/// The turns of both; `None` where they share no round that was measured in turns.
pub(crate) fn paired(a: &TargetFigures, b: &TargetFigures) -> Option<PairedTurns> {
    let both = || {
        let of_a = a.turns.iter();
        of_a.filter_map(|(round, turns)| Some((turns, b.turns.get(round)?)))
    };
    both().next()?;
    let over_rounds = |ratios: Option<Vec<f64>>| Some(Paired::of_ratios(ratios?)?.ratio());
    let rounds = a.turns.keys().filter(|round| b.turns.contains_key(round));
    let slow_downs = rounds.map(|round| by_turn::slow_down(a, b, *round));
    let all = both().zip(slow_downs);
    let all =
        all.map(|((a, b), slow_down)| Some(a.all_turns_rps()? / b.all_turns_rps()? * slow_down));
    let equal = by_turn::at_equal_speed(a, b);
    let counted = (a.turns.iter())
        .filter(|(round, _)| a.counts(**round))
        .filter_map(|(round, turns)| Some((*round, turns, b.turns.get(round)?)));
    let trimmed = counted.map(|(round, of_a, of_b)| {
        let flows = trimmed_ratio(&by_turn::throughputs(of_a, of_b, equal.as_ref()))?;
        Some(flows * by_turn::slow_down(a, b, round))
    });
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
        blocks: blocks(a, b, Metric::Throughput),
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

/// That rounds were measured in one piece, and why the first of them was; `None`: none was, or that goes without saying.
pub(crate) fn continuous_runs(a: &TargetFigures, b: &TargetFigures) -> Option<Note> {
    let both = a.one_piece.iter();
    let both = both.filter(|(round, _)| b.one_piece.contains_key(round));
    let (rounds, why): (Vec<u32>, Vec<OnePiece>) = both.unzip();
    let why = *why.first().filter(|why| **why != OnePiece::Search)?;
    let why = match why {
        OnePiece::Search => note::searched(),
        OnePiece::Slow => note::slow(),
        OnePiece::Overloaded => note::rate_not_achieved(),
    };
    Some(Note::caution(note::continuous(rounds, why)))
}

/// What a verdict on throughput depends on, if the excluded turns certainly have another ratio than those that count, and the verdict would be another
/// one with them: a server may itself cause what passes for interference.
pub(crate) fn excluded_turns_differ(
    (a, b): (&TargetFigures, &TargetFigures),
    ratio: Option<f64>,
    interval: Option<Interval>,
) -> Option<Note> {
    let (ratio, interval) = (ratio?, interval?);
    let mut differences = Vec::new();
    let mut turns = 0;
    for (round, of_a) in a.turns.iter().filter(|(round, _)| a.counts(**round)) {
        let Some(of_b) = b.turns.get(round) else {
            continue;
        };
        let flowing = by_turn::flowing(of_a, of_b);
        let (counted, excluded): (Vec<_>, Vec<_>) = flowing.partition(|(turn, _)| turn.counts());
        let [counted, excluded] = [counted, excluded].map(|turns| {
            let logs = turns.into_iter().map(by_turn::log_ratio);
            logs.filter(|log| log.is_finite()).collect::<Vec<f64>>()
        });
        turns += excluded.len();
        differences.extend(MeanDifference::of(&excluded, &counted));
    }
    let difference = MeanDifference::together(&differences)?;
    let all = paired(a, b)?.all_turns_ratio?;
    let with_them = Interval::new(interval.low * all / ratio, interval.high * all / ratio)?;
    let is_another = with_them.contains(1.0) || (all > 1.0) != (ratio > 1.0);
    (difference.is_certain(SURELY) && is_another).then(|| {
        let excluded = ratio * difference.mean.exp();
        Note::caution(note::if_interference(turns, excluded, all))
    })
}

/// Why nothing may be said of a metric: turns and continuous runs disagree in it, or in throughput.
pub(crate) fn differ(metric: Metric, a: &TargetFigures, b: &TargetFigures) -> Option<Invalid> {
    let own = |metric| {
        let blocks = blocks(a, b, metric)?;
        let (in_turns, in_blocks) = (blocks.turns_ratio, blocks.ratio);
        (blocks.contradicts())
            .then(|| reason::turns_differ(metric, in_turns, in_blocks, blocks.rounds).into())
    };
    own(metric).or_else(|| own(Metric::Throughput))
}

fn blocks(a: &TargetFigures, b: &TargetFigures, metric: Metric) -> Option<PairedBlocks> {
    let ratios = by_turn::ratios(a, b, metric);
    let (in_turns, in_blocks): (Vec<f64>, Vec<f64>) = (a.turns.iter())
        .filter(|(round, _)| a.counts(**round))
        .filter_map(|(round, turns)| {
            let of_b = b.turns.get(round)?;
            let in_turns = match metric {
                // While responses flow: stalls are pooled over both.
                Metric::Throughput => turns.counted_rps()? / of_b.counted_rps()?,
                _ => {
                    let of = |target: &TargetFigures| target.counted(metric).get(round).copied();
                    let all = of(a)? / of(b)?;
                    ratios.get(round).copied().unwrap_or(all)
                }
            };
            let in_blocks = block(turns, metric)? / block(of_b, metric)?;
            let usable = in_turns.is_finite() && in_turns > 0.0;
            usable.then_some(())?;
            Some((in_turns, in_blocks))
        })
        .unzip();
    let mean = |ratios: &[f64]| Some(Paired::of_ratios(ratios.iter().copied())?.ratio());
    let pairs: Vec<(f64, f64)> = in_blocks.iter().copied().zip(in_turns.clone()).collect();
    Some(PairedBlocks {
        rounds: pairs.len(),
        ratio: mean(&in_blocks)?,
        turns_ratio: mean(&in_turns)?,
        over_turns: Paired::new(&pairs)?.interval(0.05, 0.0),
        surely: Paired::new(&pairs)?.interval(SURELY, 0.0),
    })
}

/// What a continuous run measured that nothing disturbed.
fn block(turns: &Turns, metric: Metric) -> Option<f64> {
    let seen = &turns.block.as_ref()?.seen;
    let figure = match metric {
        Metric::Throughput => Some(seen.throughput_rps),
        Metric::P50 => seen.p50_us,
        Metric::P99 => seen.p99_us,
        _ => None,
    };
    figure.filter(|figure| seen.disturbed.is_none() && *figure > 0.0)
}

impl PairedTurns {
    /// What a reader should know of them. `margin`: below it a difference does not matter.
    pub(crate) fn notes(&self, margin: f64) -> Vec<Note> {
        let blocks = self.blocks.as_ref().map(|blocks| blocks.ratio);
        let reported = Note::explanation(note::in_turns(
            self.kept,
            self.made,
            self.trimmed_ratio.map(note::trimmed_mean),
            blocks.map(note::in_continuous_run),
        ));
        let differ = self
            .blocks
            .as_ref()
            .and_then(|blocks| blocks.differ(margin));
        self.excluded_turns()
            .into_iter()
            .chain(differ)
            .chain([reported])
            .collect()
    }

    fn excluded_turns(&self) -> Option<Note> {
        let all = self.all_turns_ratio.filter(|_| self.disturbed > 0)?;
        let why: Vec<Message> = self.why.iter().map(disturbance).collect();
        let (disturbed, made, kept) = (self.disturbed, self.made, self.kept);
        Some(Note::caution(match self.freeze {
            _ if kept + disturbed <= made => note::excluded(disturbed, made, why, all),
            true => note::kept_use_freeze(disturbed, made, why, kept, all),
            false => note::kept(disturbed, made, why, kept, all),
        }))
    }
}

impl PairedBlocks {
    /// Whether one contradicts the other by more than their spread explains.
    fn contradicts(&self) -> bool {
        let beyond = |Interval { low, high }: Interval| {
            low > 1.0 + CONTRADICTS || high < 1.0 / (1.0 + CONTRADICTS)
        };
        self.surely.is_some_and(beyond)
    }

    /// Where the whole interval of the difference lies beyond the margin.
    fn differ(&self, margin: f64) -> Option<Note> {
        let Interval { low, high } = self.over_turns?;
        let beyond = low > 1.0 + margin || high < 1.0 / (1.0 + margin);
        beyond.then(|| {
            let says = note::turns_differ(self.turns_ratio, self.ratio, self.rounds);
            Note::caution(says)
        })
    }
}

/// Returns what disturbed turns, with how many.
fn disturbance(DisturbedTurns { what, turns }: &DisturbedTurns) -> Message {
    match what {
        Disturbed::OtherProcesses => note::other_processes(*turns),
        Disturbed::Bystanders => note::idle_servers(*turns),
        Disturbed::StoppedCore => note::stopped_core(*turns),
        Disturbed::MovedCores => note::migrated(*turns),
        Disturbed::UnevenCores => note::unequal_cores(*turns),
    }
}
