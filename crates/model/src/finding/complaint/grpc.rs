//! What goes wrong with a call over gRPC.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::grpc_status::named;

/// What went wrong with a call.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema, Error)]
#[serde(tag = "complaint", rename_all = "kebab-case")]
pub enum GrpcComplaint {
    /// The HTTP status is not 200.
    #[error("HTTP status {status}, expected 200: is there a gRPC server behind this port?")]
    HttpStatus {
        /// What it is.
        status: u16,
    },
    /// The response is not gRPC's, by its content-type.
    #[error(
        "the response's content-type is not application/grpc: is this a gRPC server, and not gRPC-Web or plain HTTP/2?"
    )]
    NotSpoken {},
    /// The reply ended without a status.
    #[error("the reply ended without a grpc-status in its trailers")]
    NoStatus {},
    /// The status is no number.
    #[error("the reply's grpc-status is \"{text}\", which is not a number")]
    StatusNumber {
        /// What it is.
        text: String,
    },
    /// The call ended with another status than 0.
    #[error("{}", failed(*.status, .message))]
    Failed {
        /// The `grpc-status`.
        status: u64,
        /// What the server said of it; empty where it said nothing.
        message: String,
    },
    /// A message is compressed, which was not allowed.
    #[error(
        "a message is compressed, though no compression was offered: turn it off in the server"
    )]
    Compressed {},
    /// A message begins with a byte that is neither 0 nor 1.
    #[error("a message begins with the byte {flag:#04x} instead of 0 or 1: is this gRPC?")]
    Flag {
        /// The byte.
        flag: u8,
    },
    /// A message is longer than any that is taken.
    #[error("a message announces {promised} bytes, but at most {most} are accepted")]
    Long {
        /// Bytes that it promises.
        promised: u32,
        /// Bytes that are taken at most.
        most: u32,
    },
    /// The reply ends within what stands before a message.
    #[error("the reply ends after {got} of the {expected} bytes before a message")]
    CutPrefix {
        /// Bytes of that that came.
        got: u8,
        /// Bytes that there must be.
        expected: u8,
    },
    /// The reply ends within a message.
    #[error("a message announced {promised} bytes and has {got}")]
    CutMessage {
        /// Bytes that it promised.
        promised: u32,
        /// Bytes that it has.
        got: u32,
    },
    /// The reply has another number of messages than its method's replies have.
    #[error(
        "the reply has {got} messages, expected {expected}: is this the method's kind (unary, server streaming)?"
    )]
    Messages {
        /// How many it has.
        got: u64,
        /// How many were expected.
        expected: u64,
    },
}

fn failed(status: u64, message: &str) -> String {
    let named =
        named(status).map_or_else(|| format!("grpc-status {status} (unknown)"), str::to_owned);
    let message = match message {
        "" => String::new(),
        message => format!(": {}", message.escape_debug()),
    };
    let remedy = remedy(status).map_or(String::new(), |remedy| format!("; {remedy}"));
    format!("{named}{message}{remedy}")
}

fn remedy(status: u64) -> Option<&'static str> {
    Some(match status {
        3 => "does the message have what the method needs?",
        4 => "did a grpc-timeout among the metadata end it?",
        7 | 16 => "does it need credentials? give them as metadata (-H 'authorization: …')",
        8 => "is a limit of the server reached (message size, quota, streams)?",
        12 => "does the server have this service and method, with this spelling and package?",
        13 => "can the server read the message? it must be the method's own type",
        14 => "is the server up, and all that it needs?",
        _ => return None,
    })
}
