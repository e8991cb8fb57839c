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
pub(super) mod series;
pub(super) mod stalls;
pub(super) mod trust;
pub(super) mod warnings;

use photofinish_model::Metric;
use photofinish_model::message::{Advantage, Message};
use photofinish_model::units::is_wide;
use photofinish_stats::{Decision, Direction, Interval, Paired, Width};
use photofinish_voice::verdict::{self as found, reason};
use schemars::JsonSchema;
use serde::Serialize;

use crate::comparison::ALPHA;
use crate::comparison::interference::noise::NoiseFloor;
use crate::comparison::interference::turns::PairedTurns;
use crate::comparison::note::{Hedge, Note};
use crate::comparison::reason::Invalid;
use interim::Judged;
use lead::advantage;

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
    /// How wide the ordinary interval is, and will be after more rounds; `None` without a ratio.
    #[serde(skip)]
    pub width: Option<Width>,
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
    Judged(JudgedPair),
    /// Nothing may be said.
    Void(Invalid),
}

/// What the rounds of a pair say.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct JudgedPair {
    /// Where the ratio lies.
    pub direction: Direction,
    /// The target that is ahead (more throughput, or less time); `null` where none is.
    pub ahead: Option<String>,
    /// How many rounds in all would decide it, where it is undecided and that can be said.
    pub rounds_needed: Option<u32>,
    /// The round after which a look decided it, where rounds were added until it was decided; `null` where the number of
    /// rounds is fixed, and while it is undecided.
    pub decided_after: Option<u32>,
    /// The round after which a look took an earlier decision back; not there where none did, or it was decided again.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub taken_back: Option<u32>,
    /// The chance that it is decided by the most rounds; not there where it is decided, or the number of rounds is fixed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub chance: Option<f64>,
}

/// A ratio of two servers that was judged, with all that a verdict on it takes.
pub(crate) struct Estimate {
    /// The rounds that it is made of.
    pub(crate) rounds: usize,
    pub(crate) paired: Paired,
    pub(crate) judged: Judged,
    pub(crate) margin: f64,
    /// No relative difference below this can be seen.
    pub(crate) resolution: f64,
    /// The most rounds, if they are added until it is decided.
    pub(crate) cap: Option<u32>,
    /// Whether the servers were measured at a capacity.
    pub(crate) is_sustained: bool,
}

/// Which of two servers is ahead, if one is.
pub(super) fn ahead(metric: Metric, direction: Direction, of: &str, over: &str) -> Option<String> {
    let of_is_ahead = match direction {
        Direction::Above => metric.larger_is_better(),
        Direction::Below => !metric.larger_is_better(),
        Direction::Tie | Direction::Undecided => return None,
    };
    Some(if of_is_ahead { of } else { over }.to_owned())
}

/// For what is left out of the JSON where it is `false`.
fn is_false(value: &bool) -> bool {
    !value
}

impl Verdict {
    /// The verdict on a ratio that was judged.
    pub(crate) fn of_estimate(
        metric: Metric,
        (of, over): (&str, &str),
        estimate: Estimate,
    ) -> Verdict {
        let Estimate {
            rounds,
            paired,
            judged,
            margin,
            resolution,
            cap,
            is_sustained,
        } = estimate;
        let decision = judged.decision;
        let judgement = match decision.direction {
            None => Judgement::Void(reason::no_interval().into()),
            Some(direction) => Judgement::Judged(JudgedPair {
                direction,
                ahead: ahead(metric, direction, of, over),
                rounds_needed: None,
                decided_after: cap.and(decision.decided_after),
                taken_back: cap.and(decision.withdrawn_after),
                chance: judged.chance,
            }),
        };
        let ratio = Some(paired.ratio());
        let mut verdict = Verdict {
            width: Some(Width {
                paired,
                alpha: judged.share,
                resolution,
            }),
            ..Verdict::of_decision(metric, (of, over), rounds, ratio, &decision, judgement)
        };
        verdict.say(margin, is_sustained);
        verdict
    }

    /// The verdict on a ratio that was analysed, without its sentences.
    pub(super) fn of_decision(
        metric: Metric,
        (of, over): (&str, &str),
        rounds: usize,
        ratio: Option<f64>,
        decision: &Decision,
        judgement: Judgement,
    ) -> Verdict {
        let is_ahead = matches!(&judgement, Judgement::Judged(judged) if judged.ahead.is_some());
        Verdict {
            metric,
            of: of.to_owned(),
            over: over.to_owned(),
            rounds,
            ratio,
            interval: decision.interval,
            wide: !is_ahead && decision.interval.is_some_and(is_wide),
            level: 1.0 - decision.level,
            raised: decision.level < ALPHA * (1.0 - 1e-9),
            width: None,
            judgement,
            outcome: found::tied(),
            says: found::tied(),
            turns: None,
            notes: Vec::new(),
        }
    }

    /// Makes its sentences.
    pub(super) fn say(&mut self, margin: f64, is_sustained: bool) {
        self.outcome = self.in_short();
        self.says = self.in_full(margin, is_sustained);
    }

    /// Whether it is void only because there were too few rounds so far.
    pub(crate) fn is_too_early(&self) -> bool {
        self.void().is_some_and(Invalid::is_too_early)
    }

    /// Returns what the rounds say; `None`: the verdict is void.
    pub fn judged(&self) -> Option<&JudgedPair> {
        match &self.judgement {
            Judgement::Judged(judged) => Some(judged),
            Judgement::Void(_) => None,
        }
    }

    /// Why nothing may be said.
    pub fn void(&self) -> Option<&Invalid> {
        match &self.judgement {
            Judgement::Judged(_) => None,
            Judgement::Void(invalid) => Some(invalid),
        }
    }

    /// Where the ratio lies; `None`: the verdict is void.
    pub fn direction(&self) -> Option<Direction> {
        Some(self.judged()?.direction)
    }

    /// The target that is ahead.
    pub fn ahead(&self) -> Option<&str> {
        self.judged()?.ahead.as_deref()
    }

    /// How many rounds in all would decide it.
    pub fn rounds_needed(&self) -> Option<u32> {
        self.judged()?.rounds_needed
    }

    /// The round after which an interim analysis decided it.
    pub fn decided_after(&self) -> Option<u32> {
        self.judged()?.decided_after
    }

    /// Whether further rounds up to the cap will hardly decide it; never before [`EARLIEST`] rounds.
    pub fn is_hopeless(&self) -> bool {
        let chance = self.judged().and_then(|judged| judged.chance);
        self.rounds >= EARLIEST && chance.is_some_and(|chance| chance < HOPELESS)
    }

    /// Whether it compares these two, in either order.
    pub fn is_between(&self, a: &str, b: &str) -> bool {
        let pair = (self.of.as_str(), self.over.as_str());
        pair == (a, b) || pair == (b, a)
    }

    /// The ratio of one of the two over the other, with its interval.
    pub fn ratio_of(&self, target: &str) -> Option<(f64, Option<Interval>)> {
        let ratio = self.ratio?;
        Some(match self.of == target {
            true => (ratio, self.interval),
            false => (
                ratio.recip(),
                self.interval.as_ref().and_then(Interval::recip),
            ),
        })
    }

    /// The ratio and interval of the one who is ahead over the other, with the other's name; for
    /// a verdict that says who is.
    pub fn from_ahead(&self) -> Option<(&str, &str, f64, Interval)> {
        let ahead = self.ahead()?;
        let (ratio, interval) = self.ratio_of(ahead)?;
        let other = if ahead == self.of {
            &self.over
        } else {
            &self.of
        };
        Some((ahead, other, ratio, interval?))
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
            Judgement::Void(invalid) => found::invalid(&invalid.reason),
            Judgement::Judged(judged) => match (&judged.ahead, judged.direction) {
                (Some(target), _) => found::ahead(target),
                (None, Direction::Tie) => found::tied(),
                (None, _) => found::undecided(needed(judged.rounds_needed, self.rounds)),
            },
        }
    }

    /// Returns the outcome in a sentence; `sustained`: at a capacity.
    pub(super) fn in_full(&self, margin: f64, sustained: bool) -> Message {
        let metric = self.metric;
        if let Some((target, over, ratio, interval)) = self.from_ahead() {
            return is_ahead(target, over, advantage(metric, ratio, interval), sustained);
        }
        let (of, over) = (&self.of, &self.over);
        let judged = match &self.judgement {
            Judgement::Void(invalid) => return found::no_verdict(&invalid.reason),
            Judgement::Judged(judged) => judged,
        };
        let Some(ratio) = self.ratio else {
            return found::no_verdict(reason::no_interval());
        };
        let (rounds, interval) = (self.rounds, self.interval);
        let needed = needed(judged.rounds_needed, rounds);
        match (judged.direction, self.wide) {
            (Direction::Tie, _) => found::tie(of, over, margin, metric, ratio, interval),
            (_, true) => found::too_wide(rounds, of, over, metric, ratio, needed),
            (_, false) => found::undecided_after(rounds, of, over, metric, ratio, interval, needed),
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

/// Returns how many more rounds than those that were made would decide it, if that is known.
pub(super) fn needed(rounds: Option<u32>, made: usize) -> Option<Message> {
    rounds.map(|rounds| match rounds > PRACTICAL {
        true => found::needs_too_many(),
        false => found::needs_rounds(rounds.saturating_sub(made as u32).max(1)),
    })
}
