//! What a report of a run says, and in which order.

mod capacity;
mod checks;
mod claims;
mod ending;
mod evidence;
mod figures;
mod flames;
mod gaps;
mod head;
mod layers;
mod levels;
mod load;
mod machine;
mod methods;
mod percentiles;
mod scaling;
mod source;
mod study;
mod sweeps;
mod trade_off;
mod verdicts;
mod windows;

use photofinish_judge::comparison::Comparison;
use photofinish_judge::page::Page;

use crate::document::Block;
use crate::ending::Ending;

use source::Source;

/// The whole report: the answer first and short, then what it rests on, and last what was run. A page has pictures, and what only
/// a page has room for.
pub(crate) fn report(comparison: &Comparison, pictures: Option<&Page>) -> Vec<Block> {
    let source = Source {
        comparison,
        pictures,
    };
    [
        head::head(&source),
        verdicts::verdicts(&source),
        figures::figures(&source),
        capacity::capacity(&source),
        percentiles::percentiles(&source),
        load::load(&source),
        windows::windows(&source),
        layers::layers(&source),
        evidence::evidence(&source),
        claims::claims(&source),
        checks::checks(&source),
        gaps::gaps(&source),
        study::study(&source),
        machine::machine(&source),
        methods::methods(&source),
    ]
    .concat()
}

/// The verdict, why, the ratios and what to know before quoting them.
pub(crate) fn summary(comparison: &Comparison) -> Vec<Block> {
    let source = Source {
        comparison,
        pictures: None,
    };
    let version = &comparison.head.machine.photofinish;
    let made_by = Block::line(format!("photofinish {version}"));
    [
        head::head(&source),
        verdicts::tables(&source),
        vec![made_by],
    ]
    .concat()
}

/// What a race ends with.
pub(crate) fn ending(comparison: &Comparison) -> Ending {
    ending::ending(comparison)
}
