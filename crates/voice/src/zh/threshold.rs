//! `--fail-if` conditions.

use photofinish_model::finding::threshold::Threshold;
use photofinish_model::units::{ratio, thousands};

use super::load::place;
use super::verdict::{ratios, verdict, void};
use super::{check, claim};

/// A side of a comparison: in brackets where it is more than a figure.
fn side(text: &str) -> String {
    match text.contains(' ') && !text.starts_with(['(', '\'', '"', '`']) {
        true => format!("({text})"),
        false => text.to_owned(),
    }
}

pub(crate) fn threshold(threshold: &Threshold) -> String {
    match threshold {
        Threshold::Holds {
            place: at,
            more,
            less,
            ratio: value,
            interval,
        } => format!(
            "{}：{} 是 {} 的 {} 倍{}",
            place(at),
            side(more),
            side(less),
            ratio(*value),
            ratios(Some(*interval))
        ),
        Threshold::Undecided {
            place: at,
            more,
            less,
            ratio: value,
            interval,
        } => format!(
            "{}：无法判定：{} 是 {} 的 {} 倍{}：区间超出 1 多少，在此通过的任务就可能错多少",
            place(at),
            side(more),
            side(less),
            ratio(*value),
            ratios(Some(*interval))
        ),
        Threshold::Void { place: at, reason } => format!("{}：无效：{}", place(at), void(reason)),
        Threshold::FewRounds { place: at, rounds } => format!(
            "{}：无法判定：只有 {} 轮具备全部数值",
            place(at),
            thousands(*rounds as f64)
        ),
        Threshold::Claim {
            id,
            verdict,
            claim: found,
        } => format!(
            "声明 {id}：{}：{}",
            claim::verdict(verdict),
            claim::claim(found)
        ),
        Threshold::Check {
            name,
            failing,
            checked,
        } => format!(
            "{}：{checked} 处中有 {failing} 处不通过",
            check::title(name)
        ),
        Threshold::Different {
            place: at,
            verdict: found,
        } => format!("{}：{}", place(at), verdict(found)),
        Threshold::NotDecided {
            place: at,
            verdict: found,
        } => format!("{}：无法判定：{}", place(at), verdict(found)),
    }
}
