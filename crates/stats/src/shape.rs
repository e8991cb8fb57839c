//! What the shifts make of a series: flat, warm-up, slow-down or no steady state, after Barrett et al.,
//! *Virtual machine warmup blows hot and cold*, OOPSLA 2017.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::changepoint::{SHORTEST_SEGMENT, default_penalty, pelt_mean_variance};
use crate::summary::mean_and_sd;
use crate::trend::trend;

/// Which way is faster in a series.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Faster {
    /// Larger values are faster: throughput.
    Higher,
    /// Smaller values are faster: a time.
    Lower,
}

/// What a series is, in the classes of Barrett et al.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Class {
    /// The same from beginning to end.
    Flat,
    /// It ends steady, and was never faster before.
    WarmUp,
    /// It ends steady, and was faster before.
    SlowDown,
    /// It does not end steady: it shifts in its last quarter, or its end drifts.
    NoSteadyState,
}

/// A run of values without a shift.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Segment {
    /// The index of its first value.
    pub start: usize,
    /// How many values it has.
    pub values: usize,
    /// Their mean.
    pub mean: f64,
    /// Their sample standard deviation.
    pub sd: f64,
}

impl Segment {
    fn of(values: &[f64], start: usize, end: usize) -> Option<Segment> {
        let (mean, sd) = mean_and_sd(values.get(start..end)?)?;
        let sd = sd.unwrap_or(0.0);
        (mean.is_finite() && sd.is_finite()).then_some(Segment {
            start,
            values: end - start,
            mean,
            sd,
        })
    }

    /// Whether the means are the same to within `tolerance` (relative to this one's) or two standard
    /// errors of their difference. Barrett et al. take the last segment's variance; the standard error
    /// also knows how short the other one is, so that one slow second (a collection, a hiccup) is no shift.
    fn is_equivalent(&self, other: &Segment, tolerance: f64) -> bool {
        let error = (self.sd * self.sd / self.values as f64
            + other.sd * other.sd / other.values as f64)
            .sqrt();
        (self.mean - other.mean).abs() <= (tolerance * self.mean.abs()).max(2.0 * error)
    }
}

/// A series cut into segments and put into a class.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Shape {
    /// What the series is.
    pub class: Class,
    /// Its segments, in order; there is at least one.
    pub segments: Vec<Segment>,
    /// From which value on it is steady; `null` where it has no steady state.
    pub steady_from: Option<usize>,
    /// By how much its steady end changes from its beginning to its end by a straight line through it, relative to its
    /// mean; `null` where it is too short for a line.
    pub drift: Option<f64>,
}

/// Cuts a series into segments and says what it is. Two segments are equivalent when their means differ by at most
/// `tolerance` (0.02 for 2%) or two standard errors. The series has a steady state when all
/// segments in its last quarter (Barrett et al.: the last 500 of 2,000) are equivalent to the last, and
/// no straight line through its steady end rises or falls by more than `tolerance` and more than chance (p < 0.01).
/// `None` where there are fewer than 4 values or one is not finite.
pub fn classify(values: &[f64], faster: Faster, tolerance: f64) -> Option<Shape> {
    if values.len() < 2 * SHORTEST_SEGMENT || !values.iter().all(|v| v.is_finite()) {
        return None;
    }
    let segments = segments(values, default_penalty(values.len()))?;
    let last = *segments.last()?;
    let steady_from = segments
        .iter()
        .rev()
        .take_while(|segment| last.is_equivalent(segment, tolerance))
        .last()?
        .start;
    let trend = trend(&values[steady_from..]);
    let drifts = trend.is_some_and(|t| t.relative.abs() > tolerance && t.p_value < 0.01);
    let steady = steady_from <= values.len() - values.len().div_ceil(4) && !drifts;
    let others = || {
        segments
            .iter()
            .filter(|s| !last.is_equivalent(s, tolerance))
    };
    let was_faster = |segment: &Segment| match faster {
        Faster::Higher => segment.mean > last.mean,
        Faster::Lower => segment.mean < last.mean,
    };
    let class = if !steady {
        Class::NoSteadyState
    } else if others().next().is_none() {
        Class::Flat
    } else if others().any(was_faster) {
        Class::SlowDown
    } else {
        Class::WarmUp
    };
    Some(Shape {
        class,
        segments,
        steady_from: steady.then_some(steady_from),
        drift: trend.map(|t| t.relative),
    })
}

/// The segments between the shifts; `None` where one has no finite mean.
pub(crate) fn segments(values: &[f64], penalty: f64) -> Option<Vec<Segment>> {
    let mut bounds = vec![0];
    bounds.extend(pelt_mean_variance(values, penalty));
    bounds.push(values.len());
    bounds
        .windows(2)
        .map(|pair| Segment::of(values, pair[0], pair[1]))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Simulated;
    use crate::settle::{Settling, settled};
    use proptest::prelude::*;

    /// `n` values along a curve with Gaussian noise, relative.
    fn noisy(n: usize, noise: f64, seed: u64, curve: impl Fn(usize) -> f64) -> Vec<f64> {
        let mut random = Simulated::new(seed);
        (0..n)
            .map(|i| curve(i) * (1.0 + noise * random.normal()))
            .collect()
    }

    fn class(values: &[f64]) -> Class {
        classify(values, Faster::Higher, 0.02)
            .expect("a class")
            .class
    }

    /// How many of 40 seeds at each noise of 1% to 5% are put into the class.
    fn share(n: usize, expected: Class, curve: impl Fn(usize) -> f64 + Copy) -> f64 {
        let tries = [0.01, 0.02, 0.03, 0.05]
            .into_iter()
            .flat_map(|noise| (0..40).map(move |seed| (noise, seed)));
        let hits = tries
            .map(|(noise, seed)| class(&noisy(n, noise, seed, curve)))
            .filter(|&found| found == expected)
            .count();
        hits as f64 / 160.0
    }

    #[test]
    fn the_classes() {
        let warm_up = |i| if i < 10 { 6e3 } else { 41e3 };
        let jvm = |i| match i {
            0..10 => 6e3,
            10..30 => 41e3,
            _ => 34e3,
        };
        let late = |i| if i < 56 { 41e3 } else { 20e3 };
        for (name, expected, found) in [
            ("flat", Class::Flat, share(60, Class::Flat, |_| 4e4)),
            ("warm-up", Class::WarmUp, share(60, Class::WarmUp, warm_up)),
            (
                "slow-down",
                Class::SlowDown,
                share(80, Class::SlowDown, jvm),
            ),
            (
                "late shift",
                Class::NoSteadyState,
                share(60, Class::NoSteadyState, late),
            ),
        ] {
            println!("{name}: {expected:?} in {:.0}%", found * 100.0);
            assert!(found >= 0.95, "{name}: {found}");
        }
    }

    #[test]
    fn a_short_measurement_that_drifts_is_not_steady() {
        // 10 windows that lose 2% each: 18% over the measurement.
        let drifting = |i| 4e4 * (1.0 - 0.02 * i as f64);
        let found = share(10, Class::NoSteadyState, drifting);
        println!("drift: {:.0}%", found * 100.0);
        assert!(found >= 0.75, "{found}");
        assert!(share(10, Class::Flat, |_| 4e4) >= 0.97);
    }

    #[test]
    fn one_slow_second_is_no_shift() {
        let mut values = noisy(60, 0.02, 1, |_| 4e4);
        values[50] = 1e4;
        assert_eq!(class(&values), Class::Flat);
    }

    #[test]
    fn for_a_time_lower_is_faster() {
        let values = noisy(60, 0.02, 1, |i| if i < 10 { 900.0 } else { 200.0 });
        let shape = classify(&values, Faster::Lower, 0.02).expect("a shape");
        assert_eq!((shape.class, shape.steady_from), (Class::WarmUp, Some(10)));
        assert_eq!(class(&values), Class::SlowDown);
        assert_eq!(shape.segments.len(), 2);
    }

    #[test]
    fn what_has_no_class_is_none() {
        assert_eq!(classify(&[1.0; 3], Faster::Higher, 0.02), None);
        assert_eq!(
            classify(&[1.0, 2.0, f64::INFINITY, 1.0], Faster::Higher, 0.02),
            None
        );
        assert_eq!(class(&[0.0; 10]), Class::Flat);
    }

    proptest! {
        #[test]
        fn nothing_that_is_no_number_comes_out(values in prop::collection::vec(any::<f64>(), 0..30), tolerance in any::<f64>()) {
            if let Some(shape) = classify(&values, Faster::Higher, tolerance) {
                prop_assert!(shape.segments.iter().all(|s| s.mean.is_finite() && s.sd.is_finite()));
                prop_assert!(shape.drift.is_none_or(f64::is_finite));
            }
            let how = Settling { tolerance, ..Settling::default() };
            prop_assert!(settled(&values, &how).drift.is_none_or(f64::is_finite));
        }
    }
}
