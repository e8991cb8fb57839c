use serde::{Deserialize, Serialize};

use super::close_code::CloseCode;
use super::grpc_fault::GrpcFault;

named! {
    /// How a request can end badly.
    #[serde(into = "&'static str", try_from = "String")]
    ErrorKind, PLAIN:
    /// Nobody listens.
    ConnectRefused "connect-refused";
    /// No connection within the timeout.
    ConnectTimeout "connect-timeout";
    /// Any other failure to connect.
    Connect "connect";
    /// This machine has no local port left for another connection to the server.
    NoLocalPort "no-local-port";
    /// The server's certificate leads to no issuer that is trusted.
    TlsUnknownIssuer "tls-unknown-issuer";
    /// The server's certificate is for another host.
    TlsWrongHost "tls-wrong-host";
    /// The server's certificate is not valid any more, or not yet.
    TlsExpired "tls-expired";
    /// Anything else that is wrong with the server's certificate.
    TlsCertificate "tls-certificate";
    /// The server speaks something else than TLS.
    TlsNotSpoken "tls-not-spoken";
    /// Client and server have no version, cipher suite or protocol in common, or the server wants another client certificate.
    TlsRefused "tls-refused";
    /// The TLS handshake was not done within the timeout.
    TlsTimeout "tls-timeout";
    /// Any other failure of the TLS handshake.
    TlsHandshake "tls-handshake";
    /// The connection was reset.
    Reset "reset";
    /// The connection was closed before the response was whole.
    Closed "closed-early";
    /// The same without TLS's close_notify.
    ClosedWithoutNotify "closed-without-notify";
    /// What came over TLS cannot be decrypted or breaks its rules, or the server ended it with an alert.
    BrokenTls "broken-tls";
    /// No whole response within the timeout.
    Timeout "timeout";
    /// Another status than expected.
    Status "status";
    /// Another body than expected.
    Body "body";
    /// Not HTTP, or beyond the limits of what is accepted.
    Malformed "malformed";
    /// Bytes that no request asked for: more than the head promised, or a second response.
    Unasked "unasked-bytes";
    /// Any other failure to send or to receive.
    Io "io";
    /// No response yet when the run stopped waiting.
    Censored "censored";
    and {
        /// A call over gRPC failed.
        Grpc(GrpcFault);
        /// The server closed the WebSocket before the reply was whole.
        WebSocket(CloseCode);
    }
}

/// How far a request came that ended badly.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Stage {
    /// It has no connection, and was not sent.
    NotSent,
    /// It ended before its response could come.
    Lost,
    /// It waited for as long as it may.
    Late,
    /// The server responded.
    Responded,
}

impl ErrorKind {
    fn stage(self) -> Stage {
        match self {
            ErrorKind::ConnectRefused
            | ErrorKind::ConnectTimeout
            | ErrorKind::Connect
            | ErrorKind::NoLocalPort
            | ErrorKind::TlsUnknownIssuer
            | ErrorKind::TlsWrongHost
            | ErrorKind::TlsExpired
            | ErrorKind::TlsCertificate
            | ErrorKind::TlsNotSpoken
            | ErrorKind::TlsRefused
            | ErrorKind::TlsTimeout
            | ErrorKind::TlsHandshake => Stage::NotSent,
            ErrorKind::Reset
            | ErrorKind::Closed
            | ErrorKind::ClosedWithoutNotify
            | ErrorKind::BrokenTls
            | ErrorKind::Io
            | ErrorKind::Censored
            | ErrorKind::WebSocket(_) => Stage::Lost,
            ErrorKind::Timeout => Stage::Late,
            ErrorKind::Status
            | ErrorKind::Body
            | ErrorKind::Malformed
            | ErrorKind::Unasked
            | ErrorKind::Grpc(_) => Stage::Responded,
        }
    }

    /// Whether the server responded, though not as expected.
    pub fn is_response(self) -> bool {
        self.stage() == Stage::Responded
    }

    /// Whether a request ended so before its response could come: how long that took is no response time.
    pub fn is_lost(self) -> bool {
        self.stage() == Stage::Lost
    }

    /// Whether a server that ends a connection so, before it has responded to anything on it, will do so again.
    pub fn is_refusal(self) -> bool {
        matches!(
            self,
            ErrorKind::Status | ErrorKind::Malformed | ErrorKind::Unasked | ErrorKind::BrokenTls
        )
    }

    /// Its place among all kinds.
    pub fn index(self) -> usize {
        KINDS.iter().position(|kind| *kind == self).unwrap_or(0)
    }
}

/// How many kinds there are.
pub const KIND_COUNT: usize = CLOSES + CloseCode::ALL.len();

/// The index of the first that is a fault of gRPC, and of the first close of a WebSocket.
const GRPC: usize = ErrorKind::PLAIN.len();
const CLOSES: usize = GRPC + GrpcFault::ALL.len();

/// All kinds of errors, in the order of their index.
pub const KINDS: [ErrorKind; KIND_COUNT] = {
    let mut kinds = [ErrorKind::Censored; KIND_COUNT];
    let mut at = 0;
    while at < KIND_COUNT {
        kinds[at] = match at {
            0..GRPC => ErrorKind::PLAIN[at],
            GRPC..CLOSES => ErrorKind::Grpc(GrpcFault::ALL[at - GRPC]),
            _ => ErrorKind::WebSocket(CloseCode::ALL[at - CLOSES]),
        };
        at += 1;
    }
    kinds
};

impl From<ErrorKind> for &'static str {
    fn from(kind: ErrorKind) -> &'static str {
        kind.name()
    }
}

/// A name that no kind has.
#[derive(Debug, thiserror::Error)]
#[error("there is no kind of error `{0}`")]
pub struct NoKind(String);

impl TryFrom<String> for ErrorKind {
    type Error = NoKind;

    fn try_from(name: String) -> Result<ErrorKind, NoKind> {
        let kind = KINDS.into_iter().find(|kind| kind.name() == name);
        kind.ok_or(NoKind(name))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_s_kind_has_one_name() {
        for kind in KINDS {
            let json = serde_json::to_string(&kind).unwrap();
            assert_eq!(json, format!("\"{}\"", kind.name()));
        }
    }
}
