//! What goes wrong over HTTP/2.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::http2_error::error_name;
use super::span;

/// What went wrong over HTTP/2.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema, Error)]
#[serde(tag = "complaint", rename_all = "kebab-case")]
pub enum Http2Complaint {
    /// The server breaks the protocol.
    #[error(transparent)]
    Violation {
        /// How.
        #[from]
        violation: Http2Violation,
    },
    /// The server ended a request's stream.
    #[error("the server ended the stream: {}", error_name(*.error))]
    Reset {
        /// Why, by the number of the error (RFC 9113, section 7).
        error: u32,
    },
    /// The server ended the connection.
    #[error("the server ended the connection (GOAWAY): {}", error_name(*.error))]
    GoneAway {
        /// Why, by the number of the error.
        error: u32,
    },
    /// The server went away and did not look at the request.
    #[error("the server closed the connection (GOAWAY) without processing the request")]
    Unseen {},
    /// The server takes fewer requests at once than were asked for.
    #[error("{}", streams(*.allowed, *.wanted))]
    Streams {
        /// How many it takes.
        allowed: u32,
        /// How many were asked for.
        wanted: u32,
    },
    /// A response is not as long as it promised.
    #[error("a response announced {promised} bytes and has {got}")]
    Length {
        /// Bytes that it promised.
        promised: u64,
        /// Bytes that it has.
        got: u64,
    },
    /// The connection was closed while responses were awaited.
    #[error("the connection was closed while responses were awaited")]
    Closed {},
    /// The server accepted a connection and did not begin to speak HTTP/2.
    #[error("the server accepts connections and does not begin with SETTINGS (HTTP/2) within {}", span(*.within_s))]
    Silent {
        /// For how long.
        within_s: f64,
    },
    /// A response that has no content by its status or method has some.
    #[error("a response without content (status {status}, or to HEAD) has {got} bytes of it")]
    Content {
        /// Its status.
        status: u16,
        /// Bytes of it.
        got: u64,
    },
}

super::violations! {
    /// How a server breaks HTTP/2 (RFC 9113) or the compression of its header fields (RFC 7541).
    Http2Violation:
    NotSpoken "the server does not speak HTTP/2 here: it does not begin with SETTINGS";
    NoSettings "the server does not begin with SETTINGS";
    LongFrame "a frame is longer than the 16,384 bytes that were allowed";
    Padding "a frame has more padding than payload";
    SplitBlock "another frame interrupts a block of header fields";
    Push "the server pushes, although push is disabled";
    PushToServer "the server enables push for itself";
    Data "the server sends DATA where it may not";
    HeadlessContent "content comes before the response's head";
    UnopenedStream "the server uses a stream that no request has opened";
    EndedStream "a response continues after its end";
    ResetLength "RST_STREAM is not four bytes long";
    ResetUnopened "RST_STREAM is for a stream that no request has opened";
    UpdateLength "WINDOW_UPDATE is not four bytes long";
    UpdateByNothing "WINDOW_UPDATE has an increment of 0";
    UpdateUnopened "WINDOW_UPDATE is for a stream that no request has opened";
    WindowBeyondLimit "a window is opened beyond 2³¹ − 1 bytes";
    Priority "HEADERS are too short for their priority";
    Continuation "CONTINUATION comes where no block of header fields is open";
    ContinuationStream "CONTINUATION is for another stream than what it continues";
    LongBlock "a block of header fields is longer than 64 KiB or comes in more than 64 frames";
    TwoHeads "a response has two heads";
    InterimEnd "a response ends with a 1xx status";
    SettingsStream "SETTINGS are for a stream, not for the connection";
    SettingsAcknowledgement "an acknowledgement of SETTINGS has a payload";
    SettingsLength "the length of SETTINGS is not a multiple of six bytes";
    InitialWindow "the server's window for a stream is above 2³¹ − 1 bytes";
    StreamWindow "a stream's window is above 2³¹ − 1 bytes";
    MaxFrame "the server's longest frame is not from 16,384 to 16,777,215 bytes";
    GoAway "GOAWAY is too short, or of a stream";
    Ping "PING is not eight bytes long, or of a stream";
    Replies "the server asks for more replies than it reads (PING or SETTINGS without end)";
    MisplacedStatus "a response has its status twice, or after other fields";
    PseudoField "a response has a field that begins with a colon and is not :status";
    Status "a response's status is not three digits from 100 on";
    NoStatus "a response has no status";
    FieldName "a response has a field whose name has capital letters or other characters that no name may have";
    FieldValue "a response has a field whose value has a line break, a zero byte, or a space at an end";
    ConnectionField "a response has a field about the connection (connection, keep-alive, transfer-encoding, upgrade), which HTTP/2 does not allow";
    Switching "a response has status 101, which HTTP/2 does not have";
    ContentLength "a response's content-length is not a number";
    ContentLengths "a response has two different content-lengths";
    TrailerField "a field after the content begins with a colon";
    CutField "a block of header fields ends in the middle of a field";
    FieldNumber "a block of header fields contains a number that is too large";
    FieldIndex "a block of header fields refers to an entry of the dynamic table, which was not allowed";
    FieldTable "a block of header fields sets up a dynamic table, which was not allowed";
    FieldTableChange "a block of header fields changes the size of its table after its first field";
    FieldText "a header field's Huffman code is invalid";
}

fn streams(allowed: u32, wanted: u32) -> String {
    match allowed {
        0 => "the server accepts no request on its connections (MAX_CONCURRENT_STREAMS is 0)"
            .to_owned(),
        _ => format!(
            "the server accepts {allowed} concurrent requests on a connection (MAX_CONCURRENT_STREAMS), but {wanted} were asked for: use {allowed} streams and more connections"
        ),
    }
}
