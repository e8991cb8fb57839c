//! How a limit of time (`within`) is shared out: which rounds are begun, and how many turns their levels have.

use std::time::{Duration, Instant};

use photofinish_study::plan::Within;

/// A level has at most so many times the turns that the plan asks for.
const MOST: f64 = 10.0;
/// Two rounds decide hardly anything: so that there is time for this many, levels have fewer turns if need be …
const DECIDE: usize = 3;
/// … but at least so many times those that the plan asks for.
const LEAST: f64 = 0.5;
/// So much of the time that is left is given away: rounds do not take exactly as long as those before.
const PLANNED: f64 = 0.95;

/// The time that the rounds of a run may take together, and what those that ended took.
#[derive(Debug)]
pub(crate) struct TimeLimit {
    within: Within,
    /// Whether there is a limit: not where rounds like those so far are too long for even the fewest to fit.
    holds: bool,
    began: Instant,
    round_began: Instant,
    /// What turns took in this round so far.
    in_turns: Duration,
    /// The rounds that ended; `None` before the first did.
    rounds: Option<RoundTimes>,
    /// How many ended.
    ended: usize,
    /// By how many times the levels of this round have more turns than planned; less than 1: fewer.
    stretch: f64,
}

/// What rounds took: the least and the most of either part.
#[derive(Clone, Copy, Debug, PartialEq)]
struct RoundTimes {
    shortest: RoundTime,
    longest: RoundTime,
}

/// What a round takes.
#[derive(Clone, Copy, Debug, PartialEq)]
struct RoundTime {
    /// Beside turns: starts, verifications, warm-ups, measurements in one piece, profiles, stops.
    beside: Duration,
    /// The turns that the plan asks for, with those in place of disturbed ones.
    turns: Duration,
}

impl TimeLimit {
    /// One that begins now.
    pub(crate) fn new(within: Within) -> TimeLimit {
        let now = Instant::now();
        TimeLimit {
            within,
            holds: true,
            began: now,
            round_began: now,
            in_turns: Duration::ZERO,
            rounds: None,
            ended: 0,
            stretch: 1.0,
        }
    }

    /// What is left of it.
    fn left(&self) -> Duration {
        self.within.time.saturating_sub(self.began.elapsed())
    }

    /// For how long the run goes on at most; for as long as it likes where there may turn out to be no limit.
    pub(crate) fn at_most(&self) -> Duration {
        let is_known = self.within.fewest <= 1 || self.rounds.is_some();
        match self.holds && is_known {
            true => self.left(),
            false => Duration::MAX,
        }
    }

    /// A level's turns took so long.
    pub(crate) fn turns_took(&mut self, time: Duration) {
        self.in_turns += time;
    }

    /// Begins a round, unless it would not end in time; the first is begun in any case, and so are the fewest. `done`: the rounds before it; `ahead`:
    /// those that the plan still asks for.
    pub(crate) fn begin_round(&mut self, done: usize, ahead: usize) -> bool {
        let mut stretch = 1.0;
        if let Some(RoundTimes { shortest, longest }) = self.rounds {
            let left = self.left();
            let missing = (self.within.fewest as usize).saturating_sub(done);
            // A first round that takes long for once does not lift the limit for good.
            if missing > 0 && (self.ended == 1 || !self.holds) {
                self.holds = shortest.fit(left, 1.0) >= missing;
            }
            let wanted = DECIDE.saturating_sub(done).min(ahead);
            let planned = longest.fit(left, 1.0).min(ahead);
            let (fit, least) = match planned < wanted && longest.fit(left, LEAST) >= wanted {
                true => (wanted, LEAST),
                false => (planned, 1.0),
            };
            if self.holds && fit.max(missing) == 0 {
                return false;
            } else if self.holds {
                stretch = longest.stretch(left, fit.max(missing)).max(least);
            }
        }
        self.stretch = stretch;
        self.round_began = Instant::now();
        self.in_turns = Duration::ZERO;
        true
    }

    /// The round ended.
    pub(crate) fn round_ended(&mut self) {
        let round = RoundTime {
            beside: self.round_began.elapsed().saturating_sub(self.in_turns),
            turns: self.in_turns.div_f64(self.stretch),
        };
        self.ended += 1;
        let (shortest, longest) = match self.rounds {
            None => (round, round),
            Some(rounds) => (rounds.shortest.min(round), rounds.longest.max(round)),
        };
        self.rounds = Some(RoundTimes { shortest, longest });
    }

    /// By how many times the levels of this round have more turns than planned; less than 1: fewer.
    pub(crate) fn stretch(&self) -> f64 {
        self.stretch
    }
}

impl RoundTime {
    fn min(self, other: RoundTime) -> RoundTime {
        RoundTime {
            beside: self.beside.min(other.beside),
            turns: self.turns.min(other.turns),
        }
    }

    fn max(self, other: RoundTime) -> RoundTime {
        RoundTime {
            beside: self.beside.max(other.beside),
            turns: self.turns.max(other.turns),
        }
    }

    /// How many of these fit into the time, with so many times the turns that were planned.
    fn fit(self, left: Duration, stretch: f64) -> usize {
        (left.as_secs_f64() / (self.beside + self.turns.mul_f64(stretch)).as_secs_f64()) as usize
    }

    /// By how many times as long as planned turns may be, so that this many rounds take nearly all of the time; 1 without turns.
    fn stretch(self, left: Duration, rounds: usize) -> f64 {
        let round = left.as_secs_f64() * PLANNED / rounds as f64;
        let stretch = (round - self.beside.as_secs_f64()) / self.turns.as_secs_f64();
        match stretch.is_finite() {
            true => stretch.min(MOST),
            false => 1.0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const S: Duration = Duration::from_secs(1);
    const ROUND: RoundTime = RoundTime {
        beside: Duration::from_secs(60),
        turns: Duration::from_secs(20),
    };

    fn all_of(round: RoundTime) -> Option<RoundTimes> {
        Some(RoundTimes {
            shortest: round,
            longest: round,
        })
    }

    #[test]
    fn time_that_is_left_goes_into_turns() {
        // Each of four rounds may take 100 s · 0.95 = 95 s, 35 of them in turns.
        assert_eq!(ROUND.stretch(400 * S, 4), 1.75);
        assert_eq!(ROUND.stretch(400 * S, 5), 0.8);
        assert_eq!(ROUND.stretch(3600 * S, 2), MOST);
        for (time, rounds) in [(400, 5), (399, 4), (79, 0), (0, 0)] {
            assert_eq!(ROUND.fit(time * S, 1.0), rounds);
        }
        assert_eq!(ROUND.fit(400 * S, 2.0), 4);
        let solo = RoundTime {
            turns: Duration::ZERO,
            ..ROUND
        };
        assert_eq!(solo.stretch(400 * S, 4), 1.0);
        assert_eq!(solo.stretch(60 * S, 1), 1.0);
    }

    #[test]
    fn the_longest_parts_of_all_rounds_count_and_turns_as_if_they_were_as_planned() {
        let mut limit = TimeLimit::new(Within::of(3600 * S));
        assert!(limit.begin_round(0, 9));
        assert_eq!(limit.stretch(), 1.0);
        let first = RoundTime {
            beside: 100 * S,
            turns: 20 * S,
        };
        limit.rounds = all_of(first);
        limit.stretch = 3.0;
        limit.turns_took(90 * S);
        limit.round_ended();
        // This round had 90 s of three times as many turns, and no time beside them.
        let longest = RoundTime {
            beside: 100 * S,
            turns: 30 * S,
        };
        let shortest = RoundTime {
            beside: Duration::ZERO,
            turns: 20 * S,
        };
        assert_eq!(limit.rounds, Some(RoundTimes { shortest, longest }));
    }

    #[test]
    fn a_third_round_is_worth_half_of_the_turns() {
        let begins = |left, done, ahead| {
            let mut limit = TimeLimit {
                rounds: all_of(ROUND),
                ended: done,
                ..TimeLimit::new(Within::of(left * S))
            };
            let begins = limit.begin_round(done, ahead);
            begins.then(|| (limit.stretch() * 1e3).round() / 1e3)
        };
        // Two more of 60 s and 20 s of turns: 160 s; with half of the turns 140 s, and 95% of what there is counts.
        for (left, done, ahead, stretch) in [
            (161, 1, 4, Some(1.0)),
            (152, 1, 4, Some(0.61)),
            (141, 1, 4, Some(0.5)),
            // No more than a second one: that has the time.
            (138, 1, 4, Some(3.555)),
            (76, 2, 4, Some(0.61)),
            (69, 2, 4, None),
            // A third is there, or not asked for.
            (76, 3, 4, None),
            (100, 1, 1, Some(1.75)),
        ] {
            assert_eq!(begins(left, done, ahead), stretch, "{left} {done} {ahead}");
        }
    }

    #[test]
    fn a_round_that_does_not_fit_is_not_begun_unless_there_would_be_too_few() {
        let limit = |fewest| TimeLimit {
            rounds: all_of(ROUND),
            ended: 1,
            ..TimeLimit::new(Within {
                time: 250 * S,
                fewest,
            })
        };
        // Three fit.
        for (done, ahead, begins, stretch) in [(1, 9, true, 1.0), (4, 1, true, 8.875)] {
            let mut limit = limit(4);
            assert_eq!(limit.begin_round(done, ahead), begins);
            assert!((limit.stretch() - stretch).abs() < 1e-3, "{limit:?}");
            assert!(limit.left() <= 250 * S);
        }
        let mut few = limit(5);
        assert!(few.at_most() <= 250 * S);
        assert!(few.begin_round(1, 9));
        assert_eq!((few.stretch(), few.at_most()), (1.0, Duration::MAX));
        assert!(few.begin_round(5, 9));
        assert_eq!(few.at_most(), Duration::MAX);
        // One is missing, and fits.
        assert!(few.begin_round(4, 9));
        assert!(few.at_most() <= 250 * S);
        // Later rounds took longer: the fewest are made all the same, and no more.
        let mut late = TimeLimit {
            ended: 3,
            rounds: all_of(RoundTime {
                beside: 400 * S,
                ..ROUND
            }),
            ..limit(5)
        };
        assert!(late.begin_round(4, 3));
        assert_eq!(late.stretch(), 1.0);
        assert!(!late.begin_round(5, 2));
        let mut over = TimeLimit {
            rounds: all_of(ROUND),
            ..TimeLimit::new(Within::of(79 * S))
        };
        assert!(!over.begin_round(1, 9));
        let mut first = TimeLimit::new(Within::of(Duration::ZERO));
        assert!(first.begin_round(0, 9));
        assert_eq!(first.at_most(), Duration::ZERO);
        let unknown = TimeLimit {
            rounds: None,
            ..limit(2)
        };
        assert_eq!(unknown.at_most(), Duration::MAX);
    }

    #[test]
    fn a_first_round_that_takes_long_for_once_does_not_lift_the_limit_for_good() {
        let mut limit = TimeLimit {
            rounds: all_of(RoundTime {
                beside: 130 * S,
                ..ROUND
            }),
            ended: 1,
            ..TimeLimit::new(Within {
                time: 400 * S,
                fewest: 4,
            })
        };
        // Two more of 150 s would fit, but three are missing.
        assert!(limit.begin_round(1, 6));
        assert_eq!((limit.stretch(), limit.at_most()), (1.0, Duration::MAX));
        limit.turns_took(20 * S);
        limit.round_ended();
        // The second took hardly anything but its turns, so the others fit. Each has half of the time: 0.95 · 200 s - 130 s are for its turns.
        assert!(limit.begin_round(2, 5));
        assert!(limit.at_most() <= 400 * S);
        assert_eq!((limit.stretch() * 1e3).round() / 1e3, 3.0);
        limit.within.time = 100 * S;
        assert!(limit.begin_round(3, 4));
        assert!(!limit.begin_round(4, 3));
    }
}
