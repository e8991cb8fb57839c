//! What a verdict is, and what it says.

pub(super) mod grade;
pub(super) mod headline;
pub(super) mod interim;
pub(super) mod interleaved;
pub(super) mod invalid;
pub(super) mod lead;
pub(super) mod metrics;
pub(super) mod pairs;
pub(super) mod pairwise;
pub(super) mod stalls;
pub(super) mod trust;
pub(super) mod warnings;

use photofinish_model::Metric;
use photofinish_model::message::{Advantage, Message};
use photofinish_stats::{Direction, Interval};
use photofinish_voice::verdict as found;
use schemars::JsonSchema;
use serde::Serialize;

use crate::comparison::interference::noise::NoiseFloor;
use crate::comparison::interference::turns::PairedTurns;
use crate::comparison::note::{Hedge, Note};
use crate::comparison::reason::Void;

/// More rounds than these nobody runs to settle a question: said to be impractical, and not counted.
const PRACTICAL: u32 = 200;

/// From so many rounds on it is said that further ones will hardly decide.
const EARLIEST: usize = 8;

/// The chance of a decision by the cap below which further rounds are not worth their time.
const HOPELESS: f64 = 0.05;

/// The verdict on one pair of targets for one metric.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Verdict {
    /// What is compared.
    pub metric: Metric,
    /// Target A.
    pub of: String,
    /// Target B.
    pub over: String,
    /// The rounds that both have.
    pub rounds: usize,
    /// A / B: the geometric mean of the rounds' ratios; `null` where a figure is missing or zero, and where the two cannot be
    /// compared.
    pub ratio: Option<f64>,
    /// The ratio's interval; `null` under two rounds, and where there is no ratio.
    pub interval: Option<Interval>,
    /// Whether the interval is too wide to say anything: then its digits would only look exact.
    pub wide: bool,
    /// The interval's level, such as 0.95; higher where Holm's procedure asks for it.
    pub level: f64,
    /// Whether that is more than 95%; not there where it is not.
    #[serde(skip_serializing_if = "is_false")]
    pub raised: bool,
    /// By how much the ordinary interval reaches from the ratio, as a share; `None` under two rounds.
    #[serde(skip)]
    pub half_width: Option<f64>,
    /// What came of it.
    pub judgement: Judgement,
    /// The same in a few words.
    pub outcome: Message,
    /// The same in a sentence, with the figures.
    pub says: Message,
    /// What the rounds' turns say beside it; not there for anything but throughput, and where no round was measured in turns.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub turns: Option<PairedTurns>,
    /// What a reader should know beside it.
    pub notes: Vec<Note>,
}

/// What came of a pair.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Judgement {
    /// The rounds say something.
    Judged {
        /// Where the ratio lies.
        direction: Direction,
        /// The target that is ahead (more throughput, or less time); `null` where none is.
        ahead: Option<String>,
        /// How many rounds in all would decide it, where it is undecided and that can be said.
        rounds_needed: Option<u32>,
        /// The round after which a look decided it, where rounds were added until it was decided; `null` where the number of
        /// rounds is fixed, and while it is undecided.
        decided_after: Option<u32>,
        /// The round after which a look took an earlier decision back; not there where none did, or it was decided again.
        #[serde(skip_serializing_if = "Option::is_none")]
        taken_back: Option<u32>,
        /// The chance that it is decided by the most rounds; not there where it is decided, or the number of rounds is fixed.
        #[serde(skip_serializing_if = "Option::is_none")]
        chance: Option<f64>,
    },
    /// Nothing may be said.
    Void {
        /// The reason, for code that depends on it.
        #[serde(skip)]
        void: Void,
        /// The reason.
        reason: Message,
    },
}

/// For what is left out of the JSON where it is `false`.
fn is_false(value: &bool) -> bool {
    !value
}

impl Verdict {
    /// Whether it is void only because there were too few rounds so far.
    pub(crate) fn is_too_early(&self) -> bool {
        self.void().is_some_and(is_too_early)
    }

    /// Where the ratio lies; `None` where the verdict is void.
    pub fn direction(&self) -> Option<Direction> {
        match &self.judgement {
            Judgement::Judged { direction, .. } => Some(*direction),
            Judgement::Void { .. } => None,
        }
    }

    /// The target that is ahead.
    pub fn ahead(&self) -> Option<&str> {
        match &self.judgement {
            Judgement::Judged { ahead, .. } => ahead.as_deref(),
            Judgement::Void { .. } => None,
        }
    }

    /// Why nothing may be said.
    pub fn void(&self) -> Option<&Void> {
        match &self.judgement {
            Judgement::Judged { .. } => None,
            Judgement::Void { void, .. } => Some(void),
        }
    }

    /// How many rounds in all would decide it.
    pub fn rounds_needed(&self) -> Option<u32> {
        match &self.judgement {
            Judgement::Judged { rounds_needed, .. } => *rounds_needed,
            Judgement::Void { .. } => None,
        }
    }

    /// The round after which a look decided it.
    pub fn decided_after(&self) -> Option<u32> {
        match &self.judgement {
            Judgement::Judged { decided_after, .. } => *decided_after,
            Judgement::Void { .. } => None,
        }
    }

    /// Whether further rounds up to the cap will hardly decide it; never before [`EARLIEST`] rounds.
    pub fn is_hopeless(&self) -> bool {
        match &self.judgement {
            Judgement::Judged { chance, .. } => {
                self.rounds >= EARLIEST && chance.is_some_and(|chance| chance < HOPELESS)
            }
            Judgement::Void { .. } => false,
        }
    }

    /// The ratio and interval of the one who is ahead over the other, with the other's name; for
    /// a verdict that says who is.
    pub fn from_ahead(&self) -> Option<(&str, &str, f64, Interval)> {
        let (ratio, interval) = (self.ratio?, self.interval?);
        let ahead = self.ahead()?;
        if ahead == self.of {
            return Some((ahead, &self.over, ratio, interval));
        }
        let turned = Interval::new(interval.high.recip(), interval.low.recip())?;
        Some((ahead, &self.of, ratio.recip(), turned))
    }

    /// Notes that the difference is no larger than that of a target from its own copy, where it is not.
    pub(super) fn beside_noise(&mut self, floor: Option<&NoiseFloor>) {
        let reach = floor.and_then(|floor| floor.reach);
        let (Some(reach), Some((.., ratio, _))) = (reach, self.from_ahead()) else {
            return;
        };
        if ratio.max(ratio.recip()) <= reach {
            self.notes.push(Hedge::WithinNoise { reach }.into());
        }
    }

    /// Returns the outcome in a few words.
    pub(super) fn in_short(&self) -> Message {
        match &self.judgement {
            Judgement::Void { reason, .. } => found::invalid(reason),
            Judgement::Judged {
                ahead: Some(target),
                ..
            } => found::ahead(target),
            Judgement::Judged {
                direction: Direction::Tie,
                ..
            } => found::tied(),
            Judgement::Judged { rounds_needed, .. } => found::undecided(needed(*rounds_needed)),
        }
    }

    /// Returns the outcome in a sentence; `sustained`: at a capacity.
    pub(super) fn in_full(&self, margin: f64, sustained: bool) -> Message {
        let metric = self.metric;
        if let Some((target, over, ratio, interval)) = self.from_ahead() {
            let advantage = Advantage {
                metric,
                ratio,
                interval: Some(interval),
            };
            return is_ahead(target, over, advantage, sustained);
        }
        let (of, over) = (&self.of, &self.over);
        match (&self.judgement, self.ratio) {
            (Judgement::Void { reason, .. }, _) => found::no_verdict(reason),
            (
                Judgement::Judged {
                    direction: Direction::Tie,
                    ..
                },
                Some(ratio),
            ) => found::tie(of, over, margin, metric, ratio, self.interval),
            (Judgement::Judged { rounds_needed, .. }, Some(ratio)) => {
                let needed = needed(*rounds_needed);
                match self.wide {
                    true => found::too_wide(self.rounds, of, over, metric, ratio, needed),
                    false => found::undecided_after(
                        self.rounds,
                        of,
                        over,
                        metric,
                        ratio,
                        self.interval,
                        needed,
                    ),
                }
            }
            (Judgement::Judged { .. }, None) => found::no_verdict(Message::from(&Void::NoInterval)),
        }
    }
}

/// Returns that one server is ahead of another.
fn is_ahead(target: &str, over: &str, by: Advantage, sustained: bool) -> Message {
    let metric = by.metric;
    match (metric.larger_is_better(), sustained, by.is_factor()) {
        (true, false, false) => found::faster(target, by, over, by),
        (true, false, true) => found::times_as_fast(target, by, over, by),
        (true, true, false) => found::sustains_more(target, by, over, by),
        (true, true, true) => found::sustains_times_as_much(target, by, over, by),
        (false, ..) => found::lower(target, metric, by, over, by),
    }
}

/// Whether further rounds may lift this.
pub(crate) fn is_too_early(void: &Void) -> bool {
    matches!(void, Void::OneRound)
}

/// Returns how many rounds would decide it, if that is known.
pub(super) fn needed(rounds: Option<u32>) -> Option<Message> {
    rounds.map(|rounds| match rounds > PRACTICAL {
        true => found::needs_too_many(),
        false => found::needs_rounds(rounds),
    })
}
