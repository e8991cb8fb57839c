//! What a search for a server's capacity found.

use photofinish_model::finding::capacity::{Broken, CapacityFinding, LowerBound};
use photofinish_model::units::{Unit, per_second, percent};

use crate::en::capacity::times;
use crate::typeset::quote;

pub(crate) fn finding(finding: &CapacityFinding) -> String {
    match finding {
        CapacityFinding::Between {
            objective,
            held,
            failed,
        } => match (held, failed) {
            (Some(held), Some(failed)) => format!(
                "{} 满足 '{objective}'；{} 不满足。",
                per_second(*held),
                per_second(*failed)
            ),
            (Some(held), None) => format!(
                "至少 {} 满足 '{objective}'；没有找到不满足的速率。",
                per_second(*held)
            ),
            (None, Some(failed)) => {
                format!(
                    "没有速率满足 '{objective}'，最低试到 {}。",
                    per_second(*failed)
                )
            }
            (None, None) => format!("没有任何速率按 '{objective}' 测量过。"),
        },
        CapacityFinding::Trial {
            held,
            failed,
            at_least,
        } => match (held, at_least) {
            (None, _) => {
                let lowest = failed.map(|failed| format!("，最低试到 {}", per_second(failed)));
                format!("没有速率满足目标{}", lowest.unwrap_or_default())
            }
            (Some(held), None) => format!("能承受 {}", per_second(*held)),
            (Some(held), Some(why)) => {
                format!("至少能承受 {}：{}", per_second(*held), lower_bound(why))
            }
        },
        CapacityFinding::Times { p50, p99 } => times(*p50, *p99),
        CapacityFinding::Failed { rate, why } => {
            format!("{}：{}", per_second(*rate), broken(why))
        }
    }
}

pub(crate) fn broken(why: &Broken) -> String {
    match why {
        Broken::NotAchieved { ratio } => format!("只达到给定速率的 {}", percent(*ratio)),
        Broken::NoResponse {} => "没有请求完成".to_owned(),
        Broken::Errors { share } => format!("{} 错误", percent(*share)),
        Broken::Time { figure, us } => format!("{figure} {}", Unit::Microseconds.text(*us)),
        Broken::Recorded { says } => quote(says),
    }
}

pub(crate) fn lower_bound(why: &LowerBound) -> &'static str {
    match why {
        LowerBound::GeneratorBusy => "在不满足目标的速率下，瓶颈是负载发生器；请给它更多核",
        LowerBound::NoHigherRate => "没有试过更高的速率",
        LowerBound::Steps => "搜索已用完步数，还没有遇到不满足目标的速率",
        LowerBound::Time => "搜索已用完时间，还没有遇到不满足目标的速率",
        LowerBound::Interrupted => "搜索被中断，还没有遇到不满足目标的速率",
    }
}
