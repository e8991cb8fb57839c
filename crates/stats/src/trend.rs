//! A straight line through a series: whether it drifts.

use crate::student;
use crate::summary::mean_and_sd;

/// A straight line through a series, by least squares.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Trend {
    /// By how much the line changes over the series (slope × number of values), relative to the series' mean.
    pub relative: f64,
    /// The standard error of `relative`.
    pub error: f64,
    /// The p-value of the two-sided t test of 'slope = 0'.
    pub p_value: f64,
}

/// The line through `values` at equal distances. `None` under 4 values (a line through 3 has one degree of
/// freedom left), where one is not finite, or where the mean is 0.
pub fn trend(values: &[f64]) -> Option<Trend> {
    if values.len() < 4 {
        return None;
    }
    let n = values.len() as f64;
    let (mean, _) = mean_and_sd(values)?;
    let middle = (n - 1.0) / 2.0;
    let at = |i: usize| i as f64 - middle;
    let spread = n * (n * n - 1.0) / 12.0;
    let slope = values
        .iter()
        .enumerate()
        .map(|(i, v)| at(i) * (v - mean))
        .sum::<f64>()
        / spread;
    let rest: f64 = values
        .iter()
        .enumerate()
        .map(|(i, v)| (v - mean - slope * at(i)).powi(2))
        .sum();
    let slope_error = (rest / (n - 2.0) / spread).sqrt();
    let p_value = if slope == 0.0 {
        1.0
    } else {
        (2.0 * student::tail_above((slope / slope_error).abs(), n - 2.0)?).min(1.0)
    };
    let (relative, error) = (slope * n / mean, (slope_error * n / mean).abs());
    (relative.is_finite() && error.is_finite()).then_some(Trend {
        relative,
        error,
        p_value,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 1, 3, 2, 4: slope 0.8, mean 2.5, residuals −0.3, 0.9, −0.9, 0.3, so s² = 0.9 and the slope's error √(0.9 / 5).
    #[test]
    fn four_values_by_hand() {
        let found = trend(&[1.0, 3.0, 2.0, 4.0]).expect("a line");
        assert!((found.relative - 0.8 * 4.0 / 2.5).abs() < 1e-12);
        assert!((found.error - 0.18f64.sqrt() * 4.0 / 2.5).abs() < 1e-12);
        // At 2 degrees of freedom P(|T| > t) = 1 - t / √(2 + t²).
        let t = 0.8 / 0.18f64.sqrt();
        assert!((found.p_value - (1.0 - t / (2.0 + t * t).sqrt())).abs() < 1e-9);
    }

    #[test]
    fn an_exact_line_is_certain_and_a_constant_is_none() {
        let line = trend(&[1.0, 2.0, 3.0, 4.0, 5.0]).expect("a line");
        assert!(line.p_value < 1e-9 && (line.relative - 5.0 / 3.0).abs() < 1e-12);
        let constant = trend(&[0.1; 9]).expect("a line");
        assert_eq!((constant.relative, constant.p_value), (0.0, 1.0));
    }

    #[test]
    fn what_has_no_line_is_none() {
        assert_eq!(trend(&[1.0, 2.0, 3.0]), None);
        assert_eq!(trend(&[0.0; 8]), None);
        assert_eq!(trend(&[1.0, 2.0, f64::NAN, 4.0]), None);
        assert_eq!(trend(&[1.0, -1.0, 1.0, -1.0]), None);
    }
}
