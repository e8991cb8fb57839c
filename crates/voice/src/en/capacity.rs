//! What a search for a server's capacity found.

use photofinish_model::finding::capacity::{Broken, CapacityFinding, LowerBound};
use photofinish_model::units::{Unit, per_second, percent};

pub(crate) fn finding(finding: &CapacityFinding) -> String {
    match finding {
        CapacityFinding::Between {
            objective,
            held,
            failed,
        } => match (held, failed) {
            (Some(held), Some(failed)) => format!(
                "{} meets '{objective}'; {} does not.",
                per_second(*held),
                per_second(*failed)
            ),
            (Some(held), None) => format!(
                "At least {} meets '{objective}'; no rate was found that does not.",
                per_second(*held)
            ),
            (None, Some(failed)) => {
                format!(
                    "No rate meets '{objective}', down to {}.",
                    per_second(*failed)
                )
            }
            (None, None) => format!("No rate was measured against '{objective}'."),
        },
        CapacityFinding::Trial {
            held,
            failed,
            at_least,
        } => match (held, at_least) {
            (None, _) => {
                let lowest = failed.map(|failed| format!(" down to {}", per_second(failed)));
                format!("no rate meets the objective{}", lowest.unwrap_or_default())
            }
            (Some(held), None) => format!("sustains {}", per_second(*held)),
            (Some(held), Some(why)) => format!(
                "sustains at least {}: {}",
                per_second(*held),
                lower_bound(why)
            ),
        },
        CapacityFinding::Times { p50, p99 } => times(*p50, *p99),
        CapacityFinding::Failed { rate, why } => {
            format!("{}: {}", per_second(*rate), broken(why))
        }
    }
}

pub(crate) fn times(p50: Option<f64>, p99: Option<f64>) -> String {
    let times = [("p50", p50), ("p99", p99)].into_iter();
    let times = times.filter_map(|(name, us)| Some(format!("{name} {}", time(us?))));
    times.collect::<Vec<String>>().join(", ")
}

fn time(us: f64) -> String {
    Unit::Microseconds.text(us)
}

pub(crate) fn broken(why: &Broken) -> String {
    match why {
        Broken::NotAchieved { ratio } => {
            format!("achieved {} of the offered rate", percent(*ratio))
        }
        Broken::NoResponse {} => "no request was completed".to_owned(),
        Broken::Errors { share } => format!("{} errors", percent(*share)),
        Broken::Time { figure, us } => format!("{figure} {}", time(*us)),
        Broken::Recorded { says } => says.clone(),
    }
}

pub(crate) fn lower_bound(why: &LowerBound) -> &'static str {
    match why {
        LowerBound::GeneratorBusy => {
            "the load generator was the bottleneck at the rate that failed; give it more cores"
        }
        LowerBound::NoHigherRate => "no higher rate was tried",
        LowerBound::Steps => "the search had made all of its steps and no rate had failed",
        LowerBound::Time => "the search ran out of time and no rate had failed",
        LowerBound::Interrupted => "the search was interrupted and no rate had failed",
    }
}
