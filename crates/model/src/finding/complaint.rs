//! What the load generator has to complain of: the first response of a slice that was wrong, or why there was none.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use thiserror::Error;

use phrases::{no_local_port, status};
pub(crate) use phrases::{on_redirect, redirect, span};

/// Makes an enum of a protocol's violations, each row a variant with its sentence.
macro_rules! violations {
    ($(#[doc = $doc:literal])* $name:ident: $($variant:ident $says:literal;)+) => {
        $(#[doc = $doc])*
        #[derive(
            Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize,
            schemars::JsonSchema, thiserror::Error,
        )]
        #[serde(rename_all = "kebab-case")]
        pub enum $name {
            $(
                #[doc = $says]
                #[error($says)]
                $variant,
            )+
        }
    };
}
use violations;

mod body;
mod grpc;
pub mod grpc_status;
mod http1;
mod http2;
mod http2_error;
mod phrases;
mod tls;
mod websocket;

pub use body::{BodyMismatch, Start};
pub use grpc::GrpcComplaint;
pub use http1::Http1Violation;
pub use http2::{Http2Complaint, Http2Violation};
pub use tls::TlsFailure;
pub use websocket::{FrameViolation, WebSocketComplaint};

/// What went wrong. Times are in seconds. `says` is what others said of it: the system, a library, a server.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema, Error)]
#[serde(tag = "code", rename_all = "kebab-case")]
pub enum Complaint {
    /// What the system or a library said says all.
    #[error("{says}")]
    Said {
        /// What it said.
        says: String,
    },
    /// A connection could not be opened.
    #[error("connect to {address}: {why}")]
    Connect {
        /// The server's address.
        address: String,
        /// Why.
        why: Box<Complaint>,
    },
    /// This machine has no free local port for another connection to the server.
    #[error("{}", no_local_port(*.ports, *.time_wait))]
    NoLocalPort {
        /// How many ports it uses for that; `null` = not known.
        ports: Option<u64>,
        /// How many connections wait for their ports to be free (TIME_WAIT).
        time_wait: Option<u64>,
    },
    /// The run was stopped before a connection was open.
    #[error("stopped before a connection was open")]
    Stopped {},
    /// Every connection was lost, and none is tried again yet.
    #[error("every connection was lost, and the pause before the next attempt is not over")]
    Pausing {},
    /// The system broke a connection off while a response was awaited.
    #[error("while a response was awaited: {says}")]
    Interrupted {
        /// What the system said.
        says: String,
    },
    /// The server closed a connection on which a response was awaited.
    #[error("the connection was closed {} a response", if *.begun { "in the middle of" } else { "instead of" })]
    Closed {
        /// Whether some of the response had come.
        begun: bool,
    },
    /// The server took leave of a connection before it had responded to anything on it.
    #[error(
        "the server closed a connection (GOAWAY, or a close) before it had responded to anything on it"
    )]
    Left {},
    /// No whole response came in time.
    #[error("no complete response within {}", span(*.within_s))]
    Late {
        /// The timeout.
        within_s: f64,
    },
    /// Bytes came that no request had asked for.
    #[error("{bytes} unsolicited bytes arrived")]
    Unasked {
        /// How many.
        bytes: u64,
    },
    /// The server sent bytes on a connection before anything was asked of it.
    #[error(
        "the server speaks first ({bytes} bytes before any request, \"{begins}\"): another protocol is spoken here"
    )]
    SpeaksFirst {
        /// How many.
        bytes: u64,
        /// The first of them.
        begins: String,
    },
    /// Bytes came after the end of a response.
    #[error("{bytes} bytes arrived after the end of the response")]
    Surplus {
        /// How many.
        bytes: u64,
    },
    /// A response came before its request was sent.
    #[error("a response arrived before its request was sent")]
    TooEarly {},
    /// A response has another status than was stated.
    #[error("{}", status(*.got, *.expected))]
    Status {
        /// What came.
        got: u16,
        /// What the workload states, or what the server was verified with or responded first; `null` = any from 200 to 299.
        expected: Option<u16>,
    },
    /// A response's body is another one than was stated.
    #[error(transparent)]
    Body {
        /// How it differs.
        #[from]
        mismatch: BodyMismatch,
    },
    /// An echo differs from its message.
    #[error(
        "the echo differs at byte {at} of {bytes}: expected {expected}, got {got} (hexadecimal)"
    )]
    Echo {
        /// The first byte that differs, counted from 0.
        at: u64,
        /// Bytes of the message.
        bytes: u64,
        /// The message from there on, hexadecimal and shortened.
        expected: String,
        /// The echo from there on.
        got: String,
    },
    /// The server closed a connection before an echo was whole.
    #[error("the connection was closed after {received} of {bytes} bytes of the echo")]
    EchoCut {
        /// Bytes that had come.
        received: u64,
        /// Bytes of the message.
        bytes: u64,
    },
    /// A response is good, but not as it was when the server was verified.
    #[error(
        "status {status} and a body of {bytes} bytes; when the server was verified: status {verified_status}, {verified_bytes} bytes"
    )]
    Changed {
        /// Its status.
        status: u16,
        /// Bytes of its body.
        bytes: u64,
        /// The status then.
        verified_status: u16,
        /// Bytes of the body then.
        verified_bytes: u64,
    },
    /// A response is good, but its body has another length than the first ones.
    #[error("a body of {bytes} bytes instead of {first}")]
    OtherLength {
        /// Bytes of its body.
        bytes: u64,
        /// Bytes of the first bodies.
        first: u64,
    },
    /// A response is not HTTP/1.
    #[serde(rename = "http1")]
    #[error(transparent)]
    Http1 {
        /// What is wrong with it.
        #[from]
        violation: Http1Violation,
    },
    /// HTTP/2 went wrong.
    #[serde(rename = "http2")]
    #[error(transparent)]
    Http2 {
        /// How.
        #[from]
        complaint: Http2Complaint,
    },
    /// A call over gRPC went wrong.
    #[error(transparent)]
    Grpc {
        /// How.
        #[from]
        complaint: GrpcComplaint,
    },
    /// A WebSocket went wrong.
    #[serde(rename = "websocket")]
    #[error(transparent)]
    WebSocket {
        /// How.
        #[from]
        complaint: WebSocketComplaint,
    },
    /// TLS went wrong.
    #[error(transparent)]
    Tls {
        /// How.
        #[from]
        failure: TlsFailure,
    },
}

impl Complaint {
    /// What the system or a library said.
    pub fn said(error: impl ToString) -> Complaint {
        let says = error.to_string();
        Complaint::Said { says }
    }
}

impl From<Http2Violation> for Complaint {
    fn from(violation: Http2Violation) -> Complaint {
        Http2Complaint::Violation { violation }.into()
    }
}

impl From<FrameViolation> for Complaint {
    fn from(violation: FrameViolation) -> Complaint {
        WebSocketComplaint::Violation { violation }.into()
    }
}
