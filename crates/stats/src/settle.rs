//! Whether a warming server has settled, asked anew after each window.
//!
//! It has when the windows since the last shift are enough, and no straight line through them rises or falls by more than the
//! tolerance. A warm-up that ends too early spoils a measurement; one that goes on too long costs seconds. So
//! the penalty for a shift is lower here than for a finished series ([`default_penalty`](crate::changepoint::default_penalty)),
//! and a line counts already where it is likely.
//!
//! What has not happened yet cannot be seen: a server that runs steadily for longer than the windows asked for and then
//! changes is called settled. That is why measurements are looked at again afterwards
//! ([`classify`](crate::shape::classify)).

use crate::shape::segments;
use crate::trend::trend;

/// When to call a server settled.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Settling {
    /// The fewest windows without a shift. The default of 8 is the least with which a drift of 1% a window shows beside a
    /// noise of 2% (standard error of a slope over 8 windows: 2% / √42 = 0.3%).
    pub windows: usize,
    /// The share of all windows so far that must be without a shift. The default of a third makes
    /// sure that a server that climbs in long steps is watched for longer.
    pub share: f64,
    /// The change over these windows that still counts as steady, relative to their mean. 2% by default.
    pub tolerance: f64,
    /// The largest standard error of a line, in tolerances, with which a drift could have been seen. It asks for more windows where
    /// there is more noise σ: with the default of 1.5, σ · √(12 / windows) ≤ 1.5 · tolerance, which is 8 windows at 2%, 12 at 3%, 34 at 5%.
    pub blind: f64,
}

impl Default for Settling {
    fn default() -> Settling {
        Settling {
            windows: 8,
            share: 1.0 / 3.0,
            tolerance: 0.02,
            blind: 1.5,
        }
    }
}

impl Settling {
    /// For a server none of whose just-in-time compilers is at work, as far as that can be seen: what made it faster is done, so that
    /// much noise is no reason to wait for long. 9 windows at 5%, 34 at 10%.
    pub fn when_nothing_compiles() -> Settling {
        Settling {
            blind: 3.0,
            ..Settling::default()
        }
    }
}

/// Whether a server has settled, and why not.
#[derive(Clone, Debug, PartialEq)]
pub struct Settled {
    /// Settled, or what is missing.
    pub state: State,
    /// The windows at which the throughput shifted, counted from 0.
    pub shifts: Vec<usize>,
    /// By how much a line through the windows since the last shift changes over them, relative to their mean;
    /// `None` where there are too few.
    pub drift: Option<f64>,
}

impl Settled {
    /// Whether it has settled.
    pub fn is_settled(&self) -> bool {
        self.state == State::Settled
    }
}

/// What is missing until a server has settled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// Nothing: it has settled.
    Settled,
    /// Too few windows since it began or since its last shift, or too few to see a drift beside so much noise.
    TooFew,
    /// It rises or falls slowly.
    Drifts,
    /// Nothing was completed, or a window is no number.
    NoFigures,
}

/// The penalty for a shift, times ln n: for each of mean, variance and place one parameter of the Bayesian
/// information criterion (ln n each), and one more against chance in series as short as these.
const PENALTY: f64 = 4.0;

/// How many standard errors make a line likely. One: a false alarm (a third of the looks at a steady server) costs a
/// window or two, a miss spoils the measurement.
const LIKELY: f64 = 1.0;

/// Whether throughput per window so far (windows of equal length, 1 s or shorter) has settled. The caller bounds how
/// often it asks, and leaves out a last window that is not full.
pub fn settled(windows: &[f64], how: &Settling) -> Settled {
    let none = |state| Settled {
        state,
        shifts: Vec::new(),
        drift: None,
    };
    if !windows.iter().all(|w| w.is_finite()) {
        return none(State::NoFigures);
    }
    let penalty = PENALTY * (windows.len().max(1) as f64).ln();
    let Some(segments) = segments(windows, penalty) else {
        return none(State::TooFew);
    };
    let Some(last) = segments.last() else {
        return none(State::TooFew);
    };
    let trend = trend(&windows[last.start..]);
    let enough = how
        .windows
        .max((windows.len() as f64 * how.share).ceil() as usize);
    let drifts = trend.is_some_and(|t| t.relative.abs() > how.tolerance.max(LIKELY * t.error));
    let blind = trend.is_none_or(|t| t.error > how.blind * how.tolerance);
    let state = if last.mean <= 0.0 {
        State::NoFigures
    } else if last.values < enough || blind {
        State::TooFew
    } else if drifts {
        State::Drifts
    } else {
        State::Settled
    };
    Settled {
        state,
        shifts: segments.iter().skip(1).map(|s| s.start).collect(),
        drift: trend.map(|t| t.relative),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Simulated;

    /// Asks after each window, as a warm-up does: the window at which it is called settled, if within `most`.
    fn when(most: usize, noise: f64, seed: u64, curve: impl Fn(usize) -> f64) -> Option<usize> {
        let mut random = Simulated::new(seed);
        let mut windows = Vec::new();
        for i in 0..most {
            windows.push(curve(i) * (1.0 + noise * random.normal()));
            if settled(&windows, &Settling::default()).is_settled() {
                return Some(i + 1);
            }
        }
        None
    }

    /// Of 100 warm-ups of 60 windows: the share called settled by window `early`, and at all, and the median window.
    fn study(noise: f64, early: usize, curve: impl Fn(usize) -> f64 + Copy) -> (f64, f64, usize) {
        let mut found: Vec<usize> = (0..100)
            .map(|seed| when(60, noise, seed, curve).unwrap_or(usize::MAX))
            .collect();
        found.sort_unstable();
        let share = |bound: usize| found.iter().filter(|&&at| at <= bound).count() as f64 / 100.0;
        (share(early), share(60), found[50])
    }

    /// Too early: for the falling and the drifting ones before they have fallen for 2 windows, or at all.
    #[test]
    fn warm_ups_like_those_of_a_jvm() {
        let jvm = |i| match i {
            0..4 => 6e3 + 8e3 * i as f64,
            4..11 => 41e3,
            _ => 34e3,
        };
        // Within 4% of its end after 18 windows.
        let creeping = |i: usize| 4e4 * (1.0 - 0.6 * (-(i as f64) / 7.0).exp());
        let drifting = |i: usize| 4e4 * (1.0 - 0.01 * i as f64);
        type Curve<'a> = &'a dyn Fn(usize) -> f64;
        // Most too early and least settled: at 1% to 3% noise, and at 5%.
        type Bounds = ([f64; 2], [f64; 2]);
        let cases: [(&str, Curve, usize, Bounds); 4] = [
            ("flat", &|_| 4e4, 7, ([0.0, 0.0], [0.98, 0.9])),
            ("6k-41k-34k", &jvm, 13, ([0.01, 0.01], [0.98, 0.85])),
            ("creeping", &creeping, 18, ([0.03, 0.03], [0.85, 0.4])),
            ("-1% a window", &drifting, 60, ([0.2, 0.1], [0.0, 0.0])),
        ];
        let mut table = "curve         noise  too early  settled in 60  median window\n".to_owned();
        for (name, curve, early, (too_early, least)) in cases {
            for noise in [0.01, 0.02, 0.03, 0.05] {
                let (soon, all, median) = study(noise, early, curve);
                let median = if median > 60 {
                    "-".to_owned()
                } else {
                    median.to_string()
                };
                let percent = noise * 100.0;
                table +=
                    &format!("{name:<12} {percent:>4.0}% {soon:>10.3} {all:>12.3}   {median:>6}\n");
                let row = usize::from(noise > 0.04);
                assert!(
                    soon <= too_early[row] && all >= least[row],
                    "{name} at {percent}%"
                );
            }
        }
        println!("{table}");
    }

    #[test]
    fn noise_is_waited_out_for_less_where_nothing_compiles() {
        // Windows of 4e4 ± 10% in turn (σ = 0.1): √12 · 0.1 / √n is at most 3 · 2% from 34 windows on, and 1.5 · 2% from 134 on.
        let noisy: Vec<f64> = (0..60)
            .map(|i| 4e4 * if i % 2 == 0 { 1.1 } else { 0.9 })
            .collect();
        let ends = |how: &Settling| (1..=60).find(|n| settled(&noisy[..*n], how).is_settled());
        assert_eq!(ends(&Settling::default()), None);
        let end = ends(&Settling::when_nothing_compiles()).expect("it settles");
        assert!((33..=37).contains(&end), "{end}");
    }

    #[test]
    fn says_what_is_missing() {
        let state = |windows: &[f64]| settled(windows, &Settling::default()).state;
        assert_eq!(state(&[]), State::TooFew);
        assert_eq!(state(&[4e4; 7]), State::TooFew);
        assert_eq!(state(&[4e4; 8]), State::Settled);
        assert_eq!(state(&[0.0; 20]), State::NoFigures);
        assert_eq!(state(&[f64::NAN; 20]), State::NoFigures);
        let rising: Vec<f64> = (0..8)
            .map(|i| 1000.0 + 6.0 * f64::from(i) + if i % 2 == 0 { 10.0 } else { -10.0 })
            .collect();
        assert_eq!(state(&rising), State::Drifts);
        // A step: settled again 8 windows later, and the shift is reported.
        let step = [vec![1e4; 12], vec![2e4; 8]].concat();
        assert_eq!(state(&step[..19]), State::TooFew);
        let after = settled(&step, &Settling::default());
        assert!(after.is_settled());
        assert_eq!((after.shifts, after.drift), (vec![12], Some(0.0)));
        // The tail must be a third of all.
        let long = [vec![1e4; 40], vec![2e4; 10]].concat();
        assert_eq!(state(&long), State::TooFew);
    }
}
