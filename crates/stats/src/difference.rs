//! A difference over the rounds, in the figure's own unit: for what may be zero, and so has no ratio.

use crate::Interval;
use crate::student;

/// The mean of the rounds' figures; `None` without any, and where one is not finite.
pub fn mean(values: &[f64]) -> Option<f64> {
    let mean = values.iter().sum::<f64>() / values.len() as f64;
    mean.is_finite().then_some(mean)
}

/// The interval of the mean of the rounds' figures, mean ± t·s/√n with n − 1 degrees of freedom, at level `alpha`. The standard error is
/// taken to be at least `least`: figures that are counted in few samples may agree by chance. `None` under two rounds.
pub fn mean_interval(values: &[f64], least: f64, alpha: f64) -> Option<Interval> {
    let mean = mean(values)?;
    let n = values.len();
    let t = student::two_sided(alpha, n)?;
    let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
    let error = (squares / (n - 1) as f64 / n as f64).sqrt().max(least);
    Interval::new(mean - t * error, mean + t * error)
}

/// The standard error that a share of `samples` has by chance alone, where `count` of them were seen: that of a binomial share, with one
/// sample more of which half counts, so that none seen is not taken for none there.
pub fn share_error(count: u64, samples: u64) -> f64 {
    let share = (count as f64 + 0.5) / (samples as f64 + 1.0);
    (share * (1.0 - share) / (samples as f64 + 1.0))
        .max(0.0)
        .sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_interval_is_what_the_formula_gives() {
        // Mean 3, s² = 2.5, s/√5 = 0.707107; t(4, 97.5%) = 2.776445: half-width 1.963243.
        let interval = mean_interval(&[1.0, 2.0, 3.0, 4.0, 5.0], 0.0, 0.05).expect("an interval");
        assert!((interval.low - 1.036_757).abs() < 1e-6, "{interval:?}");
        assert!((interval.high - 4.963_243).abs() < 1e-6, "{interval:?}");
        // Equal figures: the least error alone.
        let interval = mean_interval(&[2.0; 5], 0.1, 0.05).expect("an interval");
        assert!((interval.high - 2.277_644_5).abs() < 1e-6, "{interval:?}");
    }

    #[test]
    fn a_share_of_few_samples_is_uncertain() {
        // (20.5 / 101) · (80.5 / 101) / 101
        let expected = (20.5_f64 / 101.0 * (80.5 / 101.0) / 101.0).sqrt();
        assert!((share_error(20, 100) - expected).abs() < 1e-12);
        assert!(share_error(0, 100) > 0.0);
        assert_eq!(share_error(0, 0), 0.5);
    }

    #[test]
    fn what_says_nothing_gives_nothing() {
        assert_eq!(mean(&[]), None);
        assert_eq!(mean(&[1.0, f64::NAN]), None);
        assert_eq!(mean_interval(&[1.0], 0.0, 0.05), None);
        assert_eq!(mean_interval(&[1.0, f64::INFINITY], 0.0, 0.05), None);
    }
}
