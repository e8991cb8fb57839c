//! Messages over WebSocket.

use serde::{Deserialize, Serialize};

use super::{Request, Template};
use crate::finding::asked::AskedMessage;
use crate::secret::Secret;

/// WebSocket (RFC 6455): connections that a request opens, and messages over them. Each message has one reply, and
/// replies come in the order of the messages.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct WebSocket {
    /// The request that opens a connection, without the headers that every opening has. It is a `GET`; nothing in it varies.
    pub opening: Request,
    /// What is sent, again and again.
    pub message: Message,
    /// The reply, byte for byte; `None` = the message itself.
    #[serde(with = "crate::bytes::optional")]
    pub reply: Option<Vec<u8>>,
    /// How many messages of a connection wait for their replies at most; 1 to [`MOST_STREAMS`](super::MOST_STREAMS).
    pub streams: u32,
}

/// A message.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Message {
    /// Text.
    Text(Secret<Template>),
    /// Bytes.
    Binary(Secret<Template>),
    /// So many random bytes, 1 to [`LARGEST_MESSAGE`](super::LARGEST_MESSAGE): no message of one connection is the same as one
    /// of another (as far as so few bytes can differ).
    Random {
        /// The message's bytes.
        size: u64,
    },
}

impl Message {
    /// What is sent, for a line.
    pub(crate) fn asked(&self) -> AskedMessage {
        match self {
            Message::Text(text) => AskedMessage::Text {
                text: text.to_string(),
            },
            Message::Binary(bytes) => AskedMessage::Binary {
                bytes: bytes.to_string(),
            },
            Message::Random { size } => AskedMessage::Random { size: *size },
        }
    }
}

impl WebSocket {
    /// How many bytes each reply has, where that is known beforehand.
    pub fn reply_bytes(&self) -> Option<u64> {
        match (&self.reply, &self.message) {
            (Some(reply), _) => Some(reply.len() as u64),
            (None, Message::Random { size }) => Some(*size),
            (None, Message::Text(text) | Message::Binary(text)) => {
                let text = text.expose();
                text.is_fixed().then(|| text.literal().len() as u64)
            }
        }
    }
}
