//! wrk2's detailed percentile spectrum: a histogram of the response times, printed as its C library does.
//!
//! A row's value is the smallest bucket up to which at least that share of all values lies, and its count is of the values up to
//! there. So a count is at least its share of the total, and the share of a row with a larger value is above the count before.

use crate::figure::{Figure, Range, digits};
use crate::finding::Rule;
use crate::rules::{self, Shape, Slack};
use crate::sheet::Sheet;
use crate::view::View;

/// A bucket holds values that differ by this share at most.
const BUCKET: f64 = 0.002;

/// Checks the spectra of both distributions against their percentiles.
pub fn check(run: View<'_>, sheet: &mut Sheet) {
    for (name, of) in [("spectrum", ""), ("uncorrected spectrum", "uncorrected")] {
        let (Some(scope), Some(percentiles)) = (run.record.scope(name), run.record.scope(of))
        else {
            continue;
        };
        let rows = scope.spectrum.iter().filter_map(|row| {
            let [value, share, count, inverse] = row;
            Some(Row {
                value: value.as_ref()?,
                share: share.as_ref()?,
                count: count.as_ref()?,
                inverse: inverse.as_ref(),
            })
        });
        let spectrum = Spectrum {
            rows: rows.collect(),
            mean: scope.get("mean"),
            sd: scope.get("sd"),
            max: scope.get("max"),
            total: scope.get("count"),
        };
        spectrum.check(&percentiles.latency.quantiles, sheet);
    }
}

/// One spectrum. Times in milliseconds.
struct Spectrum<'a> {
    rows: Vec<Row<'a>>,
    mean: Option<&'a Figure>,
    sd: Option<&'a Figure>,
    max: Option<&'a Figure>,
    total: Option<&'a Figure>,
}

/// `6.671     0.500000        19783         2.00`
struct Row<'a> {
    value: &'a Figure,
    share: &'a Figure,
    count: &'a Figure,
    /// 1 / (1 − share); `None` where it is infinite.
    inverse: Option<&'a Figure>,
}

/// A figure of a row.
type Column = for<'a> fn(&Row<'a>) -> &'a Figure;

impl Spectrum<'_> {
    /// Checks it, and what else is printed of the same values: percentiles, as shares of 1.
    fn check(&self, percentiles: &[(f64, Figure)], sheet: &mut Sheet) {
        let (Some(first), Some(last)) = (self.rows.first(), self.rows.last()) else {
            return;
        };
        self.ascends(sheet);
        let whole = last.share.range.is_some_and(|share| share.hi >= 1.0);
        // Where the text ends before them the number of values is not known.
        let total = self.total.or(whole.then_some(last.count));
        if whole && let Some(total) = self.total {
            rules::sum(
                sheet,
                total,
                &[last.count],
                "values up to the largest",
                "The last row counts all values.",
            );
        }
        if let Some(total) = total
            && let Some(n) = total.range.map(|n| n.lo).filter(|n| *n >= 1.0)
        {
            self.counts(n, total, sheet);
            self.shape(n, sheet);
        }
        self.inverses(sheet);
        if let (Some(max), true) = (self.max, whole) {
            let bucket = max
                .range
                .map(|m| Range::new(m.lo, m.hi * (1.0 + BUCKET) + 0.002));
            sheet.must(
                last.value.range.zip(bucket).is_none_or(|(v, b)| v.meets(b)),
                Rule::Order,
                &[last.value, max],
                format!("the last value is {}; Max = {}", last.value.text, max.text),
                "The largest value and Max are the same one.",
            );
        }
        self.percentiles(percentiles, first, sheet);
    }

    /// Values, shares and counts.
    fn ascends(&self, sheet: &mut Sheet) {
        let columns: [(&str, Column); 3] = [
            ("value", |row| row.value),
            ("percentile", |row| row.share),
            ("count", |row| row.count),
        ];
        for (what, of) in columns {
            let falls = self.rows.windows(2).find(|pair| {
                let [a, b] = [of(&pair[0]), of(&pair[1])].map(|figure| figure.range);
                a.zip(b).is_some_and(|(a, b)| a.above(b))
            });
            let (a, b) = match falls {
                Some(pair) => (&pair[0], &pair[1]),
                None => (&self.rows[0], &self.rows[self.rows.len() - 1]),
            };
            sheet.must(
                falls.is_none(),
                Rule::Order,
                &[of(b), of(a)],
                format!(
                    "{what} {} at {}, {} at {}",
                    of(a).text,
                    a.share.text,
                    of(b).text,
                    b.share.text
                ),
                "From row to row of the spectrum everything ascends.",
            );
        }
    }

    /// Counts against their shares of all `n` values.
    fn counts(&self, n: f64, total: &Figure, sheet: &mut Sheet) {
        // A value for what is rounded, of the share and by the library.
        let room = 1.0 + 1e-6 * n;
        let few = |row: &&Row<'_>| {
            let (Some(count), Some(share)) = (row.count.range, row.share.range) else {
                return false;
            };
            count.hi + room < share.lo * n || count.lo > n + room
        };
        let many = |pair: &&[Row<'_>]| {
            let (before, row) = (&pair[0], &pair[1]);
            let (Some(count), Some(share)) = (before.count.range, row.share.range) else {
                return false;
            };
            let grows = row.value.range.zip(before.value.range);
            grows.is_some_and(|(v, b)| v.above(b)) && count.lo > share.hi * n + room
        };
        let wrong = self.rows.iter().find(few);
        let early = self.rows.windows(2).find(many);
        let at = wrong
            .or(early.map(|pair| &pair[0]))
            .unwrap_or(&self.rows[0]);
        let says = match (wrong, early) {
            (Some(row), _) => format!(
                "{} of {} values up to {}, which is to be the share {}",
                row.count.text, total.text, row.value.text, row.share.text
            ),
            (None, Some([row, next])) => format!(
                "{} of {} values up to {}, and the share {} only at {}",
                row.count.text, total.text, row.value.text, next.share.text, next.value.text
            ),
            _ => format!(
                "the counts of {} rows are their shares of {}",
                self.rows.len(),
                total.text
            ),
        };
        sheet.must(
            wrong.is_none() && early.is_none(),
            Rule::Sum,
            &[at.count, total],
            says,
            "A row stands for the first value up to which its share of all values lies: a row was changed, or they are of different runs.",
        );
    }

    fn inverses(&self, sheet: &mut Sheet) {
        let wrong = self.rows.iter().find(|row| {
            let (Some(share), Some(inverse)) = (
                row.share.range,
                row.inverse.and_then(|inverse| inverse.range),
            ) else {
                return false;
            };
            let left = Range::new((1.0 - share.hi).max(0.0), (1.0 - share.lo).max(0.0));
            !inverse.meets(Range::exact(1.0).over(left))
        });
        if let Some((row, inverse)) = wrong.and_then(|row| Some((row, row.inverse?))) {
            sheet.must(
                false,
                Rule::Order,
                &[inverse, row.share],
                format!("1 / (1 − {}) printed as {}", row.share.text, inverse.text),
                "The last column is made of the percentile alone.",
            );
        }
    }

    /// Mean and deviation against the values.
    fn shape(&self, n: f64, sheet: &mut Sheet) {
        let Some(mean) = self.mean else { return };
        let quantile = |row: &Row<'_>| row.count.range.map(|count| count.mid() / n);
        let quantiles = (self.rows.iter())
            .filter_map(|row| Some((quantile(row)?, row.value)))
            .collect();
        let last = self.rows.last().map(|row| row.value);
        let shape = Shape {
            min: None,
            quantiles,
            max: last,
            mean,
            slack: Slack::of(n),
        };
        rules::mean_fits(sheet, &shape);
        if let Some(sd) = self.sd {
            // The deviation of a histogram with 3 digits: 1% covers it.
            rules::deviation_fits(sheet, sd, &shape, n.max(2.0) * 0.99);
        }
    }

    /// The percentiles that are printed above lie between the rows about them.
    fn percentiles(&self, percentiles: &[(f64, Figure)], first: &Row<'_>, sheet: &mut Sheet) {
        let share = |row: &Row<'_>| row.share.range.map_or(0.0, Range::mid);
        let mut wrong = None;
        for (q, figure) in percentiles {
            let below = self.rows.iter().rev().find(|row| share(row) <= q + 1e-9);
            let above = self.rows.iter().find(|row| share(row) >= q - 1e-9);
            let (Some(below), Some(above)) = (below, above) else {
                continue;
            };
            let (Some(low), Some(high), Some(printed)) =
                (below.value.range, above.value.range, figure.range)
            else {
                continue;
            };
            if !printed.meets(Range::new(low.lo, high.hi).widened(BUCKET)) {
                wrong = Some((q, figure, below, above));
                break;
            }
        }
        match wrong {
            Some((q, figure, below, above)) => sheet.must(
                false,
                Rule::Order,
                &[figure, below.value, above.value],
                format!(
                    "{} = {}; the spectrum has {} to {} there",
                    rules::percentile(*q),
                    figure.text,
                    below.value.text,
                    above.value.text
                ),
                "Percentiles and spectrum are of one histogram.",
            ),
            None if percentiles.is_empty() => {}
            None => sheet.holds(
                Rule::Order,
                &[&percentiles[0].1, first.value],
                format!(
                    "{} percentiles lie where the spectrum has them",
                    digits(percentiles.len() as f64)
                ),
            ),
        }
    }
}
