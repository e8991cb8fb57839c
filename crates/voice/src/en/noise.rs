//! The noise floor.

use photofinish_model::finding::noise::NoiseFinding;
use photofinish_model::units::{percent, plural};
use photofinish_stats::Interval;

use super::{metric, verdict};

pub(crate) fn finding(finding: &NoiseFinding) -> String {
    match finding {
        NoiseFinding::Void {
            target,
            metric,
            reason,
        } => format!(
            "{target} against itself: no verdict on {}: {}",
            metric::name(metric),
            verdict::void(reason)
        ),
        NoiseFinding::NothingToCompare { target, metric } => {
            format!(
                "{target} against itself: no {} to compare",
                metric::name(metric)
            )
        }
        NoiseFinding::Differed {
            target,
            metric,
            by,
            interval,
            rounds,
            unseen,
        } => {
            let text = format!(
                "{target} against itself: {} differed by {}",
                metric::name(metric),
                size(*by, *interval)
            );
            let unseen = unseen.map_or_else(String::new, |unseen| {
                format!(
                    "; a difference below {} would seldom be detected",
                    percent(unseen)
                )
            });
            match interval {
                Some(_) => text + &unseen,
                None => format!("{text} in {}", plural(*rounds, "round", "rounds")),
            }
        }
    }
}

/// A difference with its interval, such as `0.8% [−0.4% … 2.1%]`.
pub(crate) fn size(by: f64, interval: Option<Interval>) -> String {
    match interval {
        Some(Interval { low, high }) => {
            format!("{} [{} … {}]", percent(by), percent(low), percent(high))
        }
        None => percent(by),
    }
}
