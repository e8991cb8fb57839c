//! A study's runs over time.

use photofinish_model::finding::history::{HistoryFinding, Shifted};
use photofinish_model::units::{change, plural};

use super::load::place;
use super::metric;

pub(crate) fn finding(finding: &HistoryFinding) -> String {
    match finding {
        HistoryFinding::Shifted(found) => shifted(found),
        HistoryFinding::Stable { series, runs } => format!(
            "no change point in {} over {}",
            plural(*series, "series", "series"),
            plural(*runs, "run", "runs")
        ),
        HistoryFinding::FewRuns { runs, needed } => format!(
            "{}: change points are looked for from {needed} runs on",
            plural(*runs, "run", "runs")
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
    let over = over.as_ref().map(|over| format!(" relative to {over}"));
    let interval = interval
        .map(|ends| format!(" [{} … {}]", change(ends.low), change(ends.high)))
        .unwrap_or_default();
    let began = match earliest == latest {
        true => String::new(),
        false => format!("; it began between the runs of {earliest} and {latest}"),
    };
    let machine = match machine_changed {
        true => "; the machine or photofinish changed there too, which may be the cause",
        false => "",
    };
    format!(
        "{}: {target}, {}{}: {}{interval} since the run of {since}{began}{machine}",
        place(at),
        metric::name(metric),
        over.unwrap_or_default(),
        change(*by),
    )
}
