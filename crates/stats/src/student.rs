//! Student's t distribution: the two figures that the rest needs of it.

use std::cell::RefCell;
use std::collections::HashMap;

use statrs::distribution::{ContinuousCDF, StudentsT};

thread_local! {
    /// The quantiles that were computed, by tail and degrees of freedom: reports and simulations ask for few of them again and again.
    static KNOWN: RefCell<HashMap<[u64; 2], Option<f64>>> = RefCell::default();
}

/// With this many quantiles they are forgotten.
const MOST_KNOWN: usize = 10_000;

/// The t with `freedom` degrees of freedom that is exceeded with probability `tail`
/// (0 < `tail` < 1); `None` where there is no finite one.
pub(crate) fn quantile_above(tail: f64, freedom: f64) -> Option<f64> {
    if !(tail > 0.0 && tail < 1.0) {
        return None;
    }
    if tail > 0.5 {
        return Some(-quantile_above(1.0 - tail, freedom)?);
    }
    let key = [tail, freedom].map(f64::to_bits);
    KNOWN.with_borrow_mut(|known| {
        if known.len() >= MOST_KNOWN {
            known.clear();
        }
        *known
            .entry(key)
            .or_insert_with(|| by_halving(tail, freedom))
    })
}

/// The same for a `tail` of at most 0.5. By halving, since `inverse_cdf` of `statrs` panics far out.
fn by_halving(tail: f64, freedom: f64) -> Option<f64> {
    let (mut low, mut high) = (0.0, 1.0);
    while tail_above(high, freedom)? > tail {
        low = high;
        high *= 2.0;
        if !f64::is_finite(high * high) {
            return None;
        }
    }
    loop {
        let middle = low + (high - low) / 2.0;
        if middle <= low || middle >= high {
            return Some(high);
        }
        if tail_above(middle, freedom)? > tail {
            low = middle;
        } else {
            high = middle;
        }
    }
}

/// P(T > `t`) with `freedom` degrees of freedom.
pub(crate) fn tail_above(t: f64, freedom: f64) -> Option<f64> {
    if t.is_nan() {
        return None;
    }
    if t.is_infinite() {
        return Some(if t > 0.0 { 0.0 } else { 1.0 });
    }
    Some(distribution(freedom)?.cdf(-t))
}

/// The half-width of a two-sided interval at level `alpha`, in standard errors, from a sample of `n`.
pub(crate) fn two_sided(alpha: f64, n: usize) -> Option<f64> {
    if n < 2 {
        return None;
    }
    two_sided_of(alpha, (n - 1) as f64)
}

/// The half-width of a two-sided interval at level `alpha`, in standard errors that are known with `freedom` degrees of freedom.
pub(crate) fn two_sided_of(alpha: f64, freedom: f64) -> Option<f64> {
    if !(alpha > 0.0 && alpha < 1.0) {
        return None;
    }
    quantile_above(alpha / 2.0, freedom)
}

fn distribution(freedom: f64) -> Option<StudentsT> {
    StudentsT::new(0.0, 1.0, freedom).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(found: Option<f64>, expected: f64, relative: f64) {
        let found = found.expect("a figure");
        assert!(
            ((found - expected) / expected).abs() < relative,
            "{found} is not {expected}"
        );
    }

    #[test]
    fn quantiles_are_those_of_the_tables() {
        close(two_sided(0.05, 2), 12.706_204_736, 1e-6);
        close(two_sided(0.05, 5), 2.776_445_105, 1e-6);
        close(two_sided(0.01, 11), 3.169_272_667, 1e-6);
        close(two_sided(0.05, 10_001), 1.960_201_264, 1e-6);
    }

    /// One and two degrees of freedom have quantiles in closed form.
    #[test]
    fn quantiles_far_out_keep_their_digits() {
        for alpha in [1e-3, 1e-5, 1e-7] {
            let cauchy = 1.0 / (std::f64::consts::PI * alpha / 2.0).tan();
            close(two_sided(alpha, 2), cauchy, 1e-9);
            let p: f64 = alpha / 2.0;
            let two = (1.0 - 2.0 * p) * (2.0 / (4.0 * p * (1.0 - p))).sqrt();
            close(two_sided(alpha, 3), two, 1e-9);
        }
    }

    #[test]
    fn tails_invert_quantiles() {
        for freedom in [1.0, 3.0, 9.0, 200.0] {
            for tail in [1e-6, 0.01, 0.4, 0.6, 0.99] {
                let t = quantile_above(tail, freedom).expect("a quantile");
                close(tail_above(t, freedom), tail, 1e-9);
            }
        }
        assert_eq!(tail_above(f64::INFINITY, 3.0), Some(0.0));
        assert_eq!(tail_above(f64::NAN, 3.0), None);
    }

    #[test]
    fn levels_that_mean_nothing_give_nothing() {
        for alpha in [0.0, 1.0, -0.1, f64::NAN] {
            assert_eq!(two_sided(alpha, 5), None);
        }
        assert_eq!(two_sided(f64::MIN_POSITIVE, 2), None);
        assert_eq!(two_sided(0.05, 1), None);
    }
}
