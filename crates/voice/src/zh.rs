//! Simplified Chinese: one file an area, with the functions of `en` by the same names.

pub(crate) mod metric;
