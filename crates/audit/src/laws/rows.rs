//! The laws of rows: from row to row, and of the row that is made of the others.

use crate::figure::{Figure, Range};
use crate::finding::{Rule, Severity};
use crate::layout::Layout;
use crate::record::Scope;
use crate::rules;
use crate::sheet::{Sheet, both};
use crate::view::View;

/// Checks the rows of a report.
pub fn check(run: View<'_>, sheet: &mut Sheet) {
    let (layout, rows) = (run.layout, run.record.rows());
    if !layout.grows.is_empty() {
        for pair in rows.windows(2) {
            sequence(layout, &pair[0], &pair[1], sheet);
        }
    }
    if let Some(name) = &layout.aggregate
        && let Some((all, parts)) = rows.split_last()
        && all.name == *name
        && !parts.is_empty()
    {
        aggregate(all, parts, sheet);
    }
}

/// Later rows go on from earlier ones.
fn sequence(layout: &Layout, a: &Scope, b: &Scope, sheet: &mut Sheet) {
    let some = a.range("ok").is_none_or(|n| n.lo > 0.0);
    let mut fine = true;
    let grows = layout.grows.iter().map(|name| (name, false));
    for (name, falls) in grows.chain(layout.falls.iter().map(|name| (name, true))) {
        let (Some(was), Some(is)) = (a.get(name), b.get(name)) else {
            continue;
        };
        let Some((r, s)) = both(was, is) else {
            continue;
        };
        let wrong = if falls { s.above(r) } else { r.above(s) };
        if wrong && (some || name == "duration") {
            fine = false;
            sheet.add(
                Severity::Impossible,
                Rule::Sequence,
                &[is, was],
                format!("{name} was {} and is then {}", was.text, is.text),
                "Each row counts from the start: times, counts and the longest only grow, the shortest only falls.",
            );
        }
    }
    if fine && let (Some(was), Some(is)) = (a.get("ok"), b.get("ok")) {
        let says = format!("{} after {} successes", is.text, was.text);
        sheet.holds(Rule::Sequence, &[is, was], says);
    }
}

/// The last row is made of the others.
fn aggregate(all: &Scope, parts: &[Scope], sheet: &mut Sheet) {
    let requests = |row: &Scope| row.range("requests").unwrap_or(Range::exact(0.0));
    let none = |row: &Scope| requests(row).hi <= 0.0;
    let Some(total) = all.get("requests") else {
        return;
    };
    if parts.iter().all(none) && !none(all) {
        let mut figures = vec![total];
        figures.extend(parts.iter().filter_map(|row| row.get("requests")));
        sheet.add(
            Severity::NotChecked,
            Rule::Sum,
            &figures,
            format!("requests of all names: 0; printed {}", total.text),
            "With --json Locust empties the rows of the names before it prints this table: the JSON beside it has them.",
        );
        return;
    }
    let parts: Vec<&Scope> = parts.iter().collect();
    let meaning = "The last row is the sum of the others: rows were left out, or changed.";
    made_of(all, &parts, "all names", meaning, sheet);
}

/// A row that is made of others: their counts add up to its own, its mean is theirs by weight, and its ends are among theirs.
pub fn made_of(all: &Scope, parts: &[&Scope], whom: &str, meaning: &str, sheet: &mut Sheet) {
    for name in ["requests", "failed"] {
        let of: Vec<&Figure> = parts.iter().filter_map(|row| row.get(name)).collect();
        if let Some(total) = all.get(name).filter(|_| of.len() == parts.len()) {
            rules::sum(sheet, total, &of, &format!("{name} of {whom}"), meaning);
        }
    }
    let requests = |row: &Scope| row.range("requests").unwrap_or(Range::exact(0.0));
    let used = || parts.iter().filter(|row| requests(row).hi > 0.0);
    let mean = |row: &&Scope| {
        let mean = row.range("mean")?;
        Some(Range::new(mean.lo.max(0.0), mean.hi).times(requests(row)))
    };
    let sum = used()
        .map(mean)
        .try_fold(Range::exact(0.0), |sum, part| Some(sum.plus(part?)));
    if let (Some(sum), Some(printed)) = (sum, all.get("mean"))
        && requests(all).lo >= 1.0
    {
        let expected = sum.over(requests(all));
        sheet.must(
            printed.range.is_none_or(|m| m.meets(expected)),
            Rule::Mean,
            &[printed],
            format!(
                "the means of {whom}, weighted by their requests, give {expected} ms; printed {}",
                printed.text
            ),
            "The mean of a whole is the mean of its parts, weighted by their requests.",
        );
    }
    type Better = fn(f64, f64) -> f64;
    let ends: [(&str, &str, Better); 2] =
        [("minimum", "min", f64::min), ("maximum", "max", f64::max)];
    for (what, name, better) in ends {
        let ranges: Option<Vec<Range>> = used().map(|row| row.get(name)?.range).collect();
        let ranges = ranges.unwrap_or_default().into_iter();
        let best = ranges.reduce(|a, b| Range::new(better(a.lo, b.lo), better(a.hi, b.hi)));
        if let (Some(printed), Some(best)) = (all.get(name), best)
            && let Some(x) = printed.range
        {
            sheet.must(
                x.meets(best),
                Rule::Sequence,
                &[printed],
                format!(
                    "the {what} of {whom} is {best} ms; printed {}",
                    printed.text
                ),
                "Minimum and maximum of a whole are those of one of its parts.",
            );
        }
    }
}
