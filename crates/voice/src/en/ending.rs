//! What stands beside the verdict when a race ends.

use photofinish_model::finding::ending::EndingFinding;
use photofinish_model::finding::noise::NoiseFinding;
use photofinish_model::units::plural;

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
        } => format!(
            "{}; {target}, round {round}: {}",
            plural(*trials, "trial failed", "trials failed"),
            failure::in_a_line(why)
        ),
    }
}
