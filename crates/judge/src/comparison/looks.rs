//! Judging a run once, when its rounds are done, or after each of its rounds (`--until-decided`).
//!
//! A run that adds rounds until it is decided looks at its data again and again. Each look has a level of its own
//! ([`Sequential`]), so that all looks of a run together call equal targets different 5 times in 100 at most. The intervals
//! of all looks then hold at once, so what lies in all of them is an interval as sure as each of them, and a pair that one look
//! has decided stays decided, unless later rounds contradict it: where the ratio of all rounds so far no longer lies in what the
//! looks had left, only the latest interval counts, and a decision that it does not bear out is taken back.

mod judged;

use std::cell::RefCell;
use std::collections::HashMap;

use photofinish_stats::planning::chance_later;
use photofinish_stats::spread::{self, spreads};
use photofinish_stats::{Direction, Paired, Sequential, Spread, holm_levels_at, spread_of_pairs};

use photofinish_model::StudyRecord;

use super::ALPHA;
pub(super) use judged::Judged;

/// When a study's data are looked at.
pub(super) struct Looks {
    /// The cap of the rounds, where rounds are added until it is decided.
    max_rounds: Option<usize>,
    /// The levels by the share of α that a comparison has; they take a while to compute.
    known: RefCell<HashMap<u64, Sequential>>,
}

/// Two targets' figures in the rounds that both have, by round.
pub(super) type Series = Vec<(u32, (f64, f64))>;

/// The comparisons of one metric at one place.
#[derive(Clone, Debug, Default)]
pub(super) struct Group {
    pub(super) pairs: Vec<Series>,
    /// Each target that is compared, by a number that is its own at all places, with its figures by round. They show how much
    /// targets spread; none where that is not asked.
    pub(super) targets: Vec<(usize, Vec<(u32, f64)>)>,
    /// No difference below this can be seen.
    pub(super) resolution: f64,
}

impl Looks {
    /// Those of a study.
    pub(super) fn of(study: &StudyRecord) -> Looks {
        Looks {
            max_rounds: study.max_rounds.map(|rounds| rounds as usize),
            known: RefCell::default(),
        }
    }

    /// The most rounds, where they are added until it is decided.
    pub(super) fn cap(&self) -> Option<u32> {
        self.max_rounds.map(|rounds| rounds as u32)
    }

    /// Judges comparisons of one place by themselves.
    pub(super) fn judge(&self, all: &[Series], resolution: f64, margin: f64) -> Vec<Judged> {
        let group = Group {
            pairs: all.to_vec(),
            resolution,
            ..Group::default()
        };
        let judged = self.judge_together(&[group], margin);
        judged.into_iter().flatten().collect()
    }

    /// Judges comparisons together, those of several places too, by Holm's procedure: a list a group.
    pub(super) fn judge_together(&self, groups: &[Group], margin: f64) -> Vec<Vec<Judged>> {
        let rounds = groups.iter().flat_map(|group| &group.pairs).flatten();
        let last = rounds.map(|(round, _)| *round).max();
        let open = |series: &Series| Judged {
            paired: paired(series, u32::MAX),
            interval: None,
            alpha: ALPHA,
            direction: None,
            decided_after: None,
            taken_back: None,
            chance: None,
        };
        let mut judged: Vec<Vec<Judged>> = groups
            .iter()
            .map(|group| group.pairs.iter().map(open).collect())
            .collect();
        let looks = match self.max_rounds {
            None => vec![last.unwrap_or(0)],
            Some(max) => self.rounds(max, last.unwrap_or(0)),
        };
        for round in looks {
            self.look(round, groups, margin, &mut judged);
        }
        if self.max_rounds.is_some() {
            for judged in judged.iter_mut().flatten() {
                judged.settle();
            }
            self.foresee(&mut judged, margin);
        }
        judged
    }

    /// The chance of a decision at a look to come, for each that is open: that of the look where it is largest. A comparison has the
    /// share of α that Holm's procedure leaves to the first of those that are not called different.
    fn foresee(&self, judged: &mut [Vec<Judged>], margin: f64) {
        let is_different =
            |judged: &Judged| matches!(judged.direction, Some(Direction::Above | Direction::Below));
        let made = judged.iter().flatten().filter(|j| j.paired.is_some());
        let others = made.filter(|judged| !is_different(judged)).count();
        let share = ALPHA / others.max(1) as f64;
        let cap = self.max_rounds.unwrap_or(0);
        for judged in judged.iter_mut().flatten() {
            let open = judged.direction == Some(Direction::Undecided);
            let Some(paired) = judged.paired.filter(|_| open) else {
                continue;
            };
            let at = |later: usize| {
                let levels = [share, ALPHA].map(|share| self.level(share, later as u32));
                chance_later(&paired, later, levels.into(), margin)
            };
            judged.chance = (paired.rounds + 1..=cap).filter_map(at).reduce(f64::max);
        }
    }

    /// The rounds after which there was a look so far.
    fn rounds(&self, max: usize, last: u32) -> Vec<u32> {
        let looks = Sequential::new(max, ALPHA);
        let rounds = looks.looks().map(|round| round as u32);
        rounds.filter(|round| *round <= last).collect()
    }

    /// One look, at the data of the rounds up to this one.
    fn look(&self, round: u32, groups: &[Group], margin: f64, judged: &mut [Vec<Judged>]) {
        let places: Vec<spread::Place> = groups.iter().map(|group| group.rows(round)).collect();
        let all_pairs = AllPairs::of(groups, round);
        let data: Vec<(f64, Option<Paired>)> = (groups.iter().zip(spreads(&places)))
            .flat_map(|(group, of_targets)| {
                let all_pairs = all_pairs.as_ref();
                group.pairs.iter().map(move |series| {
                    let of_pairs = all_pairs.and_then(|all| all.spread_for(series, round));
                    let spread = Spread::surer(of_targets, of_pairs);
                    (group.resolution, helped(series, round, spread.as_ref()))
                })
            })
            .collect();
        let mut judged: Vec<&mut Judged> = judged.iter_mut().flatten().collect();
        // What one look has called different stays so, and leaves its share to the others.
        let p: Vec<Option<f64>> = data
            .iter()
            .zip(&judged)
            .map(|((_, paired), judged)| match judged.direction {
                Some(Direction::Above | Direction::Below) => Some(0.0),
                _ => paired.as_ref().and_then(Paired::p_value),
            })
            .collect();
        let levels = holm_levels_at(&p, ALPHA, |share| self.level(share, round));
        let alone = self.level(ALPHA, round);
        for (((resolution, paired), level), judged) in data.iter().zip(levels).zip(&mut judged) {
            judged.alpha = level;
            if let Some(paired) = paired {
                judged.see(*paired, *resolution, margin, (round, alone));
            }
        }
    }

    /// The level of a look that has this share of α.
    fn level(&self, share: f64, round: u32) -> f64 {
        let Some(max) = self.max_rounds else {
            return share;
        };
        let share = coarse(share);
        let mut known = self.known.borrow_mut();
        let levels = known
            .entry(share.to_bits())
            .or_insert_with(|| Sequential::new(max, share));
        levels.level_at(round as usize)
    }
}

/// A share of α for which the levels of looks are computed: one of many comparisons gets a little less than its own, so that
/// hundreds of comparisons take a few dozen computations.
fn coarse(share: f64) -> f64 {
    const EXACT: f64 = 12.0;
    const STEP: f64 = 1.1;
    let comparisons = (ALPHA / share).round();
    if comparisons <= EXACT {
        return share;
    }
    let steps = ((comparisons / EXACT).ln() / STEP.ln()).ceil();
    ALPHA / (EXACT * STEP.powf(steps))
}

impl Group {
    /// The logarithms of the targets' figures in the rounds up to this one that all of them have; a target that has none, or one
    /// without a logarithm, is left out.
    fn rows(&self, round: u32) -> spread::Place {
        let upto = |figures: &Vec<(u32, f64)>| {
            let upto = figures.iter().filter(|(at, _)| *at <= round);
            upto.copied().collect::<Vec<(u32, f64)>>()
        };
        let targets: Vec<(usize, Vec<(u32, f64)>)> = (self.targets.iter())
            .map(|(target, figures)| (*target, upto(figures)))
            .filter(|(_, figures)| !figures.is_empty() && figures.iter().all(|(_, x)| *x > 0.0))
            .collect();
        let all_have = |round: u32| {
            let mut all = targets.iter();
            all.all(|(_, figures)| figures.iter().any(|(at, _)| *at == round))
        };
        let logs = |figures: &Vec<(u32, f64)>| {
            let common = figures.iter().filter(|(at, _)| all_have(*at));
            common.map(|(_, figure)| figure.ln()).collect()
        };
        (targets.iter())
            .map(|(target, figures)| (*target, logs(figures)))
            .collect()
    }
}

/// What the pairs of all places say of the spread of each of them.
struct AllPairs {
    spread: Spread,
    /// The rounds that it was taken from.
    rounds: Vec<u32>,
}

impl AllPairs {
    /// By those that have as many rounds as any of them, up to this one.
    fn of(groups: &[Group], round: u32) -> Option<AllPairs> {
        let has_logs = |series: &&Series| series.iter().all(|(_, (a, b))| *a > 0.0 && *b > 0.0);
        let all = groups.iter().flat_map(|group| &group.pairs);
        let all: Vec<&Series> = all.filter(has_logs).collect();
        let rounds = all.iter().map(|series| rounds_of(series, round));
        let rounds = rounds.max_by_key(Vec::len)?;
        let taking_part = all.iter().filter(|all| rounds_of(all, round) == rounds);
        let logs = taking_part.map(|series| {
            let upto = series.iter().filter(|(at, _)| *at <= round);
            upto.map(|(_, (a, b))| a.ln() - b.ln()).collect()
        });
        let spread = spread_of_pairs(&logs.collect::<Vec<_>>())?;
        Some(AllPairs { spread, rounds })
    }

    /// It, for a pair that took part in it.
    fn spread_for(&self, series: &Series, round: u32) -> Option<Spread> {
        (rounds_of(series, round) == self.rounds).then_some(self.spread)
    }
}

/// The rounds of a series up to this one.
fn rounds_of(series: &Series, round: u32) -> Vec<u32> {
    let all = series.iter().map(|(at, _)| *at);
    all.filter(|at| *at <= round).collect()
}

/// The rounds up to this one, summed up.
fn paired(series: &Series, round: u32) -> Option<Paired> {
    let upto = series.iter().filter(|(at, _)| *at <= round);
    Paired::new(&upto.map(|(_, pair)| *pair).collect::<Vec<_>>())
}

/// The same, its spread drawn toward that of others.
fn helped(series: &Series, round: u32, spread: Option<&Spread>) -> Option<Paired> {
    let paired = paired(series, round)?;
    Some(match spread {
        Some(spread) => paired.helped_by(spread),
        None => paired,
    })
}

#[cfg(test)]
mod tests;
