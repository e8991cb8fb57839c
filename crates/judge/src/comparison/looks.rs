//! Judging a run once, when its rounds are done, or after each of its rounds (`--until-decided`).
//!
//! A run that adds rounds until it is decided looks at its data again and again. Each look has a level of its own
//! ([`Sequential`]), so that all looks of a run together call equal targets different 5 times in 100 at most. The intervals
//! of all looks then hold at once, so what lies in all of them is an interval as sure as each of them, and a pair that one look
//! has decided stays decided, unless later rounds contradict it: where the ratio of all rounds so far no longer lies in what the
//! looks had left, only the latest interval counts, and a decision that it does not bear out is taken back.

use std::cell::RefCell;
use std::collections::HashMap;

use photofinish_stats::planning::chance_later;
use photofinish_stats::spread::{self, spreads};
use photofinish_stats::{Direction, Interval, Paired, Sequential, Spread, holm_levels_at, judge};

use photofinish_model::StudyRecord;

use super::ALPHA;

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

/// What came of one comparison.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Judged {
    pub(super) paired: Option<Paired>,
    pub(super) interval: Option<Interval>,
    /// The level at which the last look drew the interval, as a share of 1 that may be wrong.
    pub(super) alpha: f64,
    /// `None` where nothing can be said.
    pub(super) direction: Option<Direction>,
    /// The round after which a look decided it.
    pub(super) decided_after: Option<u32>,
    /// The round after which a look took an earlier decision back, where it is open since then.
    pub(super) taken_back: Option<u32>,
    /// The chance of a decision by the cap, where it is open and rounds are added until it is decided.
    pub(super) chance: Option<f64>,
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
        let spreads = spreads(&places);
        let data: Vec<(f64, Option<Paired>)> = groups
            .iter()
            .zip(&spreads)
            .flat_map(|(group, spread)| {
                let pairs = group.pairs.iter();
                pairs.map(|series| (group.resolution, helped(series, round, spread.as_ref())))
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

impl Judged {
    /// Takes a look at what the rounds up to this one say, at the level `self.alpha`. Where that leaves it open, it is a tie if it is
    /// one at the level of a pair that is compared `alone`: to call a tie is not to call a difference, and takes nothing from the family.
    fn see(&mut self, paired: Paired, resolution: f64, margin: f64, (round, alone): (u32, f64)) {
        self.paired = Some(paired);
        let Some(interval) = paired.interval(self.alpha, resolution) else {
            return;
        };
        let within = self.interval.map_or(interval, |before| Interval {
            low: before.low.max(interval.low),
            high: before.high.min(interval.high),
        });
        // Where the ratio of these rounds lies outside, the looks contradict one another: the latest one knows most.
        let within = Interval::new(within.low, within.high).filter(|i| i.contains(paired.ratio()));
        self.interval = Some(within.unwrap_or(interval));
        let mut direction = judge(self.interval, margin);
        let own = paired.interval(alone, resolution);
        if direction == Direction::Undecided && judge(own, margin) == Direction::Tie {
            (direction, self.interval, self.alpha) = (Direction::Tie, own, alone);
        }
        let before = self.direction.replace(direction);
        match direction {
            Direction::Undecided => {
                if self.decided_after.take().is_some() {
                    self.taken_back = Some(round);
                }
            }
            _ if before == Some(direction) => {}
            _ => (self.decided_after, self.taken_back) = (Some(round), None),
        }
    }

    /// Says that nothing is decided where no look was due yet.
    fn settle(&mut self) {
        let rounds = self.paired.as_ref().map_or(0, |paired| paired.rounds);
        if self.interval.is_none() && rounds > 1 {
            self.direction = Some(Direction::Undecided);
        }
    }
}

/// The rounds up to this one, summed up.
fn paired(series: &Series, round: u32) -> Option<Paired> {
    let upto = series.iter().filter(|(at, _)| *at <= round);
    Paired::new(&upto.map(|(_, pair)| *pair).collect::<Vec<_>>())
}

/// The same, its spread drawn toward that of all targets of its place.
fn helped(series: &Series, round: u32, spread: Option<&Spread>) -> Option<Paired> {
    let paired = paired(series, round)?;
    Some(match spread {
        Some(spread) => paired.helped_by(spread),
        None => paired,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use photofinish_model::samples;

    fn looks(max_rounds: Option<u32>) -> Looks {
        Looks::of(&StudyRecord {
            max_rounds,
            ..samples::study(&["a", "b"], max_rounds.unwrap_or(5))
        })
    }

    /// A ratio with 1% of noise, by round.
    fn series(ratio: f64, rounds: usize) -> Series {
        const NOISE: [f64; 6] = [0.01, -0.01, 0.004, -0.012, 0.011, -0.003];
        let pair = |round: usize| (1000.0 * ratio * f64::exp(NOISE[round % 6]), 1000.0);
        (0..rounds)
            .map(|round| (round as u32 + 1, pair(round)))
            .collect()
    }

    #[test]
    fn one_look_is_the_plain_interval() {
        let data = series(1.1, 6);
        let judged = &looks(None).judge(std::slice::from_ref(&data), 0.0, 0.02)[0];
        let plain = paired(&data, 6).and_then(|p| p.interval(0.05, 0.0));
        assert_eq!(judged.interval, plain);
        assert_eq!((judged.alpha, judged.decided_after), (0.05, Some(6)));
    }

    #[test]
    fn there_is_no_look_before_the_fifth_round() {
        let judged = &looks(Some(12)).judge(&[series(1.5, 4)], 0.0, 0.02)[0];
        assert_eq!((judged.interval, judged.decided_after), (None, None));
        assert_eq!(judged.direction, Some(Direction::Undecided));
    }

    #[test]
    fn each_look_is_drawn_at_its_own_level() {
        let data = series(1.3, 5);
        let judged = &looks(Some(12)).judge(std::slice::from_ref(&data), 0.0, 0.02)[0];
        let level = Sequential::new(12, 0.05).level_at(5);
        assert_eq!(judged.alpha, level);
        assert_eq!(
            judged.interval,
            paired(&data, 5).and_then(|p| p.interval(level, 0.0))
        );
        assert_eq!(judged.decided_after, Some(5));
        assert_eq!(judged.direction, Some(Direction::Above));
    }

    #[test]
    fn what_a_look_decided_stays_decided_while_the_ratio_does() {
        // Clear after 5 rounds; two rounds then that differ from them, but not in their mean.
        let mut data = series(1.3, 5);
        data.extend([(6, (1350.0, 1000.0)), (7, (1250.0, 1000.0))]);
        let judged = &looks(Some(12)).judge(std::slice::from_ref(&data), 0.0, 0.02)[0];
        assert_eq!((judged.decided_after, judged.taken_back), (Some(5), None));
        assert_eq!(judged.direction, Some(Direction::Above));
        // What lies in all looks is narrower than the latest alone.
        let alone = paired(&data, 7).and_then(|p| p.interval(judged.alpha, 0.0));
        let (within, alone) = judged.interval.zip(alone).expect("intervals");
        assert!(within.is_within(&alone) && within.high - within.low < alone.high - alone.low);
    }

    #[test]
    fn a_decision_that_later_rounds_contradict_is_taken_back() {
        // Clear after 5 rounds. Then the server of the one that was ahead slows down to a third: the ratio of all rounds
        // (1.3^5 · 0.3^3)^(1/8) = 0.75 lies below all that the looks had left.
        let mut data = series(1.3, 5);
        data.extend([6, 7, 8].map(|round| (round, (300.0, 1000.0))));
        let judged = &looks(Some(12)).judge(std::slice::from_ref(&data), 0.0, 0.02)[0];
        assert_eq!(judged.direction, Some(Direction::Undecided));
        assert_eq!((judged.decided_after, judged.taken_back), (None, Some(6)));
        // The interval is that of the looks since then, in which the ratio lies, and not on its edge.
        let interval = judged.interval.expect("an interval");
        let ratio = judged.paired.expect("rounds").ratio();
        assert!((ratio - 0.75).abs() < 0.005, "{ratio}");
        assert!(
            interval.low < ratio * 0.9 && interval.high > ratio * 1.1,
            "{interval:?}"
        );
    }

    #[test]
    fn several_comparisons_share_the_five_in_a_hundred() {
        let judged = looks(Some(12)).judge(&[series(1.3, 5), series(1.0, 5)], 0.0, 0.02);
        assert_eq!(judged[0].alpha, Sequential::new(12, 0.025).level_at(5));
        assert_eq!(judged[1].alpha, Sequential::new(12, 0.05).level_at(5));
    }

    #[test]
    fn the_comparisons_of_all_places_are_one_family() {
        let place = |ratio: f64| Group {
            pairs: vec![series(ratio, 5)],
            ..Group::default()
        };
        let judged = looks(None).judge_together(&[place(1.3), place(1.008), place(1.0)], 0.001);
        let levels: Vec<f64> = judged.iter().flatten().map(|judged| judged.alpha).collect();
        assert_eq!(levels, [0.05 / 3.0, 0.05 / 2.0, 0.05 / 2.0]);
    }

    #[test]
    fn a_tie_is_judged_at_the_level_of_a_pair_alone() {
        // 5 rounds: ±1.3% alone, ±2.5% as one of nine.
        let wild = series(1.0, 5);
        let all = vec![wild.clone(); 9];
        let judged = &looks(None).judge(&all, 0.0, 0.02)[0];
        let alone = paired(&wild, 5).and_then(|p| p.interval(0.05, 0.0));
        let of_nine = paired(&wild, 5).and_then(|p| p.interval(0.05 / 9.0, 0.0));
        assert_eq!(judge(of_nine, 0.02), Direction::Undecided);
        assert_eq!(
            (judged.direction, judged.interval),
            (Some(Direction::Tie), alone)
        );
        assert_eq!(judged.alpha, 0.05);
    }

    #[test]
    fn targets_that_spread_alike_help_one_another() {
        // Five targets, each with the same noise in another order of rounds, the first 4% faster.
        let noise = [0.01, -0.01, 0.004, -0.012, 0.011];
        let figures = |target: usize| -> Vec<(u32, f64)> {
            let ahead = if target == 0 { 1.04 } else { 1.0 };
            let rounds = 0..5usize;
            rounds
                .map(|r| {
                    (
                        r as u32 + 1,
                        ahead * f64::exp(noise[(r * 2 + target * 3) % 5]),
                    )
                })
                .collect()
        };
        let pair = |a: usize, b: usize| -> Series {
            let both = figures(a).into_iter().zip(figures(b));
            both.map(|((round, a), (_, b))| (round, (a, b))).collect()
        };
        let group = |targets: std::ops::Range<usize>| Group {
            pairs: (1..5).map(|b| pair(0, b)).collect(),
            targets: targets.map(|target| (target, figures(target))).collect(),
            resolution: 0.0,
        };
        let width = |group: Group| {
            let judged = looks(None).judge_together(&[group], 0.02).remove(0);
            let interval = judged[3].interval.expect("an interval");
            (interval.high / interval.low).ln()
        };
        // All pairs alike have one variance, and 16 degrees of freedom for 4.
        let (helped, alone) = (width(group(0..5)), width(group(0..0)));
        assert!(helped < 0.7 * alone, "{helped} for {alone}");
    }

    /// One of many gets a little less than its share, never more.
    #[test]
    fn shares_of_many_are_coarse() {
        for comparisons in 1..=500_u32 {
            let share = ALPHA / f64::from(comparisons);
            let coarse = coarse(share);
            assert!(
                coarse <= share * (1.0 + 1e-9) && coarse > share / 1.11,
                "{comparisons}"
            );
        }
        let known: std::collections::BTreeSet<u64> = (1..=500_u32)
            .map(|m| coarse(ALPHA / f64::from(m)).to_bits())
            .collect();
        assert!(known.len() < 60, "{}", known.len());
    }
}
