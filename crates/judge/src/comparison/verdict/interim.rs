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
use photofinish_stats::spread::{self, FEWEST_FREEDOM, Kinds, freedom_within, spreads};
use photofinish_stats::{Direction, Paired, Sequential, Spread, holm_levels_at, spread_of_pairs};

use photofinish_model::StudyRecord;

use crate::comparison::ALPHA;
pub(in crate::comparison) use judged::Judged;

/// When a study's data are looked at.
pub(in crate::comparison) struct Looks {
    /// The cap of the rounds, where rounds are added until it is decided.
    max_rounds: Option<usize>,
    /// The levels by the share of α that a comparison has; they take a while to compute.
    known: RefCell<HashMap<u64, Sequential>>,
}

/// A figure of each round, or two targets' figures in rounds that both have.
pub(crate) type Rounds<T = (f64, f64)> = Vec<(u32, T)>;

/// Two targets' figures by round, or those of one.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Series<T = (f64, f64)> {
    /// In the rounds that count.
    pub(crate) counted: Rounds<T>,
    /// In rounds of another kind, which say nothing of the ratio but, where few count, how much rounds differ.
    pub(crate) aside: Rounds<T>,
}

/// With fewer rounds that count those of another kind say how much rounds differ: of two alone next to nothing is known.
pub(in crate::comparison) const FEW: usize = 3;

/// The comparisons of one metric at one place.
#[derive(Clone, Debug, Default)]
pub(in crate::comparison) struct Group {
    pub(in crate::comparison) pairs: Vec<Series>,
    /// Each target that is compared, by a number that is its own at all places, with its figures by round. They show how much
    /// targets spread; none where that is not asked.
    pub(in crate::comparison) targets: Vec<(usize, Series<f64>)>,
    /// No difference below this can be seen.
    pub(in crate::comparison) resolution: f64,
}

impl Looks {
    /// Those of a study.
    pub(in crate::comparison) fn of(study: &StudyRecord) -> Looks {
        Looks {
            max_rounds: study.settings.max_rounds.map(|rounds| rounds as usize),
            known: RefCell::default(),
        }
    }

    /// The most rounds, where they are added until it is decided.
    pub(in crate::comparison) fn cap(&self) -> Option<u32> {
        self.max_rounds.map(|rounds| rounds as u32)
    }

    /// Judges comparisons of one place by themselves.
    pub(in crate::comparison) fn judge(
        &self,
        all: &[Series],
        resolution: f64,
        margin: f64,
    ) -> Vec<Judged> {
        let group = Group {
            pairs: all.to_vec(),
            resolution,
            ..Group::default()
        };
        let judged = self.judge_together(&[group], margin);
        judged.into_iter().flatten().collect()
    }

    /// Judges comparisons together, those of several places too, by Holm's procedure: a list a group.
    pub(in crate::comparison) fn judge_together(
        &self,
        groups: &[Group],
        margin: f64,
    ) -> Vec<Vec<Judged>> {
        let series = groups.iter().flat_map(|group| &group.pairs);
        let rounds = series.flat_map(|series| series.counted.iter().chain(&series.aside));
        let last = rounds.map(|(round, _)| *round).max();
        let open = |series: &Series| Judged {
            paired: series.paired(u32::MAX),
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
        let of_all = spread_of_all(groups, round);
        let data: Vec<(f64, Option<Paired>)> = (groups.iter().zip(spreads(&places)))
            .flat_map(|(group, of_targets)| {
                group.pairs.iter().map(move |series| {
                    let of_pairs = of_all.filter(|_| series.log_ratios(round).is_some());
                    let spread = Spread::surer(of_targets, of_pairs);
                    (group.resolution, series.helped(round, spread.as_ref()))
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
    pub(in crate::comparison) fn level(&self, share: f64, round: u32) -> f64 {
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
    /// The logarithms of the targets' figures in the rounds up to this one that all of them have, by kinds of rounds; a target that has none,
    /// or one without a logarithm, is left out.
    fn rows(&self, round: u32) -> spread::Place {
        let logs = |(target, series): &(usize, Series<f64>)| {
            let series = series.logs(round, |x| (*x > 0.0).then(|| x.ln()))?;
            (!series.counted.is_empty()).then_some((*target, series))
        };
        let targets: Vec<(usize, Series<f64>)> = self.targets.iter().filter_map(logs).collect();
        let in_all = |of: fn(&Series<f64>) -> &Rounds<f64>, series: &Series<f64>| {
            let all_have = |round: &u32| {
                let mut all = targets.iter();
                all.all(|(_, series)| of(series).iter().any(|(at, _)| at == round))
            };
            let common = of(series).iter().filter(|(at, _)| all_have(at));
            common.copied().collect::<Rounds<f64>>()
        };
        let kinds = |(target, series): &(usize, Series<f64>)| {
            let common = Series {
                counted: in_all(|series| &series.counted, series),
                aside: in_all(|series| &series.aside, series),
            };
            (*target, common.kinds())
        };
        targets.iter().map(kinds).collect()
    }
}

impl<T> Default for Series<T> {
    fn default() -> Self {
        Series {
            counted: Rounds::new(),
            aside: Rounds::new(),
        }
    }
}

impl<T> Series<T> {
    /// The logarithms of the rounds up to this one; `None` where one has none.
    fn logs(&self, round: u32, log: impl Fn(&T) -> Option<f64>) -> Option<Series<f64>> {
        let logs = |rounds: &Rounds<T>| {
            let logs = upto(rounds, round).map(|(at, figures)| Some((*at, log(figures)?)));
            logs.collect::<Option<Rounds<f64>>>()
        };
        Some(Series {
            counted: logs(&self.counted)?,
            aside: logs(&self.aside)?,
        })
    }
}

impl Series<f64> {
    /// By kinds of rounds, as far as they say how much rounds differ.
    fn kinds(self) -> Kinds {
        match self.counted.len() < FEW {
            true => vec![self.counted, self.aside],
            false => vec![self.counted],
        }
    }
}

impl Series {
    /// The rounds up to this one, summed up.
    pub(in crate::comparison) fn paired(&self, round: u32) -> Option<Paired> {
        let of = |rounds: &Rounds| {
            let pairs: Vec<(f64, f64)> = upto(rounds, round).map(|(_, pair)| *pair).collect();
            Paired::new(&pairs)
        };
        let paired = of(&self.counted)?;
        Some(match of(&self.aside) {
            Some(aside) if paired.rounds < FEW => paired.pooled_with(&aside),
            _ => paired,
        })
    }

    /// The same, its spread drawn toward that of others.
    fn helped(&self, round: u32, spread: Option<&Spread>) -> Option<Paired> {
        let paired = self.paired(round)?;
        Some(match spread {
            Some(spread) => paired.helped_by(spread),
            None => paired,
        })
    }

    /// The log ratios up to a round; `None` where they say next to nothing of how much rounds differ, and where one has no logarithm.
    fn log_ratios(&self, round: u32) -> Option<Kinds> {
        let log = |(a, b): &(f64, f64)| (*a > 0.0 && *b > 0.0).then(|| a.ln() - b.ln());
        let kinds = self.logs(round, log)?.kinds();
        (freedom_within(&kinds) >= FEWEST_FREEDOM).then_some(kinds)
    }
}

/// What the pairs of all places up to a round say of the spread of each of those that have one of their own.
fn spread_of_all(groups: &[Group], round: u32) -> Option<Spread> {
    let all = groups.iter().flat_map(|group| &group.pairs);
    let kinds: Vec<Kinds> = all.filter_map(|series| series.log_ratios(round)).collect();
    spread_of_pairs(&kinds)
}

/// The rounds up to this one.
fn upto<T>(rounds: &Rounds<T>, round: u32) -> impl Iterator<Item = &(u32, T)> {
    rounds.iter().filter(move |(at, _)| *at <= round)
}

#[cfg(test)]
mod tests;
