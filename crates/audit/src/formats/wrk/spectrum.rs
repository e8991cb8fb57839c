//! wrk2's detailed percentile spectrum: a histogram of the response times, printed as its C library does.
//!
//! A row's value is the smallest bucket up to which at least that share of all values lies, and its count is of the values up to
//! there. So a count is at least its share of the total, and the share of a row with a larger value is above the count before.

use crate::figure::{Figure, Range, Scan, digits};
use crate::finding::Rule;
use crate::gather::keep;
use crate::rules::{self, Shape, Slack};
use crate::sheet::Sheet;

/// Rows that are kept: wrk2 prints some five for each halving of what is left, at most a few hundred.
const ROWS: usize = 2_000;
/// A bucket holds values that differ by this share at most.
pub const BUCKET: f64 = 0.002;

/// One spectrum. Times in milliseconds.
#[derive(Debug, Default)]
pub struct Spectrum {
    rows: Vec<Row>,
    mean: Option<Figure>,
    sd: Option<Figure>,
    max: Option<Figure>,
    total: Option<Figure>,
}

/// `6.671     0.500000        19783         2.00`
#[derive(Debug)]
struct Row {
    value: Figure,
    share: Figure,
    count: Figure,
    /// 1 / (1 − share); `None` where it is infinite.
    inverse: Option<Figure>,
}

/// A figure of a row.
type Column = fn(&Row) -> &Figure;

impl Spectrum {
    /// Takes one line below the heading; whether it belongs to the spectrum.
    pub fn take(&mut self, text: &str, line: usize) -> bool {
        if text.starts_with("#[") {
            let after = |label: &str| {
                let mut scan = Scan::new(text, line);
                (scan.find(label) && scan.lit("=")).then(|| scan.finite())?
            };
            let ms = |figure: Option<Figure>| figure.map(|f| f.in_unit(" ms", 1.0));
            let (mean, sd) = (ms(after("Mean")), ms(after("StdDeviation")));
            let (max, total) = (ms(after("Max")), after("Total count"));
            keep(&mut self.mean, mean);
            keep(&mut self.sd, sd);
            keep(&mut self.max, max);
            keep(&mut self.total, total);
            return true;
        }
        if text.starts_with("Value") && text.contains("Percentile") {
            return true;
        }
        let row = row(text, line).filter(|_| self.rows.len() < ROWS);
        let some = row.is_some();
        self.rows.extend(row);
        some
    }

    /// Checks it, and what else is printed of the same values: percentiles, as shares of 1.
    pub fn check(&self, percentiles: &[(f64, Figure)], sheet: &mut Sheet) {
        let (Some(first), Some(last)) = (self.rows.first(), self.rows.last()) else {
            return;
        };
        self.ascends(sheet);
        let whole = last.share.range.is_some_and(|share| share.hi >= 1.0);
        // Where the text ends before them the number of values is not known.
        let total = self.total.as_ref().or(whole.then_some(&last.count));
        if whole && let Some(total) = &self.total {
            rules::sum(
                sheet,
                total,
                &[&last.count],
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
        if let (Some(max), true) = (&self.max, whole) {
            let bucket = max
                .range
                .map(|m| Range::new(m.lo, m.hi * (1.0 + BUCKET) + 0.002));
            sheet.must(
                last.value.range.zip(bucket).is_none_or(|(v, b)| v.meets(b)),
                Rule::Order,
                &[&last.value, max],
                format!("the last value is {}; Max = {}", last.value.text, max.text),
                "The largest value and Max are the same one.",
            );
        }
        self.percentiles(percentiles, first, sheet);
    }

    /// Values, shares and counts.
    fn ascends(&self, sheet: &mut Sheet) {
        let columns: [(&str, Column); 3] = [
            ("value", |row| &row.value),
            ("percentile", |row| &row.share),
            ("count", |row| &row.count),
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
        let few = |row: &&Row| {
            let (Some(count), Some(share)) = (row.count.range, row.share.range) else {
                return false;
            };
            count.hi + room < share.lo * n || count.lo > n + room
        };
        let many = |pair: &&[Row]| {
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
            &[&at.count, total],
            says,
            "A row stands for the first value up to which its share of all values lies: a row was changed, or they are of different runs.",
        );
    }

    fn inverses(&self, sheet: &mut Sheet) {
        let wrong = self.rows.iter().find(|row| {
            let (Some(share), Some(inverse)) = (
                row.share.range,
                row.inverse.as_ref().and_then(|inverse| inverse.range),
            ) else {
                return false;
            };
            let left = Range::new((1.0 - share.hi).max(0.0), (1.0 - share.lo).max(0.0));
            !inverse.meets(Range::exact(1.0).over(left))
        });
        if let Some((row, inverse)) = wrong.and_then(|row| Some((row, row.inverse.as_ref()?))) {
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
    fn shape(&self, n: f64, sheet: &mut Sheet) {
        let Some(mean) = &self.mean else { return };
        let quantile = |row: &'_ Row| row.count.range.map(|count| count.mid() / n);
        let quantiles = (self.rows.iter())
            .filter_map(|row| Some((quantile(row)?, &row.value)))
            .collect();
        let last = self.rows.last().map(|row| &row.value);
        let shape = Shape {
            min: None,
            quantiles,
            max: last,
            mean,
            slack: Slack::of(n),
        };
        rules::mean_fits(sheet, &shape);
        if let Some(sd) = &self.sd {
            // The deviation of a histogram with 3 digits: 1% covers it.
            rules::deviation_fits(sheet, sd, &shape, n.max(2.0) * 0.99);
        }
    }

    /// The percentiles that are printed above lie between the rows about them.
    fn percentiles(&self, percentiles: &[(f64, Figure)], first: &Row, sheet: &mut Sheet) {
        let share = |row: &Row| row.share.range.map_or(0.0, Range::mid);
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
                &[figure, &below.value, &above.value],
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
                &[&percentiles[0].1, &first.value],
                format!(
                    "{} percentiles lie where the spectrum has them",
                    digits(percentiles.len() as f64)
                ),
            ),
        }
    }
}

fn row(text: &str, line: usize) -> Option<Row> {
    let words: Vec<&str> = text.split_whitespace().collect();
    let [value, share, count, inverse] = words[..] else {
        return None;
    };
    let number = |word: &str| {
        let mut scan = Scan::new(word, line);
        scan.finite().filter(|_| scan.rest().is_empty())
    };
    let share = number(share).filter(|_| share.contains('.'))?;
    share
        .range
        .filter(|s| s.lo >= -1e-6 && s.hi <= 1.0 + 1e-6)?;
    Some(Row {
        value: number(value)
            .filter(|_| value.contains('.'))?
            .in_unit(" ms", 1.0),
        share,
        count: number(count)?,
        inverse: match inverse {
            "inf" => None,
            inverse => Some(number(inverse)?),
        },
    })
}
