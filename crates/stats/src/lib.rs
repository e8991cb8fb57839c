//! The arithmetic behind a verdict: pure functions over numbers, without I/O and without a clock.
//!
//! | module | what it tells |
//! |---|---|
//! | [`paired`] | the ratio of two targets over the rounds, with its interval |
//! | [`summary`] | one target's figure over the rounds |
//! | [`holm`] | at which level each of several comparisons is drawn |
//! | [`verdict`] | above, below, tie or undecided, and how many rounds a verdict would take |
//! | [`claim`] | whether a published ratio holds here |
//! | [`queueing`] | Little's law |
//!
//! Rounds are the sample, never requests. Input that says nothing (no rounds, zeros, infinities, NaN)
//! gives `None`; no function here returns a NaN or panics on a number.

#![forbid(unsafe_code)]

pub mod changepoint;
pub mod claim;
pub mod holm;
pub mod interval;
pub mod paired;
pub mod queueing;
#[cfg(test)]
mod random;
pub mod sequential;
pub mod settle;
mod shape;
mod student;
pub mod summary;
pub mod trend;
pub mod verdict;

pub use claim::{ClaimOutcome, judge_claim};
pub use holm::holm_levels;
pub use interval::Interval;
pub use paired::Paired;
pub use queueing::{LittlesLaw, littles_law};
pub use sequential::Sequential;
pub use summary::{GeometricMean, geometric_mean};
pub use verdict::{Direction, judge, rounds_needed};
