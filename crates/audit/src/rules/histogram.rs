//! What a histogram that a tool printed says of the other figures.

use crate::figure::{Figure, Range, digits};
use crate::finding::Rule;
use crate::rules::Latency;
use crate::sheet::{Sheet, both};

/// A histogram in milliseconds: lower end, upper end and count of each bucket.
#[derive(Debug, Default)]
pub struct Histogram(Vec<(Range, Range, Figure)>);

/// Buckets kept of one histogram.
const BUCKETS: usize = 10_000;

impl Histogram {
    /// Adds the bucket that reaches from the end of the one before up to `upper`; whether it could be.
    pub fn up_to(&mut self, upper: Range, count: Figure) -> bool {
        let lower = self.0.last().map_or(Range::exact(0.0), |b| b.1);
        self.between(lower, upper, count)
    }

    /// Adds a bucket; whether there was room.
    pub fn between(&mut self, lower: Range, upper: Range, count: Figure) -> bool {
        let room = self.0.len() < BUCKETS && count.range.is_some();
        if room {
            self.0.push((lower, upper, count));
        }
        room
    }

    /// Puts the buckets in order, each from the end of the one before.
    pub fn sort(&mut self) {
        self.0.sort_by(|a, b| a.1.mid().total_cmp(&b.1.mid()));
        let mut from = Range::exact(0.0);
        for bucket in &mut self.0 {
            bucket.0 = from;
            from = bucket.1;
        }
    }

    /// The mean must lie where the counts allow it, and all of `values` must be in the histogram.
    pub fn check(&self, sheet: &mut Sheet, mean: &Figure, values: Range) {
        let (mut low, mut high, mut all) = (0.0, 0.0, 0.0);
        for (from, to, count) in &self.0 {
            let n = count.range.map_or(0.0, Range::mid);
            low += n * from.lo.max(0.0);
            high += n * to.hi;
            all += n;
        }
        let (Some(printed), Some(first)) = (mean.range, self.0.first()) else {
            return;
        };
        if all <= 0.0 {
            return;
        }
        let bounds = Range::new(low / all, high / all).widened(0.001);
        let is_counted = values.meets(Range::exact(all));
        let mut figures = vec![mean];
        figures.extend(self.0.iter().map(|b| &b.2));
        let (all, text) = (digits(all), &mean.text);
        sheet.must(
            printed.meets(bounds),
            Rule::Mean,
            &figures,
            format!(
                "the histogram's {all} values allow a mean of {bounds} (in ms); printed {text}"
            ),
            "The mean cannot lie outside of what the histogram of the same requests allows.",
        );
        let says = format!("the histogram has {all} values; there are {values} responses");
        let meaning = "Every response is in the histogram.";
        sheet.must(is_counted, Rule::Sum, &[&first.2], says, meaning);
    }

    /// So many marks reach in equal steps from the smallest time to the largest one.
    pub fn steps(&self, sheet: &mut Sheet, steps: usize, latency: &Latency) {
        let marks: Vec<Range> = self.0.iter().map(|bucket| bucket.1).collect();
        let (Some(fastest), Some(slowest)) = (&latency.min, &latency.max) else {
            return;
        };
        let Some((low, high)) = both(fastest, slowest).filter(|_| marks.len() == steps) else {
            return;
        };
        let mut expected = marks.iter().enumerate().map(|(at, mark)| {
            let share = at as f64 / (steps - 1).max(1) as f64;
            (at, *mark, low.scaled(1.0 - share).plus(high.scaled(share)))
        });
        let wrong = expected.clone().find(|(_, mark, is)| !mark.meets(*is));
        if let Some((at, mark, is)) = wrong.or(expected.next_back()) {
            let (at, from, to) = (at + 1, &fastest.text, &slowest.text);
            sheet.must(
                wrong.is_none(),
                Rule::Order,
                &[slowest, fastest],
                format!("mark {at} of {steps} from {from} to {to} is {is} ms; printed {mark}"),
                "The histogram reaches in equal steps from the fastest response to the slowest one.",
            );
        }
    }

    /// A quantile that was computed from this histogram must lie in the bucket where that share of its values ends.
    pub fn holds_quantile(&self, sheet: &mut Sheet, q: f64, value: &Figure) {
        let count = |b: &(Range, Range, Figure)| b.2.range.map_or(0.0, Range::mid);
        let all: f64 = self.0.iter().map(count).sum();
        let Some(printed) = value.range.filter(|_| all > 0.0) else {
            return;
        };
        // One value either way: tools differ in which one stands at a quantile.
        let (least, most) = (q * all - 1.0, q * all + 1.0);
        let (mut seen, mut low, mut high) = (0.0, None, 0.0);
        for bucket in self.0.iter().filter(|b| count(b) > 0.0) {
            if seen + count(bucket) >= least && low.is_none() {
                low = Some(bucket.0.lo);
            }
            if seen <= most {
                high = bucket.1.hi;
            }
            seen += count(bucket);
        }
        let bucket = Range::new(low.unwrap_or(0.0), high).widened(1e-4);
        let (name, all, text) = (super::percentile(q), digits(all), &value.text);
        let says = format!(
            "{name} of {all} values end between {bucket} (in ms) in the histogram; printed {text}"
        );
        let meaning = "The percentile is not that of the histogram.";
        sheet.must(printed.meets(bucket), Rule::Order, &[value], says, meaning);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::figure::Scan;
    use crate::finding::Severity;

    fn figure(text: &str) -> Figure {
        Scan::new(text, 1).number().expect("a number")
    }

    #[test]
    fn a_histogram_bounds_the_mean() {
        // 3 values in 0..1, none in 1..10 and 1 in 10..20: the mean lies in 2.5..5.75.
        let mut histogram = Histogram::default();
        for (upper, n) in [("1", "3"), ("10", "0"), ("20", "1")] {
            let upper = figure(upper).range.expect("a number");
            assert!(histogram.up_to(upper, figure(n)));
        }
        for (mean, ok) in [("2.4", false), ("2.5", true), ("5.7", true), ("5.9", false)] {
            let mut sheet = Sheet::default();
            histogram.check(&mut sheet, &figure(mean), Range::exact(4.0));
            assert_eq!(sheet.findings[0].severity == Severity::Holds, ok, "{mean}");
            assert_eq!(sheet.findings[1].severity, Severity::Holds);
        }
        let mut sheet = Sheet::default();
        histogram.check(&mut sheet, &figure("3"), Range::exact(5.0));
        assert_eq!(sheet.findings[1].severity, Severity::Impossible);
    }
}
