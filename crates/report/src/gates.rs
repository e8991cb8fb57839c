//! What came of the conditions of a CI job.

use photofinish_judge::threshold::{Gate, Status};

use photofinish_voice::label;

use crate::document::{Block, Item};
use crate::words::{Text, Tone};

/// A line for each condition, what it says of the figures below it.
pub(crate) fn document(gates: &[Gate]) -> Vec<Block> {
    let items = gates.iter().map(|gate| {
        let status = gate.outcome.status;
        let tone = match status {
            _ if gate.fails => Tone::Bad,
            Status::DoesNotHold => Tone::Plain,
            Status::Holds | Status::Undecided | Status::Void => Tone::Strong,
        };
        let text = format!("{}: fail if {}", status.word(), gate.condition.text());
        Item {
            below: gate.outcome.says.iter().map(Text::from).collect(),
            ..Item::new(text, tone)
        }
    });
    vec![
        Block::Section("gate", Text::from(label::gates_gate())),
        Block::List(items.collect()),
    ]
}
