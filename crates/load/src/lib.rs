//! The load generator: sends requests over many connections and tells exactly when each answer arrived.
//!
//! It knows nothing of studies or of how servers are started. One thread a core runs its own
//! event loop; protocols are state machines without I/O.

pub mod config;
pub mod outcome;
