//! What can be found out about a run: codes with their arguments, one enum an area, one file an enum.
//!
//! A finding carries figures, names and places, never a sentence: `photofinish-voice` has the sentences, in English and Chinese. In
//! JSON a finding is an object with its `code` and its arguments (`#[serde(tag = "code", rename_all = "kebab-case")]`).

pub mod asked;
pub mod capacity;
pub mod claim;
pub mod complaint;
pub mod failure;
pub mod left_out;
