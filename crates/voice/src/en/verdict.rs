//! Verdicts on pairs.

use photofinish_model::finding::verdict::{
    Amount, Groups, Needed, Note, Outcome, VerdictFinding, Void,
};
use photofinish_model::units::{self, number, percent, plural, ratio, thousands};
use photofinish_model::{Disturbed, DisturbedTurns, OnePiece};
use photofinish_stats::Interval;

use super::{check, metric, network};

/// What disturbed turns, each with how many.
fn disturbances(why: &[DisturbedTurns]) -> String {
    let each = why.iter().map(|DisturbedTurns { what, turns }| {
        let what = match what {
            Disturbed::OtherProcesses => "other processes",
            Disturbed::Bystanders => "other targets' servers",
            Disturbed::StoppedCore => "a stopped core",
            Disturbed::MovedCores => "another core-to-core latency",
            Disturbed::UnevenCores => "cores of changing speed",
        };
        format!("{what}: {turns}")
    });
    each.collect::<Vec<_>>().join(", ")
}

pub(crate) fn void(void: &Void) -> String {
    match void {
        Void::Smoke => "a smoke run says nothing about speed".to_owned(),
        Void::NoCommonRound { of, over } => {
            format!("no round has a figure of both {of} and {over}")
        }
        Void::OneRound => "one round only".to_owned(),
        Void::Zero { target } => format!("a figure of {target} is zero"),
        Void::NoInterval => "the rounds differ too much to give an interval".to_owned(),
        Void::NotTheSameJob { of, over } => {
            format!("{of} and {over} did not do the same job: their responses differ")
        }
        Void::NotMeasured { target } => format!("{target} was not measured"),
        Void::OtherResponse { target } => {
            format!("{target} did not do the same job in both runs: its responses differ")
        }
        Void::ChangedSince { target, rounds } => format!(
            "{target} responded differently in {} than when it was verified: more than 1 in 100 of its responses had another status or body",
            in_rounds(rounds)
        ),
        Void::Overloaded { target, rounds } => format!(
            "{target} was overloaded in {}: it was offered more than it could serve, so its response times are those of a growing queue",
            in_rounds(rounds)
        ),
        Void::FewBeyond {
            metric,
            target,
            requests,
            needed,
        } => format!(
            "a round of {target} has only {}: {} needs {}",
            plural(*requests as usize, "request", "requests"),
            metric::name(metric),
            thousands(*needed as f64)
        ),
        Void::UnevenPair { target, times } => format!(
            "only two rounds, and those of {target} differ by a factor of {}: run more",
            number(*times)
        ),
        Void::NoRateHeld { target, rounds } => {
            format!(
                "no rate of {target} met the objective ({})",
                in_rounds(rounds)
            )
        }
        Void::LowerBound { target, rounds } => {
            format!(
                "the rate of {target} is a lower bound ({})",
                in_rounds(rounds)
            )
        }
        Void::Generators { trouble, rounds } => {
            format!("{} ({})", check::trouble(trouble), in_rounds(rounds))
        }
        Void::GeneratorsDisagree {
            one,
            one_ratio,
            other,
            other_ratio,
        } => format!(
            "load generators disagree: the ratio is {} to {} according to {one}, and {} to {} according to {other}",
            number(one_ratio.low),
            number(one_ratio.high),
            number(other_ratio.low),
            number(other_ratio.high)
        ),
        Void::TurnsDiffer {
            metric,
            turns,
            blocks,
            rounds,
        } => format!(
            "turns and continuous runs of the same processes contradict each other: the ratio in {} is {} in turns and {} in continuous runs ({}); measure with `--sequential`",
            metric::name(metric),
            ratio(*turns),
            ratio(*blocks),
            plural(*rounds, "round", "rounds")
        ),
        Void::FullLink {
            link,
            target,
            rounds,
        } => format!(
            "{}, which bounded {target} ({})",
            network::full_link(link),
            in_rounds(rounds)
        ),
        Void::RatesOfTheirOwn => {
            "response times were measured at a different rate for each target".to_owned()
        }
    }
}

pub(crate) fn needed(needed: &Needed) -> String {
    match needed {
        Needed::About { rounds } => {
            format!(
                "about {} rounds are needed for a decision",
                thousands(f64::from(*rounds))
            )
        }
        Needed::Impractical => "a decision would take more rounds than are practical".to_owned(),
        Needed::Unknown => String::new(),
    }
}

/// The needed rounds behind a separator, or nothing.
pub(crate) fn and_needed(needed: &Needed) -> String {
    match self::needed(needed) {
        text if text.is_empty() => text,
        text => format!("; {text}"),
    }
}

/// The needed rounds in brackets, or nothing.
pub(crate) fn in_brackets(needed: &Needed) -> String {
    match self::needed(needed) {
        text if text.is_empty() => text,
        text => format!(" ({text})"),
    }
}

pub(crate) fn amount(amount: &Amount) -> String {
    let (size, bounds) = parts(amount);
    format!("{size}{bounds}")
}

/// By how much, such as `10.0%` or `2.09 ×`, and the interval with a space before it.
pub(crate) fn parts(amount: &Amount) -> (String, String) {
    let Amount {
        metric,
        ratio,
        interval,
    } = *amount;
    let turned = !metric.larger_is_better();
    let (is_factor, text): (bool, fn(f64) -> String) =
        match (turned, if turned { ratio.recip() } else { ratio }) {
            (_, factor) if factor >= 2.0 => (true, number),
            (false, _) => (false, |ratio| percent(ratio - 1.0)),
            (true, _) => (false, |ratio| percent(1.0 - ratio)),
        };
    let size = |ratio: f64| {
        text(if is_factor && turned {
            ratio.recip()
        } else {
            ratio
        })
    };
    let bounds = interval.map_or_else(String::new, |Interval { low, high }| {
        let (low, high) = if turned { (high, low) } else { (low, high) };
        format!(" [{} … {}]", size(low), size(high))
    });
    let sign = if is_factor { " ×" } else { "" };
    (format!("{}{sign}", size(ratio)), bounds)
}

/// Whether an amount is shown as a factor.
pub(crate) fn is_factor(amount: &Amount) -> bool {
    parts(amount).0.ends_with('×')
}

pub(crate) fn outcome(outcome: &Outcome) -> String {
    match outcome {
        Outcome::Ahead { target } => format!("{target} ahead"),
        Outcome::Tie => "tie".to_owned(),
        Outcome::Undecided { needed } => format!("undecided{}", and_needed(needed)),
        Outcome::Void { reason } => format!("void: {}", void(reason)),
    }
}

pub(crate) fn verdict(verdict: &VerdictFinding) -> String {
    match verdict {
        VerdictFinding::Ahead {
            target,
            over,
            amount,
            sustained,
        } => {
            let (size, bounds) = parts(amount);
            let name = metric::name(&amount.metric);
            match (
                amount.metric.larger_is_better(),
                *sustained,
                is_factor(amount),
            ) {
                (true, false, false) => format!("{target} is {size} faster than {over}{bounds}"),
                (true, false, true) => format!("{target} is {size} as fast as {over}{bounds}"),
                (true, true, false) => format!("{target} sustains {size} more than {over}{bounds}"),
                (true, true, true) => format!("{target} sustains {size} as much as {over}{bounds}"),
                (false, ..) => format!("{target}'s {name} is {size} lower than {over}'s{bounds}"),
            }
        }
        VerdictFinding::Tie {
            metric,
            of,
            over,
            ratio,
            interval,
            margin,
        } => format!(
            "{of} and {over} tie within {}: {}",
            units::margin(*margin),
            measured(metric::name(metric), of, over, *ratio, *interval)
        ),
        VerdictFinding::Undecided {
            metric,
            of,
            over,
            rounds,
            ratio,
            interval,
            wide,
            needed,
        } => {
            let rounds = plural(*rounds, "round", "rounds");
            let name = metric::name(metric);
            let measured = match wide {
                true => format!(
                    "{}; the interval is too wide to say anything",
                    measured(name, of, over, *ratio, None)
                ),
                false => measured(name, of, over, *ratio, *interval),
            };
            format!("undecided after {rounds}: {measured}{}", and_needed(needed))
        }
        VerdictFinding::Void { reason } => format!("no verdict: {}", void(reason)),
    }
}

pub(crate) fn note(note: &Note) -> String {
    match note {
        Note::DecidedAfter { rounds } => {
            format!(
                "decided after {}",
                plural(*rounds as usize, "round", "rounds")
            )
        }
        Note::TakenBack { rounds } => format!(
            "an earlier decision was withdrawn after {}: later rounds contradict it",
            plural(*rounds as usize, "round", "rounds")
        ),
        Note::AtTheCap { rounds } => {
            format!("at the cap of {} rounds", thousands(f64::from(*rounds)))
        }
        Note::Improbable { cap } => format!(
            "the chance of a decision by the cap of {} rounds is less than 5%",
            thousands(f64::from(*cap))
        ),
        Note::WithinNoise { reach } => {
            format!("within the noise floor of {}", percent(reach - 1.0))
        }
        Note::IfIndependent {
            rounds,
            correlation,
        } => format!(
            "holds only if the rounds are independent, which {} cannot show: if noise lasted from round to round (correlation {correlation:.1}), it would be undecided",
            plural(*rounds, "round", "rounds")
        ),
        Note::Correlated { correlation, times } => format!(
            "consecutive rounds are correlated ({correlation:.1}), so the interval is {} times as wide",
            number(*times)
        ),
        Note::TwoGroups { target, groups } => format!(
            "{}: the ratio depends on how many of each there were",
            two_groups(target, groups)
        ),
        Note::Coarse { gap } => format!(
            "the searches cannot resolve a difference below {}: use a smaller `precision`; more rounds do not help",
            percent(*gap)
        ),
        Note::SetAside {
            disturbed,
            made,
            kept,
            why,
            freeze: _,
            all,
        } if kept + disturbed <= *made => format!(
            "{disturbed} of {made} turns do not count, for what disturbed them ({}); including them the ratio is {}",
            disturbances(why),
            ratio(*all)
        ),
        Note::SetAside {
            disturbed,
            made,
            kept,
            why,
            freeze,
            all,
        } => format!(
            "{disturbed} of {made} turns were disturbed ({}), so the least disturbed ones count too, {kept} in all: {}; over all turns the ratio is {}",
            disturbances(why),
            match freeze {
                true => "use --freeze, which pauses the other targets' servers",
                false => "measure on a quieter machine",
            },
            ratio(*all)
        ),
        Note::MovedCores {
            rounds,
            latency_ns,
            usual_ns,
            set_aside,
            say_how_much_rounds_differ,
        } => {
            let consequence = match (set_aside, say_how_much_rounds_differ) {
                (true, false) => "they do not count",
                (true, true) => {
                    "the ratio is that of the others, and all say how much rounds differ"
                }
                (false, _) => "they count all the same, because too few rounds would be left",
            };
            format!(
                "in {} the core-to-core latency between server and load generator was {latency_ns:.0} ns ({usual_ns:.0} ns in the others), as where a virtual machine's cores are moved: {consequence}",
                in_rounds(rounds)
            )
        }
        Note::InTurns {
            made,
            kept,
            trimmed,
            blocks,
        } => {
            let sentence = |of: &Option<f64>, what| of.map(|of| format!("; {what} {}", ratio(of)));
            format!(
                "{} of {} turns count{}{}",
                thousands(*kept as f64),
                thousands(*made as f64),
                sentence(trimmed, "the trimmed mean of their ratios is").unwrap_or_default(),
                sentence(blocks, "the ratio in one piece is").unwrap_or_default(),
            )
        }
        Note::MediansByTurn { pooled } => format!(
            "each round's ratio is the median of its turns' ratios; the medians of all its requests give {}",
            ratio(*pooled)
        ),
        Note::AtEqualSpeed { measured, power } => format!(
            "the cores' speed changed from slice to slice, and 10% faster cores gave {} more throughput: the ratio is corrected to equally fast cores; as measured it is {}",
            percent(1.1_f64.powf(*power) - 1.0),
            ratio(*measured)
        ),
        Note::InOnePiece { rounds, why } => {
            let why = match why {
                OnePiece::Search => "a capacity is searched for",
                OnePiece::Slow => {
                    "it is too slow for slices: four within twice the duration would have too few requests, or too few of its longest response times"
                }
                OnePiece::Overloaded => "its rate is not achieved",
                OnePiece::Database => {
                    "its database is prepared, or rows are counted, for each measurement"
                }
            };
            format!(
                "measured in one piece, not in turns, in {}: {why}",
                in_rounds(rounds)
            )
        }
        Note::TurnsDiffer {
            turns,
            blocks,
            rounds,
        } => format!(
            "turns and one piece differ: {} in turns, {} in one piece in the same {}: measure with `--sequential` too",
            ratio(*turns),
            ratio(*blocks),
            plural(*rounds, "round", "rounds")
        ),
        Note::GeneratorBound { target, rounds } => format!(
            "the load generator was the bottleneck for {target} in {}: it may be faster than that",
            in_rounds(rounds)
        ),
    }
}

/// Such as `1 of 5 rounds of b is 0.772 × the others`.
pub(crate) fn two_groups(target: &str, groups: &Groups) -> String {
    format!(
        "{} of {} rounds of {target} {} {} × the others",
        groups.few,
        groups.rounds,
        if groups.few == 1 { "is" } else { "are" },
        ratio(groups.ratio)
    )
}

/// What a verdict is never shown without, in brackets with a space before them; empty where there is nothing.
pub(crate) fn hedged(notes: &[Note]) -> String {
    let hedges: Vec<String> = notes.iter().filter_map(hedge).collect();
    match hedges.as_slice() {
        [] => String::new(),
        hedges => format!(" ({})", hedges.join("; ")),
    }
}

fn hedge(note: &Note) -> Option<String> {
    match note {
        Note::WithinNoise { .. } => Some(self::note(note)),
        Note::IfIndependent { rounds, .. } => Some(format!(
            "if the {} are independent",
            plural(*rounds, "round", "rounds")
        )),
        Note::TwoGroups { target, .. } => Some(format!("rounds of {target} fall into two groups")),
        _ => None,
    }
}

fn measured(name: &str, of: &str, over: &str, value: f64, interval: Option<Interval>) -> String {
    format!(
        "{of}'s {name} is {} × {over}'s{}",
        ratio(value),
        ratios(interval)
    )
}

/// ` [0.995 … 1.011]`, or nothing.
pub(crate) fn ratios(interval: Option<Interval>) -> String {
    interval.map_or_else(String::new, |interval| {
        format!(" {}", units::ratios(interval))
    })
}

fn in_rounds(rounds: &[u32]) -> String {
    let noun = if rounds.len() == 1 { "round" } else { "rounds" };
    let rounds: Vec<String> = rounds.iter().map(u32::to_string).collect();
    format!("{noun} {}", rounds.join(", "))
}
