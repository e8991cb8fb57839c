//! Why a request cannot be built.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Why a request cannot be built.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "fault", rename_all = "kebab-case")]
pub enum RequestFault {
    /// A part that is a single word on the wire has a character that cannot be sent there.
    Word {
        /// Which one.
        part: RequestPart,
        /// What it is.
        value: String,
    },
    /// A header's value has a line break or a control character.
    Value {
        /// The header's name.
        name: String,
        /// The value.
        value: String,
    },
    /// The Content-Length that the request gives is not the length of its body.
    Length {
        /// What it gives.
        stated: String,
        /// Bytes of the body; `null` = they vary.
        body: Option<u64>,
    },
    /// The request gives both a Content-Length and a Transfer-Encoding.
    TwoLengths {},
    /// The request gives a Transfer-Encoding, and its body is not in it.
    Coding {},
    /// A random number whose bounds are the wrong way round.
    Bounds {
        /// The lower bound.
        low: u64,
        /// The upper bound.
        high: u64,
    },
}

/// A part of a request that is a single word on the wire.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum RequestPart {
    /// The method.
    Method,
    /// The path.
    Path,
    /// A header's name.
    HeaderName,
}
