//! One target's figure over the rounds.

use crate::interval::Interval;
use crate::student;

/// A figure over the rounds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GeometricMean {
    /// exp(mean of ln x): the mean that fits ratios, since the ratio of two geometric means is the geometric
    /// mean of the ratios.
    pub mean: f64,
    /// Its t interval, made on the log scale; `None` with one round, and with two that agree to the last digit.
    pub interval: Option<Interval>,
    /// The smallest value.
    pub min: f64,
    /// The largest value.
    pub max: f64,
    /// How many values.
    pub rounds: usize,
}

/// The geometric mean of the rounds' values, with its interval at level `alpha`. `None` when there is no value, or one is
/// not finite or not above zero.
pub fn geometric_mean(values: &[f64], alpha: f64) -> Option<GeometricMean> {
    if !values.iter().all(|v| v.is_finite() && *v > 0.0) {
        return None;
    }
    let logs: Vec<f64> = values.iter().map(|v| v.ln()).collect();
    let (mean, sd) = mean_and_sd(&logs)?;
    let min = values.iter().copied().fold(f64::INFINITY, f64::min);
    let max = values.iter().copied().fold(0.0, f64::max);
    // Of two figures that agree by chance nothing follows.
    let sd = sd.filter(|sd| logs.len() > 2 || *sd > 0.0);
    let interval = sd
        .zip(student::two_sided(alpha, logs.len()))
        .and_then(|(sd, t)| {
            let half = t * sd / (logs.len() as f64).sqrt();
            Interval::new((mean - half).exp(), (mean + half).exp())
        });
    Some(GeometricMean {
        // Rounding in ln and exp must not put the mean outside of the values.
        mean: mean.exp().clamp(min, max),
        interval,
        min,
        max,
        rounds: values.len(),
    })
}

/// The mean and the sample standard deviation (over n − 1; `None` with one value) of finite values; `None`
/// when there is no value.
pub(crate) fn mean_and_sd(values: &[f64]) -> Option<(f64, Option<f64>)> {
    let first = *values.first()?;
    let n = values.len() as f64;
    // About the first value, so that equal values have no spread at all.
    let mean = first + values.iter().map(|v| v - first).sum::<f64>() / n;
    let squares: f64 = values.iter().map(|v| (v - mean) * (v - mean)).sum();
    let sd = (values.len() > 1).then(|| (squares / (n - 1.0)).sqrt());
    Some((mean, sd))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_mean_of_two_and_eight_is_four() {
        let found = geometric_mean(&[2.0, 8.0], 0.05).expect("a mean");
        assert!((found.mean - 4.0).abs() < 1e-12);
        assert_eq!((found.min, found.max, found.rounds), (2.0, 8.0, 2));
        // d = ln 2, ln 8: s = ln 4 / √2, half-width 12.7062 · ln 4 / 2.
        let half = 12.706_204_736 * 4f64.ln() / 2.0;
        let interval = found.interval.expect("an interval");
        assert!((interval.high / (4.0 * half.exp()) - 1.0).abs() < 1e-5);
        assert!((interval.low * half.exp() / 4.0 - 1.0).abs() < 1e-5);
    }

    #[test]
    fn one_value_has_no_interval() {
        let found = geometric_mean(&[7.0], 0.05).expect("a mean");
        assert_eq!((found.mean, found.interval), (7.0, None));
    }

    #[test]
    fn equal_values_have_a_point_for_an_interval() {
        let found = geometric_mean(&[0.1; 7], 0.05).expect("a mean");
        assert_eq!(found.mean, 0.1);
        let interval = found.interval.expect("an interval");
        assert!((interval.high - interval.low).abs() < 1e-12);
    }

    #[test]
    fn values_without_a_logarithm_give_nothing() {
        assert_eq!(geometric_mean(&[], 0.05), None);
        for bad in [0.0, -3.0, f64::NAN, f64::INFINITY] {
            assert_eq!(geometric_mean(&[1.0, bad], 0.05), None);
        }
    }
}
