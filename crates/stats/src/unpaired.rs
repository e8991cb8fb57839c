//! Two samples whose rounds have nothing in common, such as runs of different days.
//!
//! On logarithms, so that the difference is a ratio; the interval is that of Welch's t test, which lets the two spread differently
//! (Welch, *The generalization of 'Student's' problem when several different population variances are involved*, Biometrika 34, 1947),
//! with Satterthwaite's degrees of freedom.

use crate::interval::{Interval, usable_margin};
use crate::student;
use crate::summary::mean_and_sd;

/// The means of ln a and ln b, compared.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Unpaired {
    /// mean ln a − mean ln b.
    pub mean: f64,
    /// Its standard error and the degrees of freedom of that; `None` where either sample has one value.
    pub error: Option<(f64, f64)>,
}

impl Unpaired {
    /// Sums up two samples. `None` when one is empty, or a value is not finite or not above zero.
    pub fn new(a: &[f64], b: &[f64]) -> Option<Unpaired> {
        let ((mean_a, error_a), (mean_b, error_b)) = (logs(a)?, logs(b)?);
        let error = error_a
            .zip(error_b)
            .map(|((a, a_freedom), (b, b_freedom))| {
                let sum = a + b;
                let freedom = sum * sum / (a * a / a_freedom + b * b / b_freedom);
                // Two samples without any spread have all the freedom that there is.
                let freedom = if freedom.is_finite() {
                    freedom
                } else {
                    a_freedom + b_freedom
                };
                (sum.sqrt(), freedom)
            });
        Some(Unpaired {
            mean: mean_a - mean_b,
            error,
        })
    }

    /// The ratio of the geometric means, a / b.
    pub fn ratio(&self) -> f64 {
        self.mean.exp().min(f64::MAX)
    }

    /// The interval of the ratio at level `alpha` (0.05 for 95%), never narrower than ± `resolution`; `None` as for
    /// [`Paired::interval`](crate::Paired::interval).
    pub fn interval(&self, alpha: f64, resolution: f64) -> Option<Interval> {
        let (error, freedom) = self.error?;
        if !(alpha > 0.0 && alpha < 1.0) {
            return None;
        }
        let half = student::quantile_above(alpha / 2.0, freedom)? * error;
        let half = half.max(usable_margin(resolution).ln_1p());
        Interval::new((self.mean - half).exp(), (self.mean + half).exp())
    }

    /// The p-value of the two-sided test of 'the means are the same'.
    pub fn p_value(&self) -> Option<f64> {
        let (error, freedom) = self.error?;
        if error == 0.0 {
            return Some(if self.mean == 0.0 { 1.0 } else { 0.0 });
        }
        Some((2.0 * student::tail_above((self.mean / error).abs(), freedom)?).min(1.0))
    }
}

/// The mean of the logarithms, and the square of its standard error with its degrees of freedom.
fn logs(values: &[f64]) -> Option<(f64, Option<(f64, f64)>)> {
    if !values.iter().all(|v| v.is_finite() && *v > 0.0) {
        return None;
    }
    let logs: Vec<f64> = values.iter().map(|v| v.ln()).collect();
    let (mean, sd) = mean_and_sd(&logs)?;
    let n = logs.len() as f64;
    Some((mean, sd.map(|sd| (sd * sd / n, n - 1.0))))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn near(a: f64, b: f64) -> bool {
        (a - b).abs() < 1e-9
    }

    #[test]
    fn welch_s_figures_by_hand() {
        // ln a = 1, 2, 3 (variance 1), ln b = 0, 2, 4, 6 (variance 20/3): means 2 and 3.
        let a = [1.0, 2.0, 3.0].map(f64::exp);
        let b = [0.0, 2.0, 4.0, 6.0].map(f64::exp);
        let reported = Unpaired::new(&a, &b).expect("two samples");
        assert!(near(reported.mean, -1.0) && near(reported.ratio(), (-1f64).exp()));
        // 1/3 + 20/12 = 2; freedom = 4 / (1/9 / 2 + 25/9 / 3) = 4 / (53/54).
        let (error, freedom) = reported.error.expect("an error");
        assert!(near(error, 2f64.sqrt()) && near(freedom, 4.0 * 54.0 / 53.0));
        let interval = reported.interval(0.05, 0.0).expect("an interval");
        let t = student::quantile_above(0.025, freedom).expect("t");
        assert!(near(interval.low, (-1.0 - t * error).exp()));
        assert!(near(interval.high, (-1.0 + t * error).exp()));
        assert!(reported.p_value().is_some_and(|p| p > 0.5 && p < 0.6));
    }

    #[test]
    fn equal_spreads_and_sizes_give_student_s_freedom() {
        let a = [1.0, 2.0, 3.0].map(f64::exp);
        let b = [4.0, 5.0, 6.0].map(f64::exp);
        let (error, freedom) = Unpaired::new(&a, &b)
            .and_then(|reported| reported.error)
            .expect("an error");
        assert!(near(freedom, 4.0) && near(error, (2f64 / 3.0).sqrt()));
    }

    #[test]
    fn what_says_nothing_gives_nothing() {
        assert_eq!(Unpaired::new(&[], &[1.0]), None);
        assert_eq!(Unpaired::new(&[0.0], &[1.0]), None);
        let one = Unpaired::new(&[2.0], &[1.0, 1.0]).expect("a ratio");
        assert!(near(one.ratio(), 2.0));
        assert_eq!((one.interval(0.05, 0.0), one.p_value()), (None, None));
        let same = Unpaired::new(&[2.0; 3], &[2.0; 3]).expect("a ratio");
        assert_eq!(same.interval(0.05, 0.0), Interval::new(1.0, 1.0));
        assert_eq!(same.p_value(), Some(1.0));
    }
}
