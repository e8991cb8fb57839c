//! How response times spread: a histogram's counts between round bounds on a logarithmic scale.

use hdrhistogram::Histogram;

/// The most bins that are made, so that a screen holds them with the figures beside.
pub const MOST: usize = 11;

/// Between these shares the bounds lie. What is faster or slower still falls into the first and the last bin: a single
/// outlier must not press all others into one.
const MIDDLE: [f64; 2] = [0.001, 0.999];

/// How many bounds there may be in a decade: the finest that gives no more than [`MOST`] bins is taken.
const PER_DECADE: [u32; 8] = [192, 96, 48, 24, 12, 6, 3, 1];

const NS_PER_US: f64 = 1e3;

/// The times above `low_us` and up to `high_us`; the first bin begins at the shortest time itself, the last one ends at the
/// longest.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bin {
    /// Where it begins, in microseconds.
    pub low_us: f64,
    /// Where it ends, in microseconds.
    pub high_us: f64,
    /// How many times are in it.
    pub count: u64,
    /// Their share of all.
    pub share: f64,
    /// The share of all that were slower than this bin's end.
    pub slower: f64,
}

/// The bins of a histogram of nanoseconds, from the fastest; at most [`MOST`], none where it is empty. Their counts add up to
/// the histogram's: each of its buckets (0.1% wide) is in the bin in which the bucket begins.
pub fn bins(histogram: &Histogram<u64>) -> Vec<Bin> {
    let total = histogram.len();
    if total == 0 {
        return Vec::new();
    }
    let us = |ns: u64| ns as f64 / NS_PER_US;
    let [from, to] = MIDDLE.map(|share| us(histogram.value_at_quantile(share)));
    let mut ends = bounds(from, to);
    ends.push(us(histogram.max()));
    let mut counts = vec![0; ends.len()];
    let last = ends.len() - 1;
    for bucket in histogram.iter_recorded() {
        let time = us(histogram.lowest_equivalent(bucket.value_iterated_to()));
        let bin = ends[..last].partition_point(|end| *end < time);
        counts[bin] += bucket.count_at_value();
    }
    let mut low_us = us(histogram.min());
    let mut slower = total;
    ends.into_iter()
        .zip(counts)
        .map(|(high_us, count)| {
            slower -= count;
            let bin = Bin {
                low_us,
                high_us,
                count,
                share: count as f64 / total as f64,
                slower: slower as f64 / total as f64,
            };
            low_us = high_us;
            bin
        })
        .collect()
}

/// Round bounds between two times, evenly spaced on a logarithmic scale, and fewer than [`MOST`].
fn bounds(from: f64, to: f64) -> Vec<f64> {
    for per_decade in PER_DECADE {
        let bounds = between(from, to, per_decade);
        if bounds.len() < MOST {
            return bounds;
        }
    }
    // More than ten decades: every other one.
    between(from, to, 1).into_iter().step_by(2).collect()
}

fn between(from: f64, to: f64, per_decade: u32) -> Vec<f64> {
    let decade = |time: f64| time.log10().floor() as i32;
    (decade(from)..=decade(to))
        .flat_map(|decade| {
            (0..per_decade).map(move |step| mantissa(step, per_decade) * 10f64.powi(decade))
        })
        .filter(|bound| *bound > from && *bound < to)
        .collect()
}

/// The bounds of one decade, from 1 on: 1, 2, 5 where there are three, else equal steps, rounded to as many digits as it takes
/// to tell them apart (as the preferred numbers of electronics are).
fn mantissa(step: u32, per_decade: u32) -> f64 {
    let exact = 10f64.powf(f64::from(step) / f64::from(per_decade));
    match per_decade {
        3 => [1.0, 2.0, 5.0][step as usize],
        6 => [1.0, 1.5, 2.0, 3.0, 5.0, 7.0][step as usize],
        ..=24 => (exact * 10.0).round() / 10.0,
        _ => (exact * 100.0).round() / 100.0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of_us(times: impl IntoIterator<Item = (u64, u64)>) -> Histogram<u64> {
        let mut histogram = Histogram::new(3).expect("three digits");
        for (us, count) in times {
            histogram.record_n(us * 1000, count).expect("in range");
        }
        histogram
    }

    #[test]
    fn every_time_is_in_one_bin_and_shares_are_of_all() {
        // 1 to 1,000 µs, each once: 0.1% are at most 1 µs, 99.9% at most 999.
        let bins = bins(&of_us((1..=1000).map(|us| (us, 1))));
        let ends: Vec<f64> = bins.iter().map(|bin| bin.high_us.round()).collect();
        assert_eq!(
            ends,
            [2.0, 5.0, 10.0, 20.0, 50.0, 100.0, 200.0, 500.0, 1000.0]
        );
        let counts: Vec<u64> = bins.iter().map(|bin| bin.count).collect();
        // Up to 2: 1 and 2; above 2 and up to 5: 3, 4 and 5; and so on.
        assert_eq!(counts, [2, 3, 5, 10, 30, 50, 100, 300, 500]);
        assert_eq!(bins[2].slower, 0.99);
        let shares: f64 = bins.iter().map(|bin| bin.share).sum();
        assert!((shares - 1.0).abs() < 1e-12);
        assert_eq!(bins.last().map(|bin| bin.slower), Some(0.0));
    }

    #[test]
    fn counts_are_those_that_were_recorded() {
        // In the middle of their bins, far from any bound.
        let bins = bins(&of_us([(15, 900), (35, 90), (150, 9), (1500, 1)]));
        let at = |us: f64| {
            bins.iter()
                .find(|bin| bin.low_us < us && us <= bin.high_us)
                .expect("a bin")
        };
        assert_eq!(
            (at(35.0).count, at(150.0).count, at(1499.0).count),
            (90, 9, 1)
        );
        assert_eq!(at(35.0).share, 0.09);
        assert_eq!(at(35.0).slower, 0.01);
        assert_eq!(bins[0].low_us, 15.0);
        assert_eq!(bins.iter().map(|bin| bin.count).sum::<u64>(), 1000);
    }

    #[test]
    fn near_times_have_fine_bounds_and_outliers_do_not_coarsen_them() {
        let near = of_us((20_000..21_500).map(|us| (us, 10)).chain([(900_000, 1)]));
        let bins = bins(&near);
        assert!((6..=MOST).contains(&bins.len()), "{bins:?}");
        assert!((bins.last().map_or(0.0, |bin| bin.high_us) / 900_000.0 - 1.0).abs() < 1e-3);
    }

    #[test]
    fn never_too_many_and_none_of_nothing() {
        assert_eq!(bins(&of_us([])), []);
        let one = bins(&of_us([(7, 3)]));
        assert_eq!(
            (one.len(), one[0].count, one[0].share, one[0].slower),
            (1, 3, 1.0, 0.0)
        );
        for decades in 0..10u32 {
            for factor in [1.01, 1.1, 1.5, 3.0, 9.0] {
                let to = 10f64.powi(decades as i32) * factor;
                assert!(bounds(1.0, to).len() < MOST, "{to}");
            }
        }
        assert!(bounds(0.001, 1e11).len() < MOST);
        assert!(bounds(5.0, 5.0).is_empty());
    }
}
