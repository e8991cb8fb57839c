//! The formats in which a report can be written to a file.
//!
//! To add one: a file with a type that implements [`Export`], and its line in [`ALL`]. The command line's flag, its help and what
//! `photofinish report` writes follow from that.

use crate::export::Export;

/// All formats, in the order in which they are listed.
pub static ALL: [&dyn Export; 4] = [
    &crate::html::Html,
    &crate::markdown::Markdown,
    &crate::json::Json,
    &crate::csv::Csv,
];
