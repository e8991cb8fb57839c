//! What goes wrong with a WebSocket.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What went wrong with a WebSocket.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "complaint", rename_all = "kebab-case")]
pub enum WebSocketComplaint {
    /// The head of the response to the opening is longer than 64 KiB.
    LongHead {},
    /// The response to the opening is no HTTP.
    NotHttp {
        /// What the library that reads it said.
        says: String,
    },
    /// The server opens no WebSocket.
    Refused {
        /// The response's status, which is not 101.
        status: u16,
    },
    /// The server closed the connection instead of opening a WebSocket.
    ClosedUnopened {},
    /// It accepted a connection and did not respond to the opening.
    Silent {
        /// For how long.
        within_s: f64,
    },
    /// The response is no upgrade to WebSocket.
    NoUpgrade {},
    /// The response belongs to another request.
    Accept {},
    /// The server uses an extension that was not asked for.
    Extension {
        /// Its `Sec-WebSocket-Extensions`.
        says: String,
    },
    /// The server breaks the protocol.
    Violation {
        /// How.
        violation: FrameViolation,
    },
    /// A message came that nothing had asked for.
    Unasked {},
    /// The server sends pings and does not read the pongs.
    Pings {},
    /// The connection was closed without the server's close.
    Dropped {},
    /// The server closed the WebSocket.
    Closed {
        /// With which code, where it gave one.
        code: Option<u16>,
        /// Why, in the server's words; empty where it gave no reason.
        reason: String,
    },
    /// A reply is longer than it has to be.
    LongReply {
        /// Bytes that were expected.
        expected: u64,
    },
    /// A reply is shorter than it has to be.
    ShortReply {
        /// Bytes that came.
        got: u64,
        /// Bytes that were expected.
        expected: u64,
    },
}

/// How a server's frames break the protocol (RFC 6455, section 5).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum FrameViolation {
    /// A frame is of an extension that was not agreed on.
    Extension,
    /// A frame is masked.
    Masked,
    /// A message begins before the one before it has ended.
    Overlap,
    /// A frame continues a message that was not begun.
    Continuation,
    /// A control frame is too long, or in pieces.
    Control,
    /// A frame has an opcode that nobody knows.
    Opcode,
    /// A frame's length is beyond any that may be.
    Length,
}
