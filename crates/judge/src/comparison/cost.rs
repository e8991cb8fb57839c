//! What a request costs the servers, and why one of them is ahead.

pub(super) mod beside;
pub(super) mod frames;
pub(super) mod gap;
pub(super) mod layers;
