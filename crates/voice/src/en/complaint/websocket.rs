//! What goes wrong with a WebSocket.

use photofinish_model::finding::complaint::{FrameViolation, WebSocketComplaint};

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
        WebSocketComplaint::NoUpgrade {} => {
            "the response with status 101 is no upgrade to WebSocket".to_owned()
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
            "a frame is of an extension (such as compression) that was not agreed on"
        }
        FrameViolation::Masked => "the server masks a frame",
        FrameViolation::Overlap => "a message begins before the one before it has ended",
        FrameViolation::Continuation => "a frame continues a message that was not begun",
        FrameViolation::Control => "a control frame is longer than 125 bytes, or in pieces",
        FrameViolation::Opcode => "a frame has an opcode that RFC 6455 does not know",
        FrameViolation::Length => "a frame's length is above 2⁶³ − 1",
    }
}

/// What a close's code means (RFC 6455, section 7.4).
fn meaning(code: u16) -> &'static str {
    match code {
        1000 => "normal",
        1001 => "it goes away",
        1002 => "protocol error",
        1003 => "it does not take such messages",
        1007 => "a message that is not what its type says",
        1008 => "against its policy",
        1009 => "the message is too long for it",
        1010 => "it needs an extension that was not offered",
        1011 => "an error of its own",
        1012 => "it restarts",
        1013 => "try again later",
        1014 => "what it is a gateway to responded badly",
        3000..=3999 => "its library's own",
        4000..=4999 => "its application's own",
        _ => "one that no server may send",
    }
}
