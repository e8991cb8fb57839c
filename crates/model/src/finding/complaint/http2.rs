//! What goes wrong over HTTP/2.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What went wrong over HTTP/2.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "complaint", rename_all = "kebab-case")]
pub enum Http2Complaint {
    /// The server breaks the protocol.
    Violation {
        /// How.
        violation: Http2Violation,
    },
    /// The server ended a request's stream.
    Reset {
        /// Why, by the number of the error (RFC 9113, section 7).
        error: u32,
    },
    /// The server ended the connection.
    GoneAway {
        /// Why, by the number of the error.
        error: u32,
    },
    /// The server went away and did not look at the request.
    Unseen {},
    /// The server takes fewer requests at once than were asked for.
    Streams {
        /// How many it takes.
        allowed: u32,
        /// How many were asked for.
        wanted: u32,
    },
    /// A response is not as long as it promised.
    Length {
        /// Bytes that it promised.
        promised: u64,
        /// Bytes that it has.
        got: u64,
    },
    /// The connection was closed while responses were awaited.
    Closed {},
    /// The server accepted a connection and did not begin to speak HTTP/2.
    Silent {
        /// For how long.
        within_s: f64,
    },
    /// A response that has no content by its status or method has some.
    Content {
        /// Its status.
        status: u16,
        /// Bytes of it.
        got: u64,
    },
}

/// How a server breaks HTTP/2 (RFC 9113) or the compression of its header fields (RFC 7541).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Http2Violation {
    /// It begins with something else than SETTINGS: it speaks no HTTP/2.
    NotSpoken,
    /// It does not begin with SETTINGS.
    NoSettings,
    /// A frame is longer than was allowed.
    LongFrame,
    /// A frame has more padding than payload.
    Padding,
    /// Another frame stands within a block of header fields.
    SplitBlock,
    /// It pushes.
    Push,
    /// It asks to be pushed to.
    PushToServer,
    /// DATA where none may stand.
    Data,
    /// Content before the response's head.
    HeadlessContent,
    /// A stream that no request has opened.
    UnopenedStream,
    /// A response goes on after its end.
    EndedStream,
    /// RST_STREAM of a wrong length.
    ResetLength,
    /// RST_STREAM of a stream that no request has opened.
    ResetUnopened,
    /// WINDOW_UPDATE of a wrong length.
    UpdateLength,
    /// WINDOW_UPDATE that opens a window by nothing.
    UpdateByNothing,
    /// WINDOW_UPDATE of a stream that no request has opened.
    UpdateUnopened,
    /// A window is opened beyond its limit.
    WindowBeyondLimit,
    /// HEADERS too short for their priority.
    Priority,
    /// CONTINUATION where no block of header fields goes on.
    Continuation,
    /// CONTINUATION of another stream.
    ContinuationStream,
    /// A block of header fields that is too long, or in too many frames.
    LongBlock,
    /// A response with two heads.
    TwoHeads,
    /// A response that ends with a 1xx status.
    InterimEnd,
    /// SETTINGS of a stream.
    SettingsStream,
    /// An acknowledgement of SETTINGS with a payload.
    SettingsAcknowledgement,
    /// SETTINGS of a wrong length.
    SettingsLength,
    /// The first window for streams is beyond its limit.
    InitialWindow,
    /// A stream's window is beyond its limit.
    StreamWindow,
    /// The longest frame's length is not one of those that are allowed.
    MaxFrame,
    /// GOAWAY too short, or of a stream.
    GoAway,
    /// PING of a wrong length, or of a stream.
    Ping,
    /// It asks for more replies than it reads.
    Replies,
    /// The status twice, or after other fields.
    MisplacedStatus,
    /// A pseudo-header field that no response has.
    PseudoField,
    /// The status is not three digits from 100 on.
    Status,
    /// There is no status.
    NoStatus,
    /// A field's name has capital letters or other characters that none may have.
    FieldName,
    /// The content-length is no number.
    ContentLength,
    /// There are two content-lengths that differ.
    ContentLengths,
    /// A field after the content begins with a colon.
    TrailerField,
    /// A block of header fields ends in the middle of a field.
    CutField,
    /// A number in a block of header fields is too large.
    FieldNumber,
    /// An entry of a table that was not allowed.
    FieldIndex,
    /// A table that was not allowed.
    FieldTable,
    /// A change of the table's size after the first field.
    FieldTableChange,
    /// A header field's text is not what its Huffman code says.
    FieldText,
}
