//! wrk2's detailed percentile spectrum, as its HdrHistogram iterates over percentiles.

use std::fmt::Write as _;

use super::super::run::Values;

/// The smallest and the largest value, in whole microseconds, that the histogram does not tell from this one.
pub fn bucket(us: f64) -> (f64, f64) {
    let step = 2f64.powf(((us / 2048.0).log2().floor() + 1.0).max(0.0));
    let low = (us / step).floor() * step;
    (low, low + step - 1.0)
}

/// The spectrum of values in whole microseconds, printed in milliseconds.
pub fn spectrum(values: &Values) -> String {
    let n = values.n();
    let mut out = String::from(
        "\n  Detailed Percentile spectrum:\n       Value   Percentile   TotalCount 1/(1-Percentile)\n\n",
    );
    let mut row = |upper: f64, percent: f64, count: usize| {
        let _ = write!(
            out,
            "{:12.3} {:12.6} {count:12}",
            upper / 1e3,
            percent / 100.0
        );
        let _ = match percent < 100.0 {
            true => writeln!(out, " {:12.2}", 1.0 / (1.0 - percent / 100.0)),
            false => writeln!(out, "          inf"),
        };
    };
    let (mut percent, mut at) = (0.0_f64, 0);
    let mut sums = [0.0; 2];
    let mut middles = Vec::new();
    while at < n {
        let (low, upper) = bucket(values.0[at]);
        let count = values.0.partition_point(|v| *v <= upper);
        let middle = low + (upper - low + 1.0) / 2.0;
        middles.push((middle, (count - at) as f64));
        sums[0] += middle * (count - at) as f64;
        at = count;
        let current = 100.0 * count as f64 / n as f64;
        while percent <= current {
            row(upper, percent, count);
            let half = 2f64.powf((100.0 / (100.0 - percent)).log2().floor() + 1.0);
            percent += 100.0 / (5.0 * half);
            if count == n {
                break;
            }
        }
        if count == n {
            row(upper, 100.0, n);
        }
    }
    let mean = sums[0] / n as f64;
    for (middle, count) in middles {
        sums[1] += (middle - mean).powi(2) * count;
    }
    let _ = writeln!(
        out,
        "#[Mean    = {:12.3}, StdDeviation   = {:12.3}]\n#[Max     = {:12.3}, Total count    = {n:12}]\n#[Buckets = {:12}, SubBuckets     = {:12}]\n----------------------------------------------------------",
        mean / 1e3,
        (sums[1] / n as f64).sqrt() / 1e3,
        bucket(values.max()).0 / 1e3,
        27,
        2048,
    );
    out
}
