//! What the load generator has to complain of: the first response of a slice that was wrong, or why there was none.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

mod body;
mod grpc;
pub mod grpc_status;
mod http1;
mod http2;
mod http2_error;
mod tls;
mod websocket;
pub(crate) mod words;

pub use body::{BodyMismatch, Start};
pub use grpc::GrpcComplaint;
pub use http1::Http1Violation;
pub use http2::{Http2Complaint, Http2Violation};
pub use tls::TlsFailure;
pub use websocket::{FrameViolation, WebSocketComplaint};

/// What went wrong. Times are in seconds. `says` is what others said of it: the system, a library, a server.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "code", rename_all = "kebab-case")]
pub enum Complaint {
    /// What the system or a library said says all.
    Said {
        /// What it said.
        says: String,
    },
    /// A connection could not be opened.
    Connect {
        /// The server's address.
        address: String,
        /// Why.
        why: Box<Complaint>,
    },
    /// This machine has no free local port for another connection to the server.
    NoLocalPort {
        /// How many ports it uses for that; `null` = not known.
        ports: Option<u64>,
        /// How many connections wait for their ports to be free (TIME_WAIT).
        time_wait: Option<u64>,
    },
    /// The run was stopped before a connection was open.
    Stopped {},
    /// Every connection was lost, and none is tried again yet.
    Pausing {},
    /// The system broke a connection off while a response was awaited.
    Interrupted {
        /// What the system said.
        says: String,
    },
    /// The server closed a connection on which a response was awaited.
    Closed {
        /// Whether some of the response had come.
        begun: bool,
    },
    /// The server took leave of a connection before it had responded to anything on it.
    Left {},
    /// No whole response came in time.
    Late {
        /// The timeout.
        within_s: f64,
    },
    /// Bytes came that no request had asked for.
    Unasked {
        /// How many.
        bytes: u64,
    },
    /// The server sent bytes on a connection before anything was asked of it.
    SpeaksFirst {
        /// How many.
        bytes: u64,
        /// The first of them.
        begins: String,
    },
    /// Bytes came after the end of a response.
    Surplus {
        /// How many.
        bytes: u64,
    },
    /// A response came before its request was sent.
    TooEarly {},
    /// A response has another status than was stated.
    Status {
        /// What came.
        got: u16,
        /// What the workload states, or what the server was verified with or responded first; `null` = any from 200 to 299.
        expected: Option<u16>,
    },
    /// A response's body is another one than was stated.
    Body {
        /// How it differs.
        mismatch: BodyMismatch,
    },
    /// An echo differs from its message.
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
    EchoCut {
        /// Bytes that had come.
        received: u64,
        /// Bytes of the message.
        bytes: u64,
    },
    /// A response is good, but not as it was when the server was verified.
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
    /// A response is not HTTP/1.
    #[serde(rename = "http1")]
    Http1 {
        /// What is wrong with it.
        violation: Http1Violation,
    },
    /// HTTP/2 went wrong.
    #[serde(rename = "http2")]
    Http2 {
        /// How.
        complaint: Http2Complaint,
    },
    /// A call over gRPC went wrong.
    Grpc {
        /// How.
        complaint: GrpcComplaint,
    },
    /// A WebSocket went wrong.
    #[serde(rename = "websocket")]
    WebSocket {
        /// How.
        complaint: WebSocketComplaint,
    },
    /// TLS went wrong.
    Tls {
        /// How.
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

/// Makes each of these a complaint of its own.
macro_rules! complaints {
    ($($of:ident($what:ident: $field:ident);)+) => {
        $(impl From<$what> for Complaint {
            fn from($field: $what) -> Complaint {
                Complaint::$of { $field }
            }
        })+
    };
}

complaints! {
    Body(BodyMismatch: mismatch);
    Http1(Http1Violation: violation);
    Http2(Http2Complaint: complaint);
    Grpc(GrpcComplaint: complaint);
    WebSocket(WebSocketComplaint: complaint);
    Tls(TlsFailure: failure);
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
