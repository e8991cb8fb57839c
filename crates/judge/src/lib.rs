//! Judging: from measurements to what may be said of them. Every verdict, claim, check, threshold and headline is decided
//! here and nowhere else; what is said rests on what lies in a results folder.

#![forbid(unsafe_code)]

pub mod bins;
pub mod checks;
pub mod comparison;
pub mod days;
pub mod half_width;
pub mod history;
pub mod limit;
pub mod lists;
pub mod page;
pub mod pooled;
pub mod schemas;

pub mod steady;
pub mod threshold;
