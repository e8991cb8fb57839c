//! What came of the conditions of a CI job.

use photofinish_judge::threshold::{Gate, Status};
use photofinish_voice::Language;

use crate::document::{Block, Item, Text, Tone};

/// A line for each condition, what it says of the figures below it.
pub(crate) fn document(gates: &[Gate]) -> Vec<Block> {
    let items = gates.iter().map(|gate| {
        let status = gate.outcome.status;
        let tone = match status {
            _ if gate.fails => Tone::Bad,
            Status::DoesNotHold => Tone::Plain,
            Status::Holds | Status::Undecided | Status::Void => Tone::Strong,
        };
        Item {
            text: Text {
                text: format!("{}: fail if {}", status.word(), gate.condition.text()),
                tone,
            },
            below: (gate.outcome.says.iter())
                .map(|says| says.text(Language::En).to_owned())
                .collect(),
        }
    });
    vec![Block::section("Gate"), Block::List(items.collect())]
}
