//! Load levels.

use photofinish_model::Load;

/// A level, such as `100 connections` or `5,000/s`.
pub(crate) fn level(load: &Load) -> String {
    load.label()
}
