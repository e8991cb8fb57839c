//! Calls over gRPC as flags state them: those of a request over HTTP, of which some say nothing here.

use photofinish_model::{Expect, Grpc, Request, Version};
use photofinish_proto::{Schema, Stated, call};

/// What flags say of calls over gRPC.
#[derive(Clone, Copy, Debug)]
pub struct CallFlags<'f> {
    /// `--proto` or `--descriptor-set`; `None`: message and reply are bytes.
    pub schema: Option<&'f Schema>,
    /// The method, which is the URL's path.
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

impl CallFlags<'_> {
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
}
