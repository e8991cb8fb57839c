//! What goes wrong with a call over gRPC.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What went wrong with a call.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "complaint", rename_all = "kebab-case")]
pub enum GrpcComplaint {
    /// The HTTP status is not 200.
    HttpStatus {
        /// What it is.
        status: u16,
    },
    /// The response is not gRPC's, by its content-type.
    NotSpoken {},
    /// The reply ended without a status.
    NoStatus {},
    /// The status is no number.
    StatusNumber {
        /// What it is.
        text: String,
    },
    /// The call ended with another status than 0.
    Failed {
        /// The `grpc-status`.
        status: u64,
        /// What the server said of it; empty where it said nothing.
        message: String,
    },
    /// A message is compressed, which was not allowed.
    Compressed {},
    /// A message begins with a byte that is neither 0 nor 1.
    Flag {
        /// The byte.
        flag: u8,
    },
    /// A message is longer than any that is taken.
    Long {
        /// Bytes that it promises.
        promised: u32,
        /// Bytes that are taken at most.
        most: u32,
    },
    /// The reply ends within what stands before a message.
    CutPrefix {
        /// Bytes of that that came.
        got: u8,
        /// Bytes that there must be.
        expected: u8,
    },
    /// The reply ends within a message.
    CutMessage {
        /// Bytes that it promised.
        promised: u32,
        /// Bytes that it has.
        got: u32,
    },
    /// The reply has another number of messages than its method's replies have.
    Messages {
        /// How many it has.
        got: u64,
        /// How many were expected.
        expected: u64,
    },
}
