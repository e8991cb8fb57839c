//! Where the level of a short series shifts, such as a figure of one study from run to run.
//!
//! A series is split where the two parts' means differ most, measured by Student's t with their pooled variance, and again within each
//! part (binary segmentation: Scott & Knott, *A cluster analysis method for grouping means in the analysis of variance*, Biometrics 30,
//! 1974). A split counts where its t is beyond what the largest t of so many independent normal values reaches by chance; that law depends on
//! the number of values alone (Worsley, *On the likelihood ratio test for a shift in location of normal populations*, JASA 74, 1979) and
//! is simulated here. A series without a shift is so split with the chance that was asked for, at most.
//!
//! Where a shift may have begun: each split whose likelihood is not too far below that of the best, by the 95% point of Hansen's law,
//! −2 ln(1 − √0.95) (Hansen, *Sample splitting and threshold estimation*, Econometrica 68, 2000).
//!
//! [`changepoint`](crate::changepoint) is for the many windows within a measurement.

use std::collections::BTreeMap;
use std::ops::Range;

use crate::changepoint::RESOLUTION;
use crate::random::Random;
use crate::student;

/// Values that a part must have: a single run that went wrong is no shift.
pub const SHORTEST: usize = 2;

/// Values below which no split is looked for: of five, chance alone reaches any t that a real shift would.
pub const FEWEST: usize = 6;

/// Simulated series behind each critical value.
const SIMULATED: usize = 20_000;

/// A critical value that fewer simulated series exceed is too uncertain: [`bonferroni`] bounds it from above.
const FEWEST_BEYOND: f64 = 10.0;

/// Longer series are held against the law of this length, which changes little from there on.
const LONGEST: usize = 400;

/// The 95% point of the likelihood ratio of a split's place, by Hansen's law.
const PLACE: f64 = 7.352_276_694_155_739;

/// A seed of no meaning: the same series is always judged alike.
const SEED: u64 = 0x5eed_0f11_5701_2e5d;

/// A shift.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shift {
    /// The first value of the new level.
    pub at: usize,
    /// The first value that may be it, with 95% confidence.
    pub earliest: usize,
    /// The last one that may be.
    pub latest: usize,
}

/// A search for shifts at a level, which remembers the critical values of the lengths that it met.
#[derive(Clone, Debug)]
pub struct Search {
    alpha: f64,
    critical: BTreeMap<usize, f64>,
}

impl Search {
    /// One that splits a series without a shift with a chance of `alpha` at most.
    pub fn new(alpha: f64) -> Search {
        Search {
            alpha,
            critical: BTreeMap::new(),
        }
    }

    /// The shifts of a series' level, in order. Values are compared by difference: give logarithms where ratios count. Empty
    /// where there are fewer than [`FEWEST`] values, or one is not finite.
    pub fn shifts(&mut self, values: &[f64]) -> Vec<Shift> {
        if !values.iter().all(|value| value.is_finite()) {
            return Vec::new();
        }
        let mut found = Vec::new();
        self.split(values, 0..values.len(), &mut found);
        found.sort_unstable();
        // Each is placed anew between its neighbours: it was found when those beyond them were still in sight.
        let ends: Vec<usize> = [0]
            .into_iter()
            .chain(found.iter().copied())
            .chain([values.len()])
            .collect();
        let between = ends.windows(3).map(|ends| ends[0]..ends[2]);
        between
            .filter_map(|range| {
                let best = Split::best(&values[range.clone()])?;
                let (from, to) = best.may_be(&values[range.clone()]);
                Some(Shift {
                    at: range.start + best.at,
                    earliest: range.start + from,
                    latest: range.start + to,
                })
            })
            .collect()
    }

    fn split(&mut self, values: &[f64], range: Range<usize>, found: &mut Vec<usize>) {
        if range.len() < FEWEST {
            return;
        }
        let Some(best) = Split::best(&values[range.clone()]) else {
            return;
        };
        if best.t <= self.critical(range.len()) {
            return;
        }
        let at = range.start + best.at;
        found.push(at);
        self.split(values, range.start..at, found);
        self.split(values, at..range.end, found);
    }

    /// The t that the best split of `n` values without a shift exceeds with a chance of alpha.
    fn critical(&mut self, n: usize) -> f64 {
        let (n, alpha) = (n.min(LONGEST), self.alpha);
        *self.critical.entry(n).or_insert_with(|| {
            let beyond = (alpha * (SIMULATED as f64 + 1.0)).floor();
            if beyond < FEWEST_BEYOND {
                return bonferroni(n, alpha);
            }
            if beyond >= SIMULATED as f64 {
                return f64::INFINITY;
            }
            let mut random = Random::stream(SEED, n as u64);
            let mut values = vec![0.0; n];
            let mut reached: Vec<f64> = (0..SIMULATED)
                .filter_map(|_| {
                    // Far above the resolution, which is for figures that agree to the last digit.
                    values.fill_with(|| 1e3 * random.normal());
                    Split::best(&values).map(|best| best.t)
                })
                .collect();
            reached.sort_unstable_by(|a, b| b.total_cmp(a));
            let index = (beyond as usize - 1).min(reached.len().saturating_sub(1));
            reached.get(index).copied().unwrap_or(f64::INFINITY)
        })
    }
}

/// A t that the best of all splits of `n` values without a shift exceeds with a probability of at most `alpha`: each split has its share
/// (Bonferroni). There is one for any level, however many series share it.
fn bonferroni(n: usize, alpha: f64) -> f64 {
    let splits = (n + 1).saturating_sub(2 * SHORTEST).max(1) as f64;
    student::two_sided_of(alpha / splits, n as f64 - 2.0).unwrap_or(f64::INFINITY)
}

/// A series cut in two.
struct Split {
    at: usize,
    /// The absolute value of Student's t.
    t: f64,
}

impl Split {
    /// Where the means differ most; `None` where there is no place for a cut.
    fn best(values: &[f64]) -> Option<Split> {
        let sums = Sums::new(values);
        let places = SHORTEST..(values.len() + 1).saturating_sub(SHORTEST);
        let at = places.min_by(|a, b| sums.within(*a).total_cmp(&sums.within(*b)))?;
        let n = values.len() as f64;
        let error = sums.variance(at) * (1.0 / at as f64 + 1.0 / (n - at as f64));
        let (before, after) = sums.means(at);
        Some(Split {
            at,
            t: (after - before).abs() / error.sqrt(),
        })
    }

    /// The first and the last place where the shift may have begun.
    fn may_be(&self, values: &[f64]) -> (usize, usize) {
        let sums = Sums::new(values);
        let (least, variance) = (sums.within(self.at), sums.variance(self.at));
        let may_be = |at: &usize| (sums.within(*at) - least) / variance <= PLACE;
        let places = SHORTEST..(values.len() + 1).saturating_sub(SHORTEST);
        let mut places = places.filter(may_be);
        let first = places.next().unwrap_or(self.at);
        (first, places.next_back().unwrap_or(first))
    }
}

/// Sums from the start, of values about their mean.
struct Sums {
    sums: Vec<f64>,
    squares: f64,
    centre: f64,
}

impl Sums {
    fn new(values: &[f64]) -> Sums {
        let centre = values.iter().sum::<f64>() / values.len().max(1) as f64;
        let about = values.iter().map(|value| value - centre);
        let mut sums = vec![0.0];
        let mut sum = 0.0;
        for value in about.clone() {
            sum += value;
            sums.push(sum);
        }
        Sums {
            sums,
            squares: about.map(|value| value * value).sum(),
            centre,
        }
    }

    fn n(&self) -> f64 {
        self.sums.len() as f64 - 1.0
    }

    fn total(&self) -> f64 {
        self.sums.last().copied().unwrap_or(0.0)
    }

    /// The sum of squares about the means of the parts before and from `at` on.
    fn within(&self, at: usize) -> f64 {
        let (before, k) = (self.sums[at], at as f64);
        let after = self.total() - before;
        (self.squares - before * before / k - after * after / (self.n() - k)).max(0.0)
    }

    /// The pooled variance of both parts; never less than figures can show.
    fn variance(&self, at: usize) -> f64 {
        (self.within(at) / (self.n() - 2.0)).max(RESOLUTION * RESOLUTION)
    }

    fn means(&self, at: usize) -> (f64, f64) {
        let (before, k) = (self.sums[at], at as f64);
        let after = self.total() - before;
        (
            self.centre + before / k,
            self.centre + after / (self.n() - k),
        )
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::random::Simulated;

    /// Runs of (length, level) with normal noise.
    fn series(parts: &[(usize, f64)], noise: f64, random: &mut Simulated) -> Vec<f64> {
        let levels = parts.iter().flat_map(|&(n, level)| vec![level; n]);
        levels
            .map(|level| level + noise * random.normal())
            .collect()
    }

    #[test]
    fn the_best_split_by_hand() {
        // Means 1 and 4, squares within 2 + 2 over 4 degrees of freedom: t = 3 / √(1 × (1/3 + 1/3)).
        let values = [0.0, 1.0, 2.0, 3.0, 4.0, 5.0];
        let best = Split::best(&values).expect("a split");
        assert_eq!(best.at, 3);
        assert!(
            (best.t - 3.0 / (2f64 / 3.0).sqrt()).abs() < 1e-9,
            "{}",
            best.t
        );
        // Worse cuts: at 2 the squares within are 0.5 + 5, at 4 the same; (5.5 − 4) / 1 is far below 7.35.
        assert_eq!(best.may_be(&values), (2, 4));
    }

    #[test]
    fn a_split_of_four_values_follows_student() {
        // With one place for a cut the largest t is Student's with 2 degrees of freedom, whose 97.5% point is 4.303.
        let mut search = Search::new(0.05);
        let critical = search.critical(4);
        assert!((critical - 4.303).abs() < 0.15, "{critical}");
    }

    #[test]
    fn stable_series_are_seldom_split() {
        let mut random = Simulated::new(11);
        for (n, alpha) in [(6, 0.05), (20, 0.05), (60, 0.05), (20, 0.01)] {
            let mut search = Search::new(alpha);
            let split = (0..1000)
                .filter(|_| {
                    !search
                        .shifts(&series(&[(n, 3.0)], 0.02, &mut random))
                        .is_empty()
                })
                .count();
            // Three standard deviations above what is asked for.
            let most = 1000.0 * alpha + 3.0 * (1000.0 * alpha).sqrt();
            assert!(
                (split as f64) < most,
                "{split} of 1000 at {alpha}, {n} values"
            );
            assert!(
                split > 0 || alpha < 0.02,
                "{n} values: nothing is ever found"
            );
        }
    }

    #[test]
    fn known_shifts_are_found_and_their_interval_holds_them() {
        let mut random = Simulated::new(5);
        let mut search = Search::new(0.01);
        let (mut found, mut held) = (0, 0);
        for _ in 0..200 {
            let values = series(&[(15, 0.0), (10, 0.05)], 0.02, &mut random);
            let shifts = search.shifts(&values);
            if let [shift] = shifts.as_slice() {
                found += 1;
                held += usize::from((shift.earliest..=shift.latest).contains(&15));
            }
        }
        // A shift of 2.5 standard deviations.
        assert!(found >= 180, "{found} of 200");
        assert!(held as f64 >= 0.93 * found as f64, "{held} of {found}");
    }

    #[test]
    fn several_shifts_are_found_in_their_places() {
        let mut random = Simulated::new(3);
        let values = series(&[(10, 0.0), (12, 0.3), (9, 0.1)], 0.01, &mut random);
        let places: Vec<usize> = Search::new(0.01)
            .shifts(&values)
            .iter()
            .map(|s| s.at)
            .collect();
        assert_eq!(places, [10, 22]);
    }

    #[test]
    fn one_bad_run_and_what_is_too_short_are_no_shift() {
        let mut search = Search::new(0.01);
        let mut values = vec![1.0; 12];
        assert_eq!(search.shifts(&values), []);
        values[5] = 0.5;
        assert_eq!(search.shifts(&values), []);
        assert_eq!(search.shifts(&[0.0, 0.0, 9.0, 9.0, 9.0]), []);
        assert_eq!(search.shifts(&[f64::NAN; 12]), []);
        assert_eq!(search.shifts(&[]), []);
        // Values that agree to the last digit on both sides.
        let step = [[1.0; 4], [1.5; 4]].concat();
        let found = search.shifts(&step);
        assert_eq!(
            found,
            [Shift {
                at: 4,
                earliest: 4,
                latest: 4
            }]
        );
        // At any level there is a t that shows a shift.
        assert_eq!(Search::new(1e-9).shifts(&step), found);
    }

    /// With 216 or 100,000 series the level is below what the simulation can show.
    #[test]
    fn a_doubling_is_found_among_any_number_of_series() {
        let mut random = Simulated::new(12);
        let doubled = series(&[(6, 0.0), (6, 2f64.ln())], 0.01, &mut random);
        let level = series(&[(12, 0.0)], 0.01, &mut random);
        for series in [1.0, 200.0, 216.0, 1e5] {
            let mut search = Search::new(0.01 / series);
            let found = search.shifts(&doubled);
            assert_eq!(found.iter().map(|shift| shift.at).collect::<Vec<_>>(), [6]);
            assert_eq!(search.shifts(&level), []);
        }
        // The bound is stricter than the simulated value, and not by much.
        let simulated = Search::new(0.01).critical(12);
        let bound = bonferroni(12, 0.01);
        println!("{simulated} {bound}");
        assert!(
            bound > simulated && bound < 1.15 * simulated,
            "{simulated} {bound}"
        );
    }

    proptest! {
        #[test]
        fn any_numbers_are_cut_in_order(values in prop::collection::vec(-1e6f64..1e6, 0..30)) {
            let found = Search::new(0.05).shifts(&values);
            for shift in &found {
                prop_assert!(shift.earliest <= shift.at && shift.at <= shift.latest);
                prop_assert!(shift.latest < values.len());
            }
        }
    }
}
