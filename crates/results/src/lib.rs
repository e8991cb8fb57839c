//! What a run leaves on disk, and reading it back; the output formats of other tools.
//!
//! A results folder is the only thing that passes from the lab to a report: whatever a report
//! shows is computed from these files, so it can be drawn again on another machine.

pub mod audit;
pub mod capacity;
pub mod comparison;
pub mod days;
pub mod model;
pub mod page;
pub mod rules;
#[cfg(any(test, feature = "samples"))]
pub mod samples;
pub mod steady;
pub mod store;
pub mod threshold;
pub mod units;
