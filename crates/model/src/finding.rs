//! What can be found out about a run: codes with their arguments, one enum an area, one file an enum.
//!
//! A finding carries figures, names and places, never a sentence: `photofinish-voice` has the sentences, in English and Chinese. In
//! JSON a finding is an object with its `code` and its arguments (`#[serde(tag = "code", rename_all = "kebab-case")]`).

pub mod asked;
pub mod because;
pub mod capacity;
pub mod check;
pub mod claim;
pub mod complaint;
pub mod days;
pub mod doubt;
pub mod ending;
pub mod failure;
pub mod figures;
pub mod headline;
pub mod history;
pub mod latency;
pub mod left_out;
pub mod network;
pub mod noise;
pub(crate) mod recorded;
pub mod run_check;
pub mod scaling;
pub mod single;
pub mod sustained;
pub mod sweep;
pub mod threshold;
pub mod verdict;
pub mod windows;
