//! Study and target files, and the checked plan that they make.
//!
//! Every error points at the file and the line, says what is wrong and what is allowed.

pub mod plan;
