//! Why a verdict is invalid.

use photofinish_model::Metric;
use photofinish_model::message::Message;
use photofinish_model::network::FullLink;
use photofinish_stats::Interval;
use photofinish_voice::network;
use photofinish_voice::verdict::reason;

use crate::checks::GeneratorTrouble;

/// Why nothing may be said of figures that were measured.
#[derive(Clone, Debug, PartialEq)]
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
    /// A network link carried about as much as it can, which bounded throughput and response times.
    FullLink {
        /// The link, where it was fullest.
        link: FullLink,
        /// The target.
        target: String,
        /// The rounds in which one was full.
        rounds: Vec<u32>,
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
    /// At a capacity each target's response times are those of a rate of its own.
    RatesOfTheirOwn,
}

impl From<&Void> for Message {
    fn from(void: &Void) -> Message {
        match void {
            Void::Smoke => reason::smoke(),
            Void::NoCommonRound { of, over } => reason::no_common_round(of, over),
            Void::OneRound => reason::one_round(),
            Void::Zero { target } => reason::zero(target),
            Void::NoInterval => reason::no_interval(),
            Void::NotTheSameJob { of, over } => reason::not_the_same_job(of, over),
            Void::NotMeasured { target } => reason::not_measured(target),
            Void::OtherResponse { target } => reason::other_response(target),
            Void::ChangedSince { target, rounds } => reason::changed_since(target, rounds),
            Void::Overloaded { target, rounds } => reason::overloaded(target, rounds),
            Void::FewBeyond {
                metric,
                target,
                requests,
                needed,
            } => reason::few_beyond(target, *requests, metric, *needed),
            Void::NoRateHeld { target, rounds } => reason::no_rate_held(target, rounds),
            Void::LowerBound { target, rounds } => reason::lower_bound(target, rounds),
            Void::Generators { trouble, rounds } => reason::generators(trouble, rounds),
            Void::GeneratorsDisagree {
                one,
                one_ratio,
                other,
                other_ratio,
            } => reason::generators_disagree(
                one_ratio.low,
                one_ratio.high,
                one,
                other_ratio.low,
                other_ratio.high,
                other,
            ),
            Void::FullLink {
                link,
                target,
                rounds,
            } => reason::full_link(full_link(link), target, rounds),
            Void::TurnsDiffer {
                metric,
                turns,
                blocks,
                rounds,
            } => reason::turns_differ(metric, *turns, *blocks, *rounds),
            Void::RatesOfTheirOwn => reason::rates_of_their_own(),
        }
    }
}

/// Returns that a link was full.
pub(super) fn full_link(link: &FullLink) -> Message {
    network::full_link(&link.interface, &link.machine, link.share, link.mbit_per_s)
}
