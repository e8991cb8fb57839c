//! How close servers come to a limit: of the machine, of the network, or of their own scaling.

pub(super) mod limit;
pub(super) mod link;
pub(super) mod network;
pub(super) mod scaling;
pub(super) mod share;
pub(super) mod sweeps;
