//! What stands beside the verdict when a race ends.

use photofinish_model::Metric;
use photofinish_model::finding::ending::{EndingFinding, TargetWaits};
use photofinish_model::units::Unit;

use super::{claim, failure, load, metric, noise};
use crate::typeset::quote;

pub(crate) fn finding(finding: &EndingFinding) -> String {
    match finding {
        EndingFinding::Noise { noise, place } => {
            format!("{}（{}）", noise::finding(noise), load::place(place))
        }
        EndingFinding::Waits { targets, place } => {
            let targets: Vec<String> = targets.iter().map(waits).collect();
            format!("{}（每个请求，{}）", targets.join("；"), load::place(place))
        }
        EndingFinding::Claims { outcomes } => {
            let outcomes = outcomes.iter();
            let outcomes =
                outcomes.map(|(outcome, n)| format!("{n} 个{}", claim::verdict(outcome)));
            outcomes.collect::<Vec<String>>().join("，")
        }
        EndingFinding::Failed {
            trials,
            target,
            round,
            why,
        } => {
            // A line is cut at its end, and a path that is cut is none.
            let log = why
                .log()
                .map_or(String::new(), |log| format!("（{}）", quote(log)));
            format!(
                "{trials} 次试验失败；{target}，第 {round} 轮{log}：{}",
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
        parts.push("虚拟线程的等待无法观察到".to_owned());
    } else if parts.is_empty() {
        parts.push("无".to_owned());
    }
    format!("{}：{}", of.target, parts.join("，"))
}
