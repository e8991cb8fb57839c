//! Disturbances of a run: which turns and rounds they touched, and how much two copies of one server differ.

pub(super) mod by_turn;
pub(super) mod effort;
pub(super) mod kinds;
pub(super) mod noise;
pub(super) mod placement;
pub(super) mod turns;
