//! English: one file an area.

pub mod check;
pub(crate) mod metric;
