//! Simplified Chinese: one file an area, with the functions of `en` by the same names.

pub mod check;
pub(crate) mod metric;
