//! What flags have left out of a study.

use photofinish_model::finding::left_out::{LeftOut, Untested};

use super::load;
use crate::typeset::quote;

pub(crate) fn finding(finding: &LeftOut) -> String {
    match finding {
        LeftOut::Recorded { says } => quote(says),
        LeftOut::Target { target } => format!("对象 {target}：`--only` 没有选它"),
        LeftOut::Limit { target } => format!("上限 {target}：`--no-limit` 去掉了它"),
        LeftOut::Workload { workload } => {
            format!("工作负载 {workload}：它的对象都没有运行")
        }
        LeftOut::Claim { id, why } => format!("说法 {id}：{}", untested(why)),
    }
}

fn untested(why: &Untested) -> String {
    match why {
        Untested::Target { target } => format!("它的对象 {target} 没有运行"),
        Untested::Workload { workload } => format!("它的工作负载 {workload} 没有运行"),
        Untested::Level { load, published } => {
            let remedy = match published {
                true => "（用 `--scale published` 即可运行）",
                false => "",
            };
            format!("它的负载（{}）没有运行{remedy}", load::level(load))
        }
        Untested::Revisions {} => "`--rev` 让它的对象的不同版本参赛".to_owned(),
    }
}
