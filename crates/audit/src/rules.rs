//! Checks that several tools share.

use crate::figure::{Figure, Range, digits};
use crate::finding::{Rule, Severity};
use crate::sheet::{Sheet, both};

/// `count / seconds` must be the printed rate.
pub fn rate(sheet: &mut Sheet, count: &Figure, seconds: &Figure, rate: &Figure, what: &str) {
    let (Some((n, t)), Some(x)) = (both(count, seconds), rate.range) else {
        return;
    };
    let expected = n.over(t);
    sheet.must(
        x.meets(expected),
        Rule::Rate,
        &[rate, count, seconds],
        format!(
            "{} {what} / {} s = {expected} per second; printed {}",
            count.text,
            seconds.text.trim_end_matches(char::is_alphabetic),
            rate.text
        ),
        "The rate is not that count over that time: one of the three was changed, or they come from different runs.",
    );
}

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
}

/// The mean must lie where minimum, percentiles and maximum allow it.
///
/// Between two neighbouring quantiles q1 < q2 lies a share q2 − q1 of the requests, each at least as large as
/// the first and at most as large as the second; the sums of these bounds are bounds of the mean.
pub fn mean_fits(sheet: &mut Sheet, shape: &Shape<'_>) {
    let Some(mean) = shape.mean.range else { return };
    let mut low = 0.0;
    let mut high = 0.0;
    let mut share = 0.0;
    let mut floor = shape
        .min
        .and_then(|f| f.range)
        .map_or(0.0, |r| r.lo.max(0.0));
    let mut figures = vec![shape.mean];
    figures.extend(shape.min);
    for (q, figure) in &shape.quantiles {
        let (Some(r), true) = (figure.range, *q > share && *q < 1.0) else {
            continue;
        };
        low += (q - share) * floor;
        high += (q - share) * r.hi.max(0.0);
        (share, floor) = (*q, r.lo.max(floor));
        figures.push(figure);
    }
    low += (1.0 - share) * floor;
    match shape.max.and_then(|f| f.range) {
        Some(r) => high += (1.0 - share) * r.hi.max(0.0),
        None => high = f64::INFINITY,
    }
    figures.extend(shape.max);
    if figures.len() == 1 {
        return;
    }
    // Tools differ in how they pick the request at a quantile; with few requests one position matters. 2% covers it.
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

/// Total bytes over responses, as an interval: the tool may also have counted part of `open` responses that it never completed.
pub fn bytes_per_response(total: Range, responses: Range, open: f64) -> Range {
    Range::new(
        total.lo / (responses.hi + open).max(1.0),
        total.hi / responses.lo.max(1.0),
    )
}

/// Requests that failed, of all: a note below 1%, doubtful from there on.
pub fn failures(sheet: &mut Sheet, failed: &Figure, all: &Figure, what: &str) {
    let Some((bad, n)) = both(failed, all) else {
        return;
    };
    if bad.hi <= 0.0 {
        sheet.holds(Rule::Errors, &[failed], format!("{what}: {}", failed.text));
        return;
    }
    let share = bad.mid() / n.mid().max(1.0);
    let severity = if share < 0.01 {
        Severity::Note
    } else {
        Severity::Doubtful
    };
    sheet.add(
        severity,
        Rule::Errors,
        &[failed, all],
        format!(
            "{what}: {} of {} = {}",
            failed.text,
            all.text,
            crate::figure::percent(share)
        ),
        "These count as requests in rate and latency, but did not do the job: an error response is often faster than the real thing.",
    );
}

/// The name of a quantile, a share of 1: `99.9%`.
pub fn percentile(q: f64) -> String {
    format!("{}%", digits(q * 100.0))
}

/// The path of a URL.
pub fn path(url: &str) -> String {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    rest.find('/').map_or("/", |at| &rest[at..]).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::figure::Scan;

    fn figure(text: &str) -> Figure {
        Scan::new(text, 1).number().expect("a number")
    }

    #[test]
    fn a_rate_is_count_over_time() {
        let mut sheet = Sheet::default();
        // 1,000,000 / 4.7525..4.7535 = 210,371..210,415
        rate(
            &mut sheet,
            &figure("1000000"),
            &figure("4.753"),
            &figure("210393.61"),
            "requests",
        );
        rate(
            &mut sheet,
            &figure("1000000"),
            &figure("4.753"),
            &figure("220393.61"),
            "requests",
        );
        let found: Vec<_> = sheet.findings.iter().map(|f| f.severity).collect();
        assert_eq!(found, [Severity::Holds, Severity::Impossible]);
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
        };
        for (sd, ok) in [("4.9", true), ("5.2", false)] {
            let mut sheet = Sheet::default();
            deviation_fits(&mut sheet, &figure(sd), &shape, 1e6);
            assert_eq!(sheet.findings[0].severity == Severity::Holds, ok);
        }
    }
}
