//! The messages: the same each time, filled in, or random bytes.

use photofinish_model::{Message, Part, Template};
use photofinish_stats::Random;

use super::frame::{self, Key, opcode};
use crate::echo::Messages;
use crate::template;

/// What is sent.
#[derive(Clone, Debug)]
pub(super) enum Say {
    /// The same each time: the message, and its frame.
    Fixed { message: Vec<u8>, frame: Vec<u8> },
    /// A text that is filled in.
    Filled { opcode: u8, template: Template },
    /// Random bytes.
    Random(Messages),
}

impl Say {
    /// For so many connections; the seed decides what is random.
    pub(super) fn new(message: &Message, key: Key, connections: usize, seed: u64) -> Say {
        match message {
            Message::Text(text) => Say::templated(opcode::TEXT, text.expose(), key),
            Message::Binary(bytes) => Say::templated(opcode::BINARY, bytes.expose(), key),
            Message::Random { size } => {
                Say::Random(Messages::new(*size as usize, connections, seed))
            }
        }
    }

    fn templated(opcode: u8, template: &Template, key: Key) -> Say {
        if !template.is_fixed() {
            return Say::Filled {
                opcode,
                template: template.clone(),
            };
        }
        let (message, mut frame) = (template.literal(), Vec::new());
        frame::write(opcode, key, &message, &mut frame);
        Say::Fixed { message, frame }
    }
}

/// Adds a message with its places filled in; numbers are drawn in the order of their places.
pub(super) fn fill(template: &Template, random: &mut Random, counter: u64, message: &mut Vec<u8>) {
    let bounds = template.0.iter().filter_map(|part| match part {
        Part::Random { low, high } => Some((*low, *high)),
        Part::Bytes(_) | Part::Counter => None,
    });
    let mut drawn = bounds.map(|(low, high)| random.within(low, high));
    template::fill(template, &mut drawn, counter, message);
}
