//! How a limit of time (`within`) is shared out: which rounds are begun, and for how long their levels are measured in turns.

use std::mem;
use std::ops::Add;
use std::time::{Duration, Instant};

use photofinish_model::settings::RaceSettings;

use crate::order::Level;

/// Most turns of a level, in multiples of those in the plan.
const MAX_TURNS_FACTOR: f64 = 10.0;
/// Smallest number of rounds for which levels are shortened: two rounds decide hardly anything.
const MIN_ROUNDS: usize = 3;
/// Fewest turns of a shortened level, in multiples of those in the plan.
const MIN_TURNS_FACTOR: f64 = 0.5;
/// Number of short rounds at the beginning of a run that ends when it is decided: most differences show in a
/// few short rounds.
const SHORT_ROUNDS: u32 = 4;
/// Share of the planned turns in a short round. A short round has more turns if they would take less than
/// this share of the rest of the round, so that a round of servers that start slowly is worth its start.
const SHORT_SHARE: f64 = 0.6;
/// About how long other rounds take. A periodic activity every few seconds shows only if the process lives as
/// long.
const ROUND_TIME: Duration = Duration::from_secs(12);
/// How long a level with hardly any undisturbed turn continues, in multiples of its time, unless the round is
/// the last.
const MAX_EXTENSION: f64 = 1.5;
/// Share of the remaining time that is planned: rounds do not take exactly as long as earlier ones.
const PLANNED_SHARE: f64 = 0.95;

/// The time that the rounds of a run may take together, and what those that ended took.
#[derive(Debug)]
pub(crate) struct TimeLimit {
    time: Duration,
    /// The time holds only if at least this many rounds fit.
    fewest: u32,
    /// Whether the time holds: not if rounds like those so far are too long for even the fewest to fit. There are no more than the fewest then.
    holds: bool,
    /// Whether the run ends once it is decided: its first rounds are short then, and none is cut short for another one.
    ends_once_decided: bool,
    began: Instant,
    round: Round,
    /// What the rounds that ended took: all together, and the least and the most of each part.
    all: RoundTime,
    shortest: RoundTime,
    longest: RoundTime,
    /// How many ended.
    ended: u32,
    /// The levels that they measured in turns, each with what its turns took, as if they were as planned, and in how many rounds.
    levels: Vec<(Level, Duration, u32)>,
}

/// For how long the turns of a level are made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TurnTime {
    /// In any case.
    pub(crate) usual: Duration,
    /// Where hardly any was undisturbed by then.
    pub(crate) most: Duration,
}

/// The round that is under way.
#[derive(Debug)]
struct Round {
    began: Instant,
    /// How long it may take; `None`: as long as it likes.
    time: Option<Duration>,
    /// Whether there is no time for another one after it.
    is_last: bool,
    /// By how many times its levels have more turns than planned; less than 1: fewer.
    stretch: f64,
    /// When its first turns began, after its begin.
    before: Option<Duration>,
    /// What turns took so far.
    turns: Vec<(Level, Duration)>,
}

/// What a round takes.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct RoundTime {
    /// Before its first turns: starts, verifications, warm-ups.
    before: Duration,
    /// Beside them: measurements in one continuous run, profiles, stops.
    along: Duration,
    /// The turns that the plan asks for, with those in place of disturbed ones.
    turns: Duration,
}

impl TimeLimit {
    /// The limit of a run that begins now, if it has one.
    pub(crate) fn of(settings: &RaceSettings) -> Option<TimeLimit> {
        let time = settings.within?;
        Some(TimeLimit {
            ends_once_decided: settings.until_decided,
            ..TimeLimit::new(time, settings.fewest_rounds)
        })
    }

    fn new(time: Duration, fewest: u32) -> TimeLimit {
        TimeLimit {
            time,
            fewest,
            holds: true,
            ends_once_decided: false,
            began: Instant::now(),
            round: Round::begin(),
            all: RoundTime::default(),
            shortest: RoundTime::default(),
            longest: RoundTime::default(),
            ended: 0,
            levels: Vec::new(),
        }
    }

    /// So many pairs of machines measure the fewest rounds between them.
    pub(crate) fn is_shared_by(&mut self, pairs: usize) {
        self.fewest = self.fewest.div_ceil(pairs.max(1) as u32);
    }

    /// What is left of it.
    fn left(&self) -> Duration {
        self.time.saturating_sub(self.began.elapsed())
    }

    /// For how long the run continues at most: if the time does not hold, for as long as the rounds that are missing to the fewest take.
    pub(crate) fn at_most(&self) -> Duration {
        if self.holds {
            return self.left();
        }
        let missing = self.fewest.saturating_sub(self.ended);
        let usual = self.usual().unwrap_or_default();
        (usual.beside() + usual.turns) * missing
    }

    /// Whether even the fewest rounds do not fit into the time.
    pub(crate) fn is_lifted(&self) -> bool {
        !self.holds
    }

    /// What a round takes, by the mean of those that ended; `None` before the first did.
    fn usual(&self) -> Option<RoundTime> {
        (self.ended > 0).then(|| RoundTime {
            before: self.all.before / self.ended,
            along: self.all.along / self.ended,
            turns: self.all.turns / self.ended,
        })
    }

    /// Begins a round, unless it would not end in time; the first is begun in any case, and so are the fewest. `done`: the rounds before it; `ahead`:
    /// those that the plan still asks for.
    pub(crate) fn begin_round(&mut self, done: usize, ahead: usize) -> bool {
        let mut round = Round {
            stretch: self.pace(),
            ..Round::begin()
        };
        if let Some(usual) = self.usual() {
            let left = self.left();
            let missing = (self.fewest as usize).saturating_sub(done);
            let least = match self.ends_once_decided {
                true => round.stretch.min(1.0),
                false => MIN_TURNS_FACTOR,
            };
            // A first round that takes long for once does not lift the limit for good.
            if missing > 0 && (self.ended == 1 || !self.holds) {
                self.holds = self.shortest.fit(left, MIN_TURNS_FACTOR) >= missing;
            }
            if !self.holds && missing == 0 {
                return false;
            }
            if self.holds {
                // One that takes as long as any so far is to end in time, too.
                if missing == 0 && self.longest.fit(left, least) == 0 {
                    return false;
                }
                if self.ends_once_decided {
                    round.stretch = round
                        .stretch
                        .min(usual.stretch(left.mul_f64(PLANNED_SHARE)));
                } else {
                    let wanted = MIN_ROUNDS.saturating_sub(done).max(1).min(ahead);
                    // Only turns can be longer than planned.
                    let long = match usual.turns.is_zero() {
                        true => usize::MAX,
                        false => (left.as_secs_f64() / ROUND_TIME.as_secs_f64()) as usize,
                    };
                    let fit = usual.fit(left, 1.0).min(long);
                    let fit = fit.max(usual.fit(left, least).min(wanted));
                    let rounds = fit.min(ahead).max(missing);
                    if rounds == 0 {
                        return false;
                    }
                    let share = left.mul_f64(PLANNED_SHARE) / rounds as u32;
                    round.is_last = rounds == 1;
                    round.time = Some(share);
                    round.stretch = usual.stretch(share);
                }
            }
        }
        self.round = round;
        true
    }

    /// By how many times the levels of the next round have more turns than planned; less than 1: fewer.
    fn pace(&self) -> f64 {
        if !self.ends_once_decided {
            return 1.0;
        }
        let usual = self.usual().unwrap_or_default();
        if self.ended >= SHORT_ROUNDS {
            return usual.stretch(ROUND_TIME).max(1.0);
        }
        let beside = self.shortest.beside().as_secs_f64();
        let worth = SHORT_SHARE * beside / usual.turns.as_secs_f64();
        if worth.is_finite() {
            worth.clamp(SHORT_SHARE, 1.0)
        } else {
            SHORT_SHARE
        }
    }

    /// Whether the round that is under way is one of the short ones.
    pub(crate) fn is_short(&self) -> bool {
        self.round.stretch < 1.0 && self.ends_once_decided
    }

    /// A level's turns begin: for how long they are made; `None`: until there are as many as planned.
    pub(crate) fn turns_begin(&mut self, level: Level) -> Option<TurnTime> {
        let passed = self.round.began.elapsed();
        self.round.before.get_or_insert(passed);
        self.time_for_turns(level, passed)
    }

    /// For how long the turns of a level are made that begin when so much of the round has passed: what is left of its time after what comes beside turns is
    /// shared out among the levels that are ahead, as their turns took in the rounds before.
    fn time_for_turns(&self, level: Level, passed: Duration) -> Option<TurnTime> {
        let (time, usual) = (self.round.time?, self.usual()?);
        let is_ahead = |level: Level| !self.round.turns.iter().any(|(done, _)| *done == level);
        let all = self
            .levels
            .iter()
            .map(|(level, took, rounds)| (*level, *took / *rounds));
        let ahead: Vec<(Level, Duration)> = all.filter(|(level, _)| is_ahead(*level)).collect();
        let (_, own) = *ahead.iter().find(|(other, _)| *other == level)?;
        let beside = usual.along * ahead.len() as u32 / self.levels.len() as u32;
        let planned: Duration = ahead.iter().map(|(_, took)| took).sum();
        let times = time.saturating_sub(passed + beside).as_secs_f64() / planned.as_secs_f64();
        let times = Some(times).filter(|times| times.is_finite())?;
        let share = own.mul_f64(times.clamp(MIN_TURNS_FACTOR, MAX_TURNS_FACTOR));
        Some(TurnTime {
            usual: share,
            most: match self.round.is_last {
                true => share,
                false => share.mul_f64(MAX_EXTENSION),
            },
        })
    }

    /// A level's turns took so long.
    pub(crate) fn turns_took(&mut self, level: Level, time: Duration) {
        self.round.turns.push((level, time));
    }

    /// The round ended.
    pub(crate) fn round_ended(&mut self) {
        let took = self.round.took(self.round.began.elapsed());
        self.shortest = match self.ended {
            0 => took,
            _ => self.shortest.least(took),
        };
        self.longest = self.longest.most(took);
        self.all = self.all.and(took);
        self.ended += 1;
        for (level, time) in mem::take(&mut self.round.turns) {
            let time = time.div_f64(self.round.stretch);
            match self.levels.iter_mut().find(|(other, ..)| *other == level) {
                Some((_, all, rounds)) => (*all, *rounds) = (*all + time, *rounds + 1),
                None => self.levels.push((level, time, 1)),
            }
        }
    }

    /// By how many times the levels of this round have more turns than planned; less than 1: fewer.
    pub(crate) fn stretch(&self) -> f64 {
        self.round.stretch
    }
}

impl Round {
    /// One that begins now, as long as it likes, with the turns that are planned.
    fn begin() -> Round {
        Round {
            began: Instant::now(),
            time: None,
            is_last: false,
            stretch: 1.0,
            before: None,
            turns: Vec::new(),
        }
    }

    /// What it took, where so much has passed since it began.
    fn took(&self, passed: Duration) -> RoundTime {
        let before = self.before.unwrap_or(passed);
        let turns = self.turns.iter().map(|(_, took)| took).sum::<Duration>();
        RoundTime {
            before,
            along: passed.saturating_sub(before + turns),
            turns: turns.div_f64(self.stretch),
        }
    }
}

impl RoundTime {
    /// The shorter of each part.
    fn least(self, other: RoundTime) -> RoundTime {
        self.with(other, Duration::min)
    }

    /// The longer of each part.
    fn most(self, other: RoundTime) -> RoundTime {
        self.with(other, Duration::max)
    }

    /// Both together.
    fn and(self, other: RoundTime) -> RoundTime {
        self.with(other, Duration::add)
    }

    fn with(self, other: RoundTime, of: fn(Duration, Duration) -> Duration) -> RoundTime {
        RoundTime {
            before: of(self.before, other.before),
            along: of(self.along, other.along),
            turns: of(self.turns, other.turns),
        }
    }

    fn beside(self) -> Duration {
        self.before + self.along
    }

    /// How many of these fit into the time, with so many times the turns that were planned.
    fn fit(self, left: Duration, stretch: f64) -> usize {
        let round = self.beside() + self.turns.mul_f64(stretch);
        (left.as_secs_f64() / round.as_secs_f64()) as usize
    }

    /// By how many times as long as planned turns are where the round takes so long; 1 without turns.
    fn stretch(self, round: Duration) -> f64 {
        let stretch = round.saturating_sub(self.beside()).as_secs_f64() / self.turns.as_secs_f64();
        match stretch.is_finite() {
            true => stretch.clamp(MIN_TURNS_FACTOR, MAX_TURNS_FACTOR),
            false => 1.0,
        }
    }
}

#[cfg(test)]
mod tests;
