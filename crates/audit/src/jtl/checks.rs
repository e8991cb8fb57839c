//! What must be true of a result file of JMeter's, and the figures computed again from its rows.

use super::rows::{Fault, Rows};
use crate::figure::{Figure, Range, digits, percent};
use crate::finding::{self, Rule, Severity};
use crate::sheet::Sheet;

/// Checks the rows of one file.
pub fn check(r: &Rows, sheet: &mut Sheet) -> finding::Report {
    throughput(r, sheet);
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
    if [&r.late_first_byte, &r.late_connect, &r.overlapping]
        .iter()
        .all(|f| f.count == 0)
    {
        sheet.holds(Rule::Rows, &[&whole(r)], format!("{} rows: no Latency or Connect above elapsed, no thread with two samples at a time", r.count));
    }
    failures(r, sheet);
    let tool = if r.xml { "JMeter XML" } else { "JMeter CSV" };
    finding::Report {
        response_bytes: r
            .bytes
            .filter(|(lo, hi)| lo == hi)
            .map(|(lo, hi)| (lo as f64, hi as f64)),
        ..finding::Report::new(tool, (r.first, r.last), title(r))
    }
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

/// The file itself, as the thing in question.
fn whole(r: &Rows) -> Figure {
    at(r.first, format!("{} rows", r.count))
}

fn at(line: usize, text: String) -> Figure {
    Figure {
        text,
        line,
        range: None,
    }
}

fn faulty(fault: &Fault, severity: Severity, meaning: &str, r: &Rows, sheet: &mut Sheet) {
    if fault.count == 0 {
        return;
    }
    sheet.add(
        severity,
        Rule::Rows,
        &[&at(fault.line, fault.says.clone())],
        format!(
            "{}; {} of {} rows, the first in line {}",
            fault.says, fault.count, r.count, fault.line
        ),
        meaning,
    );
}

/// Throughput, mean and percentiles from the rows, and Little's law with the largest number of threads.
fn throughput(r: &Rows, sheet: &mut Sheet) {
    let n = r.count as f64;
    let mean = r.total_elapsed as f64 / n;
    let quantiles: Vec<String> = [0.5, 0.9, 0.95, 0.99, 1.0]
        .iter()
        .map(|&q| format!("p{} {}", digits(q * 100.0), r.quantile(q)))
        .collect();
    let Some((first, last)) = r.span.filter(|(a, b)| b > a) else {
        sheet.add(
            Severity::NotChecked,
            Rule::LittlesLaw,
            &[&whole(r)],
            format!(
                "mean {} ms, {}; no time stamps in milliseconds, hence no throughput",
                digits(mean),
                quantiles.join(", ")
            ),
            "Save time stamps as milliseconds (jmeter.save.saveservice.timestamp_format=ms).",
        );
        return;
    };
    let secs = (last - first) as f64 / 1000.0;
    let rate = n / secs;
    let computed = format!(
        "{} rows / {} s = {} per second, mean {} ms, {} ms",
        r.count,
        digits(secs),
        digits(rate),
        digits(mean),
        quantiles.join(", ")
    );
    let Some((threads, line)) = r.most_threads.filter(|(t, _)| *t > 0) else {
        sheet.add(
            Severity::NotChecked,
            Rule::LittlesLaw,
            &[&whole(r)],
            computed,
            "The file has no column allThreads, so that threads = rate × mean cannot be checked.",
        );
        return;
    };
    let busy = rate * mean / 1000.0;
    let says = format!("{computed}: {} threads busy of {threads}", digits(busy));
    let figures = [&at(line, format!("{threads} threads")), &whole(r)];
    // Elapsed is rounded to whole ms at both ends; 2% for the clock.
    let slack = Range::exact(threads as f64)
        .scaled(1.02)
        .plus(Range::exact(rate / 1000.0));
    if Range::exact(busy).above(slack) {
        // Rows of transactions and embedded resources are of the same thread, overlap, and have labels of their own.
        let (severity, meaning) = if !r.has_threads() && r.labels.len() > 1 {
            (
                Severity::Doubtful,
                "The samples hold more time than the threads had. The file has no column threadName, so that rows of transactions, which count their samples twice, cannot be told from others.",
            )
        } else if r.overlapping.count == 0 || r.labels.len() < 2 {
            (
                Severity::Impossible,
                "The samples hold more time than the threads had: rows were added or changed.",
            )
        } else {
            (
                Severity::Doubtful,
                "The samples hold more time than the threads had: rows of transactions or embedded resources count their parts twice, or rows were added.",
            )
        };
        sheet.add(severity, Rule::LittlesLaw, &figures, says, meaning);
    } else {
        sheet.holds(Rule::LittlesLaw, &figures, says);
    }
}

fn failures(r: &Rows, sheet: &mut Sheet) {
    let share = r.failed as f64 / r.count as f64;
    let says = format!(
        "{} of {} rows failed = {}",
        r.failed,
        r.count,
        percent(share)
    );
    if r.failed == 0 {
        sheet.holds(Rule::Errors, &[&whole(r)], says);
        return;
    }
    let severity = if share < 0.01 {
        Severity::Note
    } else {
        Severity::Doubtful
    };
    sheet.add(
        severity,
        Rule::Errors,
        &[&at(r.first, format!("{} failures", r.failed))],
        says,
        "These count as requests in rate and latency, but did not do the job: an error response is often faster than the real thing.",
    );
}
