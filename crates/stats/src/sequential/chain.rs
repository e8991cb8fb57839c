//! The distribution of Student's t over the rounds, among the runs that no analysis has ended.

use std::f64::consts::FRAC_PI_2;

use crate::student;

/// Points of the grid in w = artanh |u|, so that |t_n| = √(n − 1) · sinh w: fine in the middle, and as fine for its size far out.
const POINTS: usize = 1200;
/// The end of the grid: |t| of a tail of 4 · 10⁻⁶ with one degree of freedom.
const END: f64 = 12.0;
const STEP: f64 = END / POINTS as f64;
/// Points of the integral over φ.
const ANGLES: usize = 96;
/// The integral over φ covers this many standard deviations.
const DEVIATIONS: f64 = 7.0;

/// The distribution of |t| after some rounds.
pub(super) struct Chain {
    rounds: usize,
    /// The probability of each cell of the grid.
    mass: Vec<f64>,
}

impl Chain {
    /// The distribution after `rounds` rounds (two or more) without an analysis so far.
    pub(super) fn begin(rounds: usize) -> Chain {
        let freedom = rounds as f64 - 1.0;
        let above = |cell: usize| {
            let t = freedom.sqrt() * (cell as f64 * STEP).sinh();
            2.0 * student::tail_above(t, freedom).unwrap_or(0.0)
        };
        let cell = |cell: usize| {
            let beyond = match cell + 1 == POINTS {
                true => 0.0,
                false => above(cell + 1),
            };
            above(cell) - beyond
        };
        Chain {
            rounds,
            mass: (0..POINTS).map(cell).collect(),
        }
    }

    /// Adds rounds until there are `rounds`.
    pub(super) fn advance_to(&mut self, rounds: usize) {
        while self.rounds < rounds {
            self.advance();
        }
    }

    fn advance(&mut self) {
        let n = self.rounds as f64;
        let widest = (DEVIATIONS / n.sqrt()).min(FRAC_PI_2);
        let angles: Vec<(f64, f64, f64)> = (0..ANGLES)
            .map(|index| {
                let angle = widest * ((2 * index + 1) as f64 / ANGLES as f64 - 1.0);
                (angle.sin(), angle.cos(), angle.cos().powf(n - 1.0))
            })
            .collect();
        let total: f64 = angles.iter().map(|(.., weight)| weight).sum();
        let mut mass = vec![0.0; POINTS];
        let (root, next) = (n.sqrt(), (n + 1.0).sqrt());
        for (cell, own) in self.mass.iter().enumerate() {
            if *own <= 0.0 {
                continue;
            }
            let u = ((cell as f64 + 0.5) * STEP).tanh();
            for (sin, cos, weight) in &angles {
                let u = ((root * u * cos + sin) / next).abs();
                // Each share lies between the middles of two cells, and goes to both.
                let place = u.atanh().min(END) / STEP - 0.5;
                let below = place.max(0.0) as usize;
                let upper = (place - below as f64).max(0.0);
                let share = own * weight / total;
                let last = POINTS - 1;
                mass[below.min(last)] += share * (1.0 - upper);
                mass[(below + 1).min(last)] += share * upper;
            }
        }
        self.mass = mass;
        self.rounds += 1;
    }

    /// Ends the runs that are furthest out, with a probability of `spend` in all. Returns the level of a t interval that excludes 1 in
    /// these runs.
    pub(super) fn stop(&mut self, spend: f64) -> f64 {
        let mut left = spend;
        let mut bound = 0.0;
        for cell in (0..POINTS).rev() {
            let own = self.mass[cell];
            if own >= left {
                let beyond = if own > 0.0 { left / own } else { 1.0 };
                self.mass[cell] = own - left;
                bound = (cell as f64 + 1.0 - beyond) * STEP;
                break;
            }
            left -= own;
            self.mass[cell] = 0.0;
        }
        let freedom = self.rounds as f64 - 1.0;
        let t = freedom.sqrt() * bound.sinh();
        2.0 * student::tail_above(t, freedom).unwrap_or(0.0)
    }
}
