//! What a report says, and in which order.

mod evidence;
mod figures;
mod head;
mod judged;

use photofinish_results::comparison::Comparison;

use crate::document::Block;

/// The whole report: the verdict first, then what it rests on.
pub(crate) fn report(comparison: &Comparison) -> Vec<Block> {
    [
        head::head(comparison),
        head::gaps(comparison),
        figures::figures(comparison),
        judged::verdicts(comparison),
        judged::claims(comparison),
        judged::checks(comparison),
        evidence::evidence(comparison),
    ]
    .concat()
}
