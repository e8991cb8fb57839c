//! What is wrong with the response to a single request, or why there was none.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::RequestFault;
use crate::finding::asked::Asked;
use crate::finding::complaint::{Complaint, TlsFailure, on_redirect, redirect, span};

/// Why a server was not verified.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema, Error)]
#[serde(tag = "wrong", rename_all = "kebab-case")]
pub enum Wrong {
    /// No whole response came.
    #[error("{}: {met}", .request.message())]
    Silent {
        /// What was asked for.
        request: Box<Asked>,
        /// What came of it.
        met: NoResponse,
    },
    /// The request cannot be built.
    #[error("{}: {why}", .request.message())]
    Request {
        /// What should be asked for.
        request: Box<Asked>,
        /// Why.
        why: RequestFault,
    },
    /// Another status came than the one that was stated.
    #[error("{}: {}", .request.message(), status(*.expected, *.got, .body, *.more))]
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
    #[error("{}: wrong body: expected {expected_bytes} bytes, got {got_bytes}; {difference}", .request.message())]
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
    #[error("{}: the response has nothing at {from}, from which {{login.{name}}} is taken; {}", .request.message(), begins(.body, *.more))]
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
    #[error("{}: {} {bytes} bytes long; at most {most} can be sent", .request.message(), sized(.name))]
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
    /// A redirect that was to be followed cannot be.
    #[error("{}: {why}", .request.message())]
    Redirect {
        /// What was asked for.
        request: Box<Asked>,
        /// Why not.
        why: Unfollowed,
    },
    /// A body came that has not the stated shape, or an echo that differs.
    #[error("{}: {why}", .request.message())]
    Shape {
        /// What was asked for.
        request: Box<Asked>,
        /// What is wrong with it.
        why: Complaint,
    },
}

/// Why a redirect cannot be followed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema, Error)]
#[serde(tag = "unfollowed", rename_all = "kebab-case")]
pub enum Unfollowed {
    /// It leads to another server.
    #[error(
        "it redirects to {to}, which is another server, and redirects are followed on the same one only: give a URL of the server that is to be measured"
    )]
    Elsewhere {
        /// Where it leads.
        to: String,
    },
    /// It leads nowhere.
    #[error("status {status} has no Location that is a URL, so there is nothing to follow")]
    Nowhere {
        /// The status that came.
        status: u16,
    },
    /// The redirects have no end.
    #[error("more than {most} redirects, one after the other: they lead in a circle")]
    TooMany {
        /// The most that are followed.
        most: u32,
    },
}

/// Why a single request met no whole response. `says` is what the system or a library said.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema, Error)]
#[serde(tag = "met", rename_all = "kebab-case")]
pub enum NoResponse {
    /// Nobody listens.
    #[error("connect: {says}")]
    Connect {
        /// What was said.
        says: String,
    },
    /// The request could not be sent.
    #[error("send the request: {says}")]
    Send {
        /// What was said.
        says: String,
    },
    /// An echo's message could not be sent.
    #[error("send the message: {says}")]
    SendMessage {
        /// What was said.
        says: String,
    },
    /// No TLS with the server.
    #[error("{why}")]
    Tls {
        /// How.
        why: Complaint,
    },
    /// A TCP echo goes without TLS, but the target speaks TLS.
    #[error("a TCP echo does not use TLS, but the target does: remove its [tls]")]
    EchoOverTls {},
    /// The server speaks no HTTP/2, or not as it should.
    #[error("HTTP/2: {why}; does the server speak HTTP/2 on this port?")]
    Http2 {
        /// How.
        why: Complaint,
    },
    /// No WebSocket was opened, or it broke.
    #[serde(rename = "websocket")]
    #[error("WebSocket: {why}; does the server open one at this path?")]
    WebSocket {
        /// How.
        why: Complaint,
    },
    /// The call over gRPC failed, or what came is no reply of gRPC.
    #[error("gRPC: {why}")]
    Grpc {
        /// How.
        why: Complaint,
    },
    /// It took too long.
    #[error("no complete response within {}; {bytes} bytes had arrived", span(*.within_s))]
    Late {
        /// The bound in seconds.
        within_s: f64,
        /// The bytes that had come by then.
        bytes: u64,
    },
    /// It is larger than anything that is compared.
    #[error("the response is larger than {mib} MiB")]
    TooLarge {
        /// The bound in MiB.
        mib: u64,
    },
    /// The user interrupted.
    #[error("interrupted")]
    Interrupted {},
    /// The connection broke.
    #[error("read the response after {bytes} bytes: {says}")]
    Read {
        /// The bytes that had come by then.
        bytes: u64,
        /// What was said.
        says: String,
    },
    /// The server closed the connection.
    #[error(
        "the server closed the connection after {bytes} bytes, before the response was complete"
    )]
    Closed {
        /// The bytes that had come by then.
        bytes: u64,
    },
    /// More came than the response.
    #[error("{bytes} unsolicited {} came after the complete {}", if *.bytes == 1 { "byte" } else { "bytes" }, if *.echo { "echo" } else { "response" })]
    Extra {
        /// Bytes beyond it.
        bytes: u64,
        /// Whether it was an echo.
        echo: bool,
    },
    /// It is no HTTP.
    #[error("the response is not HTTP/1: it begins with {line:?}")]
    NotHttp {
        /// Its first line.
        line: String,
    },
    /// It breaks HTTP/1.
    #[serde(rename = "http1")]
    #[error("{why}")]
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

/// Makes a function of each way in which a request meets no response, from what was said of it.
macro_rules! met {
    ($what:ident: $given:path => $into:ident; $($(#[doc = $doc:literal])+ $name:ident $variant:ident;)+) => {
        impl NoResponse {
            $(
                $(#[doc = $doc])+
                pub fn $name($what: impl $given) -> NoResponse {
                    let $what = $what.$into();
                    NoResponse::$variant { $what }
                }
            )+
        }
    };
}

met! { says: ToString => to_string;
    /// Nobody listens, or no way leads there.
    connect Connect;
    /// The request could not be sent.
    send Send;
    /// An echo's message could not be sent.
    send_message SendMessage;
}

met! { why: Into<Complaint> => into;
    /// The response breaks HTTP/1.
    http1 Http1;
    /// The server speaks no HTTP/2, or not as it should.
    http2 Http2;
    /// No TLS with the server.
    tls Tls;
    /// The call over gRPC failed, or what came is no reply of gRPC.
    grpc Grpc;
    /// No WebSocket was opened, or it broke.
    websocket WebSocket;
}

/// Where two bodies differ first.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema, Error)]
#[error("they differ first at offset {offset}: expected {}, got {}", or_nothing(.expected), or_nothing(.got))]
pub struct Difference {
    /// The first byte that differs, counted from 0.
    pub offset: u64,
    /// What was expected from there on, quoted and shortened; empty if nothing was.
    pub expected: String,
    /// What was there.
    pub got: String,
}

fn status(expected: Option<u16>, got: u16, body: &str, more: bool) -> String {
    if expected.is_none() && !redirect(got).is_empty() {
        return format!("got status {got}{}, {}", redirect(got), on_redirect(got));
    }
    let expected = expected.map_or_else(
        || "a status from 200 to 299".to_owned(),
        |status| format!("status {status}"),
    );
    let body = match body {
        "" => "nothing".to_owned(),
        body => format!("\"{body}\"{}", ellipsis(more)),
    };
    format!("expected {expected}, got {got} with the body {body}")
}

fn begins(body: &str, more: bool) -> String {
    match body {
        "" => "it has no body".to_owned(),
        body => format!("its body begins with \"{body}\"{}", ellipsis(more)),
    }
}

fn sized(name: &Option<String>) -> String {
    match name {
        Some(name) => format!("{{login.{name}}} would be"),
        None => "with what is taken from its response all requests together are".to_owned(),
    }
}

fn ellipsis(more: bool) -> &'static str {
    if more { "…" } else { "" }
}

fn or_nothing(text: &str) -> &str {
    if text.is_empty() { "nothing" } else { text }
}
