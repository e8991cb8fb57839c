//! English: one file an area.

pub(crate) mod metric;
