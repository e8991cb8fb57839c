//! What searches for a capacity found.

use photofinish_model::capacity::Ended;
use photofinish_model::finding::capacity::Broken;
use photofinish_model::finding::sustained::SustainedFinding;
use photofinish_model::units::{Unit, number};

use super::capacity::{broken, lower_bound};
use crate::en::sustained::{bound_flag, flag, rate};

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
            let least = if *at_least { "至少 " } else { " " };
            let but = match none_held.as_slice() {
                [] => String::new(),
                rounds => format!("，但{}中没有速率满足目标", in_rounds(rounds)),
            };
            format!(
                "在 {objective} 下能承受{least}{}{but}",
                rate(*mean, *interval, *range)
            )
        }
        SustainedFinding::NoRateHolds { objective, down_to } => {
            let down =
                down_to.map_or_else(String::new, |r| format!("，最低试到 {}", per_second(r)));
            format!("在任何速率下都不满足 {objective}{down}")
        }
        SustainedFinding::LowerBound { round, held, why } => {
            format!(
                "{}{} 只是下限：{}",
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
                "{}搜索{}：上限在 {} 与 {} 之间",
                of_round(*round),
                early(*ended).unwrap_or("已结束"),
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
            let at = failed.map_or_else(String::new, |rate| format!("（{}）", per_second(rate)));
            let early = match (ended, why) {
                (Ended::Floor, Some(Broken::Errors { .. })) => Some("到此为止，因为所有响应都不对"),
                _ => early(*ended),
            };
            let why = why
                .as_ref()
                .map_or_else(|| "没有试过任何速率".to_owned(), broken);
            let early = early.map_or_else(String::new, |early| format!("；搜索{early}"));
            format!("{}没有速率满足目标{at}：{why}{early}", of_round(*round)) + flag(*round, *ended)
        }
        SustainedFinding::TooNoisy { round, late_us } => format!(
            "{}机器上的干扰太大，不足以检验该目标：在不满足目标的速率下，一个只休眠的线程晚醒 {}（p99）；请在干扰较少时重试",
            of_round(*round),
            Unit::Microseconds.text(*late_us)
        ),
    }
}

/// What ended a search before its time; `None`: nothing did.
fn early(ended: Ended) -> Option<&'static str> {
    match ended {
        Ended::Found => None,
        Ended::Floor => Some("到此为止，因为速率加倍时它也大致相同"),
        Ended::Steps => Some("用完了步数"),
        Ended::Time => Some("用完了时间"),
        Ended::Interrupted => Some("被中断"),
    }
}

fn per_second(rate: f64) -> String {
    format!("{}/s", number(rate))
}

fn of_round(round: Option<u32>) -> String {
    round.map_or_else(String::new, |round| format!("第 {round} 轮："))
}

fn in_rounds(rounds: &[u32]) -> String {
    let rounds: Vec<String> = rounds.iter().map(u32::to_string).collect();
    format!("第 {} 轮", rounds.join("、"))
}
