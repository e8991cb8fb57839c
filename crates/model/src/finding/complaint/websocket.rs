//! What goes wrong with a WebSocket.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::span;

/// What went wrong with a WebSocket.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema, Error)]
#[serde(tag = "complaint", rename_all = "kebab-case")]
pub enum WebSocketComplaint {
    /// The head of the response to the opening is longer than 64 KiB.
    #[error("the response's head is longer than 64 KiB")]
    LongHead {},
    /// The response to the opening is no HTTP.
    #[error("the server does not speak HTTP here: {says}")]
    NotHttp {
        /// What the library that reads it said.
        says: String,
    },
    /// The server opens no WebSocket.
    #[error(
        "the server opens no WebSocket here: it responds with HTTP status {status}, where 101 is expected"
    )]
    Refused {
        /// The response's status, which is not 101.
        status: u16,
    },
    /// The server closed the connection instead of opening a WebSocket.
    #[error("the server opens no WebSocket here: it closed the connection without a response")]
    ClosedUnopened {},
    /// It accepted a connection and did not respond to the opening.
    #[error("the server accepts connections and does not respond to the opening of a WebSocket within {}", span(*.within_s))]
    Silent {
        /// For how long.
        within_s: f64,
    },
    /// The response is no upgrade to WebSocket.
    #[error("the response with status 101 is not an upgrade to WebSocket")]
    NoUpgrade {},
    /// The response belongs to another request.
    #[error("the response's Sec-WebSocket-Accept does not belong to the request's key")]
    Accept {},
    /// The server uses an extension that was not asked for.
    #[error("the server uses an extension that it was not asked for: {says}")]
    Extension {
        /// Its `Sec-WebSocket-Extensions`.
        says: String,
    },
    /// The server chose a subprotocol that was not offered.
    #[error(
        "the server chose a subprotocol that was not offered: {says}; offer it by -H 'Sec-WebSocket-Protocol: NAME'"
    )]
    Subprotocol {
        /// Its `Sec-WebSocket-Protocol`.
        says: String,
    },
    /// The server breaks the protocol.
    #[error(transparent)]
    Violation {
        /// How.
        #[from]
        violation: FrameViolation,
    },
    /// A message came that nothing had asked for.
    #[error("an unsolicited message arrived")]
    Unasked {},
    /// The server sends pings and does not read the pongs.
    #[error("the server sends pings without end and does not read the pongs")]
    Pings {},
    /// The connection was closed without the server's close.
    #[error("the connection was closed, without the server's close, while replies were awaited")]
    Dropped {},
    /// The server closed the WebSocket.
    #[error("the server closed the WebSocket{}", closing(*.code, .reason))]
    Closed {
        /// With which code, where it gave one.
        code: Option<u16>,
        /// Why, in the server's words; empty where it gave no reason.
        reason: String,
    },
    /// A reply is longer than it has to be.
    #[error("the reply is longer than the {expected} bytes that were expected")]
    LongReply {
        /// Bytes that were expected.
        expected: u64,
    },
    /// A reply is shorter than it has to be.
    #[error("the reply has {got} bytes, and {expected} were expected")]
    ShortReply {
        /// Bytes that came.
        got: u64,
        /// Bytes that were expected.
        expected: u64,
    },
}

super::violations! {
    /// How a server's frames break the protocol (RFC 6455, section 5).
    FrameViolation:
    Extension "a frame uses an extension (such as compression) that was not negotiated";
    Masked "the server masks a frame";
    Overlap "a message begins before the previous one has ended";
    Continuation "a frame continues a message that was not begun";
    Control "a control frame is longer than 125 bytes, or fragmented";
    Opcode "a frame has an opcode that RFC 6455 does not define";
    Length "a frame's length is above 2⁶³ − 1";
}

fn closing(code: Option<u16>, reason: &str) -> String {
    let code = code.map_or(String::new(), |code| {
        format!(": code {code} ({})", meaning(code))
    });
    match reason {
        "" => code,
        reason => format!("{code}, \"{}\"", reason.escape_debug()),
    }
}

fn meaning(code: u16) -> &'static str {
    match code {
        1000 => "normal",
        1001 => "going away",
        1002 => "protocol error",
        1003 => "unsupported data",
        1007 => "invalid message",
        1008 => "policy violation",
        1009 => "message too big",
        1010 => "extension needed",
        1011 => "internal error",
        1012 => "restart",
        1013 => "try again later",
        1014 => "bad gateway",
        3000..=3999 => "a library's code",
        4000..=4999 => "the application's code",
        _ => "a code that no server may send",
    }
}
