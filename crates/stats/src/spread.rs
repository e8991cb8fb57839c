//! What the spreads of several targets say of one another.
//!
//! From five rounds the spread of a pair is known with four degrees of freedom, and among the 15 pairs of six targets only a
//! difference of more than seven standard errors passes Holm's procedure. Where the targets of a place spread alike they tell
//! more together, so each pair's variance is drawn toward what all of them show (Smyth, *Linear models and empirical Bayes
//! methods for assessing differential expression in microarray experiments*, Statistical Applications in Genetics and Molecular
//! Biology 3, 2004):
//!
//! variance = (d · own + d₀ · common) / (d + d₀), with d + d₀ degrees of freedom, d = R − 1 (less by one for each further kind of rounds, which
//! has means of its own).
//!
//! *common* is twice the residual mean square of targets × rounds (what a round adds to all targets is taken out), which is the
//! mean of all pairs' own variances. d₀ says how alike the spreads are, and comes from the targets' own variances
//! (Grubbs, *On estimating precision of measuring instruments and product variability*, JASA 43, 1948), each as a share of its
//! place's mean and averaged over the places, since a noisy target is noisy at all of them. It is the smaller of
//!
//! - 2 ψ′⁻¹(w) · (1 + 1/L): Smyth's estimate from the variance w of their logarithms (ψ′ is the trigamma function). What is chance in w
//!   is not taken out, so d₀ comes out too small, which is the safe side; over L places chance shrinks, and the factor with it.
//! - the degrees of freedom of their sum by Satterthwaite (1946), less d.
//!
//! Places are not pooled so: they share their processes, so they would agree by themselves. With fewer than [`FEWEST`] targets one that
//! is noisier than the rest is not told from chance, and nothing is drawn.
//!
//! The pairs of all places say something too, by what they have not in common ([`spread_of_pairs`]). Of the two that counts which
//! knows more ([`Spread::surer`]).

use std::collections::BTreeMap;

mod kinds;
mod of_pairs;

pub use kinds::{FEWEST_FREEDOM, Kinds, freedom_within, of_one_kind};
pub use of_pairs::{FEWEST_PAIRS, spread_of_pairs};

/// From so many targets on spreads are drawn together.
pub const FEWEST: usize = 4;

/// A target's own variance counts as at least this share of the mean: differences of others' leave it below zero now and then.
const LEAST_SHARE: f64 = 0.05;

/// What several targets, or several pairs, say of the spread of one pair.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spread {
    /// The mean variance of a pair's log ratio.
    pub variance: f64,
    /// How many degrees of freedom it adds to a pair's own, d₀.
    pub freedom: f64,
}

impl Spread {
    /// A variance with its own degrees of freedom, drawn toward this one.
    pub(crate) fn draw(&self, own: Spread) -> Spread {
        let freedom = own.freedom + self.freedom;
        let sum = own.freedom * own.variance + self.freedom * self.variance;
        Spread {
            variance: sum / freedom,
            freedom,
        }
    }

    /// The one with more degrees of freedom.
    pub fn surer(of_targets: Option<Spread>, of_pairs: Option<Spread>) -> Option<Spread> {
        let both = [of_targets, of_pairs].into_iter().flatten();
        both.max_by(|a, b| a.freedom.total_cmp(&b.freedom))
    }
}

/// The figures of the targets of a place: (target, the logarithm of its figure in each round by kinds of rounds), the same rounds for all.
pub type Place = Vec<(usize, Kinds)>;

/// What the targets of each place say of the spread of a pair. `None` where there are fewer than [`FEWEST`] of them, fewer than
/// [`FEWEST_FREEDOM`] degrees of freedom within kinds of rounds, rows of different rounds, a number that is not finite, or no spread at all.
pub fn spreads(places: &[Place]) -> Vec<Option<Spread>> {
    let residuals: Vec<Option<Residuals>> = places.iter().map(Residuals::of).collect();
    let mut shares: BTreeMap<usize, Vec<f64>> = BTreeMap::new();
    for (place, residuals) in places.iter().zip(&residuals) {
        for ((target, _), share) in place.iter().zip(residuals.iter().flat_map(|r| &r.shares)) {
            shares.entry(*target).or_default().push(*share);
        }
    }
    let count = residuals.iter().flatten().count() as f64;
    let spread = |(place, residuals): (&Place, Option<Residuals>)| {
        let residuals = residuals?;
        let of_place: Vec<f64> = place
            .iter()
            .filter_map(|(target, _)| {
                shares
                    .get(target)
                    .map(|shares| mean(shares.iter().copied()))
            })
            .collect();
        Some(Spread {
            variance: residuals.variance,
            freedom: alike(&of_place, residuals.freedom, count),
        })
    };
    places.iter().zip(residuals).map(spread).collect()
}

/// What is left of a place's figures without the targets' and the rounds' means.
struct Residuals {
    /// The degrees of freedom of a pair's own variance.
    freedom: f64,
    /// The mean variance of a pair.
    variance: f64,
    /// Each target's own variance as a share of their mean.
    shares: Vec<f64>,
}

impl Residuals {
    fn of(place: &Place) -> Option<Residuals> {
        let first = &place.first()?.1;
        let freedom = freedom_within(first);
        let usable = |kinds: &Kinds| {
            let same = kinds.len() == first.len()
                && kinds
                    .iter()
                    .zip(first)
                    .all(|(own, first)| same_rounds(own, first));
            same && kinds.iter().flatten().all(|(_, x)| x.is_finite())
        };
        if place.len() < FEWEST
            || freedom < FEWEST_FREEDOM
            || !place.iter().all(|(_, kinds)| usable(kinds))
        {
            return None;
        }
        let k = place.len() as f64;
        let mut squares = vec![0.0; place.len()];
        for kind in 0..first.len() {
            let rows: Vec<Vec<f64>> = (place.iter())
                .map(|(_, kinds)| kinds[kind].iter().map(|(_, x)| *x).collect())
                .collect();
            for (square, of_kind) in squares.iter_mut().zip(residual_squares(&rows)) {
                *square += of_kind / freedom as f64;
            }
        }
        // E(square) = σ² (1 − 2/k) + Σσ² / k², so Σσ² = Σ squares · k / (k − 1).
        let sum = squares.iter().sum::<f64>() * k / (k - 1.0);
        let mean = sum / k;
        let share = |square: &f64| (square - mean / k) / (1.0 - 2.0 / k) / mean;
        (mean.is_finite() && mean > 0.0).then(|| Residuals {
            freedom: freedom as f64,
            variance: 2.0 * mean,
            shares: squares.iter().map(share).collect(),
        })
    }
}

/// The arithmetic mean; no number without any values.
fn mean(values: impl ExactSizeIterator<Item = f64>) -> f64 {
    let count = values.len() as f64;
    values.sum::<f64>() / count
}

fn same_rounds(a: &[(u32, f64)], b: &[(u32, f64)]) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|((a, _), (b, _))| a == b)
}

/// The sum of the squares of each target's residuals in rounds of one kind.
fn residual_squares(rows: &[Vec<f64>]) -> Vec<f64> {
    let rounds = rows.first().map_or(0, Vec::len);
    let of_round: Vec<f64> = (0..rounds)
        .map(|round| mean(rows.iter().map(|row| row[round])))
        .collect();
    let all = mean(of_round.iter().copied());
    let of_row = |row: &Vec<f64>| {
        let own = mean(row.iter().copied());
        let both = row.iter().zip(&of_round);
        both.map(|(x, round)| (x - own - round + all).powi(2)).sum()
    };
    rows.iter().map(of_row).collect()
}

/// The degrees of freedom that targets whose own variances are these `shares` of their mean add to a pair's own, d₀.
fn alike(shares: &[f64], own: f64, places: f64) -> f64 {
    let shares: Vec<f64> = shares.iter().map(|share| share.max(LEAST_SHARE)).collect();
    let k = shares.len() as f64;
    let (sum, squares) = shares
        .iter()
        .fold((0.0, 0.0), |(sum, squares), s| (sum + s, squares + s * s));
    let in_all = (k - 1.0) * own * sum * sum / (k * squares);
    let logs: Vec<f64> = shares.iter().map(|share| share.ln()).collect();
    let mean = logs.iter().sum::<f64>() / k;
    let spread = logs.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / (k - 1.0);
    let smyth = 2.0 * inverse_trigamma(spread) * (1.0 + 1.0 / places);
    smyth.min(in_all - own).max(0.0)
}

/// ψ(x) for x > 0: by its recurrence up to 8, then its asymptotic series (Abramowitz & Stegun 6.3.18).
fn digamma(mut x: f64) -> f64 {
    let mut sum = 0.0;
    while x < 8.0 {
        sum -= 1.0 / x;
        x += 1.0;
    }
    let y = 1.0 / (x * x);
    sum + x.ln() - 0.5 / x - y * (1.0 / 12.0 - y * (1.0 / 120.0 - y / 252.0))
}

/// ψ′(x) for x > 0: by its recurrence up to 8, then its asymptotic series (Abramowitz & Stegun 6.4.12).
fn trigamma(mut x: f64) -> f64 {
    let mut sum = 0.0;
    while x < 8.0 {
        sum += 1.0 / (x * x);
        x += 1.0;
    }
    let y = 1.0 / (x * x);
    sum + 1.0 / x + y / 2.0 + y / x * (1.0 / 6.0 - y * (1.0 / 30.0 - y * (1.0 / 42.0 - y / 30.0)))
}

/// The x with ψ′(x) = `value`, between 0.001 and 10,000: ψ′ falls.
fn inverse_trigamma(value: f64) -> f64 {
    let (mut low, mut high) = (1e-3f64, 1e4f64);
    for _ in 0..60 {
        let middle = (low * high).sqrt();
        if trigamma(middle) > value {
            low = middle;
        } else {
            high = middle;
        }
    }
    high
}

#[cfg(test)]
mod tests;
