//! The Universal Scalability Law: throughput X at N connections (or threads, or cores) is
//! X(N) = γN / (1 + α(N − 1) + βN(N − 1)).
//!
//! γ is the throughput of one, α the share of work that waits for others (contention), β the price of
//! agreeing with each other one (coherency). With β > 0 throughput peaks at the knee N* = √((1 − α) / β).
//! Source: Gunther, *Guerrilla capacity planning*, 2007, chapters 4 to 6; Gunther, *A general theory of
//! computational scalability based on rational functions*, arXiv:0808.1431.
//!
//! The law is linear in another form, N / X = θ₀ + θ₁(N − 1) + θ₂N(N − 1) with γ = 1/θ₀, α = θ₁/θ₀ and β = θ₂/θ₀. It is
//! fitted by least squares of the relative errors (noise is in proportion to the throughput) with θ ≥ 0. The intervals are
//! those of the profile: all values of a parameter at which the best fit of the others has at most
//! 1 + t² / (n − 3) times the least sum of squares. They stop at 0 where the data reach it, which the
//! curvature at the best fit would not know.

use schemars::JsonSchema;
use serde::Serialize;

use crate::interval::Interval;
use crate::student;

/// The fewest distinct levels: three parameters, and one level that could contradict them.
pub const FEWEST_LEVELS: usize = 4;

/// A fitted value with its interval.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Fitted {
    /// The best fit.
    pub value: f64,
    /// Its interval; `null` where the figures do not bound it.
    pub interval: Option<Interval>,
}

/// The law, fitted.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Usl {
    /// γ: the throughput of one, in the unit of the data.
    pub gamma: Fitted,
    /// α: contention, from 0.
    pub alpha: Fitted,
    /// β: coherency, from 0.
    pub beta: Fitted,
    /// Where throughput peaks; `None` where it does not (β = 0, or α ≥ 1). Without an interval the
    /// data do not show that there is a peak: β may be 0.
    pub knee: Option<Fitted>,
    /// How far the data lie from the law: the root of the mean square of the relative errors over n − 3.
    pub residual: f64,
}

impl Usl {
    /// Fits the law to points (N, X), one for each level and round, with intervals at `level` (0.05 for 95%). `None` with fewer than
    /// [`FEWEST_LEVELS`] distinct levels, an N below 1, an X not above 0, or a number that is not finite.
    pub fn fit(points: &[(f64, f64)], level: f64) -> Option<Usl> {
        let usable = |&(n, x): &(f64, f64)| n >= 1.0 && n.is_finite() && x > 0.0 && x.is_finite();
        if !points.iter().all(usable) {
            return None;
        }
        let mut levels: Vec<f64> = points.iter().map(|p| p.0).collect();
        levels.sort_by(f64::total_cmp);
        levels.dedup();
        if levels.len() < FEWEST_LEVELS {
            return None;
        }
        // θ₀ = 0 is an infinite γ; throughput that only falls. The law has nothing to say there.
        let (theta, least) = best_fit(points, |n| [1.0, n - 1.0, n * (n - 1.0)])?;
        let [first, second, third] = theta;
        let freedom = (points.len() - 3) as f64;
        let residual = (least / freedom).sqrt();
        let (gamma, alpha, beta) = (1.0 / first, second / first, third / first);
        if ![gamma, alpha, beta, residual].iter().all(|v| v.is_finite()) {
            return None;
        }
        let limit = student::quantile_above(level / 2.0, freedom)
            // A perfect fit leaves the rounding of the sum of squares, and no more.
            .map(|t| (least * (1.0 + t * t / freedom)).max(least + 1e-20));
        let estimate = |value: f64, low: f64, rest: &dyn Fn(f64) -> f64| Fitted {
            value,
            interval: limit.and_then(|limit| profile(value, low, |v| rest(v) <= limit)),
        };
        let squares = |columns: &dyn Fn(f64) -> [f64; 3]| {
            best_fit(points, columns).map_or(f64::INFINITY, |(_, squares)| squares)
        };
        let at = ((1.0 - alpha) / beta).sqrt();
        let knee = (beta > 0.0 && alpha < 1.0 && at.is_finite()).then(|| {
            // With N* = k fixed, β = (1 − α) / k²: linear in θ₀ and θ₁ again. Written in θ₀ − θ₁ and θ₁, so that α ≤ 1.
            estimate(at, 0.0, &|k| {
                squares(&|n| [1.0 + n * (n - 1.0) / (k * k), n, 0.0])
            })
        });
        Some(Usl {
            // A fixed γ goes into the target instead: what remains of N / X after 1 / γ.
            gamma: estimate(gamma, 0.0, &|gamma| {
                let (a, b) = (|n: f64| n - 1.0, |n: f64| n * (n - 1.0));
                least_squares(points, 1.0 / gamma, &|n| [a(n), b(n), 0.0]).1
            }),
            alpha: estimate(alpha, 0.0, &|alpha| {
                squares(&|n| [1.0 + alpha * (n - 1.0), n * (n - 1.0), 0.0])
            }),
            beta: estimate(beta, 0.0, &|beta| {
                squares(&|n| [1.0 + beta * n * (n - 1.0), n - 1.0, 0.0])
            }),
            knee,
            residual,
        })
    }

    /// The throughput that the law expects at `n`.
    pub fn throughput(&self, n: f64) -> f64 {
        let (alpha, beta) = (self.alpha.value, self.beta.value);
        self.gamma.value * n / (1.0 + alpha * (n - 1.0) + beta * n * (n - 1.0))
    }
}

/// The ends of the values about `best`, from `low` up, that are `inside`; `None` where they have no upper end.
fn profile(best: f64, low: f64, inside: impl Fn(f64) -> bool) -> Option<Interval> {
    let edge = |mut within: f64, mut beyond: f64| {
        for _ in 0..60 {
            let middle = within + (beyond - within) / 2.0;
            if inside(middle) {
                within = middle;
            } else {
                beyond = middle;
            }
        }
        within
    };
    let from = if inside(low) { low } else { edge(best, low) };
    let mut step = if best > 0.0 { best / 4.0 } else { 1e-9 };
    while inside(best + step) {
        step *= 2.0;
        // A hundred thousand times the best value, or more than all there can be, bounds nothing.
        if step > best.max(1e-3) * 1e5 {
            return None;
        }
    }
    Interval::new(from, edge(best, best + step))
}

/// The best fit to N / X, with its first coefficient above 0, and its sum of squares.
fn best_fit(points: &[(f64, f64)], columns: impl Fn(f64) -> [f64; 3]) -> Option<([f64; 3], f64)> {
    let (theta, squares) = least_squares(points, 0.0, &columns);
    (theta[0] > 0.0).then_some((theta, squares))
}

/// Least squares of the relative errors of N / X − `offset` by `columns` with coefficients ≥ 0: the best
/// of the fits by each choice of columns (Lawson and Hanson's problem, small enough to try all). A column of zeros is left out.
fn least_squares(
    points: &[(f64, f64)],
    offset: f64,
    columns: &dyn Fn(f64) -> [f64; 3],
) -> ([f64; 3], f64) {
    let rows: Vec<([f64; 3], f64)> = points
        .iter()
        .map(|&(n, x)| (columns(n).map(|c| c * x / n), 1.0 - offset * x / n))
        .collect();
    let squares = |theta: &[f64; 3]| -> f64 {
        rows.iter()
            .map(|(row, y)| (y - (0..3).map(|i| row[i] * theta[i]).sum::<f64>()).powi(2))
            .sum()
    };
    let none = [0.0; 3];
    let mut best = (none, squares(&none));
    for choice in 1u8..8 {
        let chosen = [0, 1, 2].map(|i| choice & (1 << i) != 0);
        let Some(theta) = solve(&rows, chosen) else {
            continue;
        };
        let found = squares(&theta);
        if theta.iter().all(|t| *t >= 0.0) && found < best.1 {
            best = (theta, found);
        }
    }
    best
}

/// Solves the normal equations of the chosen columns, scaled to length 1, by Gauss and Jordan; `None` where they depend on
/// each other.
fn solve(rows: &[([f64; 3], f64)], chosen: [bool; 3]) -> Option<[f64; 3]> {
    let length = [0, 1, 2].map(|i| rows.iter().map(|(r, _)| r[i] * r[i]).sum::<f64>().sqrt());
    let mut matrix = [[0.0; 4]; 3];
    for (i, equation) in matrix.iter_mut().enumerate() {
        if !chosen[i] {
            equation[i] = 1.0;
            continue;
        }
        if length[i] <= 0.0 || !length[i].is_finite() {
            return None;
        }
        for (row, y) in rows {
            for j in (0..3).filter(|&j| chosen[j]) {
                equation[j] += row[i] / length[i] * row[j] / length[j];
            }
            equation[3] += row[i] / length[i] * y;
        }
    }
    for pivot in 0..3 {
        // A positive definite matrix needs no other order of pivots.
        if matrix[pivot][pivot].is_nan() || matrix[pivot][pivot] <= 1e-13 {
            return None;
        }
        let scaled = matrix[pivot].map(|v| v / matrix[pivot][pivot]);
        matrix[pivot] = scaled;
        for other in (0..3).filter(|&other| other != pivot) {
            let factor = matrix[other][pivot];
            for (value, above) in matrix[other].iter_mut().zip(scaled) {
                *value -= factor * above;
            }
        }
    }
    Some([0, 1, 2].map(|i| {
        if chosen[i] {
            matrix[i][3] / length[i]
        } else {
            0.0
        }
    }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Simulated;
    use proptest::prelude::*;

    const LEVELS: [f64; 8] = [1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0, 128.0];

    fn law(gamma: f64, alpha: f64, beta: f64, n: f64) -> f64 {
        gamma * n / (1.0 + alpha * (n - 1.0) + beta * n * (n - 1.0))
    }

    /// `rounds` points a level with relative noise.
    fn sweep(truth: (f64, f64, f64), noise: f64, rounds: usize, seed: u64) -> Vec<(f64, f64)> {
        let mut random = Simulated::new(seed);
        LEVELS
            .iter()
            .flat_map(|&n| vec![n; rounds])
            .map(|n| {
                (
                    n,
                    law(truth.0, truth.1, truth.2, n) * (1.0 + noise * random.normal()),
                )
            })
            .collect()
    }

    fn close(found: f64, expected: f64, by: f64) {
        assert!((found - expected).abs() <= by, "{found} is not {expected}");
    }

    #[test]
    fn known_parameters_are_found() {
        let fit = Usl::fit(&sweep((1000.0, 0.05, 0.0002), 0.0, 1, 1), 0.05).expect("a fit");
        close(fit.gamma.value, 1000.0, 1e-6);
        close(fit.alpha.value, 0.05, 1e-9);
        close(fit.beta.value, 0.0002, 1e-12);
        let knee = fit.knee.expect("a knee");
        close(knee.value, (0.95f64 / 0.0002).sqrt(), 1e-4);
        let interval = knee.interval.expect("bounds");
        assert!(interval.contains(knee.value) && interval.high - interval.low < 0.01);
        assert!(fit.residual < 1e-9);
        close(fit.throughput(32.0), law(1000.0, 0.05, 0.0002, 32.0), 1e-4);
    }

    /// Of 80 sweeps with 2% noise, some 95% of the intervals hold the truth (of 4,000: 95.1% to 95.2%).
    #[test]
    fn intervals_hold_the_truth_as_often_as_they_say() {
        let truth = (1000.0, 0.05, 0.0002);
        let knee = (0.95f64 / 0.0002).sqrt();
        let mut held = [0; 4];
        for seed in 1000..1080 {
            let fit = Usl::fit(&sweep(truth, 0.02, 3, seed), 0.05).expect("a fit");
            let estimates = [fit.gamma, fit.alpha, fit.beta, fit.knee.expect("a knee")];
            for (at, (found, truth)) in estimates
                .iter()
                .zip([truth.0, truth.1, truth.2, knee])
                .enumerate()
            {
                held[at] += u32::from(found.interval.expect("bounds").contains(truth));
            }
        }
        println!("held of 80: gamma, alpha, beta, knee {held:?}");
        assert!(held.iter().all(|h| (70..=80).contains(h)), "{held:?}");
    }

    #[test]
    fn without_coherency_there_is_no_knee_to_be_sure_of() {
        let exact = Usl::fit(&sweep((500.0, 0.1, 0.0), 0.0, 1, 1), 0.05).expect("a fit");
        close(exact.alpha.value, 0.1, 1e-9);
        close(exact.beta.value, 0.0, 1e-12);
        for seed in 0..20 {
            let fit = Usl::fit(&sweep((500.0, 0.1, 0.0), 0.03, 2, seed), 0.001).expect("a fit");
            assert_eq!(fit.beta.interval.expect("bounds").low, 0.0);
            assert!(
                fit.knee.is_none_or(|knee| knee.interval.is_none()),
                "{fit:?}"
            );
        }
    }

    #[test]
    fn linear_growth_has_neither() {
        let points: Vec<(f64, f64)> = LEVELS.map(|n| (n, 70.0 * n)).to_vec();
        let fit = Usl::fit(&points, 0.05).expect("a fit");
        close(fit.gamma.value, 70.0, 1e-6);
        close(fit.alpha.value, 0.0, 1e-9);
        assert!(fit.knee.is_none_or(|knee| knee.interval.is_none()));
    }

    #[test]
    fn too_little_to_fit_is_refused() {
        let point = |n: f64| (n, law(100.0, 0.1, 0.001, n));
        let three: Vec<(f64, f64)> = [1.0, 8.0, 64.0, 1.0, 8.0, 64.0].map(point).to_vec();
        assert_eq!(Usl::fit(&three, 0.05), None);
        let four = [1.0, 8.0, 64.0, 128.0].map(point);
        assert!(Usl::fit(&four, 0.05).is_some());
        for bad in [
            (0.0, 1.0),
            (256.0, 0.0),
            (f64::NAN, 1.0),
            (256.0, f64::INFINITY),
        ] {
            let mut points = four.to_vec();
            points.push(bad);
            assert_eq!(Usl::fit(&points, 0.05), None);
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn nothing_that_is_no_number_comes_out(
            ordinary in prop::collection::vec((1f64..1e4, 1e-3f64..1e6), 4..8),
            any in prop::collection::vec((1f64..f64::MAX, f64::MIN_POSITIVE..f64::MAX), 4..8),
            level in any::<f64>(),
        ) {
            for (points, level) in [(&ordinary, 0.05), (&any, 0.05), (&ordinary, level)] {
                let Some(fit) = Usl::fit(points, level) else { continue };
                for estimate in [Some(fit.gamma), Some(fit.alpha), Some(fit.beta), fit.knee].into_iter().flatten() {
                    prop_assert!(estimate.value.is_finite() && estimate.value >= 0.0);
                    prop_assert!(estimate.interval.is_none_or(|i| i.low <= i.high && i.high.is_finite()));
                }
                prop_assert!(fit.residual.is_finite());
            }
        }
    }
}
