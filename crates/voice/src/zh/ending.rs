//! What stands beside the verdict when a race ends.

use photofinish_model::Metric;
use photofinish_model::finding::ending::{EndingFinding, TargetWaits};
use photofinish_model::finding::headline::Place;
use photofinish_model::units::{Unit, percent};

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
                true => format!("；不计停顿时比 {over} 慢 {}", percent(1.0 - ratio)),
                false => format!("；不计停顿时比 {over} 快 {}", percent(ratio - 1.0)),
            });
            format!(
                "{target} 有 {:.0}% 的时间处于停顿，最长 {longest}{}{}",
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
            let at = at.as_ref().map(|at| format!("，始于 {at}"));
            format!(
                "{target} 有一次在 {longest} 内没有任何响应{}（第 {round} 轮）{}",
                at.unwrap_or_default(),
                at_place(place.as_ref())
            )
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

fn at_place(place: Option<&Place>) -> String {
    place.map_or_else(String::new, |place| format!("（{}）", load::place(place)))
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
