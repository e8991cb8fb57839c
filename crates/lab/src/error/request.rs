//! What a single request can meet.

use std::io;
use std::time::Duration;

use photofinish_load::http::InvalidRequest;

/// Why a server was not verified; each a sentence that begins with the request.
#[derive(Debug, thiserror::Error)]
pub enum Wrong {
    /// No whole response came.
    #[error("{request}: {source}")]
    Silent {
        /// What was asked for.
        request: String,
        /// What came of it.
        source: NoResponse,
    },
    /// The request cannot be built.
    #[error("{request}: {source}")]
    Request {
        /// What should be asked for.
        request: String,
        /// Why.
        source: InvalidRequest,
    },
    /// Another status came than the one that was stated.
    #[error(
        "{request}: expected {}, got {got} with the body {body}",
        expected.map_or_else(|| "a status from 200 to 399".to_owned(), |status| format!("status {status}"))
    )]
    Status {
        /// What was asked for.
        request: String,
        /// `None` = any from 200 to 399.
        expected: Option<u16>,
        /// What came.
        got: u16,
        /// The beginning of the body, quoted.
        body: String,
    },
    /// Another body came than the one that was stated.
    #[error("{request}: wrong body: {difference}")]
    Body {
        /// What was asked for.
        request: String,
        /// Where the two differ first.
        difference: String,
    },
    /// A body came that has not the stated shape, or an echo that differs.
    #[error("{request}: {complaint}")]
    Shape {
        /// What was asked for.
        request: String,
        /// What is wrong with it.
        complaint: String,
    },
}

/// Why a single request met no whole response; fragments that follow the request.
#[derive(Debug, thiserror::Error)]
pub enum NoResponse {
    /// Nobody listens.
    #[error("connect: {0}")]
    Connect(io::Error),
    /// The request could not be sent.
    #[error("send the request: {0}")]
    Send(io::Error),
    /// An echo's message could not be sent.
    #[error("send the message: {0}")]
    SendMessage(io::Error),
    /// The thread that sent an echo's message panicked.
    #[error("send the message: the sending thread broke down")]
    SenderBrokeDown,
    /// The server speaks no HTTP/2, or not as it should.
    #[error("HTTP/2: {0}; does the server speak HTTP/2 on this port without TLS?")]
    Http2(h2::Error),
    /// No WebSocket was opened, or it broke.
    #[error("WebSocket: {0}; does the server open one at this path?")]
    WebSocket(Box<tungstenite::Error>),
    /// It took too long.
    #[error("no whole response within {within:?}; {bytes} bytes had come")]
    Late {
        /// The bound.
        within: Duration,
        /// What had come by then.
        bytes: usize,
    },
    /// It is larger than anything that is compared.
    #[error("the response is larger than {mib} MiB")]
    TooLarge {
        /// The bound.
        mib: usize,
    },
    /// The user interrupted.
    #[error("interrupted")]
    Interrupted,
    /// The connection broke.
    #[error("read the response after {bytes} bytes: {source}")]
    Read {
        /// What had come by then.
        bytes: usize,
        /// What the system said.
        source: io::Error,
    },
    /// The server closed the connection.
    #[error("the server closed the connection after {bytes} bytes, before the response was whole")]
    Closed {
        /// What had come by then.
        bytes: usize,
    },
    /// More came than the response.
    #[error("{bytes} bytes came after the whole {of}, which nothing had asked for")]
    Extra {
        /// How many.
        bytes: usize,
        /// `response` or `echo`.
        of: &'static str,
    },
    /// It is no HTTP.
    #[error("the response is not HTTP/1: it begins with {line:?}")]
    NotHttp {
        /// Its first line.
        line: String,
    },
    /// Its `Content-Length` is no length, or a very large one.
    #[error("the response's Content-Length is {0:?}")]
    ContentLength(String),
    /// A chunk's length is no length, or a very large one.
    #[error("a chunk's length is {0:?}")]
    ChunkLength(String),
    /// A chunk does not end where it should.
    #[error("a chunk is longer than its length")]
    LongChunk,
}
