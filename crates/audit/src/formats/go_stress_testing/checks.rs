//! What must be true of a report by go-stress-testing.

use super::report::{Report, Row};
use crate::figure::{Figure, Range, digits, percent};
use crate::finding::{self, Rule, Severity};
use crate::rules::{self, Shape, Slack};
use crate::sheet::{Sheet, both};

/// How far the printed qps may be from successes / time before it is worth a note.
const OFF: f64 = 0.05;
/// And before it misleads.
const FAR_OFF: f64 = 0.25;

/// Checks one report.
pub fn check(r: &Report, span: (usize, usize), sheet: &mut Sheet) -> finding::Report {
    for row in &r.rows {
        one(row, sheet);
    }
    for pair in r.rows.windows(2) {
        sequence(&pair[0], &pair[1], sheet);
    }
    summary(r, sheet);
    let last = r.rows.last();
    finding::Report {
        response_bytes: last.and_then(response_bytes),
        ..finding::Report::new("go-stress-testing", span, title(r))
    }
}

fn title(r: &Report) -> String {
    let last = r.rows.last();
    let mut parts = Vec::new();
    parts.extend(r.total.iter().map(|n| format!("{} requests", n.text)));
    let connections = last.map(|l| &l.concurrency).or(r.goroutines.as_ref());
    parts.extend(connections.map(|c| format!("{} connections", c.text)));
    parts.join(", ")
}

fn response_bytes(row: &Row) -> Option<(f64, f64)> {
    let (bytes, n) = both(row.bytes.as_ref()?, &row.good)?;
    let all_good = row.bad.range.is_some_and(|b| b.hi <= 0.0);
    (n.lo > 0.0 && bytes.lo > 0.0 && all_good).then(|| (bytes.lo / n.lo, bytes.hi / n.lo))
}

/// What one row says of itself.
fn one(row: &Row, sheet: &mut Sheet) {
    let figures = [&row.rate, &row.longest, &row.shortest, &row.mean];
    if !sheet.numbers(figures, "No request had succeeded yet.") {
        return;
    }
    let Some((good, bad)) = both(&row.good, &row.bad) else {
        return;
    };
    if good.hi + bad.hi <= 0.0 {
        return;
    }
    rules::ascending(
        sheet,
        &[
            ("shortest".into(), &row.shortest),
            ("mean".into(), &row.mean),
            ("longest".into(), &row.longest),
        ],
    );
    if !row.statuses.is_empty() {
        let sum: f64 = row
            .statuses
            .iter()
            .filter_map(|(_, n)| n.range)
            .map(|n| n.lo)
            .sum();
        let parts: Vec<String> = row
            .statuses
            .iter()
            .map(|(s, n)| format!("{} ({s})", n.text))
            .collect();
        sheet.must(
            Range::exact(sum).meets(good.plus(bad)),
            Rule::Sum,
            &[&row.good, &row.bad],
            format!(
                "{} = {}; successes + failures = {} + {}",
                parts.join(" + "),
                digits(sum),
                row.good.text,
                row.bad.text
            ),
            "Every response has one status and is a success or a failure.",
        );
    }
    law(row, sheet);
    if let Some(bytes) = &row.bytes_rate {
        byte_rate(row, bytes, sheet);
    }
}

/// qps × mean = concurrency: the tool computes its qps that way.
fn law(row: &Row, sheet: &mut Sheet) {
    let (Some((x, m)), Some(c)) = (both(&row.rate, &row.mean), row.concurrency.range) else {
        return;
    };
    if row.good.range.is_none_or(|g| g.lo < 1.0) {
        return;
    }
    let busy = x.times(m).scaled(1e-3);
    // 1%: the tool reads its counters one after the other while requests run.
    sheet.must(
        busy.widened(0.01).meets(c),
        Rule::LittlesLaw,
        &[&row.rate, &row.mean, &row.concurrency],
        format!("{} per second × {} ms = {busy} requests at a time; printed {}", row.rate.text, row.mean.text, row.concurrency.text),
        "In a closed loop connections = rate × mean, and this tool derives its qps from the mean that way.",
    );
}

fn byte_rate(row: &Row, printed: &Figure, sheet: &mut Sheet) {
    let (Some(bytes), Some((x, t))) = (
        row.bytes.as_ref().and_then(|b| b.range),
        both(printed, &row.seconds),
    ) else {
        return;
    };
    if t.lo < 1.0 {
        return;
    }
    // Seconds are rounded; the row is printed some time after its second.
    let expected = bytes.over(Range::new(t.lo - 0.5, t.hi + 0.5)).widened(0.05);
    let says = format!(
        "{} bytes / {} = {}; printed {}",
        row.bytes.as_ref().map_or("", |b| &b.text),
        row.seconds.text,
        expected,
        printed.text
    );
    sheet.must(
        x.meets(expected),
        Rule::Rate,
        &[printed, &row.seconds],
        says,
        "The rate is not those bytes over that time.",
    );
}

/// Later rows go on from earlier ones.
fn sequence(a: &Row, b: &Row, sheet: &mut Sheet) {
    let grows = [
        ("time", &a.seconds, &b.seconds),
        ("successes", &a.good, &b.good),
        ("failures", &a.bad, &b.bad),
        ("longest", &a.longest, &b.longest),
        // Reversed: the shortest can only fall.
        ("shortest", &b.shortest, &a.shortest),
    ];
    let some = |row: &Row| row.good.range.is_some_and(|g| g.lo > 0.0);
    let mut fine = true;
    for (what, small, large) in grows {
        let Some((s, l)) = both(small, large) else {
            continue;
        };
        if s.above(l) && (some(a) || what == "time") {
            fine = false;
            let (was, is) = if what == "shortest" {
                (large, small)
            } else {
                (small, large)
            };
            sheet.add(
                Severity::Impossible,
                Rule::Sequence,
                &[is, was],
                format!("{what} was {} and is then {}", was.text, is.text),
                "Each row counts from the start: times, counts and the longest only grow, the shortest only falls.",
            );
        }
    }
    if fine {
        sheet.holds(
            Rule::Sequence,
            &[&b.good, &a.good],
            format!("{} after {} successes", b.good.text, a.good.text),
        );
    }
}

fn summary(r: &Report, sheet: &mut Sheet) {
    if let (Some(total), Some(good), Some(bad)) = (&r.total, &r.good, &r.bad)
        && let (Some((g, b)), Some(n)) = (both(good, bad), total.range)
    {
        sheet.must(
            g.plus(b).meets(n),
            Rule::Sum,
            &[total, good, bad],
            format!(
                "{} + {} = {}; printed {}",
                good.text,
                bad.text,
                digits(g.lo + b.lo),
                total.text
            ),
            "Successes and failures must add up to the requests.",
        );
        rules::failures(sheet, bad, total, "failures");
    }
    let Some(last) = r.rows.last() else { return };
    for (what, in_summary, in_table) in [
        ("successes", &r.good, &last.good),
        ("failures", &r.bad, &last.bad),
        ("concurrency", &r.goroutines, &last.concurrency),
    ] {
        if let Some(s) = in_summary
            && let Some((a, b)) = both(s, in_table)
        {
            // A table pasted without its last row ends below the summary.
            let ok = if what == "concurrency" {
                a.meets(b)
            } else {
                a.hi >= b.lo
            };
            let says = format!(
                "{what}: {} in the summary, {} in the last row",
                s.text, in_table.text
            );
            sheet.must(
                ok,
                Rule::Sum,
                &[s, in_table],
                says,
                "The summary repeats or exceeds the last row.",
            );
        }
    }
    if let Some(p) = r.percentiles.iter().find(|(q, _)| *q == 0.99) {
        let mut steps: Vec<(String, &Figure)> = r
            .percentiles
            .iter()
            .map(|(q, f)| (format!("tp{}", digits(q * 100.0)), f))
            .collect();
        steps.push(("longest".into(), &last.longest));
        rules::ascending(sheet, &steps);
        let quantiles = vec![(0.99, &p.1)];
        rules::mean_fits(
            sheet,
            &Shape {
                min: Some(&last.shortest),
                quantiles,
                max: Some(&last.longest),
                mean: &last.mean,
                slack: Slack::of(last.good.range.map_or(2.0, |n| n.lo)),
            },
        );
    }
    real_rate(r, last, sheet);
}

/// Successes over time is the throughput; the printed qps is concurrency / mean and leaves out what the client needs between requests.
fn real_rate(r: &Report, last: &Row, sheet: &mut Sheet) {
    let (time, printed_time) = match &r.seconds {
        Some(t) => (t.range, t),
        None => (
            last.seconds
                .range
                .map(|t| Range::new(t.lo - 0.5, t.hi + 0.5)),
            &last.seconds,
        ),
    };
    let good = r.good.as_ref().unwrap_or(&last.good);
    let (Some(t), Some((g, x))) = (time.filter(|t| t.lo > 0.5), both(good, &last.rate)) else {
        return;
    };
    let expected = g.over(t);
    let says = format!(
        "{} successes / {} s = {expected} per second; printed qps {}",
        good.text,
        printed_time.text.trim_end_matches('s'),
        last.rate.text
    );
    let figures = [&last.rate, good, printed_time];
    let off = if x.meets(expected) {
        0.0
    } else {
        x.mid() / expected.mid() - 1.0
    };
    let mean = last.mean.range.map_or(0.0, |m| m.lo);
    let c = last.concurrency.range.map_or(1.0, |c| c.hi);
    if expected.lo * mean / 1000.0 > c * 1.05 {
        sheet.add(
            Severity::Impossible,
            Rule::Rate,
            &figures,
            format!(
                "{says}; × {} ms would be {} requests at a time",
                last.mean.text,
                digits(expected.lo * mean / 1000.0)
            ),
            "So many requests of that length do not fit into that time with that concurrency.",
        );
    } else if off.abs() > OFF {
        sheet.add(
            if off.abs() > FAR_OFF { Severity::Doubtful } else { Severity::Note },
            Rule::Rate,
            &figures,
            says,
            format!("The tool's qps is concurrency / mean, not requests / time: {} of the time the client was doing something else. Take the first figure.", percent(off.abs() / (1.0 + off.abs()))),
        );
    } else {
        sheet.holds(Rule::Rate, &figures, says);
    }
}
