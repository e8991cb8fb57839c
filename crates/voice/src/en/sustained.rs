//! What searches for a capacity found.

use photofinish_model::capacity::Ended;
use photofinish_model::finding::capacity::{Broken, LowerBound};
use photofinish_model::finding::sustained::SustainedFinding;
use photofinish_model::units::{self, Unit, number};
use photofinish_stats::Interval;

use super::capacity::{broken, lower_bound};

pub(crate) fn finding(finding: &SustainedFinding) -> String {
    match finding {
        SustainedFinding::Sustains {
            objective,
            at_least,
            mean,
            interval,
            range,
            none_held,
        } => {
            let least = if *at_least { "at least " } else { "" };
            let but = match none_held.as_slice() {
                [] => String::new(),
                rounds => format!(", but no rate met it in {}", in_rounds(rounds)),
            };
            format!(
                "sustains {least}{} at {objective}{but}",
                rate(*mean, *interval, *range)
            )
        }
        SustainedFinding::NoRateHolds { objective, down_to } => {
            let down = down_to.map_or_else(String::new, |r| format!(", down to {}", per_second(r)));
            format!("did not meet {objective} at any rate{down}")
        }
        SustainedFinding::LowerBound { round, held, why } => {
            format!(
                "{}{} is a lower bound: {}",
                of_round(*round),
                per_second(*held),
                lower_bound(why)
            ) + bound_flag(*round, *why)
        }
        SustainedFinding::EndedEarly {
            round,
            ended,
            held,
            failed,
        } => {
            format!(
                "{}the search {}: the limit is between {} and {}",
                of_round(*round),
                early(*ended).unwrap_or("ended"),
                per_second(*held),
                per_second(*failed)
            ) + flag(*round, *ended)
        }
        SustainedFinding::NoneHeld {
            round,
            failed,
            why,
            ended,
        } => {
            let at = failed.map_or_else(String::new, |rate| format!(" at {}", per_second(rate)));
            let early = match (ended, why) {
                (Ended::Floor, Some(Broken::Errors { .. })) => {
                    Some("ended there because every response was wrong")
                }
                _ => early(*ended),
            };
            let early = early.map_or_else(String::new, |early| format!("; the search {early}"));
            let why = why
                .as_ref()
                .map_or_else(|| "none was tried".to_owned(), broken);
            format!(
                "{}no rate met the objective{at}: {why}{early}",
                of_round(*round)
            ) + flag(*round, *ended)
        }
        SustainedFinding::TooNoisy { round, late_us } => format!(
            "{}the machine was too noisy for the objective: at the rate that failed a thread that only sleeps woke up {} late (p99); try again when it is quiet",
            of_round(*round),
            Unit::Microseconds.text(*late_us)
        ),
    }
}

/// What ended a search before its time; `None`: nothing did.
fn early(ended: Ended) -> Option<&'static str> {
    match ended {
        Ended::Found => None,
        Ended::Floor => Some("ended there because it was about the same at twice the rate"),
        Ended::Steps => Some("made all of its steps"),
        Ended::Time => Some("ran out of time"),
        Ended::Interrupted => Some("was interrupted"),
    }
}

/// A rate over the rounds: the mean with its interval, or from the lowest to the highest.
pub(crate) fn rate(mean: Option<f64>, interval: Option<Interval>, range: Interval) -> String {
    let unit = Unit::RequestsPerSecond;
    match (mean, interval) {
        (Some(mean), None) => per_second(mean),
        (Some(mean), Some(interval)) => {
            let bounds = units::wide(interval).unwrap_or_else(|| unit.interval(mean, interval));
            format!("{} {bounds}", per_second(mean))
        }
        (None, _) if range.low == range.high => per_second(range.high),
        (None, _) => format!("{} … {}", number(range.low), per_second(range.high)),
    }
}

fn per_second(rate: f64) -> String {
    format!("{}/s", number(rate))
}

/// The flag that lets a search by itself go on.
pub(crate) fn flag(round: Option<u32>, ended: Ended) -> &'static str {
    match ended {
        Ended::Steps if round.is_none() => " (--max-steps)",
        Ended::Time if round.is_none() => " (--max-time)",
        _ => "",
    }
}

/// The flag that may raise the lower bound of a search by itself.
pub(crate) fn bound_flag(round: Option<u32>, why: LowerBound) -> &'static str {
    match why {
        LowerBound::GeneratorBusy if round.is_none() => " (--threads)",
        LowerBound::Steps => flag(round, Ended::Steps),
        LowerBound::Time => flag(round, Ended::Time),
        _ => "",
    }
}

fn of_round(round: Option<u32>) -> String {
    round.map_or_else(String::new, |round| format!("round {round}: "))
}

fn in_rounds(rounds: &[u32]) -> String {
    let noun = if rounds.len() == 1 { "round" } else { "rounds" };
    let rounds: Vec<String> = rounds.iter().map(u32::to_string).collect();
    format!("{noun} {}", rounds.join(", "))
}
