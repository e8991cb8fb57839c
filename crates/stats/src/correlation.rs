//! Rounds that resemble the ones before.
//!
//! A t interval takes rounds for independent. Where a state of the machine lasts longer than a round and helps one of the two
//! targets, rounds that follow one another are alike, s is too small, and s / √R is too small for the mean: with a correlation of
//! 0.5 (a first-order autoregression) equal targets are called different 18 to 26 times in 100 instead of 5.
//!
//! From [`ENOUGH`] rounds on the correlation is estimated, and the standard error stretched by what it costs. With fewer it
//! cannot be: of 5 independent rounds the estimate is as large as that of 5 correlated ones every other time, and whatever stretches
//! the one as it ought to stretches the other as well. So a difference is also held against the largest correlation that the rounds
//! do not exclude ([`not_excluded`]), and what would be undecided with that says so. The tests have the table.

/// From so many rounds on their correlation is estimated.
pub const ENOUGH: usize = 8;

/// The largest correlation that is believed: beyond it, the rounds' mean says next to nothing.
const LARGEST: f64 = 0.8;

/// The correlation that is held for possible where nothing is known of it.
const POSSIBLE: f64 = 0.5;

/// So many standard errors of an estimate are not excluded.
const ERRORS: f64 = 1.5;

/// The largest correlation that `n` rounds do not exclude, of which `correlation` was estimated: 1.5 standard errors more (1/√n each;
/// Bartlett, *On the theoretical specification and sampling properties of autocorrelated time-series*, 1946), but no more than 0.5 unless
/// the estimate itself is. Under 10 rounds that is always 0.5.
pub fn not_excluded(correlation: f64, n: usize) -> f64 {
    let above = correlation + ERRORS / (n as f64).sqrt();
    above.min(POSSIBLE).max(correlation)
}

/// The correlation of each value with the one before, between 0 and 0.8: one for all these series, each of the rounds of one pair of
/// servers. It is the mean over the series of the usual estimate r, less its bias, which is about −(1 + 4r)/n (Marriott & Pope, *Bias in the
/// estimation of autocorrelations*, Biometrika 41, 1954). 0 if no series has [`ENOUGH`] values that differ.
///
/// An estimate below 0 counts as 0, so the estimate of a single series is too high on average. The mean over the pairs of a report is much
/// less so.
pub fn correlation<S: AsRef<[f64]>>(series: &[S]) -> f64 {
    let found: Vec<f64> = (series.iter())
        .filter_map(|values| of_series(values.as_ref()))
        .collect();
    match found.is_empty() {
        true => 0.0,
        false => (found.iter().sum::<f64>() / found.len() as f64).clamp(0.0, LARGEST),
    }
}

/// The estimate of one series; `None` for fewer than [`ENOUGH`] values, and for equal ones.
fn of_series(values: &[f64]) -> Option<f64> {
    if values.len() < ENOUGH {
        return None;
    }
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    let squares: f64 = values.iter().map(|x| (x - mean).powi(2)).sum();
    let products: f64 = values
        .windows(2)
        .map(|two| (two[0] - mean) * (two[1] - mean))
        .sum();
    let plain = products / squares;
    let found = plain + (1.0 + 4.0 * plain) / n;
    found.is_finite().then_some(found)
}

/// How many times as large as s / √n the standard error of a mean of `n` values is that have this `correlation`, ρ:
/// the variance of the mean is v = 1 + 2 Σ (1 − k/n) ρᵏ times σ²/n, and that of the sample on average 1 − (v − 1)/(n − 1) times σ².
pub fn stretch(correlation: f64, n: usize) -> f64 {
    if correlation <= 0.0 || n < 2 {
        return 1.0;
    }
    let rounds = n as f64;
    let (mut power, mut mean) = (1.0, 1.0);
    for k in 1..n {
        power *= correlation;
        mean += 2.0 * (1.0 - k as f64 / rounds) * power;
    }
    let sample = 1.0 - (mean - 1.0) / (rounds - 1.0);
    (mean / sample.max(0.05)).sqrt()
}

#[cfg(test)]
mod tests;
