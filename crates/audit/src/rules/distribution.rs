//! What minimum, percentiles, mean, deviation and maximum of the same values say of each other.

use crate::figure::{Figure, Range, digits};
use crate::finding::{Rule, Severity};
use crate::sheet::{Sheet, both};

/// The figures, smallest first, must ascend (equal is allowed). Names go into the sentence.
fn ascending(sheet: &mut Sheet, steps: &[(String, &Figure)]) {
    let known = steps.iter().filter(|(_, figure)| figure.range.is_some());
    let known: Vec<&(String, &Figure)> = known.collect();
    let mut fine = true;
    for pair in known.windows(2) {
        let ((low, a), (high, b)) = (pair[0], pair[1]);
        if both(a, b).is_some_and(|(x, y)| x.above(y)) {
            fine = false;
            sheet.add(
                Severity::Impossible,
                Rule::Order,
                &[b, a],
                format!("{low} = {} is more than {high} = {}", a.text, b.text),
                format!("{low} cannot be above {high}: both describe the same requests."),
            );
        }
    }
    if let [(low, first), .., (high, last)] = &known[..]
        && fine
    {
        let (n, from, to) = (known.len(), &first.text, &last.text);
        let says = format!("{low} = {from} ≤ … ≤ {high} = {to}: {n} figures in ascending order");
        sheet.holds(Rule::Order, &[last, first], says);
    }
}

/// How far the share of values below a printed quantile may be from the share that it is named for.
#[derive(Debug, Clone, Copy)]
pub struct Slack {
    /// Number of values at the least: tools differ by up to two positions in which value stands at a quantile.
    pub values: f64,
    /// What a tool that keeps a sketch of the values adds at the median; it falls towards the ends.
    pub sketch: f64,
}

impl Slack {
    /// Of a tool that keeps all values.
    pub fn of(values: f64) -> Self {
        Self {
            values,
            sketch: 0.0,
        }
    }

    fn at(self, q: f64) -> f64 {
        2.0 / self.values.max(1.0) + self.sketch * 4.0 * q * (1.0 - q)
    }
}

/// Says so if a mean is no number; whether it is none.
pub fn no_mean(sheet: &mut Sheet, mean: &Figure) -> bool {
    let is_none = mean.range.is_none();
    if is_none {
        sheet.add(
            Severity::Doubtful,
            Rule::NotANumber,
            &[mean],
            format!("'{}' is no number: it comes of 0 / 0", mean.text),
            "No response entered the latency: its figures say nothing.",
        );
    }
    is_none
}

/// The latencies of one report, in milliseconds, as far as it has them.
#[derive(Debug, Default, Clone)]
pub struct Latency {
    /// Mean.
    pub mean: Option<Figure>,
    /// Standard deviation.
    pub sd: Option<Figure>,
    /// Smallest.
    pub min: Option<Figure>,
    /// Largest.
    pub max: Option<Figure>,
    /// Share of 1 and value.
    pub quantiles: Vec<(f64, Figure)>,
}

/// Percentiles from here on are above the mean, as a rule.
const HIGH: f64 = 0.9;
/// So many digits are not the same by chance.
const DIGITS: usize = 4;

impl Latency {
    /// Order, mean and deviation, for values of which there are at least `slack.values`.
    /// `scope` stands before the names of the figures.
    pub fn check(mut self, sheet: &mut Sheet, scope: &str, slack: Slack) {
        self.quantiles.sort_by(|a, b| a.0.total_cmp(&b.0));
        let quantiles = self.quantiles.iter();
        let quantiles = quantiles.map(|(q, figure)| (super::percentile(*q), figure));
        let min = self.min.iter().map(|f| ("the minimum".to_owned(), f));
        let max = self.max.iter().map(|f| ("the maximum".to_owned(), f));
        let steps = min.chain(quantiles).chain(max);
        let steps = steps.map(|(name, figure)| (format!("{scope}{name}"), figure));
        ascending(sheet, &steps.collect::<Vec<_>>());
        let Some(mean) = &self.mean else { return };
        if no_mean(sheet, mean) {
            return;
        }
        self.mean_fits(sheet, slack);
        self.last_is_not_the_mean(sheet, scope, mean);
        self.deviation_fits(sheet, slack.values);
    }

    /// The mean must lie where minimum, percentiles, which ascend, and maximum allow it.
    ///
    /// Between two neighbouring quantiles q1 < q2 lies a share q2 − q1 of the requests, each at least as large as
    /// the first and at most as large as the second; the sums of these bounds are bounds of the mean.
    pub fn mean_fits(&self, sheet: &mut Sheet, slack: Slack) {
        let Some((printed, mean)) = ranged(&self.mean) else {
            return;
        };
        let (mut low, mut high) = (0.0, 0.0);
        // The shares so far: for the lower bound as many values as possible are below each quantile, for the upper as few.
        let (mut below, mut above, mut named) = (0.0, 0.0, 0.0);
        let mut floor = ranged(&self.min).map_or(0.0, |(_, min)| min.lo.max(0.0));
        let mut figures = vec![printed];
        figures.extend(&self.min);
        for (q, figure) in &self.quantiles {
            let (Some(r), true) = (figure.range, *q > named && *q < 1.0) else {
                continue;
            };
            let most = (q + slack.at(*q)).clamp(below, 1.0);
            let least = (q - slack.at(*q)).max(above);
            low += (most - below) * floor;
            high += (least - above) * r.hi.max(0.0);
            (below, above, named) = (most, least, *q);
            floor = r.lo.max(floor);
            figures.push(figure);
        }
        low += (1.0 - below) * floor;
        let last = self.quantiles.last().filter(|(q, _)| *q >= 1.0);
        let max = self.max.as_ref().or(last.map(|(_, figure)| figure));
        high += match max.and_then(|max| max.range) {
            Some(max) => (1.0 - above) * max.hi.max(0.0),
            None => f64::INFINITY,
        };
        figures.extend(max);
        if figures.len() == 1 {
            return;
        }
        // Histograms round values to some digits: 2% covers it.
        let bounds = Range::new(low, high).widened(0.02);
        let says = format!(
            "minimum, percentiles and maximum allow a mean of {bounds} (in ms); printed {}",
            printed.text
        );
        let meaning =
            "The mean cannot lie outside of what the other figures of the same requests allow.";
        sheet.must(mean.meets(bounds), Rule::Mean, &figures, says, meaning);
    }

    /// The standard deviation must be possible: sd² ≤ (max − mean)(mean − min) (Bhatia and Davis 2000), times
    /// n / (n − 1) as the tools divide by n − 1.
    pub fn deviation_fits(&self, sheet: &mut Sheet, n: f64) {
        let all = (ranged(&self.sd), ranged(&self.mean), ranged(&self.max));
        let (Some((printed, sd)), Some((_, mean)), Some((_, max))) = all else {
            return;
        };
        let min = ranged(&self.min).map_or(0.0, |(_, min)| min.lo);
        // The largest value over the box of possible means and ends; the product peaks where the mean is in the middle.
        let peak = f64::midpoint(min, max.hi).clamp(mean.lo, mean.hi);
        let bessel = if n > 1.0 { n / (n - 1.0) } else { 2.0 };
        let bound = ((max.hi - peak).max(0.0) * (peak - min).max(0.0) * bessel).sqrt();
        let figures = [&self.sd, &self.mean, &self.min, &self.max];
        let figures: Vec<&Figure> = figures.into_iter().flatten().collect();
        let says = format!(
            "√((max − mean) × (mean − min)) = {}; printed {}",
            digits(bound),
            printed.text
        );
        let meaning = "No set of numbers with that mean and that range can spread so far.";
        let fits = sd.lo <= bound * 1.001 + 1e-9;
        sheet.must(fits, Rule::Spread, &figures, says, meaning);
    }

    /// A high percentile that is the mean in every digit was most likely published in its place.
    fn last_is_not_the_mean(&self, sheet: &mut Sheet, scope: &str, mean: &Figure) {
        let digits = |figure: &Figure| {
            let zeros = figure.text.trim_start_matches(['0', '.']);
            zeros.bytes().filter(u8::is_ascii_digit).count()
        };
        let [Some((_, lowest)), Some((q, value))] = [self.quantiles.first(), self.quantiles.last()]
        else {
            return;
        };
        let is_high = (HIGH..1.0).contains(q) && lowest.range != value.range;
        if is_high && value.range == mean.range && digits(mean).min(digits(value)) >= DIGITS {
            let name = super::percentile(*q);
            sheet.add(
                Severity::Doubtful,
                Rule::Mean,
                &[value, mean],
                format!("{scope}{name} = {} is the mean in every digit", value.text),
                "A high percentile is the mean only by a rare chance: the mean was most likely published in its place.",
            );
        }
    }
}

/// A figure that is there and is a number.
fn ranged(figure: &Option<Figure>) -> Option<(&Figure, Range)> {
    let figure = figure.as_ref()?;
    Some((figure, figure.range?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::figure::Scan;

    fn figure(text: &str) -> Option<Figure> {
        Scan::new(text, 1).number()
    }

    fn is_fine(check: impl Fn(&mut Sheet)) -> bool {
        let mut sheet = Sheet::default();
        check(&mut sheet);
        sheet.findings[0].severity == Severity::Holds
    }

    fn with_median(mean: &str, median: &str, max: Option<Figure>) -> Latency {
        Latency {
            mean: figure(mean),
            max,
            quantiles: vec![(0.5, figure(median).expect("a number"))],
            ..Latency::default()
        }
    }

    #[test]
    fn percentiles_bound_the_mean() {
        // Half of all at least 10, the upper half between 10 and 20: the mean lies in 5..15.
        for (mean, ok) in [
            ("4.5", false),
            ("5.0", true),
            ("15.0", true),
            ("15.5", false),
        ] {
            let latency = with_median(mean, "10", figure("20"));
            let fits = is_fine(|sheet| latency.mean_fits(sheet, Slack::of(1e9)));
            assert_eq!(fits, ok, "{mean}");
        }
    }

    #[test]
    fn a_deviation_needs_room() {
        // Values in 0..10 with mean 5: at most √(5 × 5) = 5, for many requests.
        for (sd, ok) in [("4.9", true), ("5.2", false)] {
            let latency = Latency {
                mean: figure("5"),
                max: figure("10"),
                sd: figure(sd),
                ..Latency::default()
            };
            assert_eq!(is_fine(|sheet| latency.deviation_fits(sheet, 1e6)), ok);
        }
    }

    #[test]
    fn few_values_leave_a_percentile_room() {
        // Of 4 values, the median may be the third: one value is at least 10, so that the mean may be as low as 2.5 × 0.98.
        // Of 100, 0.48 are at least 10: 4.8 at the least.
        for (mean, values, ok) in [
            ("0.1", 4.0, true),
            ("4.6", 100.0, false),
            ("4.8", 100.0, true),
        ] {
            let latency = with_median(mean, "10", None);
            let fits = is_fine(|sheet| latency.mean_fits(sheet, Slack::of(values)));
            assert_eq!(fits, ok, "{mean} of {values}");
        }
    }
}
