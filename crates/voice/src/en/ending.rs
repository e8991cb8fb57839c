//! What stands beside the verdict when a race ends.

use photofinish_model::Metric;
use photofinish_model::finding::ending::{EndingFinding, TargetWaits};
use photofinish_model::finding::headline::Place;
use photofinish_model::finding::noise::NoiseFinding;
use photofinish_model::units::{Unit, percent, plural};

use super::{claim, failure, load, metric, noise};

pub(crate) fn finding(finding: &EndingFinding) -> String {
    match finding {
        EndingFinding::Noise { noise, place } => {
            let text = match noise {
                NoiseFinding::Differed {
                    target,
                    metric,
                    by,
                    interval,
                    ..
                } => format!(
                    "{target} against itself differed in {} by up to {}",
                    metric::name(metric),
                    noise::size(*by, *interval)
                ),
                nothing => noise::finding(nothing),
            };
            format!("{text} ({})", load::place(place))
        }
        EndingFinding::Waits { targets, place } => {
            let targets: Vec<String> = targets.iter().map(waits).collect();
            format!(
                "{}; per request, at {}",
                targets.join("; "),
                load::place(place)
            )
        }
        EndingFinding::StandsStill {
            target,
            share,
            longest_s,
            over,
            without,
            place,
        } => {
            let longest = Unit::Microseconds.text(longest_s * 1e6);
            let without = without.map(|ratio| match ratio < 1.0 {
                true => format!(
                    "; without stalls it is {} slower than {over}",
                    percent(1.0 - ratio)
                ),
                false => format!(
                    "; without stalls it is {} faster than {over}",
                    percent(ratio - 1.0)
                ),
            });
            format!(
                "{target} stands still for {:.0}% of the time, {longest} at most{}{}",
                share * 100.0,
                without.unwrap_or_default(),
                at_place(place.as_ref())
            )
        }
        EndingFinding::StoodStill {
            target,
            longest_s,
            at,
            round,
            place,
        } => {
            let longest = Unit::Microseconds.text(longest_s * 1e6);
            let at = at.as_ref().map(|at| format!(", from {at} on"));
            format!(
                "{target} once gave no response for {longest}{} (round {round}){}",
                at.unwrap_or_default(),
                at_place(place.as_ref())
            )
        }
        EndingFinding::Claims { outcomes } => {
            let outcomes = outcomes.iter();
            let outcomes = outcomes.map(|(outcome, n)| format!("{n} {}", claim::verdict(outcome)));
            outcomes.collect::<Vec<String>>().join(", ")
        }
        EndingFinding::Failed {
            trials,
            target,
            round,
            why,
        } => {
            // A line is cut at its end, and a path that is cut is none.
            let log = why.log().map_or(String::new(), |log| format!(" ({log})"));
            format!(
                "{}; {target}, round {round}{log}: {}",
                plural(*trials, "trial failed", "trials failed"),
                failure::in_a_line(why)
            )
        }
    }
}

fn at_place(place: Option<&Place>) -> String {
    place.map_or_else(String::new, |place| format!(" ({})", load::place(place)))
}

fn waits(of: &TargetWaits) -> String {
    let one = |(wait, us): &(Metric, f64)| {
        let us = Unit::Microseconds.text(*us);
        format!("{} {us}", metric::name(wait))
    };
    let mut parts: Vec<String> = of.waits.iter().map(one).collect();
    if of.has_unseen {
        parts.push("those of virtual threads not seen".to_owned());
    } else if parts.is_empty() {
        parts.push("none".to_owned());
    }
    format!("{}: {}", of.target, parts.join(", "))
}
