//! Whether a warming server has settled, asked anew after each window.
//!
//! It has when the windows since the last shift are enough, and no straight line through them rises or falls by more than the
//! tolerance. A warm-up that ends too early spoils a measurement; one that goes on too long costs seconds. So
//! the penalty for a shift is lower here than for a finished series ([`default_penalty`](crate::changepoint::default_penalty)),
//! and a line counts already where it is likely.
//!
//! What has not happened yet cannot be seen: a server that runs steadily for longer than the windows asked for and then
//! changes is called settled. That is why measurements are looked at again afterwards
//! ([`classify`](crate::changepoint::classify)).

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
}

impl Default for Settling {
    fn default() -> Settling {
        Settling {
            windows: 8,
            share: 1.0 / 3.0,
            tolerance: 0.02,
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
    /// Too few windows since it began or since its last shift.
    TooFew,
    /// It rises or falls slowly.
    Drifts,
    /// It answers nothing, or a window is no number.
    NoFigures,
}

/// The penalty for a shift, times ln n: for each of mean, variance and place one parameter of the Bayesian
/// information criterion (ln n each), and one more against chance in series as short as these.
const PENALTY: f64 = 4.0;

/// How many standard errors of a line make it likely.
const LIKELY: f64 = 1.5;

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
    let state = if last.mean <= 0.0 {
        State::NoFigures
    } else if last.values < enough {
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
    use crate::random::Random;

    /// Asks after each window, as a warm-up does: the window at which it is called settled, if within `most`.
    fn when(most: usize, noise: f64, seed: u64, curve: impl Fn(usize) -> f64) -> Option<usize> {
        let mut random = Random::new(seed);
        let mut windows = Vec::new();
        for i in 0..most {
            windows.push(curve(i) * (1.0 + noise * random.normal()));
            if settled(&windows, &Settling::default()).is_settled() {
                return Some(i + 1);
            }
        }
        None
    }

    /// Of 200 warm-ups: the share called settled before `early`, and by `most`, and the median window.
    fn study(
        noise: f64,
        early: usize,
        most: usize,
        curve: impl Fn(usize) -> f64 + Copy,
    ) -> (f64, f64, usize) {
        let mut found: Vec<usize> = (0..200)
            .map(|seed| when(most, noise, seed, curve).unwrap_or(usize::MAX))
            .collect();
        found.sort_unstable();
        let share = |bound: usize| found.iter().filter(|&&at| at <= bound).count() as f64 / 200.0;
        (share(early), share(most), found[100])
    }

    #[test]
    fn warm_ups_like_those_of_a_jvm() {
        let flat = |_| 4e4;
        let jvm = |i| match i {
            0..4 => 6e3 + 8e3 * i as f64,
            4..11 => 41e3,
            _ => 34e3,
        };
        let creeping = |i: usize| 4e4 * (1.0 - 0.6 * (-(i as f64) / 8.0).exp());
        let drifting = |i: usize| 4e4 * (1.0 - 0.01 * i as f64);
        let slow = |i: usize| 4e4 * (1.0 - 0.005 * i as f64);
        println!("curve      noise  too early  by 60 windows  median window");
        for noise in [0.01, 0.02, 0.03, 0.05] {
            for (name, early, found) in [
                ("flat", 0.0, study(noise, 7, 60, flat)),
                ("6k-41k-34k", 0.05, study(noise, 14, 60, jvm)),
                // Within 3% of its end after 24 windows.
                ("creeping", 1.0, study(noise, 18, 60, creeping)),
                ("-1%/window", 1.0, study(noise, 40, 40, drifting)),
                ("-.5%/window", 1.0, study(noise, 40, 40, slow)),
            ] {
                println!(
                    "{name:<11} {:>4.0}%  {:>8.3}  {:>8.3}  {}",
                    noise * 100.0,
                    found.0,
                    found.1,
                    found.2 as i64
                );
            }
        }
    }
}
