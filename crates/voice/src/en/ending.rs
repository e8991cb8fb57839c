//! What stands beside the verdict when a race ends.

use photofinish_model::Metric;
use photofinish_model::finding::ending::{EndingFinding, TargetWaits};
use photofinish_model::finding::noise::NoiseFinding;
use photofinish_model::units::{Unit, plural};

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
