//! The sentences of complaints.

use std::fmt;
use std::time::Duration;

use crate::finding::complaint::{BodyMismatch, Complaint, Start};

mod grpc;
mod http1;
mod http2;
mod tls;
mod websocket;

impl fmt::Display for Complaint {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(&complaint(self))
    }
}

pub(crate) fn complaint(complaint: &Complaint) -> String {
    match complaint {
        Complaint::Said { says } => says.clone(),
        Complaint::Connect { address, why } => {
            format!("connect to {address}: {}", self::complaint(why))
        }
        Complaint::Stopped {} => "stopped before a connection was open".to_owned(),
        Complaint::Pausing {} => {
            "every connection was lost, and the pause before the next attempt is not over".to_owned()
        }
        Complaint::Interrupted { says } => format!("while a response was awaited: {says}"),
        Complaint::Closed { begun: false } => {
            "the connection was closed instead of a response".to_owned()
        }
        Complaint::Closed { begun: true } => {
            "the connection was closed in the middle of a response".to_owned()
        }
        Complaint::Left {} => "the server closed a connection (GOAWAY, or a close) before it had responded to anything on it".to_owned(),
        Complaint::Late { within_s } => format!("no complete response within {}", span(*within_s)),
        Complaint::Unasked { bytes } => format!("{bytes} unsolicited bytes arrived"),
        Complaint::Surplus { bytes } => format!("{bytes} bytes arrived after the end of the response"),
        Complaint::TooEarly {} => "a response arrived before its request was sent".to_owned(),
        Complaint::Status {
            got,
            expected: Some(expected),
        } => format!("status {got}, expected {expected}"),
        Complaint::Status {
            got,
            expected: None,
        } => format!("status {got}, expected one from 200 to 399"),
        Complaint::Body { mismatch } => body(mismatch),
        Complaint::Echo {
            at,
            bytes,
            expected,
            got,
        } => format!(
            "the echo differs at byte {at} of {bytes}: expected {expected}, got {got} (hexadecimal)"
        ),
        Complaint::EchoCut { received, bytes } => {
            format!("the connection was closed after {received} of {bytes} bytes of the echo")
        }
        Complaint::Changed {
            status,
            bytes,
            verified_status,
            verified_bytes,
        } => format!(
            "status {status} and a body of {bytes} bytes; when the server was verified: status {verified_status}, {verified_bytes} bytes"
        ),
        Complaint::Http1 { violation } => http1::violation(*violation).to_owned(),
        Complaint::Http2 { complaint } => http2::complaint(complaint),
        Complaint::Grpc { complaint } => grpc::complaint(complaint),
        Complaint::WebSocket { complaint } => websocket::complaint(complaint),
        Complaint::Tls { failure } => tls::failure(failure),
    }
}

fn body(mismatch: &BodyMismatch) -> String {
    match mismatch {
        BodyMismatch::Differs { at, expected, got } => {
            format!("body differs at byte {at}: expected \"{expected}\", got \"{got}\"")
        }
        BodyMismatch::Longer { expected, more } => {
            format!("body longer than the expected {expected} bytes: it continues with \"{more}\"")
        }
        BodyMismatch::Shorter {
            got,
            expected,
            missing,
        } => format!("body of {got} bytes, expected {expected}: \"{missing}\" is missing"),
        BodyMismatch::Lacks { expected, start } => format!(
            "expected a body that contains \"{expected}\"; {}",
            self::start(start)
        ),
        BodyMismatch::Rows {
            expected,
            got: Some(got),
            start,
        } => format!(
            "expected {expected} rows, got {got} (elements of the first JSON array); {}",
            self::start(start)
        ),
        BodyMismatch::Rows {
            expected,
            got: None,
            start,
        } => format!(
            "expected {expected} rows, got no complete JSON array; {}",
            self::start(start)
        ),
    }
}

fn start(start: &Start) -> String {
    let more = if start.more { "…" } else { "" };
    format!("the body begins with \"{}\"{more}", start.text)
}

/// A time, such as `20s` or `30ms`.
pub(crate) fn span(seconds: f64) -> String {
    format!(
        "{:?}",
        Duration::try_from_secs_f64(seconds).unwrap_or_default()
    )
}
