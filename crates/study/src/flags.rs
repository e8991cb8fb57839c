//! Calls over gRPC and messages over WebSocket as flags state them: those of a request over HTTP, of which some say nothing here.

use photofinish_model::{Expect, Grpc, Message, Request, Template, Version, WebSocket};
use photofinish_proto::{Schema, Stated, call};

/// What flags say of what is sent and must come back.
#[derive(Clone, Copy, Debug)]
pub struct RequestFlags<'f> {
    /// `--proto` or `--descriptor-set`; `None`: a call's message and reply are bytes.
    pub schema: Option<&'f Schema>,
    /// `--size`: a message over WebSocket has so many random bytes.
    pub size: Option<u64>,
    /// The URL's path: a method of gRPC, or where a WebSocket is opened.
    pub path: &'f str,
    /// `-m`, `-H` and `--body`.
    pub request: &'f Request,
    /// `--expect-status` and `--expect-body`.
    pub expect: &'f Expect,
    /// `--http2`.
    pub version: Version,
    /// `--streams`.
    pub streams: u32,
    /// `--requests-per-connection`, `--no-keepalive`.
    pub requests_per_connection: Option<u32>,
}

/// Why flags state no call.
#[derive(Debug, thiserror::Error)]
pub enum CallError {
    /// A version of HTTP.
    #[error("gRPC is spoken over HTTP/2 as it is; leave --http2 out")]
    Version,
    /// A method of HTTP.
    #[error("a call has no method of HTTP; leave --method out")]
    Method,
    /// A status of HTTP.
    #[error(
        "a call has no status of HTTP, and each must end with grpc-status 0; leave --expect-status out"
    )]
    Status,
    /// Connections that are closed.
    #[error("calls keep their connection; leave --no-keepalive or --requests-per-connection out")]
    Closing,
    /// Schema, method, message and reply do not fit each other.
    #[error(transparent)]
    Schema(#[from] photofinish_proto::Error),
}

/// Why flags state no message.
#[derive(Debug, thiserror::Error)]
pub enum MessageError {
    /// A version of HTTP.
    #[error("a WebSocket is opened over HTTP/1.1; leave --http2 out")]
    Version,
    /// A method of HTTP.
    #[error("a WebSocket is opened by GET; leave --method out")]
    Method,
    /// A status of HTTP.
    #[error("replies over a WebSocket have no status; leave --expect-status out")]
    Status,
    /// Connections that are closed.
    #[error(
        "messages keep their connection; leave --no-keepalive or --requests-per-connection out"
    )]
    Closing,
    /// Two messages.
    #[error("--size and --body are two different messages; give one of them")]
    Two,
    /// No message.
    #[error(
        "say what to send: --size 64 (so many random bytes) or --body TEXT; the same must come back, or what --expect-body says"
    )]
    Nothing,
}

impl RequestFlags<'_> {
    /// The call.
    ///
    /// # Errors
    /// By the flag that says nothing here, or what does not fit the schema.
    pub fn call(self) -> Result<Grpc, CallError> {
        match self {
            _ if !self.version.is_http1() => return Err(CallError::Version),
            _ if self.request.method != "GET" => return Err(CallError::Method),
            _ if self.expect.status.is_some() => return Err(CallError::Status),
            _ if self.requests_per_connection.is_some() => return Err(CallError::Closing),
            _ => {}
        }
        Ok(call(Stated {
            schema: self.schema,
            path: self.path,
            headers: self.request.headers.clone(),
            message: &self.request.body,
            expect: self.expect.clone(),
            streams: self.streams,
        })?)
    }

    /// How connections are opened, what is sent on them and what must come back.
    ///
    /// # Errors
    /// By the flag that says nothing here, or is missing.
    pub fn websocket(self) -> Result<WebSocket, MessageError> {
        match self {
            _ if !self.version.is_http1() => return Err(MessageError::Version),
            _ if self.request.method != "GET" => return Err(MessageError::Method),
            _ if self.expect.status.is_some() => return Err(MessageError::Status),
            _ if self.requests_per_connection.is_some() => return Err(MessageError::Closing),
            _ => {}
        }
        let body = &self.request.body;
        let message = match (self.size, body.is_empty()) {
            (Some(size), true) => Message::Random { size },
            (None, false) if String::from_utf8(body.literal()).is_ok() => {
                Message::Text(body.clone())
            }
            (None, false) => Message::Binary(body.clone()),
            (Some(_), false) => return Err(MessageError::Two),
            (None, true) => return Err(MessageError::Nothing),
        };
        Ok(WebSocket {
            opening: Request {
                path: Template::parse(self.path),
                body: Template::default(),
                ..self.request.clone()
            },
            message,
            reply: self.expect.body.clone(),
            streams: self.streams,
        })
    }
}
