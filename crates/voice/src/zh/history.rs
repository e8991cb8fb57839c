//! A study's runs over time.

use photofinish_model::finding::history::{HistoryFinding, Shifted};
use photofinish_model::units::{change, thousands};

use super::load::place;
use super::metric;

pub(crate) fn finding(finding: &HistoryFinding) -> String {
    match finding {
        HistoryFinding::Shifted(found) => shifted(found),
        HistoryFinding::Stable { series, runs } => format!(
            "{} 次运行的 {} 个序列中没有变化点",
            thousands(*runs as f64),
            thousands(*series as f64)
        ),
        HistoryFinding::FewRuns { runs, needed } => format!(
            "只有 {} 次运行：至少 {needed} 次运行才寻找变化点",
            thousands(*runs as f64)
        ),
    }
}

fn shifted(found: &Shifted) -> String {
    let Shifted {
        place: at,
        target,
        metric,
        over,
        change: by,
        interval,
        since,
        earliest,
        latest,
        machine_changed,
    } = found;
    let over = over.as_ref().map(|over| format!("（相对于 {over}）"));
    let interval = interval
        .map(|ends| format!(" [{} … {}]", change(ends.low), change(ends.high)))
        .unwrap_or_default();
    let began = match earliest == latest {
        true => String::new(),
        false => format!("；变化始于 {earliest} 与 {latest} 的运行之间"),
    };
    let machine = match machine_changed {
        true => "；机器或 photofinish 也在此时改变，可能是其原因",
        false => "",
    };
    format!(
        "{}：{target} 的 {}{}：自 {since} 的运行起 {}{interval}{began}{machine}",
        place(at),
        metric::name(metric),
        over.unwrap_or_default(),
        change(*by),
    )
}
