//! The arithmetic behind a verdict: pure functions over numbers, without I/O and without a clock.
//!
//! | module | what it computes |
//! |---|---|
//! | [`paired`] | the ratio of two targets over the rounds, with its interval |
//! | [`spread`] | what the spreads of several targets say of one another |
//! | [`machines`] | the ratio over the rounds of several pairs of machines |
//! | [`unpaired`] | the same where the rounds have nothing in common |
//! | [`correlation`] | how much rounds resemble the ones before, and what that costs |
//! | [`groups`] | whether a target's rounds fall into two groups |
//! | [`summary`] | one target's figure over the rounds |
//! | [`difference`] | the difference of two targets over the rounds, for what may be zero |
//! | [`holm`] | at which level each of several comparisons is drawn |
//! | [`sequential`] | after which rounds a run is analysed, and at which level each time |
//! | [`verdict`] | above, below, tie or undecided |
//! | [`analysis`] | the same from one analysis of a run to the next |
//! | [`planning`] | how many rounds a verdict takes, and what rounds can tell apart |
//! | [`half_width`] | how narrow an interval is after a number of rounds |
//! | [`effort`] | how time is best shared out between rounds and turns |
//! | [`claim`] | whether a published ratio holds here |
//! | [`settle`] | whether a warming server has settled |
//! | [`changepoint`] | where a series shifts |
//! | [`shape`] | whether a series has a steady state, and which |
//! | [`mean_shift`] | where a figure shifts from run to run |
//! | [`trend`] | whether a series drifts |
//! | [`turns`] | the ratio within a round, over its turns |
//! | [`equal_speed`] | the same at equally fast cores |
//! | [`usl`] | how throughput scales with connections, and where it peaks |
//! | [`sweep`] | which level of a sweep falls out of line |
//! | [`queueing`] | Little's law |
//! | [`random`] | random numbers that a recorded seed decides |
//! | [`weighted`] | a choice by weights |
//!
//! Rounds are the sample, never requests. Input that says nothing (no rounds, zeros, infinities, NaN)
//! gives `None`; no function here returns a NaN or panics on a number.

#![forbid(unsafe_code)]
#![warn(missing_docs)]

pub mod analysis;
pub mod changepoint;
pub mod claim;
pub mod correlation;
pub mod difference;
pub mod effort;
pub mod equal_speed;
pub mod groups;
pub mod half_width;
pub mod holm;
pub mod interval;
pub mod machines;
pub mod mean_shift;
pub mod paired;
pub mod planning;
pub mod queueing;
pub mod random;
pub mod sequential;
pub mod settle;
pub mod shape;
pub mod spread;
mod student;
pub mod summary;
pub mod sweep;
pub mod trend;
pub mod turns;
pub mod unpaired;
pub mod usl;
pub mod verdict;
pub mod weighted;

pub use analysis::{Analysis, Decision};
pub use claim::{ClaimDirection, ClaimOutcome, Published, judge_claim, judge_direction};
pub use half_width::Width;
pub use holm::{holm_levels, holm_shares};
pub use interval::Interval;
pub use machines::OverMachines;
pub use paired::Paired;
pub use planning::{detectable_ratio, rounds_needed};
pub use queueing::{LittlesLaw, littles_law};
pub use random::Random;
pub use sequential::{Bounds, Schedule};
pub use spread::{Spread, spread_of_pairs, spreads};
pub use summary::{GeometricMean, geometric_mean};
pub use unpaired::Unpaired;
pub use usl::Usl;
pub use verdict::{Direction, judge};
pub use weighted::Weighted;
