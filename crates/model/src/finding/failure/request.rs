//! Why a request cannot be built.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use thiserror::Error;

/// Why a request cannot be built.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema, Error)]
#[serde(tag = "fault", rename_all = "kebab-case")]
pub enum RequestFault {
    /// A part that is a single word on the wire has a character that cannot be sent there.
    #[error("the request's {part} \"{}\" has a space, a line break or another character that cannot be sent there", .value.escape_debug())]
    Word {
        /// Which one.
        part: RequestPart,
        /// What it is.
        value: String,
    },
    /// A header's value has a line break or a control character.
    #[error("the header {name}'s value \"{}\" has a line break or a control character", .value.escape_debug())]
    Value {
        /// The header's name.
        name: String,
        /// The value.
        value: String,
    },
    /// The Content-Length that the request gives is not the length of its body.
    #[error("the header Content-Length is {stated}, and {}", length(*.body))]
    Length {
        /// What it gives.
        stated: String,
        /// Bytes of the body; `null` = they vary.
        body: Option<u64>,
    },
    /// The request gives a header twice of which there can be one.
    #[error("the header {name} is given {times} times; give it once")]
    Repeated {
        /// The header's name.
        name: String,
        /// How often it is given.
        times: u64,
    },
    /// The request gives both a Content-Length and a Transfer-Encoding.
    #[error("the headers Content-Length and Transfer-Encoding exclude each other; leave both out")]
    TwoLengths {},
    /// The request gives a Transfer-Encoding, and its body is not in it.
    #[error(
        "the header Transfer-Encoding is given, and the body is not in the chunked coding; leave the header out"
    )]
    Coding {},
    /// A random number whose bounds are the wrong way round.
    #[error("there is no whole number from {low} to {high}; write the smaller one first")]
    Bounds {
        /// The lower bound.
        low: u64,
        /// The upper bound.
        high: u64,
    },
}

/// A part of a request that is a single word on the wire.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema, Error)]
#[serde(rename_all = "kebab-case")]
pub enum RequestPart {
    /// The method.
    #[error("method")]
    Method,
    /// The path.
    #[error("path")]
    Path,
    /// A header's name.
    #[error("header name")]
    HeaderName,
}

fn length(body: Option<u64>) -> String {
    match body {
        Some(body) => {
            format!("the body has {body} bytes; leave the header out: it is made from the body")
        }
        None => {
            "the body's length varies; leave the header out: it is made from each body".to_owned()
        }
    }
}
