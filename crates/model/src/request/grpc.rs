//! Calls over gRPC.

use serde::{Deserialize, Serialize};

use super::{Expect, Part, Template};
use crate::secret::Secret;

/// Calls of one method of gRPC, over HTTP/2 from the first byte on. Each sends one message.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Grpc {
    /// The method, such as `/package.Service/Method`.
    pub path: String,
    /// Metadata: header fields beside those that every call has, in order.
    pub headers: Vec<(String, Secret<Template>)>,
    /// The message that is sent, without the five bytes that frame it.
    pub message: Secret<Payload>,
    /// How many messages a reply has; `None` = any number (a stream from the server).
    pub messages: Option<u64>,
    /// What must come back beside `grpc-status: 0`: the body is the reply's messages one after the other, without the five
    /// bytes that frame each. It states no status.
    pub expect: Expect,
    /// How many calls are in flight on a connection at most; 1 to [`MOST_STREAMS`](super::MOST_STREAMS).
    pub streams: u32,
}

/// A message of protobuf, in pieces: numbers that vary change the lengths that stand before them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Payload(pub Vec<Piece>);

/// A piece of a [`Payload`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Piece {
    /// Bytes, or a number in decimal digits.
    Part(Part),
    /// A number as protobuf writes it.
    Number {
        /// Which one; bytes are written as they are.
        number: Part,
        /// In what form.
        form: Form,
    },
    /// The length of what follows, and that: a string, or a message within the message.
    Measured(Payload),
}

/// How protobuf writes a whole number from 0 on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Form {
    /// Seven bits a byte, the lowest first: `int32`, `int64`, `uint32`, `uint64`.
    Varint,
    /// The same of twice the number: `sint32`, `sint64`.
    Zigzag,
    /// Four bytes: `fixed32`, `sfixed32`.
    Fixed32,
    /// Eight bytes: `fixed64`, `sfixed64`.
    Fixed64,
}

impl Payload {
    /// These bytes each time.
    pub fn fixed(bytes: impl Into<Vec<u8>>) -> Payload {
        Payload(vec![Piece::Part(Part::Bytes(bytes.into()))])
    }

    /// Its parts, in the order in which random numbers are drawn for them.
    pub fn parts(&self) -> Box<dyn Iterator<Item = &Part> + '_> {
        Box::new(self.0.iter().flat_map(Piece::parts))
    }

    /// Whether nothing is filled in.
    pub fn is_fixed(&self) -> bool {
        self.parts().all(|part| matches!(part, Part::Bytes(_)))
    }
}

impl Piece {
    fn parts(&self) -> Box<dyn Iterator<Item = &Part> + '_> {
        match self {
            Piece::Part(part) | Piece::Number { number: part, .. } => {
                Box::new(std::iter::once(part))
            }
            Piece::Measured(inner) => inner.parts(),
        }
    }
}

impl Grpc {
    /// All parts that may be filled in, in the order in which random numbers are drawn for them.
    pub fn parts(&self) -> impl Iterator<Item = &Part> {
        let headers = self.headers.iter().flat_map(|(_, value)| &value.expose().0);
        headers.chain(self.message.expose().parts())
    }
}
