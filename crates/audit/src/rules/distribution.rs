//! What minimum, percentiles, mean, deviation and maximum of the same values say of each other.

use crate::figure::{Figure, Range, digits};
use crate::finding::{Rule, Severity};
use crate::sheet::Sheet;

/// The figures, smallest first, must ascend (equal is allowed). Names go into the sentence.
pub fn ascending(sheet: &mut Sheet, steps: &[(String, &Figure)]) {
    let known: Vec<(&String, &Figure, Range)> = steps
        .iter()
        .filter_map(|(name, f)| Some((name, *f, f.range?)))
        .collect();
    let mut fine = true;
    for pair in known.windows(2) {
        let ((low, a, ra), (high, b, rb)) = (pair[0], pair[1]);
        if ra.above(rb) {
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
    if fine
        && let (Some(first), Some(last)) = (known.first(), known.last())
        && known.len() > 1
    {
        sheet.holds(
            Rule::Order,
            &[last.1, first.1],
            format!(
                "{} = {} ≤ … ≤ {} = {}: {} figures in ascending order",
                first.0,
                first.1.text,
                last.0,
                last.1.text,
                known.len()
            ),
        );
    }
}

/// What is known of a distribution: some quantiles, its ends, its mean.
pub struct Shape<'a> {
    /// Smallest value; `None` counts as 0.
    pub min: Option<&'a Figure>,
    /// Quantiles as shares of 1, ascending.
    pub quantiles: Vec<(f64, &'a Figure)>,
    /// Largest value.
    pub max: Option<&'a Figure>,
    /// Mean.
    pub mean: &'a Figure,
    /// How far the share of values below a quantile may be from the share that it is named for.
    pub slack: Slack,
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

/// The mean must lie where minimum, percentiles and maximum allow it.
///
/// Between two neighbouring quantiles q1 < q2 lies a share q2 − q1 of the requests, each at least as large as
/// the first and at most as large as the second; the sums of these bounds are bounds of the mean.
pub fn mean_fits(sheet: &mut Sheet, shape: &Shape<'_>) {
    let Some(mean) = shape.mean.range else { return };
    let (mut low, mut high) = (0.0, 0.0);
    // The shares so far: for the lower bound as many values as possible are below each quantile, for the upper as few.
    let (mut below, mut above, mut named) = (0.0, 0.0, 0.0);
    let mut floor = shape
        .min
        .and_then(|f| f.range)
        .map_or(0.0, |r| r.lo.max(0.0));
    let mut figures = vec![shape.mean];
    figures.extend(shape.min);
    for (q, figure) in &shape.quantiles {
        let (Some(r), true) = (figure.range, *q > named && *q < 1.0) else {
            continue;
        };
        let most = (q + shape.slack.at(*q)).clamp(below, 1.0);
        let least = (q - shape.slack.at(*q)).max(above);
        low += (most - below) * floor;
        high += (least - above) * r.hi.max(0.0);
        (below, above, named) = (most, least, *q);
        floor = r.lo.max(floor);
        figures.push(figure);
    }
    low += (1.0 - below) * floor;
    match shape.max.and_then(|f| f.range) {
        Some(r) => high += (1.0 - above) * r.hi.max(0.0),
        None => high = f64::INFINITY,
    }
    figures.extend(shape.max);
    if figures.len() == 1 {
        return;
    }
    // Histograms round values to some digits: 2% covers it.
    let bounds = Range::new(low, high).widened(0.02);
    sheet.must(
        mean.meets(bounds),
        Rule::Mean,
        &figures,
        format!(
            "minimum, percentiles and maximum allow a mean of {bounds} (in ms); printed {}",
            shape.mean.text
        ),
        "The mean cannot lie outside of what the other figures of the same requests allow.",
    );
}

/// The standard deviation must be possible: sd² ≤ (max − mean)(mean − min) (Bhatia and Davis 2000), times
/// n / (n − 1) as the tools divide by n − 1.
pub fn deviation_fits(sheet: &mut Sheet, sd: &Figure, shape: &Shape<'_>, n: f64) {
    let (Some(s), Some(mean), Some(max)) =
        (sd.range, shape.mean.range, shape.max.and_then(|f| f.range))
    else {
        return;
    };
    let min = shape.min.and_then(|f| f.range).map_or(0.0, |r| r.lo);
    // The largest value over the box of possible means and ends; the product peaks where the mean is in the middle.
    let peak = f64::midpoint(min, max.hi).clamp(mean.lo, mean.hi);
    let bessel = if n > 1.0 { n / (n - 1.0) } else { 2.0 };
    let bound = ((max.hi - peak).max(0.0) * (peak - min).max(0.0) * bessel).sqrt();
    let mut figures = vec![sd, shape.mean];
    figures.extend(shape.min);
    figures.extend(shape.max);
    sheet.must(
        s.lo <= bound * 1.001 + 1e-9,
        Rule::Spread,
        &figures,
        format!(
            "√((max − mean) × (mean − min)) = {}; printed {}",
            digits(bound),
            sd.text
        ),
        "No set of numbers with that mean and that range can spread so far.",
    );
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
/// Percentiles kept of one report: no tool prints more.
const QUANTILES: usize = 100;

impl Latency {
    /// Keeps a quantile; whether it is one.
    pub fn quantile(&mut self, percent: f64, value: Option<Figure>) -> bool {
        let fits = (0.0..=100.0).contains(&percent) && self.quantiles.len() < QUANTILES;
        match value {
            Some(value) if fits => {
                self.quantiles.push((percent / 100.0, value));
                true
            }
            _ => false,
        }
    }

    /// A high percentile that is the mean in every digit was most likely published in its place.
    fn last_is_not_the_mean(&self, sheet: &mut Sheet, scope: &str, mean: &Figure) {
        let digits = |figure: &Figure| {
            let zeros = figure.text.trim_start_matches(['0', '.']);
            zeros.bytes().filter(u8::is_ascii_digit).count()
        };
        let highest = self.quantiles.iter().max_by(|a, b| a.0.total_cmp(&b.0));
        let Some((q, value)) = highest.filter(|(q, _)| (HIGH..1.0).contains(q)) else {
            return;
        };
        let lowest = self.quantiles.iter().min_by(|a, b| a.0.total_cmp(&b.0));
        let spreads = lowest.is_some_and(|(_, low)| low.range != value.range);
        if value.range == mean.range && digits(mean).min(digits(value)) >= DIGITS && spreads {
            sheet.add(
                Severity::Doubtful,
                Rule::Mean,
                &[value, mean],
                format!("{scope}{} = {} is the mean in every digit", super::percentile(*q), value.text),
                "A high percentile is the mean only by a rare chance: the mean was most likely published in its place.",
            );
        }
    }

    /// Order, mean and deviation, for values of which there are at least `slack.values`.
    /// `scope` stands before the names of the figures.
    pub fn check(&self, sheet: &mut Sheet, scope: &str, slack: Slack) {
        let mut quantiles: Vec<(f64, &Figure)> =
            self.quantiles.iter().map(|(q, f)| (*q, f)).collect();
        quantiles.sort_by(|a, b| a.0.total_cmp(&b.0));
        let mut steps: Vec<(String, &Figure)> = Vec::new();
        let named = |what: &str| format!("{scope}{what}");
        steps.extend(self.min.iter().map(|f| (named("the minimum"), f)));
        steps.extend(
            quantiles
                .iter()
                .map(|(q, f)| (named(&super::percentile(*q)), *f)),
        );
        steps.extend(self.max.iter().map(|f| (named("the maximum"), f)));
        ascending(sheet, &steps);
        let Some(mean) = &self.mean else { return };
        if no_mean(sheet, mean) {
            return;
        }
        let shape = Shape {
            min: self.min.as_ref(),
            quantiles,
            max: self.max.as_ref(),
            mean,
            slack,
        };
        mean_fits(sheet, &shape);
        self.last_is_not_the_mean(sheet, scope, mean);
        if let Some(sd) = &self.sd {
            deviation_fits(sheet, sd, &shape, slack.values);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::figure::Scan;

    fn figure(text: &str) -> Figure {
        Scan::new(text, 1).number().expect("a number")
    }

    #[test]
    fn percentiles_bound_the_mean() {
        // Half of all at least 10, the upper half between 10 and 20: the mean lies in 5..15.
        let (p50, max) = (figure("10"), figure("20"));
        for (mean, ok) in [
            ("4.5", false),
            ("5.0", true),
            ("15.0", true),
            ("15.5", false),
        ] {
            let mean = figure(mean);
            let shape = Shape {
                min: None,
                quantiles: vec![(0.5, &p50)],
                max: Some(&max),
                mean: &mean,
                slack: Slack::of(1e9),
            };
            let mut sheet = Sheet::default();
            mean_fits(&mut sheet, &shape);
            assert_eq!(
                sheet.findings[0].severity == Severity::Holds,
                ok,
                "{}",
                mean.text
            );
        }
    }

    #[test]
    fn a_deviation_needs_room() {
        // Values in 0..10 with mean 5: at most √(5 × 5) = 5, for many requests.
        let (max, mean) = (figure("10"), figure("5"));
        let shape = Shape {
            min: None,
            quantiles: vec![],
            max: Some(&max),
            mean: &mean,
            slack: Slack::of(1e9),
        };
        for (sd, ok) in [("4.9", true), ("5.2", false)] {
            let mut sheet = Sheet::default();
            deviation_fits(&mut sheet, &figure(sd), &shape, 1e6);
            assert_eq!(sheet.findings[0].severity == Severity::Holds, ok);
        }
    }

    #[test]
    fn few_values_leave_a_percentile_room() {
        // Of 4 values, the median may be the third: one value is at least 10, so that the mean may be as low as 2.5 × 0.98.
        let (p50, mean) = (figure("10"), figure("0.1"));
        let shape = |mean| Shape {
            min: None,
            quantiles: vec![(0.5, &p50)],
            max: None,
            mean,
            slack: Slack::of(4.0),
        };
        let mut sheet = Sheet::default();
        mean_fits(&mut sheet, &shape(&mean));
        assert_eq!(sheet.findings[0].severity, Severity::Holds);
        // Of 100, 0.48 are at least 10: 4.8 at the least.
        let (low, high) = (figure("4.6"), figure("4.8"));
        for (mean, ok) in [(&low, false), (&high, true)] {
            let mut sheet = Sheet::default();
            let slack = Slack::of(100.0);
            mean_fits(
                &mut sheet,
                &Shape {
                    slack,
                    ..shape(mean)
                },
            );
            assert_eq!(sheet.findings[0].severity == Severity::Holds, ok);
        }
    }
}
