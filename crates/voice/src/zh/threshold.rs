//! `--fail-if` conditions.

use photofinish_model::finding::threshold::{Apart, Stands, Threshold};
use photofinish_model::units::{change, margin, number, thousands};

use super::days::unmeasured;
use super::load::place;
use super::verdict::{verdict, void};
use super::{check, claim};

/// Where a figure stands; `verb` says how sure that is.
fn is(stands: &Stands, verb: &str) -> String {
    let Stands {
        place: at,
        subject,
        base,
        change: interval,
        limit,
    } = stands;
    let limit = match *limit {
        _ if limit.abs() < 1e-9 => String::new(),
        below if below < 0.0 => format!("；界限为 −{}", margin(-below)),
        above => format!("；界限为 +{}", margin(above)),
    };
    format!(
        "{}：{subject} 与 {base} 相比{verb} {} 到 {}{limit}",
        place(at),
        change(interval.low),
        change(interval.high)
    )
}

/// By how much one side exceeds the other.
fn apart(apart: &Apart, verb: &str) -> String {
    let Apart {
        place: at,
        subject,
        base,
        unit,
        difference,
    } = apart;
    let text = |value: f64| unit.map_or_else(|| number(value), |unit| unit.text(value));
    let low = text(difference.low);
    let to = match text(difference.high) {
        high if high == low => String::new(),
        high => format!(" 到 {}", high),
    };
    format!("{}：{subject} − {base} {verb} {low}{to}", place(at))
}

pub(crate) fn threshold(threshold: &Threshold) -> String {
    match threshold {
        Threshold::Holds(stands) | Threshold::Excluded(stands) => is(stands, "为"),
        Threshold::Undecided(stands) => is(stands, "可能为"),
        Threshold::ApartHolds(found) | Threshold::ApartExcluded(found) => apart(found, "为"),
        Threshold::ApartUndecided(found) => apart(found, "可能为"),
        Threshold::Nothing => "没有测到任何数值".to_owned(),
        Threshold::NotMeasured(found) => unmeasured(found),
        Threshold::Void { place: at, reason } => format!("{}：{}", place(at), void(reason)),
        Threshold::FewRounds { place: at, rounds } => format!(
            "{}：只有 {} 轮具备全部数值，无法判定",
            place(at),
            thousands(*rounds as f64)
        ),
        Threshold::Claim {
            id,
            verdict,
            claim: found,
        } => format!(
            "说法 {id}：{}：{}",
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
        } => format!("{}：{}", place(at), verdict(found)),
    }
}
