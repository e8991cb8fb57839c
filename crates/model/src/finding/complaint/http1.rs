//! What is wrong with a response over HTTP/1.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How a response breaks HTTP/1 (RFC 9112), or what is accepted of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Http1Violation {
    /// It is something else.
    NotHttp1,
    /// It is TLS: the server does not speak plain HTTP.
    Tls,
    /// The head is longer than 64 KiB.
    LongHead,
    /// The head has an empty line where none belongs.
    EmptyLine,
    /// There are more than 128 header fields.
    ManyFields,
    /// A header field's name has a character that none may have, or a space before the colon.
    FieldName,
    /// A header field's value has a control character.
    FieldValue,
    /// The status is below 100.
    LowStatus,
    /// The Content-Length is no number.
    ContentLength,
    /// There are two Content-Lengths that differ.
    ContentLengths,
    /// A chunk does not begin with its size.
    NoChunkSize,
    /// A chunk's size is no hexadecimal number.
    ChunkSize,
    /// A chunk's size does not fit 64 bits.
    LargeChunkSize,
    /// A chunk's size line does not end as it should.
    ChunkLineEnd,
    /// A chunk's size line or the trailer section is too long.
    LongChunkLine,
    /// A chunk is longer than its size.
    LongChunk,
    /// A trailer does not end as it should.
    TrailerEnd,
}
