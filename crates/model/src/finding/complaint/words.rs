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
        Complaint::NoLocalPort { ports, time_wait } => no_local_port(*ports, *time_wait),
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
        Complaint::SpeaksFirst { bytes, begins } => format!(
            "the server speaks first ({bytes} bytes before any request, \"{begins}\"): another protocol is spoken here"
        ),
        Complaint::Surplus { bytes } => format!("{bytes} bytes arrived after the end of the response"),
        Complaint::TooEarly {} => "a response arrived before its request was sent".to_owned(),
        Complaint::Status {
            got,
            expected: Some(expected),
        } => format!("status {got}{}, expected {expected}", redirect(*got)),
        Complaint::Status {
            got: got @ 300..=399,
            expected: None,
        } => format!("status {got}{}, {}", redirect(*got), on_redirect(*got)),
        Complaint::Status {
            got,
            expected: None,
        } => format!("status {got}, expected one from 200 to 299"),
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

fn no_local_port(ports: Option<u64>, time_wait: Option<u64>) -> String {
    let of = ports.map_or(String::new(), |ports| format!(" of {ports}"));
    let held = time_wait.map_or(String::new(), |count| {
        format!("; {count} connections that were closed hold theirs for a minute (TIME_WAIT)")
    });
    format!(
        "this machine has no free local port{of}{held}: keep connections open, send fewer requests, or widen net.ipv4.ip_local_port_range"
    )
}

/// That a status is a redirect, in parentheses.
pub(crate) fn redirect(status: u16) -> &'static str {
    match status {
        301 | 302 | 303 | 307 | 308 => " (a redirect)",
        _ => "",
    }
}

/// What to do about a status from 300 to 399 that was not asked for.
pub(crate) fn on_redirect(status: u16) -> String {
    format!(
        "and redirects are not followed: give the URL that it leads to, or state the status (--expect-status {status}) to measure this response"
    )
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
