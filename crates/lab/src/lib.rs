//! Build, start, verify, warm up, measure, stop: the life of a trial, and the machine it happens on.

pub mod build;
pub mod host;
pub mod lanes;
