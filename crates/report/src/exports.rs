//! The formats in which a report can be written to a file.
//!
//! To add one: a file in `exports/` with a [`Format`], its `mod`, and its line in [`ALL`]. The command line's flag, its help and what
//! `photofinish report` writes follow from that.

pub(crate) mod csv;
pub(crate) mod json;

use crate::export::Format;

/// All formats, in the order in which they are listed.
pub static ALL: [Format; 4] = [
    crate::html::FORMAT,
    crate::markdown::FORMAT,
    json::FORMAT,
    csv::FORMAT,
];
