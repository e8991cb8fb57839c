//! Judging a run once, after its last round, or after some of its rounds (`--until-decided`).
//!
//! A run that adds rounds until it is decided is analysed repeatedly. Each analysis has a level of its own ([`Bounds`]), so that all
//! analyses of a run together call equal servers different 5 times in 100 at most. [`Analysis`] has the rules.

use std::cell::RefCell;
use std::collections::HashMap;

use photofinish_stats::correlation::{ENOUGH, correlation};
use photofinish_stats::planning::chance_later;
use photofinish_stats::spread::{self, Kinds, spreads};
use photofinish_stats::{
    Analysis, Bounds, Decision, Direction, Paired, Schedule, Spread, holm_shares, spread_of_pairs,
};

use photofinish_model::store::Results;

use crate::comparison::ALPHA;
use crate::comparison::verdict::series::{Rounds, Series, upto};

/// Servers with just-in-time compilers are first analysed after this many rounds: their processes differ more.
const FIRST_WITH_COMPILERS: usize = 3;

/// When the rounds of a run are analysed.
pub(crate) struct Analyses {
    /// `None` for a fixed number of rounds: these are analysed once, after the last one.
    schedule: Option<Schedule>,
    /// The cap of the rounds, if they are added until it is decided.
    cap: Option<u32>,
    /// The bounds by the share of α that a comparison has; they take a while to compute.
    known: RefCell<HashMap<u64, Bounds>>,
}

/// The comparisons of one metric at one place.
#[derive(Clone, Debug, Default)]
pub(crate) struct Group {
    pub(crate) pairs: Vec<Series>,
    /// Each target that is compared, by a number that is its own at all places, with its figures by round. They show how much
    /// targets spread; none where that is not asked.
    pub(crate) targets: Vec<(usize, Series<f64>)>,
    /// No difference below this can be seen.
    pub(crate) resolution: f64,
}

/// What came of one comparison.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Judged {
    pub(crate) paired: Option<Paired>,
    pub(crate) decision: Decision,
    /// The share of α that it has among all comparisons.
    pub(crate) share: f64,
    /// The probability of a decision by the cap, if it is undecided and rounds are added until it is decided.
    pub(crate) chance: Option<f64>,
}

impl Analyses {
    /// Those of a run.
    pub(crate) fn of(results: &Results) -> Analyses {
        let cap = results.study.settings.max_rounds;
        // Rounds that are added until intervals are narrow end whatever the ratio is, as a fixed number of them does.
        let repeated = cap.filter(|_| results.study.settings.half_width.is_none());
        let schedule = repeated.map(|cap| {
            let schedule = Schedule::up_to(cap as usize);
            let schedule = match has_compilers(results) {
                true => schedule.beginning_with(FIRST_WITH_COMPILERS),
                false => schedule,
            };
            let begun = results.lines.iter().map(|line| line.round).max();
            let over = results.time_over.last().map(|over| over.rounds);
            // A run that was resumed since then goes on.
            match over.filter(|over| begun.is_none_or(|begun| *over >= begun)) {
                Some(rounds) => schedule.ended_after(rounds as usize),
                None => schedule,
            }
        });
        Analyses {
            schedule,
            cap,
            known: RefCell::default(),
        }
    }

    /// The most rounds, if they are added until it is decided.
    pub(crate) fn cap(&self) -> Option<u32> {
        self.cap
    }

    /// Judges comparisons of one place by themselves.
    pub(crate) fn judge(&self, all: &[Series], resolution: f64, margin: f64) -> Vec<Judged> {
        let group = Group {
            pairs: all.to_vec(),
            resolution,
            ..Group::default()
        };
        let judged = self.judge_together(&[group], margin);
        judged.into_iter().flatten().collect()
    }

    /// Judges comparisons together, those of several places too, by Holm's procedure: a list a group.
    pub(crate) fn judge_together(&self, groups: &[Group], margin: f64) -> Vec<Vec<Judged>> {
        let series = groups.iter().flat_map(|group| &group.pairs);
        let rounds = series.flat_map(|series| series.counted.iter().chain(&series.aside));
        let last = rounds.map(|(round, _)| *round).max().unwrap_or(0);
        let open = |series: &Series| Judged {
            paired: series.paired(u32::MAX),
            decision: Decision {
                level: ALPHA,
                ..Decision::default()
            },
            share: ALPHA,
            chance: None,
        };
        let mut judged: Vec<Vec<Judged>> = groups
            .iter()
            .map(|group| group.pairs.iter().map(open).collect())
            .collect();
        let Some(schedule) = &self.schedule else {
            self.analyse(last, true, groups, margin, &mut judged);
            return judged;
        };
        let planned = schedule.rounds().map(|round| round as u32);
        for round in planned.filter(|round| *round <= last) {
            let is_last = schedule.last() == Some(round as usize);
            self.analyse(round, is_last, groups, margin, &mut judged);
        }
        let first = schedule.first().map_or(0, |first| first as u32);
        if last < first {
            let bound = self.level(ALPHA / judged.iter().flatten().count().max(1) as f64, first);
            let resolutions = groups
                .iter()
                .flat_map(|group| group.pairs.iter().map(|_| group.resolution));
            for (judged, resolution) in judged.iter_mut().flatten().zip(resolutions) {
                let analysis = Analysis {
                    after: first,
                    is_last: false,
                    bound,
                    share: ALPHA,
                    alone: ALPHA,
                    margin,
                    resolution,
                };
                if let Some(paired) = &judged.paired {
                    judged.decision = analysis.ahead_of(paired);
                }
            }
        }
        self.foresee(&mut judged, margin);
        judged
    }

    /// The probability of a decision at a later analysis, for each comparison that is undecided: that of the analysis with the largest. A
    /// comparison has the share of α that Holm's procedure leaves to the first of those that are not called different.
    fn foresee(&self, judged: &mut [Vec<Judged>], margin: f64) {
        let made = judged.iter().flatten().filter(|j| j.paired.is_some());
        let others = made.filter(|judged| !judged.is_different()).count();
        let share = ALPHA / others.max(1) as f64;
        let later: Vec<usize> = self.schedule.iter().flat_map(Schedule::rounds).collect();
        for judged in judged.iter_mut().flatten() {
            let open = judged.decision.direction == Some(Direction::Undecided);
            let Some(paired) = judged.paired.filter(|_| open) else {
                continue;
            };
            let at = |later: usize| {
                let levels = (self.level(share, later as u32), ALPHA);
                chance_later(&paired, later, levels, margin)
            };
            let later = later.iter().filter(|rounds| **rounds > paired.rounds);
            judged.chance = later.filter_map(|rounds| at(*rounds)).reduce(f64::max);
        }
    }

    /// One analysis, of the rounds up to this one.
    fn analyse(
        &self,
        round: u32,
        is_last: bool,
        groups: &[Group],
        margin: f64,
        judged: &mut [Vec<Judged>],
    ) {
        let places: Vec<spread::Place> = groups.iter().map(|group| group.rows(round)).collect();
        let of_all = spread_of_all(groups, round);
        let correlation = correlation_of_all(groups, round);
        let data: Vec<(f64, Option<Paired>)> = (groups.iter().zip(spreads(&places)))
            .flat_map(|(group, of_targets)| {
                group.pairs.iter().map(move |series| {
                    let of_pairs = of_all.filter(|_| series.log_ratios(round).is_some());
                    let spread = Spread::surer(of_targets, of_pairs);
                    let paired = series.helped(round, spread.as_ref());
                    let paired = paired.map(|paired| paired.with_correlation(correlation));
                    (group.resolution, paired)
                })
            })
            .collect();
        let mut judged: Vec<&mut Judged> = judged.iter_mut().flatten().collect();
        // What one analysis has called different leaves its share to the others.
        let p: Vec<Option<f64>> = data
            .iter()
            .zip(&judged)
            .map(|((_, paired), judged)| match judged.is_different() {
                true => Some(0.0),
                false => paired.as_ref().and_then(Paired::p_value),
            })
            .collect();
        let shares = holm_shares(&p, ALPHA, |share| self.level(share, round));
        for (((resolution, paired), share), judged) in data.iter().zip(shares).zip(&mut judged) {
            let bound = self.level(share, round);
            judged.share = share;
            let Some(paired) = paired else { continue };
            let analysis = Analysis {
                after: round,
                is_last,
                bound,
                share,
                alone: ALPHA,
                margin,
                resolution: *resolution,
            };
            judged.paired = Some(*paired);
            judged.decision = analysis.of(paired, &judged.decision);
        }
    }

    /// The level of an analysis for a comparison that has this share of α.
    pub(crate) fn level(&self, share: f64, round: u32) -> f64 {
        let Some(schedule) = &self.schedule else {
            return share;
        };
        let share = coarse(share);
        let mut known = self.known.borrow_mut();
        let bounds = known
            .entry(share.to_bits())
            .or_insert_with(|| Bounds::new(schedule, share));
        bounds.level_after(round as usize)
    }
}

impl Judged {
    fn is_different(&self) -> bool {
        let direction = self.decision.direction;
        matches!(direction, Some(Direction::Above | Direction::Below))
    }
}

/// Whether a server of this run has just-in-time compilers that were at work.
fn has_compilers(results: &Results) -> bool {
    let servers = results.lines.iter().filter_map(|line| line.server.as_ref());
    let mut shares = servers.filter_map(|server| server.compiling_share);
    shares.any(|share| share > 0.0)
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
                ..Series::default()
            };
            (*target, common.kinds())
        };
        targets.iter().map(kinds).collect()
    }
}

/// What the pairs of all places up to a round say of the spread of each of those that have one of their own.
fn spread_of_all(groups: &[Group], round: u32) -> Option<Spread> {
    let all = groups.iter().flat_map(|group| &group.pairs);
    let kinds: Vec<Kinds> = all.filter_map(|series| series.log_ratios(round)).collect();
    spread_of_pairs(&kinds)
}

/// How much a round resembles the one before, by all pairs up to a round.
fn correlation_of_all(groups: &[Group], round: u32) -> f64 {
    let all = groups.iter().flat_map(|group| &group.pairs);
    let logs = all
        .filter(|series| series.counted.len() >= ENOUGH)
        .map(|series| {
            let ratios = upto(&series.counted, round).map(|(_, (a, b))| a.ln() - b.ln());
            ratios.collect::<Vec<f64>>()
        });
    correlation(&logs.collect::<Vec<_>>())
}

#[cfg(test)]
mod tests;
