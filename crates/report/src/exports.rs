//! The formats in which a report can be written to a file.
//!
//! To add one: a file in `exports/` with a type that implements [`Export`], its `mod`, and its line in [`ALL`]. The command line's flag,
//! its help and what `photofinish report` writes follow from that.

pub(crate) mod csv;
pub(crate) mod json;

use crate::export::Export;

/// All formats, in the order in which they are listed.
pub static ALL: [&dyn Export; 4] = [
    &crate::html::Html,
    &crate::markdown::Markdown,
    &json::Json,
    &csv::Csv,
];
