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
    /// errors of their difference, beside what their edges can make up. Barrett et al. take the last segment's variance; the standard
    /// error also knows how short the other one is, so that one slow second (a collection, a hiccup) is no shift.
    fn is_equivalent(&self, other: &Segment, within: &Within) -> bool {
        let [own, others] = [self.values as f64, other.values as f64];
        let error = (self.sd * self.sd / own + other.sd * other.sd / others).sqrt();
        let edges = within.edge * (1.0 / own + 1.0 / others);
        let room = (within.tolerance * self.mean.abs()).max(2.0 * error);
        (self.mean - other.mean).abs() <= room + edges
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

/// What still counts as the same.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Within {
    /// A difference of two means, or a drift, relative to the mean: 0.02 for 2%.
    pub tolerance: f64,
    /// By how much the sum of any run of values may be off only for where it begins and ends, in units of a value; 0 where values say
    /// nothing of one another. Requests that end together, by the hundred, fall into one window or the next: what is in flight over a
    /// window's length.
    pub edge: f64,
}

impl Within {
    /// The same where values have no edges.
    pub fn tolerance(tolerance: f64) -> Within {
        Within {
            tolerance,
            edge: 0.0,
        }
    }

    /// How far edges can tilt a least-squares line through `n` values of this mean, relative to it, over all of them. The sum of the
    /// first k values is off by e(k), within a range of `edge`; by summation by parts the slope is off by at most n · edge over
    /// Σ(i − ī)² = n³ / 12, which is 12 · edge / n² a value.
    fn tilt(&self, n: usize, mean: f64) -> f64 {
        match self.edge > 0.0 && mean != 0.0 {
            true => 12.0 * self.edge / (n as f64 * mean.abs()),
            false => 0.0,
        }
    }
}

/// Cuts a series into segments and says what it is. Two segments are equivalent when their means differ by at most
/// the tolerance or two standard errors, beside what their edges can make up. The series has a steady state when all
/// segments in its last quarter (Barrett et al.: the last 500 of 2,000) are equivalent to the last, and
/// no straight line through its steady end rises or falls by more than the tolerance beside its edges, and more than chance (p < 0.01).
/// `None` where there are fewer than 4 values or one is not finite.
pub fn classify(values: &[f64], faster: Faster, within: &Within) -> Option<Shape> {
    if values.len() < 2 * SHORTEST_SEGMENT || !values.iter().all(|v| v.is_finite()) {
        return None;
    }
    let segments = segments(values, default_penalty(values.len()))?;
    let last = *segments.last()?;
    let steady_from = segments
        .iter()
        .rev()
        .take_while(|segment| last.is_equivalent(segment, within))
        .last()?
        .start;
    let end = &values[steady_from..];
    let trend = trend(end);
    let tilt = within.tilt(end.len(), end.iter().sum::<f64>() / end.len() as f64);
    let drifts =
        trend.is_some_and(|t| t.relative.abs() > within.tolerance + tilt && t.p_value < 0.01);
    let steady = steady_from <= values.len() - values.len().div_ceil(4) && !drifts;
    let others = || segments.iter().filter(|s| !last.is_equivalent(s, within));
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
        classify(values, Faster::Higher, &Within::tolerance(0.02))
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
        let shape = classify(&values, Faster::Lower, &Within::tolerance(0.02)).expect("a shape");
        assert_eq!((shape.class, shape.steady_from), (Class::WarmUp, Some(10)));
        assert_eq!(class(&values), Class::SlowDown);
        assert_eq!(shape.segments.len(), 2);
    }

    /// 64 requests that end together every 20.4 ms, counted in windows of 50 ms from some moment on: 128 or 192 a window.
    fn waves(windows: usize, phase: f64) -> Vec<f64> {
        let until = |ms: f64| ((ms + phase) / 20.4).floor() * 64.0;
        (0..windows)
            .map(|i| (until((i + 1) as f64 * 50.0) - until(i as f64 * 50.0)) / 0.05)
            .collect()
    }

    #[test]
    fn where_waves_fall_is_no_shift() {
        let within = Within {
            tolerance: 0.05,
            edge: 64.0 / 0.05,
        };
        for windows in [8, 12, 16, 40, 100] {
            for phase in 0..204 {
                let values = waves(windows, f64::from(phase) / 10.0);
                let shape = classify(&values, Faster::Higher, &within).expect("a shape");
                assert_eq!(
                    shape.class,
                    Class::Flat,
                    "{windows} from {phase}: {values:?}"
                );
            }
        }
        // Twice as fast from the middle on is a shift, whatever the edges: 16 windows, of which the edges of halves can make up 10%.
        let mut values = waves(16, 0.0);
        values[8..].iter_mut().for_each(|value| *value *= 2.0);
        let shape = classify(&values, Faster::Higher, &within).expect("a shape");
        assert_ne!(shape.class, Class::Flat);
        // As is a slow fall to a half over 5 s, of which edges can make up 4.8%.
        let falls = waves(100, 0.0).into_iter().enumerate();
        let falls: Vec<f64> = falls
            .map(|(i, value)| value * (1.0 - i as f64 / 200.0))
            .collect();
        let shape = classify(&falls, Faster::Higher, &within).expect("a shape");
        assert_ne!(shape.class, Class::Flat);
    }

    #[test]
    fn what_edges_can_make_up() {
        let within = Within {
            tolerance: 0.05,
            edge: 10.0,
        };
        // Halves of 10 values each: 1 + 1 beside 5% of the last mean.
        let halves = |low: f64| {
            let values: Vec<f64> = (0..20).map(|i| if i < 10 { low } else { 100.0 }).collect();
            classify(&values, Faster::Higher, &within).map(|shape| shape.class)
        };
        assert_eq!(halves(93.1), Some(Class::Flat));
        assert_eq!(halves(92.9), Some(Class::WarmUp));
        // 12 × 10 / (20 × 100)
        assert!((within.tilt(20, 100.0) - 0.06).abs() < 1e-12);
        assert_eq!(Within::tolerance(0.05).tilt(20, 0.0), 0.0);
    }

    #[test]
    fn what_has_no_class_is_none() {
        assert_eq!(
            classify(&[1.0; 3], Faster::Higher, &Within::tolerance(0.02)),
            None
        );
        assert_eq!(
            classify(
                &[1.0, 2.0, f64::INFINITY, 1.0],
                Faster::Higher,
                &Within::tolerance(0.02)
            ),
            None
        );
        assert_eq!(class(&[0.0; 10]), Class::Flat);
    }

    proptest! {
        #[test]
        fn nothing_that_is_no_number_comes_out(values in prop::collection::vec(any::<f64>(), 0..30), tolerance in any::<f64>(), edge in any::<f64>()) {
            if let Some(shape) = classify(&values, Faster::Higher, &Within { tolerance, edge }) {
                prop_assert!(shape.segments.iter().all(|s| s.mean.is_finite() && s.sd.is_finite()));
                prop_assert!(shape.drift.is_none_or(f64::is_finite));
            }
            let how = Settling { tolerance, ..Settling::default() };
            prop_assert!(settled(&values, &how).drift.is_none_or(f64::is_finite));
        }
    }
}
