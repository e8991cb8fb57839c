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

/// What rounds show of one comparison.
#[derive(Clone, Debug)]
pub(crate) struct Shown {
    pub(crate) paired: Option<Paired>,
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
    /// The analyses of a run.
    pub(crate) fn of(results: &Results) -> Analyses {
        Analyses::planned(&[results], |schedule| schedule)
    }

    /// The analyses of a run on several pairs of machines, of which these are the runs of each: after so many rounds of all of them.
    pub(crate) fn of_pairs(runs: &[&Results]) -> Analyses {
        Analyses::planned(runs, |schedule| schedule.in_waves_of(runs.len()))
    }

    fn planned(runs: &[&Results], fitted: impl Fn(Schedule) -> Schedule) -> Analyses {
        let settings = runs.first().map(|run| &run.study.settings);
        let cap = settings.and_then(|settings| settings.max_rounds);
        // Rounds that are added until intervals are narrow end whatever the ratio is, as a fixed number of them does.
        let repeated = cap.filter(|_| settings.is_some_and(|it| it.half_width.is_none()));
        let schedule = repeated.map(|cap| {
            let schedule = Schedule::up_to(cap as usize);
            let schedule = match runs.iter().any(|run| has_compilers(run)) {
                true => schedule.beginning_with(FIRST_WITH_COMPILERS),
                false => schedule,
            };
            let over = runs.iter().map(|run| ended_after(run));
            match over.sum::<Option<u32>>() {
                Some(rounds) => fitted(schedule).ended_after(rounds as usize),
                None => fitted(schedule),
            }
        });
        Analyses {
            schedule,
            cap,
            known: RefCell::default(),
        }
    }

    /// The round of the last planned analysis among so many rounds; `None` if there is none yet.
    pub(crate) fn last_of(&self, rounds: u32) -> Option<u32> {
        match &self.schedule {
            None => Some(rounds),
            Some(schedule) => {
                let planned = schedule.rounds().map(|round| round as u32);
                planned.filter(|round| *round <= rounds).last()
            }
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
        let by_themselves = groups.iter().flat_map(|group| {
            let each = group.pairs.iter();
            each.map(|series| Shown {
                paired: series.paired(u32::MAX),
                resolution: group.resolution,
            })
        });
        let by_themselves: Vec<Shown> = by_themselves.collect();
        let upto = |round| shown(groups, round);
        let mut judged = self.judge_each(last, &by_themselves, &upto, margin);
        self.foresee(&mut judged, margin);
        let mut judged = judged.into_iter();
        (groups.iter())
            .map(|group| judged.by_ref().take(group.pairs.len()).collect())
            .collect()
    }

    /// Judges comparisons together by Holm's procedure, after each planned analysis of `rounds` rounds: by what the rounds `upto` it show. `all`
    /// is what all rounds show of each by itself.
    pub(crate) fn judge_each(
        &self,
        rounds: u32,
        all: &[Shown],
        upto: &dyn Fn(u32) -> Vec<Shown>,
        margin: f64,
    ) -> Vec<Judged> {
        let open = |shown: &Shown| Judged {
            paired: shown.paired,
            decision: Decision {
                level: ALPHA,
                ..Decision::default()
            },
            share: ALPHA,
            chance: None,
        };
        let mut judged: Vec<Judged> = all.iter().map(open).collect();
        let Some(schedule) = &self.schedule else {
            self.analyse(rounds, true, &upto(rounds), margin, &mut judged);
            return judged;
        };
        let planned = schedule.rounds().map(|round| round as u32);
        for round in planned.filter(|round| *round <= rounds) {
            let is_last = schedule.last() == Some(round as usize);
            self.analyse(round, is_last, &upto(round), margin, &mut judged);
        }
        let first = schedule.first().map_or(0, |first| first as u32);
        if rounds < first {
            let bound = self.level(ALPHA / judged.len().max(1) as f64, first);
            for (judged, shown) in judged.iter_mut().zip(all) {
                let analysis = Analysis {
                    after: first,
                    is_last: false,
                    bound,
                    share: ALPHA,
                    alone: ALPHA,
                    margin,
                    resolution: shown.resolution,
                };
                if let Some(paired) = &judged.paired {
                    judged.decision = analysis.ahead_of(paired);
                }
            }
        }
        judged
    }

    /// The probability of a decision at a later analysis, for each comparison that is undecided: that of the analysis with the largest. A
    /// comparison has the share of α that Holm's procedure leaves to the first of those that are not called different.
    pub(crate) fn foresee(&self, judged: &mut [Judged], margin: f64) {
        let made = judged.iter().filter(|judged| judged.paired.is_some());
        let others = made.filter(|judged| !judged.is_different()).count();
        let share = ALPHA / others.max(1) as f64;
        let later: Vec<usize> = self.schedule.iter().flat_map(Schedule::rounds).collect();
        for judged in judged {
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

    /// One analysis, of what the rounds up to this one show.
    fn analyse(
        &self,
        round: u32,
        is_last: bool,
        shown: &[Shown],
        margin: f64,
        judged: &mut [Judged],
    ) {
        // What one analysis has called different leaves its share to the others.
        let p: Vec<Option<f64>> = (shown.iter().zip(judged.iter()))
            .map(|(shown, judged)| match judged.is_different() {
                true => Some(0.0),
                false => shown.paired.as_ref().and_then(Paired::p_value),
            })
            .collect();
        let shares = holm_shares(&p, ALPHA, |share| self.level(share, round));
        for ((shown, share), judged) in shown.iter().zip(shares).zip(judged) {
            let bound = self.level(share, round);
            judged.share = share;
            let Some(paired) = &shown.paired else {
                continue;
            };
            let analysis = Analysis {
                after: round,
                is_last,
                bound,
                share,
                alone: ALPHA,
                margin,
                resolution: shown.resolution,
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

/// What the rounds up to this one show of the comparisons of these groups, each helped by the others' spread.
fn shown(groups: &[Group], round: u32) -> Vec<Shown> {
    let places: Vec<spread::Place> = groups.iter().map(|group| group.rows(round)).collect();
    let of_all = spread_of_all(groups, round);
    let correlation = correlation_of_all(groups, round);
    (groups.iter().zip(spreads(&places)))
        .flat_map(|(group, of_targets)| {
            group.pairs.iter().map(move |series| {
                let of_pairs = of_all.filter(|_| series.log_ratios(round).is_some());
                let spread = Spread::surer(of_targets, of_pairs);
                let paired = series.helped(round, spread.as_ref());
                Shown {
                    paired: paired.map(|paired| paired.with_correlation(correlation)),
                    resolution: group.resolution,
                }
            })
        })
        .collect()
}

/// After how many rounds a run ended whatever they showed; `None` if it did not.
fn ended_after(results: &Results) -> Option<u32> {
    let begun = results.lines.iter().map(|line| line.round).max();
    let over = results.time_over.last().map(|over| over.rounds);
    // A run that was resumed since then goes on.
    over.filter(|over| begun.is_none_or(|begun| *over >= begun))
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
