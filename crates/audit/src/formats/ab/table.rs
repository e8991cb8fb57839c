//! The table of times and the percentiles of an ab report.

use super::report::{Report, Times};
use crate::figure::{Figure, Range};
use crate::finding::Rule;
use crate::rules::{self, Shape, Slack, percentile};
use crate::sheet::{Sheet, both};

/// Checks both, each by itself and against the other.
pub fn check(r: &Report, sheet: &mut Sheet) {
    for row in &r.times {
        times(row, r, sheet);
    }
    parts(r, sheet);
    percentiles(r, sheet);
    median(r, sheet);
}

/// The time of a request is that of its connection and that of its processing, which has the waiting in it.
fn parts(r: &Report, sheet: &mut Sheet) {
    // Of a request that failed ab keeps some of the times of the one before it.
    if r.failed
        .as_ref()
        .and_then(|f| f.range)
        .is_none_or(|f| f.hi > 0.0)
    {
        return;
    }
    for (part, whole) in [
        ("Connect", "Total"),
        ("Processing", "Total"),
        ("Waiting", "Processing"),
    ] {
        let (Some(part), Some(whole)) = (r.row(part), r.row(whole)) else {
            continue;
        };
        for (what, low, high) in [
            ("mean", &part.mean, &whole.mean),
            ("max", &part.max, &whole.max),
        ] {
            let step = |row: &Times| format!("{} {what}", row.name);
            rules::ascending(sheet, &[(step(part), low), (step(whole), high)]);
        }
    }
    let (Some(connect), Some(processing), Some(total)) =
        (r.row("Connect"), r.row("Processing"), r.row("Total"))
    else {
        return;
    };
    let (Some((c, p)), Some(t)) = (both(&connect.mean, &processing.mean), total.mean.range) else {
        return;
    };
    // Each is cut off to whole microseconds before it is rounded.
    let sum = c.plus(p);
    sheet.must(
        t.meets(Range::new(sum.lo - 0.01, sum.hi + 0.01)),
        Rule::Sum,
        &[&total.mean, &connect.mean, &processing.mean],
        format!(
            "mean Connect {} + Processing {} ms = {sum} ms; printed Total {}",
            connect.mean.text, processing.mean.text, total.mean.text
        ),
        "Total is the time of the connection and of the processing.",
    );
}

/// Of an even number of requests ab takes the same one for the median and for 50%.
fn median(r: &Report, sheet: &mut Sheet) {
    let (Some(total), Some((_, half))) = (
        r.row("Total"),
        r.percentiles.iter().find(|(q, _)| *q == 0.5),
    ) else {
        return;
    };
    let n = r.complete.as_ref().and_then(|n| n.range);
    let even = n.is_some_and(|n| n.lo == n.hi && n.lo % 2.0 == 0.0);
    if let Some((median, half_range)) = both(&total.median, half)
        && even
    {
        sheet.must(
            median.meets(half_range),
            Rule::Order,
            &[&total.median, half],
            format!(
                "Total's median {} ms, 50% {} ms",
                total.median.text, half.text
            ),
            "Both are the same request.",
        );
    }
}

fn times(row: &Times, r: &Report, sheet: &mut Sheet) {
    let name = |what: &str| format!("{} {what}", row.name);
    rules::ascending(
        sheet,
        &[
            (name("min"), &row.min),
            (name("median"), &row.median),
            (name("max"), &row.max),
        ],
    );
    let n = r
        .complete
        .as_ref()
        .and_then(|n| n.range)
        .map_or(2.0, |n| n.lo);
    let shape = Shape {
        min: Some(&row.min),
        quantiles: vec![(0.5, &row.median)],
        max: Some(&row.max),
        mean: &row.mean,
        slack: Slack::of(n),
    };
    rules::mean_fits(sheet, &shape);
    rules::deviation_fits(sheet, &row.sd, &shape, n);
}

fn percentiles(r: &Report, sheet: &mut Sheet) {
    let steps: Vec<(String, &Figure)> = r
        .percentiles
        .iter()
        .map(|(q, f)| (percentile(*q), f))
        .collect();
    rules::ascending(sheet, &steps);
    if let (Some(total), Some((_, longest))) = (
        r.row("Total"),
        r.percentiles.iter().find(|(q, _)| *q >= 1.0),
    ) && let Some((max, last)) = both(&total.max, longest)
    {
        sheet.must(
            max.meets(last),
            Rule::Order,
            &[longest, &total.max],
            format!(
                "longest request {} ms, Total's max {} ms",
                longest.text, total.max.text
            ),
            "Both are the same request.",
        );
    }
    if let (Some(mean), Some((_, max))) = (&r.mean, r.percentiles.iter().find(|(q, _)| *q >= 1.0))
        && let Some((m, longest)) = both(mean, max)
        && r.times.is_empty()
    {
        // Derived, hence above the measured mean by what ab itself spends: no more than twice.
        sheet.must(
            m.lo <= longest.hi * 2.0,
            Rule::Mean,
            &[mean, max],
            format!("mean {} ms, longest request {} ms", mean.text, max.text),
            "The mean cannot be above the longest request.",
        );
    }
}
