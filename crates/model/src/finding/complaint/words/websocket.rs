//! What goes wrong with a WebSocket.

use super::span;
use crate::finding::complaint::{FrameViolation, WebSocketComplaint};

pub(super) fn complaint(complaint: &WebSocketComplaint) -> String {
    match complaint {
        WebSocketComplaint::LongHead {} => "the response's head is longer than 64 KiB".to_owned(),
        WebSocketComplaint::NotHttp { says } => {
            format!("the server does not speak HTTP here: {says}")
        }
        WebSocketComplaint::Refused { status } => format!(
            "the server opens no WebSocket here: it responds with HTTP status {status}, where 101 is expected"
        ),
        WebSocketComplaint::ClosedUnopened {} => {
            "the server opens no WebSocket here: it closed the connection without a response"
                .to_owned()
        }
        WebSocketComplaint::Silent { within_s } => format!(
            "the server accepts connections and does not respond to the opening of a WebSocket within {}",
            span(*within_s)
        ),
        WebSocketComplaint::NoUpgrade {} => {
            "the response with status 101 is not an upgrade to WebSocket".to_owned()
        }
        WebSocketComplaint::Accept {} => {
            "the response's Sec-WebSocket-Accept does not belong to the request's key".to_owned()
        }
        WebSocketComplaint::Extension { says } => {
            format!("the server uses an extension that it was not asked for: {says}")
        }
        WebSocketComplaint::Violation { violation } => self::violation(*violation).to_owned(),
        WebSocketComplaint::Unasked {} => "an unsolicited message arrived".to_owned(),
        WebSocketComplaint::Pings {} => {
            "the server sends pings without end and does not read the pongs".to_owned()
        }
        WebSocketComplaint::Dropped {} => {
            "the connection was closed, without the server's close, while replies were awaited"
                .to_owned()
        }
        WebSocketComplaint::Closed { code, reason } => {
            let code = code.map_or(String::new(), |code| {
                format!(": code {code} ({})", meaning(code))
            });
            let reason = match reason.as_str() {
                "" => String::new(),
                reason => format!(", \"{}\"", reason.escape_debug()),
            };
            format!("the server closed the WebSocket{code}{reason}")
        }
        WebSocketComplaint::LongReply { expected } => {
            format!("the reply is longer than the {expected} bytes that were expected")
        }
        WebSocketComplaint::ShortReply { got, expected } => {
            format!("the reply has {got} bytes, and {expected} were expected")
        }
    }
}

fn violation(violation: FrameViolation) -> &'static str {
    match violation {
        FrameViolation::Extension => {
            "a frame uses an extension (such as compression) that was not negotiated"
        }
        FrameViolation::Masked => "the server masks a frame",
        FrameViolation::Overlap => "a message begins before the previous one has ended",
        FrameViolation::Continuation => "a frame continues a message that was not begun",
        FrameViolation::Control => "a control frame is longer than 125 bytes, or fragmented",
        FrameViolation::Opcode => "a frame has an opcode that RFC 6455 does not define",
        FrameViolation::Length => "a frame's length is above 2⁶³ − 1",
    }
}

/// What a close's code means (RFC 6455, section 7.4).
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
