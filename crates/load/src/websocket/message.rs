//! The messages: the same each time, filled in, or random bytes.

use photofinish_model::{Message, Part, Template, WebSocket as Wanted};
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
            Message::Text(text) => Say::templated(opcode::TEXT, text, key),
            Message::Binary(bytes) => Say::templated(opcode::BINARY, bytes, key),
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

/// One message by itself, for whoever asks a server a single time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Once {
    /// It is text, else bytes.
    pub text: bool,
    /// What is sent.
    pub message: Vec<u8>,
    /// What must come back.
    pub reply: Vec<u8>,
}

impl Once {
    /// The first message that connection 0 would send by this seed, but with the number 0, which no run's message has.
    pub fn new(wanted: &Wanted, seed: u64) -> Once {
        let mut random = template::random(seed, 0);
        let (text, message) = match &wanted.message {
            Message::Random { size } => {
                let messages = Messages::new(*size as usize, 1, seed);
                (false, messages.first().to_vec())
            }
            Message::Text(template) => (true, filled(template, &mut random, 0)),
            Message::Binary(template) => (false, filled(template, &mut random, 0)),
        };
        Once {
            text,
            reply: wanted.reply.clone().unwrap_or_else(|| message.clone()),
            message,
        }
    }
}

/// A message with its places filled in.
fn filled(template: &Template, random: &mut Random, counter: u64) -> Vec<u8> {
    let mut message = Vec::new();
    fill(template, random, counter, &mut message);
    message
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
