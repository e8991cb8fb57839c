//! What touches the figures of a target at a place.

use photofinish_model::finding::figures::FigureFinding;
use photofinish_model::units::{Unit, thousands};
use photofinish_stats::Interval;

use crate::grpc;
use crate::rounds::pieces;

pub(crate) fn finding(finding: &FigureFinding) -> String {
    match finding {
        FigureFinding::Errors { kinds, rounds } => {
            let kinds = errors(kinds.iter().map(|(kind, count)| (kind, count)));
            format!("errors: {kinds} ({})", in_rounds(rounds))
        }
        FigureFinding::Overloaded {
            rounds,
            offered_rps,
            achieved_rps,
        } => format!(
            "overloaded ({}): {} offered, {} achieved; its response times are those of a growing queue, and verdicts on them are void",
            in_rounds(rounds),
            rates(*offered_rps),
            rates(*achieved_rps)
        ),
        FigureFinding::LimitHeldBack { rounds, of } => format!(
            "in {rounds} of {of} rounds the load generator was the bottleneck for the limit, which could do more: the shares are upper bounds"
        ),
    }
}

/// How many errors of each kind there were.
pub(crate) fn errors<'a>(kinds: impl IntoIterator<Item = (&'a String, &'a u64)>) -> String {
    let kinds = kinds.into_iter();
    let all: Vec<String> = kinds
        .map(|(kind, count)| format!("{} {}", thousands(*count as f64), error(kind)))
        .collect();
    all.join(", ")
}

/// A kind of errors; its own name where it is none that is known.
pub(crate) fn error(kind: &str) -> &str {
    match kind {
        "connect-refused" => "connection refused",
        "connect-timeout" => "connect timed out",
        "connect" => "connect failed",
        "tls-unknown-issuer" => "certificate of an unknown issuer",
        "tls-wrong-host" => "certificate for another host",
        "tls-expired" => "certificate expired or not yet valid",
        "tls-certificate" => "unacceptable certificate",
        "tls-not-spoken" => "no TLS on this port",
        "tls-refused" => "TLS handshake refused",
        "tls-timeout" => "TLS handshake timed out",
        "tls-handshake" => "TLS handshake failed",
        "reset" => "connection reset",
        "closed-early" => "closed early",
        "closed-without-notify" => "closed without TLS close_notify",
        "broken-tls" => "TLS broken off",
        "timeout" => "timed out",
        "status" => "wrong status",
        "body" => "wrong body",
        "malformed" => "malformed response",
        "unasked-bytes" => "unsolicited bytes",
        "io" => "I/O error",
        "censored" => "no response by the end",
        "grpc-no-status" => "no grpc-status",
        "grpc-not-spoken" => "no gRPC on this port",
        "grpc-framing" => "broken gRPC messages",
        "grpc-compressed" => "compressed gRPC messages",
        "grpc-messages" => "wrong number of gRPC messages",
        "websocket-close-none" => "WebSocket closed without a code",
        "websocket-close-1000" => "WebSocket closed, 1000 (normal)",
        "websocket-close-1001" => "WebSocket closed, 1001 (going away)",
        "websocket-close-1002" => "WebSocket closed, 1002 (protocol error)",
        "websocket-close-1003" => "WebSocket closed, 1003 (unsupported data)",
        "websocket-close-1007" => "WebSocket closed, 1007 (invalid message)",
        "websocket-close-1008" => "WebSocket closed, 1008 (policy violation)",
        "websocket-close-1009" => "WebSocket closed, 1009 (message too big)",
        "websocket-close-1010" => "WebSocket closed, 1010 (extension needed)",
        "websocket-close-1011" => "WebSocket closed, 1011 (internal error)",
        "websocket-close-1012" => "WebSocket closed, 1012 (restart)",
        "websocket-close-1013" => "WebSocket closed, 1013 (try again later)",
        "websocket-close-1014" => "WebSocket closed, 1014 (bad gateway)",
        "websocket-close-3xxx" => "WebSocket closed, 3000 to 3999 (a library's code)",
        "websocket-close-4xxx" => "WebSocket closed, 4000 to 4999 (the application's code)",
        "websocket-close-invalid" => "WebSocket closed, invalid code",
        other => grpc::status(other).unwrap_or(other),
    }
}

/// A rate, or the lowest and the highest of several.
fn rates(Interval { low, high }: Interval) -> String {
    match low == high {
        true => Unit::RequestsPerSecond.text(high),
        false => Unit::RequestsPerSecond.range(low, high),
    }
}

fn in_rounds(rounds: &[u32]) -> String {
    let noun = if rounds.len() == 1 { "round" } else { "rounds" };
    format!("{noun} {}", pieces(rounds, ", "))
}
