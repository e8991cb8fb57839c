//! wrk2's detailed percentile spectrum: a histogram of the response times, printed as its C library does.
//!
//! A row's value is the smallest bucket up to which at least that share of all values lies, and its count is of the values up to
//! there. So a count is at least its share of the total, and the share of a row with a larger value is above the count before.

use crate::figure::{Figure, Range, digits};
use crate::finding::Rule;
use crate::record::{Scope, SpectrumRow as Row};
use crate::rules::{self, Latency, Slack};
use crate::sheet::Sheet;
use crate::view::View;

/// A bucket holds values that differ by this share at most.
const BUCKET: f64 = 0.002;

/// Checks the spectra of both distributions against their percentiles.
pub fn check(run: View<'_>, sheet: &mut Sheet) {
    for (name, of) in [("spectrum", ""), ("uncorrected spectrum", "uncorrected")] {
        if let (Some(scope), Some(of)) = (run.record.scope(name), run.record.scope(of)) {
            check_one(scope, &of.latency().quantiles, sheet);
        }
    }
}

/// Checks a spectrum, and what else is printed of the same values: percentiles, as shares of 1.
fn check_one(scope: &Scope, printed: &[(f64, Figure)], sheet: &mut Sheet) {
    let rows = &scope.spectrum;
    let Some(last) = rows.last() else {
        return;
    };
    ascends(rows, sheet);
    let whole = last.share.range.is_some_and(|share| share.hi >= 1.0);
    let stated = scope.get("count");
    if let Some(total) = stated.filter(|_| whole) {
        let what = "values up to the largest";
        let meaning = "The last row counts all values.";
        rules::sum(sheet, total, &[&last.count], what, meaning);
    }
    // Where the text ends before them the number of values is not known.
    if let Some(total) = stated.or(whole.then_some(&last.count))
        && let Some(n) = total.range.map(|n| n.lo).filter(|n| *n >= 1.0)
    {
        counts(rows, n, total, sheet);
        shape(scope, n, last, sheet);
        if whole {
            percentiles(rows, n, printed, sheet);
        }
    }
    inverses(rows, sheet);
    if let Some(max) = scope.get("max").filter(|_| whole) {
        let bucket = |m: Range| Range::new(m.lo, m.hi * (1.0 + BUCKET) + 0.002);
        let bucket = max.range.map(bucket);
        sheet.must(
            last.value.range.zip(bucket).is_none_or(|(v, b)| v.meets(b)),
            Rule::Order,
            &[&last.value, max],
            format!("the last value is {}; Max = {}", last.value.text, max.text),
            "The largest value and Max are the same one.",
        );
    }
}

/// A figure of a row.
type Column = fn(&Row) -> &Figure;

/// Values, shares and counts.
fn ascends(rows: &[Row], sheet: &mut Sheet) {
    let columns: [(&str, Column); 3] = [
        ("value", |row| &row.value),
        ("percentile", |row| &row.share),
        ("count", |row| &row.count),
    ];
    for (what, of) in columns {
        let falls = rows.windows(2).find(|pair| {
            let ranges = of(&pair[0]).range.zip(of(&pair[1]).range);
            ranges.is_some_and(|(a, b)| a.above(b))
        });
        let (a, b) = match falls {
            Some(pair) => (&pair[0], &pair[1]),
            None => (&rows[0], &rows[rows.len() - 1]),
        };
        let at = |row: &Row| format!("{} at {}", of(row).text, row.share.text);
        sheet.must(
            falls.is_none(),
            Rule::Order,
            &[of(b), of(a)],
            format!("{what} {}, {}", at(a), at(b)),
            "From row to row of the spectrum everything ascends.",
        );
    }
}

/// Counts against their shares of all `n` values.
fn counts(rows: &[Row], n: f64, total: &Figure, sheet: &mut Sheet) {
    // A value for what is rounded, of the share and by the library.
    let room = 1.0 + 1e-6 * n;
    let few = |row: &&Row| {
        let both = row.count.range.zip(row.share.range);
        both.is_some_and(|(count, share)| count.hi + room < share.lo * n || count.lo > n + room)
    };
    let many = |pair: &&[Row]| {
        let values = pair[1].value.range.zip(pair[0].value.range);
        let both = pair[0].count.range.zip(pair[1].share.range);
        values.is_some_and(|(value, before)| value.above(before))
            && both.is_some_and(|(count, share)| count.lo > share.hi * n + room)
    };
    let up_to = |row: &Row| {
        let [count, value] = [&row.count, &row.value].map(|figure| &figure.text);
        format!("{count} of {} values up to {value}", total.text)
    };
    let (at, wrong) = if let Some(row) = rows.iter().find(few) {
        let says = format!(
            "{}, which is to be the share {}",
            up_to(row),
            row.share.text
        );
        (row, Some(says))
    } else if let Some([row, next]) = rows.windows(2).find(many) {
        let [share, value] = [&next.share, &next.value].map(|figure| &figure.text);
        let says = format!("{}, and the share {share} only at {value}", up_to(row));
        (row, Some(says))
    } else {
        (&rows[0], None)
    };
    let fine = wrong.is_none();
    let fits = || {
        format!(
            "the counts of {} rows are their shares of {}",
            rows.len(),
            total.text
        )
    };
    sheet.must(
        fine,
        Rule::Sum,
        &[&at.count, total],
        wrong.unwrap_or_else(fits),
        "A row stands for the first value up to which its share of all values lies: a row was changed, or they are of different runs.",
    );
}

fn inverses(rows: &[Row], sheet: &mut Sheet) {
    let wrong = rows.iter().find_map(|row| {
        let inverse = row.inverse.as_ref()?;
        let (printed, share) = (inverse.range?, row.share.range?);
        let left = Range::new((1.0 - share.hi).max(0.0), (1.0 - share.lo).max(0.0));
        let is_wrong = !printed.meets(Range::exact(1.0).over(left));
        is_wrong.then_some((row, inverse))
    });
    if let Some((row, inverse)) = wrong {
        sheet.must(
            false,
            Rule::Order,
            &[inverse, &row.share],
            format!("1 / (1 − {}) printed as {}", row.share.text, inverse.text),
            "The last column is made of the percentile alone.",
        );
    }
}

/// Mean and deviation against the values.
fn shape(scope: &Scope, n: f64, last: &Row, sheet: &mut Sheet) {
    let quantile = |row: &Row| Some((row.count.range?.mid() / n, row.value.clone()));
    let latency = Latency {
        min: None,
        max: Some(last.value.clone()),
        quantiles: scope.spectrum.iter().filter_map(quantile).collect(),
        ..scope.latency()
    };
    latency.mean_fits(sheet, Slack::of(n));
    // The deviation of a histogram with 3 digits: 1% covers it.
    latency.deviation_fits(sheet, n.max(2.0) * 0.99);
}

/// The percentiles that are printed above lie between the rows about them, of `n` values.
///
/// The library takes the value at the nearest rank for a percentile, and the one at the next rank for a row.
fn percentiles(rows: &[Row], n: f64, printed: &[(f64, Figure)], sheet: &mut Sheet) {
    let Some((_, first)) = printed.first() else {
        return;
    };
    let wrong = printed.iter().find_map(|(q, figure)| {
        let rank = q * n;
        let is_below = |row: &&Row| row.count.range.is_some_and(|count| count.hi < rank - 0.6);
        let is_above = |row: &&Row| row.count.range.is_some_and(|count| count.lo > rank - 0.4);
        let below = rows.iter().rev().find(is_below)?;
        let above = rows.iter().find(is_above)?;
        let bucket = Range::new(below.value.range?.lo, above.value.range?.hi).widened(BUCKET);
        let is_wrong = !figure.range?.meets(bucket);
        is_wrong.then_some((q, figure, &below.value, &above.value))
    });
    let Some((q, figure, below, above)) = wrong else {
        let says = format!(
            "{} percentiles lie where the spectrum has them",
            digits(printed.len() as f64)
        );
        sheet.holds(Rule::Order, &[first, &rows[0].value], says);
        return;
    };
    sheet.must(
        false,
        Rule::Order,
        &[figure, below, above],
        format!(
            "{} = {}; the spectrum has {} to {} there",
            rules::percentile(*q),
            figure.text,
            below.text,
            above.text
        ),
        "Percentiles and spectrum are of one histogram.",
    );
}
