//! English: one file an area.
