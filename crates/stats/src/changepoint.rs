//! Where a series shifts.
//!
//! The shifts are those that minimise the sum of the segments' costs and of a penalty for each shift. A
//! segment's cost is −2 × the log-likelihood of a Gaussian with the segment's own mean and variance:
//! n · (ln 2πσ² + s²/σ²), where s² is its mean square about its mean and σ² = max(s², floor).
//! The search is PELT: Killick, Fearnhead, Eckley, *Optimal detection of changepoints with a linear
//! computational cost*, JASA 107, 2012. It is exact, and linear in the length where shifts keep coming.
//! The penalty is that of `warmup_stats`, the program of Barrett et al., *Virtual machine warmup blows hot and cold*, OOPSLA 2017;
//! what the shifts make of a series is said by [`classify`](crate::shape::classify).

/// The fewest values in a segment: with fewer there is no variance.
pub const SHORTEST_SEGMENT: usize = 2;

/// The spread below which a series counts as constant, relative to its median: one bucket of a histogram
/// with 3 significant digits. Without a floor a run of equal values would have a likelihood without bound, and each would be
/// a segment of its own.
pub const RESOLUTION: f64 = 0.001;

/// The penalty for a shift in a series of `n` values: 15 · ln n, as in `warmup_stats`.
pub fn default_penalty(n: usize) -> f64 {
    15.0 * (n.max(1) as f64).ln()
}

/// The indices at which a new segment begins, in order, without 0. Empty where there is no shift, where
/// `values` are fewer than two segments take or hold one that is not finite, or where the penalty is no number.
pub fn pelt_mean_variance(values: &[f64], penalty: f64) -> Vec<usize> {
    let n = values.len();
    if n < 2 * SHORTEST_SEGMENT || penalty.is_nan() || !values.iter().all(|v| v.is_finite()) {
        return Vec::new();
    }
    let costs = Costs::new(values);
    // best[t]: the least cost of the first t values; before[t]: where its last segment begins.
    let mut best = vec![f64::INFINITY; n + 1];
    let mut before = vec![0; n + 1];
    best[0] = -penalty;
    // Starts of a last segment that may still be best, each with the end from which on it cannot be. A start is beaten
    // at `end` by a split there, which is only allowed for ends a shortest segment later.
    let mut starts: Vec<(usize, usize)> = Vec::new();
    for end in SHORTEST_SEGMENT..=n {
        starts.retain(|&(_, until)| end < until);
        starts.push((end - SHORTEST_SEGMENT, usize::MAX));
        let mut totals = Vec::with_capacity(starts.len());
        for &(start, _) in &starts {
            let total = best[start] + costs.of(start, end);
            totals.push(total);
            if total + penalty < best[end] {
                best[end] = total + penalty;
                before[end] = start;
            }
        }
        for ((_, until), total) in starts.iter_mut().zip(totals) {
            if total > best[end] {
                *until = (*until).min(end + SHORTEST_SEGMENT);
            }
        }
    }
    let mut shifts = Vec::new();
    let mut end = before[n];
    while end > 0 {
        shifts.push(end);
        end = before[end];
    }
    shifts.reverse();
    shifts
}

/// The cost of any segment in constant time, from running sums.
struct Costs {
    sums: Vec<f64>,
    squares: Vec<f64>,
    floor: f64,
}

impl Costs {
    fn new(values: &[f64]) -> Costs {
        let mut sorted = values.to_vec();
        sorted.sort_by(f64::total_cmp);
        let centre = sorted[sorted.len() / 2];
        let largest = values.iter().fold(0f64, |m, v| m.max((v - centre).abs()));
        // In units of the largest distance from the median: sums of squares then neither overflow nor cancel.
        let unit = if largest > 0.0 && largest.is_finite() {
            largest
        } else {
            1.0
        };
        let floor = (RESOLUTION * centre.abs() / unit).clamp(1e-6, 1e100);
        let (mut sums, mut squares) = (vec![0.0], vec![0.0]);
        let (mut sum, mut square) = (0.0, 0.0);
        for value in values {
            let x = ((value - centre) / unit).clamp(-1.0, 1.0);
            sum += x;
            square += x * x;
            sums.push(sum);
            squares.push(square);
        }
        Costs {
            sums,
            squares,
            floor: floor * floor,
        }
    }

    fn of(&self, start: usize, end: usize) -> f64 {
        let n = (end - start) as f64;
        let mean = (self.sums[end] - self.sums[start]) / n;
        let spread = ((self.squares[end] - self.squares[start]) / n - mean * mean).max(0.0);
        let variance = spread.max(self.floor);
        n * ((std::f64::consts::TAU * variance).ln() + spread / variance)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Simulated;
    use proptest::prelude::*;

    /// Runs of (length, mean) with Gaussian noise, relative.
    fn series(runs: &[(usize, f64)], noise: f64, seed: u64) -> Vec<f64> {
        let mut random = Simulated::new(seed);
        runs.iter()
            .flat_map(|&(n, mean)| vec![mean; n])
            .map(|mean| mean * (1.0 + noise * random.normal()))
            .collect()
    }

    fn shifts(values: &[f64]) -> Vec<usize> {
        pelt_mean_variance(values, default_penalty(values.len()))
    }

    /// The same minimum without pruning.
    fn exhaustive(values: &[f64], penalty: f64) -> f64 {
        let costs = Costs::new(values);
        let mut best = vec![f64::INFINITY; values.len() + 1];
        best[0] = -penalty;
        for end in SHORTEST_SEGMENT..=values.len() {
            for start in 0..=end - SHORTEST_SEGMENT {
                best[end] = best[end].min(best[start] + costs.of(start, end) + penalty);
            }
        }
        best[values.len()]
    }

    fn total(values: &[f64], shifts: &[usize], penalty: f64) -> f64 {
        let costs = Costs::new(values);
        let mut bounds = vec![0];
        bounds.extend(shifts);
        bounds.push(values.len());
        let cost: f64 = bounds.windows(2).map(|b| costs.of(b[0], b[1])).sum();
        cost + penalty * shifts.len() as f64
    }

    #[test]
    fn a_warm_up_shifts_where_it_was_made_to() {
        for noise in [0.01, 0.02, 0.03, 0.05] {
            let values = series(&[(15, 6e3), (30, 41e3), (40, 34e3)], noise, 7);
            let found = shifts(&values);
            assert_eq!(found.len(), 2, "{found:?} at {noise}");
            assert_eq!(found[0], 15);
            assert!(found[1].abs_diff(45) <= 2, "{found:?} at {noise}");
        }
    }

    #[test]
    fn a_change_of_spread_alone_is_a_shift() {
        let mut values = series(&[(40, 100.0)], 0.005, 3);
        values.extend(series(&[(40, 100.0)], 0.10, 4));
        let found = shifts(&values);
        assert_eq!(found.len(), 1, "{found:?}");
        assert!(found[0].abs_diff(40) <= 3, "{found:?}");
    }

    #[test]
    fn noise_alone_seldom_shifts() {
        let shifted = (0..200)
            .filter(|&seed| !shifts(&series(&[(60, 1e4)], 0.03, seed)).is_empty())
            .count();
        assert!(shifted <= 1, "{shifted} of 200");
    }

    #[test]
    fn constant_runs_are_one_segment_each() {
        assert_eq!(shifts(&[5.0; 50]), Vec::<usize>::new());
        assert_eq!(shifts(&[0.0; 50]), Vec::<usize>::new());
        let step: Vec<f64> = [vec![100.0; 20], vec![150.0; 20]].concat();
        assert_eq!(shifts(&step), vec![20]);
        // Medians from a histogram: long runs of the same bucket, now and then the next.
        let buckets: Vec<f64> = (0..60)
            .map(|i| if i % 7 < 5 { 100.0 } else { 100.1 })
            .collect();
        assert_eq!(shifts(&buckets), Vec::<usize>::new());
    }

    #[test]
    fn what_cannot_be_cut_has_no_shift() {
        assert!(shifts(&[]).is_empty());
        assert!(shifts(&[1.0, 9.0, 1.0]).is_empty());
        assert!(shifts(&[1.0, f64::NAN, 2.0, 3.0]).is_empty());
        assert!(pelt_mean_variance(&[1.0, 1.0, 9.0, 9.0], f64::NAN).is_empty());
        assert_eq!(default_penalty(0), 0.0);
    }

    proptest! {
        #[test]
        fn pruning_loses_nothing(values in prop::collection::vec(prop_oneof![90f64..110.0, 40f64..45.0], 4..60), penalty in 0.5f64..30.0) {
            let found = pelt_mean_variance(&values, penalty);
            let (found, least) = (total(&values, &found, penalty), exhaustive(&values, penalty));
            prop_assert!((found - least).abs() < 1e-6, "{} {}", found, least);
        }

        #[test]
        fn any_numbers_are_cut_in_order(values in prop::collection::vec(any::<f64>(), 0..40)) {
            let found = shifts(&values);
            prop_assert!(found.windows(2).all(|w| w[0] + SHORTEST_SEGMENT <= w[1]));
        }
    }
}
