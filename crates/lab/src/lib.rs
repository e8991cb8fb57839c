//! Build, start, verify, warm up, measure, stop: the life of a trial, and the machine it happens on.
//!
//! `trial.rs` is the life of a trial, top to bottom; `round.rs` says when which target's trial is at which point of it, and
//! [`run`](mod@run) is what comes around the rounds.

#![forbid(unsafe_code)]

pub mod capacity;
mod checks;
mod clock;
mod convert;
pub mod cpu_sets;
pub mod doctor;
mod error;
pub mod events;
#[cfg(test)]
mod fake;
mod frames;
mod hex;
mod idle;
mod interference;
mod journal;
pub mod list;
mod measure;
mod observe;
mod order;
mod places;
mod prepare;
pub mod quick;
mod record;
mod round;
pub mod run;
mod run_context;
mod server;
pub mod service;
mod sustain;
mod time_limit;
mod trial;
mod turns;
mod usage;
mod warmup;

#[cfg(test)]
mod tests;

pub use error::{Error, RevisionError};
pub use events::{Event, Progress, Sequential, ServicePhase, SliceFigures, Warning};
pub use list::list;
pub use places::{cache_dir, is_run, last_results, new_results, runs};
pub use prepare::{build, cache, java, revisions};
pub use quick::address::resolve;
pub use quick::{LoadOptions, Loaded, load_once};
pub use record::environment;
pub use run::{Analyze, Deal, Dealt, Finished, RunOptions, run};
pub use turns::together::sequential;
