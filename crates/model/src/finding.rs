//! What can be found out about a run: codes with their arguments, one enum an area.
//!
//! In JSON a finding is an object with its `code` and its arguments (`#[serde(tag = "code", rename_all = "kebab-case")]`). Causes of
//! failures and complaints about responses are errors: each variant has its English sentence, which Chinese sentences quote. Other
//! findings become messages in `photofinish-voice`.

pub mod asked;
pub mod capacity;
pub mod claim;
pub mod complaint;
pub mod failure;
pub mod left_out;
