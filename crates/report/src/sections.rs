//! What a report says, and in which order.

mod cell;
mod checks;
mod ending;
mod evidence;
mod figures;
mod glance;
mod head;
mod judged;
mod layers;
mod scaling;
mod sustained;

use photofinish_judge::comparison::Comparison;

use crate::document::Block;
use crate::ending::Ending;

pub(crate) use head::in_words;

/// The whole report: the verdict first and short, then what it rests on, and last what was run.
pub(crate) fn report(comparison: &Comparison) -> Vec<Block> {
    [
        head::verdict(comparison),
        glance::cautions(comparison),
        glance::glance(comparison),
        judged::claims(comparison),
        head::gaps(comparison),
        figures::figures(comparison),
        judged::verdicts(comparison),
        sustained::curves(comparison),
        scaling::scaling(comparison),
        checks::checks(comparison),
        layers::layers(comparison),
        evidence::evidence(comparison),
        head::run(comparison),
    ]
    .concat()
}

/// What a race ends with.
pub(crate) fn ending(comparison: &Comparison) -> Ending {
    ending::ending(comparison)
}
