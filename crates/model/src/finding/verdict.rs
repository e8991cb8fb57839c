//! What came of comparing two targets.

use photofinish_stats::Interval;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::check::GeneratorTrouble;
use crate::network::FullLink;
use crate::{DisturbedTurns, Metric, OnePiece};

/// Why nothing may be said of figures that were measured.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "code", rename_all = "kebab-case")]
pub enum Void {
    /// From a smoke run nothing may be concluded.
    Smoke,
    /// No round has a figure of both.
    NoCommonRound {
        /// One of them.
        of: String,
        /// The other one.
        over: String,
    },
    /// One round shows no spread.
    OneRound,
    /// A figure is zero, so there is no ratio.
    Zero {
        /// Whose.
        target: String,
    },
    /// The rounds differ so much that there is no interval.
    NoInterval,
    /// The targets gave different responses.
    NotTheSameJob {
        /// One of them.
        of: String,
        /// The other one.
        over: String,
    },
    /// A target was to be measured and was not.
    NotMeasured {
        /// The target.
        target: String,
    },
    /// A target gave other responses in another run.
    OtherResponse {
        /// The target.
        target: String,
    },
    /// Responses of a target were no longer those by which it was verified.
    ChangedSince {
        /// The target.
        target: String,
        /// The rounds in which they were not.
        rounds: Vec<u32>,
    },
    /// An open loop was offered more than it served: its response times are those of a growing queue.
    Overloaded {
        /// The target.
        target: String,
        /// The rounds in which it was.
        rounds: Vec<u32>,
    },
    /// Too few requests lie beyond a percentile.
    FewBeyond {
        /// The percentile.
        metric: Metric,
        /// The target.
        target: String,
        /// The requests of the round with the fewest.
        requests: u64,
        /// How many would do.
        needed: u64,
    },
    /// There are two rounds only, and they differ much: their spread is known with one degree of freedom.
    UnevenPair {
        /// The target whose two rounds differ most.
        target: String,
        /// The larger figure over the smaller.
        times: f64,
    },
    /// In some rounds a search found no rate that holds.
    NoRateHeld {
        /// The target.
        target: String,
        /// The rounds.
        rounds: Vec<u32>,
    },
    /// In some rounds the rate that a search found is a lower bound.
    LowerBound {
        /// The target.
        target: String,
        /// The rounds.
        rounds: Vec<u32>,
    },
    /// Several load generators did not send the load as one would have.
    Generators {
        /// What was wrong first.
        trouble: GeneratorTrouble,
        /// The rounds in which something was.
        rounds: Vec<u32>,
    },
    /// What several load generators measured by themselves contradicts each other: the intervals of the ratio do not meet.
    GeneratorsDisagree {
        /// One of them.
        one: String,
        /// The ratio by that one.
        one_ratio: Interval,
        /// Another one.
        other: String,
        /// The ratio by that one.
        other_ratio: Interval,
    },
    /// Turns and continuous runs of the same processes contradict each other by more than their spread explains.
    TurnsDiffer {
        /// In which metric.
        metric: Metric,
        /// The ratio in turns.
        turns: f64,
        /// That in continuous runs.
        blocks: f64,
        /// The rounds that have both.
        rounds: usize,
    },
    /// A network link carried about as much as it can, which bounded throughput and response times.
    FullLink {
        /// The link, where it was fullest.
        link: FullLink,
        /// The target.
        target: String,
        /// The rounds in which one was full.
        rounds: Vec<u32>,
    },
    /// At a capacity each target's response times are those of a rate of its own.
    RatesOfTheirOwn,
}

/// How many rounds would decide it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "code", rename_all = "kebab-case")]
pub enum Needed {
    /// About so many in all.
    About {
        /// Rounds.
        rounds: u32,
    },
    /// More than anyone would run.
    Impractical,
    /// That cannot be said.
    Unknown,
}

/// By how much one is ahead of the other in a metric.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Amount {
    /// What is compared.
    pub metric: Metric,
    /// The one that is ahead over the other: above 1 for throughput, below 1 for times.
    pub ratio: f64,
    /// Its interval.
    pub interval: Option<Interval>,
}

/// What came of a pair, in a few words.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "code", rename_all = "kebab-case")]
pub enum Outcome {
    /// One is ahead.
    Ahead {
        /// It.
        target: String,
    },
    /// Within the margin.
    Tie,
    /// The rounds do not decide it.
    Undecided {
        /// How many would.
        needed: Needed,
    },
    /// Nothing may be said.
    Void {
        /// Why.
        reason: Void,
    },
}

/// A verdict in a sentence.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "code", rename_all = "kebab-case")]
pub enum VerdictFinding {
    /// One is ahead.
    Ahead {
        /// It.
        target: String,
        /// The other one.
        over: String,
        /// By how much.
        amount: Amount,
        /// Whether rates that are sustained are compared.
        sustained: bool,
    },
    /// The ratio lies within the margin.
    Tie {
        /// What is compared.
        metric: Metric,
        /// Target A.
        of: String,
        /// Target B.
        over: String,
        /// A / B.
        ratio: f64,
        /// Its interval.
        interval: Option<Interval>,
        /// The margin.
        margin: f64,
    },
    /// The rounds do not decide it.
    Undecided {
        /// What is compared.
        metric: Metric,
        /// Target A.
        of: String,
        /// Target B.
        over: String,
        /// The rounds.
        rounds: usize,
        /// A / B.
        ratio: f64,
        /// Its interval.
        interval: Option<Interval>,
        /// Whether the interval is too wide to say anything.
        wide: bool,
        /// How many rounds would decide it.
        needed: Needed,
    },
    /// Nothing may be said.
    Void {
        /// Why.
        reason: Void,
    },
}

/// Two groups of a target's rounds.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Groups {
    /// The rounds of the smaller group.
    pub few: usize,
    /// All rounds.
    pub rounds: usize,
    /// The figure of the smaller group over that of the larger one.
    pub ratio: f64,
}

impl Note {
    /// Whether a verdict must not be stated without it.
    pub fn is_hedge(&self) -> bool {
        matches!(
            self,
            Note::WithinNoise { .. } | Note::IfIndependent { .. } | Note::TwoGroups { .. }
        )
    }
}

/// What a reader should know beside a verdict.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "code", rename_all = "kebab-case")]
pub enum Note {
    /// A look at the rounds so far decided it.
    DecidedAfter {
        /// The rounds.
        rounds: u32,
    },
    /// An earlier look had decided it, and these rounds contradicted that.
    TakenBack {
        /// The rounds after which the decision was taken back.
        rounds: u32,
    },
    /// It was not decided when the most rounds were done.
    AtTheCap {
        /// The most rounds.
        rounds: u32,
    },
    /// The chance that rounds up to the most would decide it is less than 5%.
    Improbable {
        /// The most rounds.
        cap: u32,
    },
    /// The difference is no larger than that of a target from its own copy.
    WithinNoise {
        /// As far as the noise floor reaches: a ratio above 1.
        reach: f64,
    },
    /// Were a round like the one before it, by as much as so few rounds do not exclude, it would be undecided.
    IfIndependent {
        /// The rounds.
        rounds: usize,
        /// The largest correlation of a round with the one before it that they do not exclude.
        correlation: f64,
    },
    /// The rounds are like the ones before them, and the interval is wider for it.
    Correlated {
        /// The correlation of a round with the one before it.
        correlation: f64,
        /// How many times as wide the interval is.
        times: f64,
    },
    /// The rounds of a target fall into two groups: the ratio depends on how many of each there were.
    TwoGroups {
        /// The target.
        target: String,
        /// How the groups differ.
        groups: Groups,
    },
    /// The search is too coarse: rounds do not help.
    Coarse {
        /// The gap that it leaves, as a share.
        gap: f64,
    },
    /// Something disturbed turns, which do not count, or not all of them.
    SetAside {
        /// How many turns were disturbed, over all rounds.
        disturbed: usize,
        /// How many were made.
        made: usize,
        /// How many of them count: more than were not disturbed where too few would be left in a round.
        kept: usize,
        /// What disturbed them, the most frequent first.
        why: Vec<DisturbedTurns>,
        /// Whether it was mostly other targets' servers, which were not paused meanwhile.
        freeze: bool,
        /// The ratio over all turns.
        all: f64,
    },
    /// In some rounds a virtual machine's cores lay otherwise than in most, by their core-to-core latency.
    MovedCores {
        /// The rounds.
        rounds: Vec<u32>,
        /// The latency in them, in nanoseconds.
        latency_ns: f64,
        /// In the others.
        usual_ns: f64,
        /// Whether they do not count; they do where too few rounds would be left.
        set_aside: bool,
        /// Whether they still say how much rounds differ, because few are left.
        say_how_much_rounds_differ: bool,
    },
    /// How turns were summed up, and what other ways of it say.
    InTurns {
        /// How many turns were made, over all rounds.
        made: usize,
        /// How many of them count.
        kept: usize,
        /// The ratio by a trimmed mean of the turns' ratios.
        trimmed: Option<f64>,
        /// The ratio in one piece, in rounds in which nothing disturbed that.
        blocks: Option<f64>,
    },
    /// The ratio of medians is that of turns, where rounds were measured in turns.
    MediansByTurn {
        /// The ratio of the medians of all requests of a round.
        pooled: f64,
    },
    /// The ratio of throughputs is that at equally fast cores: these were faster now for one target, now for the other, and throughput followed.
    AtEqualSpeed {
        /// The ratio of the throughputs as measured, over the turns that count for figures.
        measured: f64,
        /// By which power of the cores' speed throughput went: 1 is in proportion.
        power: f64,
    },
    /// Rounds in which it was measured in one piece for each target, though their servers were up together.
    InOnePiece {
        /// The rounds.
        rounds: Vec<u32>,
        /// Why.
        why: OnePiece,
    },
    /// The ratio in turns is another than that in one piece, by more than the margin.
    TurnsDiffer {
        /// The ratio in turns, in the rounds that have both.
        turns: f64,
        /// That in one piece.
        blocks: f64,
        /// The rounds.
        rounds: usize,
    },
    /// The load generator was the bottleneck of the faster one, which may be faster than that.
    GeneratorBound {
        /// The faster one.
        target: String,
        /// The rounds in which it was.
        rounds: Vec<u32>,
    },
}
