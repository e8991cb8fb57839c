//! What must be true of a result file of JMeter's, and the figures computed again from its rows.

use std::sync::LazyLock;

use super::rows::{Fault, Rows};
use crate::figure::Figure;
use crate::finding::{self, Rule, Severity};
use crate::laws;
use crate::layout::Layout;
use crate::record::Record;
use crate::sheet::Sheet;

static LAYOUT: LazyLock<Layout> = LazyLock::new(|| {
    Layout::parse(include_str!("../../layouts/jmeter-results.toml")).unwrap_or_default()
});

/// Checks the rows of one file.
pub fn check(r: &Rows, sheet: &mut Sheet) -> finding::Report {
    laws::check(&LAYOUT, &record(r), sheet);
    let rows = [
        (
            &r.late_first_byte,
            Severity::Impossible,
            "The first byte cannot come after the last one: the row was changed, or its columns are in another order than the header says.",
        ),
        (
            &r.late_connect,
            Severity::Impossible,
            "Connecting is part of the sample and cannot take longer.",
        ),
        (
            &r.overlapping,
            Severity::Doubtful,
            "A thread runs one sample at a time. Embedded resources and transaction controllers are written as rows of the same thread and do overlap: throughput and mean then count their time twice.",
        ),
        (
            &r.negative,
            Severity::Doubtful,
            "No sample takes less than no time: the clock was set back during the run. These rows are in none of the figures.",
        ),
        (
            &r.good_with_error,
            Severity::Doubtful,
            "An error status was counted as a success: some assertion or setting says so, and the rate of errors hides it.",
        ),
        (
            &r.not_rows,
            Severity::Doubtful,
            "These lines are not rows of this file: it was cut or edited.",
        ),
    ];
    for (fault, severity, meaning) in rows {
        faulty(fault, severity, meaning, r, sheet);
    }
    let tool = if r.xml { "JMeter XML" } else { "JMeter CSV" };
    let bytes = r.bytes.filter(|(least, most)| least == most);
    finding::Report {
        response_bytes: bytes.map(|(least, most)| (least as f64, most as f64)),
        ..finding::Report::new(tool, (r.first, r.last), title(r))
    }
}

/// What the laws of a result file are about.
fn record(r: &Rows) -> Record {
    let mut record = Record::new(r.first);
    let mut set = |name: &str, value: f64, text: String, line: usize| {
        record.set(0, name, Figure::exact(text, line, value));
    };
    let wrong = r.late_first_byte.count + r.late_connect.count + r.overlapping.count;
    for (name, count) in [
        ("_overlapping", r.overlapping.count),
        ("_wrong", wrong),
        ("_labels", r.labels.len() as u64),
        ("_named", u64::from(r.has_threads())),
        ("_p50", r.quantile(0.5)),
        ("_p90", r.quantile(0.9)),
        ("_p95", r.quantile(0.95)),
        ("_p99", r.quantile(0.99)),
        ("_p100", r.quantile(1.0)),
    ] {
        set(name, count as f64, count.to_string(), r.first);
    }
    let n = r.count as f64;
    set("_rows", n, format!("{} rows", r.count), r.first);
    set(
        "_failed",
        r.failed as f64,
        format!("{} failures", r.failed),
        r.first,
    );
    set("_mean", r.total_elapsed as f64 / n, String::new(), r.first);
    if let Some((first, last)) = r.span.filter(|(first, last)| last > first) {
        let seconds = (last - first) as f64 / 1000.0;
        set("_seconds", seconds, String::new(), r.first);
        set("_rate", n / seconds, String::new(), r.first);
    }
    if let Some((threads, line)) = r.most_threads.filter(|(threads, _)| *threads > 0) {
        set(
            "_threads",
            threads as f64,
            format!("{threads} threads"),
            line,
        );
    }
    record
}

fn title(r: &Rows) -> String {
    let mut labels = r.labels.keys().filter(|l| !l.is_empty());
    let title = match (labels.next(), labels.next()) {
        (Some(one), None) => format!("{one}, {} rows", r.count),
        (Some(_), Some(_)) => format!("{} labels, {} rows", r.labels.len(), r.count),
        _ => format!("{} rows", r.count),
    };
    match r.sums {
        0 => title,
        sums => format!("{title}, {sums} more that sum up others or are parts of them"),
    }
}

fn faulty(fault: &Fault, severity: Severity, meaning: &str, r: &Rows, sheet: &mut Sheet) {
    if fault.count == 0 {
        return;
    }
    let figure = Figure {
        text: fault.says.clone(),
        line: fault.line,
        range: None,
    };
    sheet.add(
        severity,
        Rule::Rows,
        &[&figure],
        format!(
            "{}; {} of {} rows, the first in line {}",
            fault.says, fault.count, r.count, fault.line
        ),
        meaning,
    );
}
