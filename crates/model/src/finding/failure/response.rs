//! What is wrong with the response to a single request, or why there was none.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::RequestFault;
use crate::finding::asked::Asked;
use crate::finding::complaint::{Complaint, TlsFailure};

/// Why a server was not verified.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "wrong", rename_all = "kebab-case")]
pub enum Wrong {
    /// No whole response came.
    Silent {
        /// What was asked for.
        request: Box<Asked>,
        /// What came of it.
        met: NoResponse,
    },
    /// The request cannot be built.
    Request {
        /// What should be asked for.
        request: Box<Asked>,
        /// Why.
        why: RequestFault,
    },
    /// Another status came than the one that was stated.
    Status {
        /// What was asked for.
        request: Box<Asked>,
        /// `null` = any from 200 to 299.
        expected: Option<u16>,
        /// What came.
        got: u16,
        /// The beginning of the body, escaped; empty where there was none.
        body: String,
        /// Whether more of the body followed.
        more: bool,
    },
    /// Another body came than the one that was stated.
    Body {
        /// What was asked for.
        request: Box<Asked>,
        /// The bytes that were stated.
        expected_bytes: u64,
        /// The bytes that came.
        got_bytes: u64,
        /// Where the two differ first.
        difference: Difference,
    },
    /// The response to a login has not what is to be taken from it.
    Login {
        /// What was asked for.
        request: Box<Asked>,
        /// The name of what is to be taken.
        name: String,
        /// Where it is to be taken from, as it was written.
        from: String,
        /// The beginning of the body, escaped, with `*` in place of the texts of JSON; empty where there was none.
        body: String,
        /// Whether more of the body followed.
        more: bool,
    },
    /// What is to be taken from the response to a login is longer than can be sent.
    LoginSize {
        /// What was asked for.
        request: Box<Asked>,
        /// The name of what is too long; `null`: nothing is by itself, but all requests together are with it.
        name: Option<String>,
        /// Its bytes, or those of all requests.
        bytes: u64,
        /// How many there may be.
        most: u64,
    },
    /// A body came that has not the stated shape, or an echo that differs.
    Shape {
        /// What was asked for.
        request: Box<Asked>,
        /// What is wrong with it.
        why: Complaint,
    },
}

/// Why a single request met no whole response. `says` is what the system or a library said.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "met", rename_all = "kebab-case")]
pub enum NoResponse {
    /// Nobody listens.
    Connect {
        /// What was said.
        says: String,
    },
    /// The request could not be sent.
    Send {
        /// What was said.
        says: String,
    },
    /// An echo's message could not be sent.
    SendMessage {
        /// What was said.
        says: String,
    },
    /// No TLS with the server.
    Tls {
        /// How.
        why: Complaint,
    },
    /// A TCP echo goes without TLS, but the target speaks TLS.
    EchoOverTls {},
    /// The server speaks no HTTP/2, or not as it should.
    Http2 {
        /// How.
        why: Complaint,
    },
    /// No WebSocket was opened, or it broke.
    #[serde(rename = "websocket")]
    WebSocket {
        /// How.
        why: Complaint,
    },
    /// The call over gRPC failed, or what came is no reply of gRPC.
    Grpc {
        /// How.
        why: Complaint,
    },
    /// It took too long.
    Late {
        /// The bound in seconds.
        within_s: f64,
        /// The bytes that had come by then.
        bytes: u64,
    },
    /// It is larger than anything that is compared.
    TooLarge {
        /// The bound in MiB.
        mib: u64,
    },
    /// The user interrupted.
    Interrupted {},
    /// The connection broke.
    Read {
        /// The bytes that had come by then.
        bytes: u64,
        /// What was said.
        says: String,
    },
    /// The server closed the connection.
    Closed {
        /// The bytes that had come by then.
        bytes: u64,
    },
    /// More came than the response.
    Extra {
        /// Bytes beyond it.
        bytes: u64,
        /// Whether it was an echo.
        echo: bool,
    },
    /// It is no HTTP.
    NotHttp {
        /// Its first line.
        line: String,
    },
    /// It breaks HTTP/1.
    #[serde(rename = "http1")]
    Http1 {
        /// How.
        why: Complaint,
    },
}

impl NoResponse {
    /// Whether nobody listens, or the connection broke: as it does when a server ends.
    pub fn is_cut_off(&self) -> bool {
        use NoResponse::{Closed, Connect, Read, Send, SendMessage, Tls};
        let without_notice = Complaint::from(TlsFailure::NoCloseNotify {});
        match self {
            Connect { .. } | Send { .. } | SendMessage { .. } | Read { .. } | Closed { .. } => true,
            Tls { why } => *why == without_notice,
            _ => false,
        }
    }
}

impl NoResponse {
    /// Nobody listens, or no way leads there.
    pub fn connect(error: impl ToString) -> NoResponse {
        let says = error.to_string();
        NoResponse::Connect { says }
    }

    /// The request could not be sent.
    pub fn send(error: impl ToString) -> NoResponse {
        let says = error.to_string();
        NoResponse::Send { says }
    }

    /// An echo's message could not be sent.
    pub fn send_message(error: impl ToString) -> NoResponse {
        let says = error.to_string();
        NoResponse::SendMessage { says }
    }

    /// The response breaks HTTP/1.
    pub fn http1(why: impl Into<Complaint>) -> NoResponse {
        let why = why.into();
        NoResponse::Http1 { why }
    }

    /// The server speaks no HTTP/2, or not as it should.
    pub fn http2(why: impl Into<Complaint>) -> NoResponse {
        let why = why.into();
        NoResponse::Http2 { why }
    }

    /// No TLS with the server.
    pub fn tls(why: impl Into<Complaint>) -> NoResponse {
        let why = why.into();
        NoResponse::Tls { why }
    }

    /// The call over gRPC failed, or what came is no reply of gRPC.
    pub fn grpc(why: impl Into<Complaint>) -> NoResponse {
        let why = why.into();
        NoResponse::Grpc { why }
    }

    /// No WebSocket was opened, or it broke.
    pub fn websocket(why: impl Into<Complaint>) -> NoResponse {
        let why = why.into();
        NoResponse::WebSocket { why }
    }
}

/// Where two bodies differ first.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Difference {
    /// The first byte that differs, counted from 0.
    pub offset: u64,
    /// What was expected from there on, quoted and shortened; empty if nothing was.
    pub expected: String,
    /// What was there.
    pub got: String,
}
