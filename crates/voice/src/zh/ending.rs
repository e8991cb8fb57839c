//! What stands beside the verdict when a race ends.

use photofinish_model::finding::ending::EndingFinding;

use super::{claim, failure, load, noise};

pub(crate) fn finding(finding: &EndingFinding) -> String {
    match finding {
        EndingFinding::Noise { noise, place } => {
            format!("{}（{}）", noise::finding(noise), load::place(place))
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
        } => format!(
            "{trials} 次试验失败；{target}，第 {round} 轮：{}",
            failure::in_a_line(why)
        ),
    }
}
