//! What must be true of Locust's statistics.

use super::{ALL, Report, Row, two_digits};
use crate::figure::{Figure, Range, digits};
use crate::finding::{Rule, Severity};
use crate::rules::{self, Slack};
use crate::sheet::{Sheet, both};

/// The smaller or the larger.
type Better = fn(f64, f64) -> f64;

/// Minimum or maximum of a row.
type End = fn(&Row) -> Option<&Figure>;

impl Report {
    /// The last row is made of the others.
    pub(super) fn aggregated(&self, sheet: &mut Sheet) {
        let Some((all, rows)) = self.rows.split_last() else {
            return;
        };
        if all.name != ALL || rows.is_empty() {
            return;
        }
        let none = |row: &Row| row.requests.range.is_some_and(|n| n.hi <= 0.0);
        if rows.iter().all(none) && !none(all) {
            let mut figures = vec![&all.requests];
            figures.extend(rows.iter().map(|row| &row.requests));
            sheet.add(
                Severity::NotChecked,
                Rule::Sum,
                &figures,
                format!("requests of all names: 0; printed {}", all.requests.text),
                "With --json Locust empties the rows of the names before it prints this table: the JSON beside it has them.",
            );
            return;
        }
        let of = |f: fn(&Row) -> &Figure| rows.iter().map(f).collect::<Vec<_>>();
        let meaning = "The last row is the sum of the others: rows were left out, or changed.";
        rules::sum(
            sheet,
            &all.requests,
            &of(|r| &r.requests),
            "requests of all names",
            meaning,
        );
        rules::sum(
            sheet,
            &all.failures,
            &of(|r| &r.failures),
            "failures of all names",
            meaning,
        );
        self.weighted(all, rows, sheet);
        let ends: [(&str, End, Better); 2] = [
            ("minimum", |r| r.latency.min.as_ref(), f64::min),
            ("maximum", |r| r.latency.max.as_ref(), f64::max),
        ];
        for (what, of, better) in ends {
            let used = || {
                rows.iter()
                    .filter(|r| r.requests.range.is_some_and(|n| n.lo > 0.0))
            };
            let ranges = used().filter_map(|r| of(r)?.range);
            let best = ranges.reduce(|a, b| Range::new(better(a.lo, b.lo), better(a.hi, b.hi)));
            if let (Some(printed), Some(best)) = (of(all), best)
                && let Some(x) = printed.range
            {
                sheet.must(
                    x.meets(best),
                    Rule::Sequence,
                    &[printed],
                    format!(
                        "the {what} of all names is {best} ms; printed {}",
                        printed.text
                    ),
                    "Minimum and maximum of all together are those of one of the names.",
                );
            }
        }
    }

    fn weighted(&self, all: &Row, rows: &[Row], sheet: &mut Sheet) {
        let mut sum = Range::exact(0.0);
        for row in rows {
            let Some((m, n)) = row
                .latency
                .mean
                .as_ref()
                .and_then(|m| both(m, &row.requests))
            else {
                return;
            };
            sum = sum.plus(Range::new(m.lo.max(0.0), m.hi).times(n));
        }
        let (Some(mean), Some(n)) = (&all.latency.mean, all.requests.range) else {
            return;
        };
        if n.lo >= 1.0 {
            let expected = sum.over(n);
            sheet.must(
                mean.range.is_none_or(|m| m.meets(expected)),
                Rule::Mean,
                &[mean],
                format!("the means of all names, weighted by their requests, give {expected} ms; printed {}", mean.text),
                "The mean of all together is the weighted mean of the names.",
            );
        }
    }
}

impl Row {
    /// Percentiles are looked up among times that were rounded before: rounding is no reason for one to be above the next.
    fn ascends(&self, sheet: &mut Sheet) {
        let mut printed: Vec<&(f64, Figure)> = self.printed.iter().collect();
        printed.sort_by(|a, b| a.0.total_cmp(&b.0));
        let falls = printed.windows(2).find_map(|pair| {
            let [(p, a), (q, b)] = [pair[0], pair[1]];
            let above = a.range?.above(b.range?);
            // What differs by more than rounding is named already.
            let named = two_digits(a.clone())
                .range?
                .above(two_digits(b.clone()).range?);
            (above && !named).then_some((p, a, q, b))
        });
        if let Some((p, a, q, b)) = falls {
            sheet.must(
                false,
                Rule::Order,
                &[b, a],
                format!("{}: {p}% = {} is more than {q}% = {}", self.name, a.text, b.text),
                "Both are looked up among the same rounded times, where a higher percentile is never smaller.",
            );
        }
    }

    pub(super) fn check(&self, sheet: &mut Sheet) {
        let n = self.requests.range.map_or(1.0, |n| n.lo);
        if n >= 1.0 {
            self.latency.check(sheet, Slack::of(n));
            self.ascends(sheet);
        }
        let Some((bad, all)) = both(&self.failures, &self.requests) else {
            return;
        };
        sheet.must(
            bad.lo <= all.hi,
            Rule::Sum,
            &[&self.failures, &self.requests],
            format!(
                "{}: {} failures of {} requests",
                self.name, self.failures.text, self.requests.text
            ),
            "Failures are part of the requests.",
        );
        if let Some(percent) = self.failed_percent.as_ref().filter(|_| n >= 1.0) {
            rules::quotient(
                sheet,
                Rule::Rate,
                percent,
                bad.over(all).scaled(100.0),
                &[&self.failures, &self.requests],
                &format!("{} / {} in percent", self.failures.text, self.requests.text),
                "The share of failures is not that count over the requests.",
            );
        }
        if let Some((timed, expected)) = self.histogram {
            sheet.must(
                Range::exact(timed).meets(Range::exact(expected)),
                Rule::Sum,
                &[&self.requests],
                format!(
                    "{}: {} requests with a time; {} in response_times",
                    self.name,
                    digits(expected),
                    digits(timed)
                ),
                "Every request with a time is in response_times.",
            );
        }
    }
}
