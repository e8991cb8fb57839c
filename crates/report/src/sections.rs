//! What a report of a run says, and in which order.

mod capacity;
mod checks;
mod claims;
mod details;
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
mod result;
mod scaling;
mod source;
mod study;
mod sweeps;
mod trade_off;
mod verdicts;
mod windows;

use photofinish_judge::comparison::Comparison;
use photofinish_judge::page::Page;

use photofinish_model::message::Message;
use photofinish_voice::label;

use crate::document::Block;
use crate::ending::Ending;
use crate::words::Text;

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
        section(
            "result",
            label::section_result(),
            &[verdicts::verdicts(&source)],
        ),
        section(
            "why",
            label::section_why(),
            &[layers::layers(&source), evidence::evidence(&source)],
        ),
        section(
            "latency",
            label::section_latency(),
            &[
                percentiles::percentiles(&source),
                load::load(&source),
                capacity::capacity(&source),
            ],
        ),
        section(
            "trust",
            label::section_trust(),
            &[
                checks::checks(&source),
                gaps::gaps(&source),
                windows::windows(&source),
                claims::claims(&source),
            ],
        ),
        section(
            "all",
            label::section_figures(),
            &[figures::figures(&source), verdicts::all(&source)],
        ),
        section(
            "how",
            label::section_how(),
            &[
                study::study(&source),
                machine::machine(&source),
                methods::methods(&source),
            ],
        ),
    ]
    .concat()
}

/// A section of those parts that there are.
fn section(id: &'static str, title: Message, parts: &[Vec<Block>]) -> Vec<Block> {
    let parts = parts.concat();
    match parts.is_empty() {
        true => parts,
        false => [vec![Block::Section(id, Text::from(title))], parts].concat(),
    }
}

/// The verdict, why, the ratios and what to know before quoting them.
pub(crate) fn summary(comparison: &Comparison) -> Vec<Block> {
    let source = Source::of(comparison);
    let version = &comparison.head.machine.photofinish;
    let made_by = Block::line(format!("photofinish {version}"));
    [
        head::head(&source),
        verdicts::tables(&source),
        vec![made_by],
    ]
    .concat()
}

/// What `-v` adds to that.
pub(crate) fn details(comparison: &Comparison) -> Vec<Block> {
    details::details(&Source::of(comparison))
}

/// What a race ends with.
pub(crate) fn ending(comparison: &Comparison) -> Ending {
    ending::ending(comparison)
}
