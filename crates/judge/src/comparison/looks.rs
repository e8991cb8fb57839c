//! Judging a run once, when its rounds are done, or after each of its rounds (`--until-decided`).
//!
//! A run that adds rounds until it is decided looks at its data again and again. Each look has a level of its own
//! ([`Sequential`]), so that all looks of a run together call equal targets different 5 times in 100 at most. The intervals
//! of all looks then hold at once, so what lies in all of them is an interval as sure as each of them, and a pair that one look
//! has decided stays decided, unless later rounds contradict it: where the ratio of all rounds so far no longer lies in what the
//! looks had left, only the latest interval counts, and a decision that it does not bear out is taken back.

use std::cell::RefCell;
use std::collections::HashMap;

use photofinish_stats::{Direction, Interval, Paired, Sequential, holm_levels_at, judge};

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

    /// Judges comparisons of one kind together, by Holm's procedure.
    pub(super) fn judge(&self, all: &[Series], resolution: f64, margin: f64) -> Vec<Judged> {
        let last = all.iter().flatten().map(|(round, _)| *round).max();
        let mut judged: Vec<Judged> = all
            .iter()
            .map(|series| Judged {
                paired: paired(series, u32::MAX),
                interval: None,
                alpha: ALPHA,
                direction: None,
                decided_after: None,
                taken_back: None,
            })
            .collect();
        let looks = match self.max_rounds {
            None => vec![last.unwrap_or(0)],
            Some(max) => self.rounds(max, last.unwrap_or(0)),
        };
        for round in looks {
            self.look(round, all, resolution, margin, &mut judged);
        }
        if self.max_rounds.is_some() {
            for judged in &mut judged {
                judged.settle();
            }
        }
        judged
    }

    /// The rounds after which there was a look so far.
    fn rounds(&self, max: usize, last: u32) -> Vec<u32> {
        let looks = Sequential::new(max, ALPHA);
        let rounds = looks.looks().map(|round| round as u32);
        rounds.filter(|round| *round <= last).collect()
    }

    /// One look, at the data of the rounds up to this one.
    fn look(
        &self,
        round: u32,
        all: &[Series],
        resolution: f64,
        margin: f64,
        judged: &mut [Judged],
    ) {
        let data: Vec<Option<Paired>> = all.iter().map(|series| paired(series, round)).collect();
        // What one look has called different stays so, and leaves its share to the others.
        let p: Vec<Option<f64>> = data
            .iter()
            .zip(&*judged)
            .map(|(paired, judged)| match judged.direction {
                Some(Direction::Above | Direction::Below) => Some(0.0),
                _ => paired.as_ref().and_then(Paired::p_value),
            })
            .collect();
        let levels = holm_levels_at(&p, ALPHA, |share| self.level(share, round));
        for ((paired, level), judged) in data.iter().zip(levels).zip(judged) {
            let interval = paired.as_ref().and_then(|p| p.interval(level, resolution));
            judged.alpha = level;
            let Some(interval) = interval else { continue };
            let within = judged.interval.map_or(interval, |before| Interval {
                low: before.low.max(interval.low),
                high: before.high.min(interval.high),
            });
            // Where the ratio of these rounds lies outside, the looks contradict one another: the latest one knows most.
            let ratio = paired.as_ref().map_or(f64::NAN, Paired::ratio);
            let within = Interval::new(within.low, within.high).filter(|i| i.contains(ratio));
            judged.interval = Some(within.unwrap_or(interval));
            let direction = judge(judged.interval, margin);
            let before = judged.direction.replace(direction);
            match direction {
                Direction::Undecided => {
                    if judged.decided_after.take().is_some() {
                        judged.taken_back = Some(round);
                    }
                }
                _ if before == Some(direction) => {}
                _ => (judged.decided_after, judged.taken_back) = (Some(round), None),
            }
        }
    }

    /// The level of a look that has this share of α.
    fn level(&self, share: f64, round: u32) -> f64 {
        let Some(max) = self.max_rounds else {
            return share;
        };
        let mut known = self.known.borrow_mut();
        let levels = known
            .entry(share.to_bits())
            .or_insert_with(|| Sequential::new(max, share));
        levels.level_at(round as usize)
    }
}

impl Judged {
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
}
