//! What goes wrong with TLS.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::span;

/// What went wrong with TLS. `says` is what rustls or the system said.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema, Error)]
#[serde(tag = "failure", rename_all = "kebab-case")]
pub enum TlsFailure {
    /// The server speaks plain HTTP.
    #[error("the server speaks plain HTTP on this port: write http://, or give its TLS port")]
    PlainHttp {},
    /// What the server says is no TLS.
    #[error("what the server sent is not TLS ({says}): does it speak TLS on this port?")]
    NotSpoken {
        /// What was said.
        says: String,
    },
    /// The server closed the connection at the first message.
    #[error(
        "the server closed the connection at the first message of TLS: it may speak plain HTTP on this port (then write http://), or have no certificate for this host"
    )]
    ClosedAtOnce {},
    /// The server closed the connection in the middle of the handshake.
    #[error(
        "the server closed the connection in the middle of the TLS handshake; its log may say why"
    )]
    ClosedInHandshake {},
    /// The server closed the connection without saying so in TLS.
    #[error(
        "the server closed the connection without TLS's close_notify: what it was sending may be cut off"
    )]
    NoCloseNotify {},
    /// The handshake took too long.
    #[error("no TLS handshake was completed within {}; does the server speak TLS on this port?", span(*.within_s))]
    Late {
        /// The timeout, in seconds.
        within_s: f64,
    },
    /// The handshake failed.
    #[error("the TLS handshake failed: {says}")]
    Handshake {
        /// What was said.
        says: String,
    },
    /// The system broke the connection off in the handshake.
    #[error("in the TLS handshake: {says}")]
    Interrupted {
        /// What was said.
        says: String,
    },
    /// What came later is no good TLS, or no connection could be made.
    #[error("TLS: {says}")]
    Broken {
        /// What was said.
        says: String,
    },
    /// A message is longer than may be.
    #[error("TLS: a message is longer than allowed")]
    LongMessage {},
    /// No version or cipher suite in common.
    #[error(
        "server and load generator have no version of TLS or no cipher suite in common ({says}): see --tls-max and --ciphers; TLS 1.2 with ECDHE or newer is needed"
    )]
    NothingInCommon {
        /// What was said.
        says: String,
    },
    /// The server does not choose HTTP/2.
    #[error(
        "the server does not choose HTTP/2 (ALPN h2): leave out --http2 (in a study, http2), or switch it on in the server"
    )]
    NoHttp2 {},
    /// The server refuses HTTP/1.1.
    #[error("the server refuses HTTP/1.1 (ALPN http/1.1): try --http2")]
    NoHttp1 {},
    /// The server refuses the versions of TLS that are offered.
    #[error("the server refuses the versions of TLS that are offered: see --tls-max")]
    Versions {},
    /// The server refuses what is offered.
    #[error(
        "the server refuses what is offered: see --ciphers and --tls-max; it may also want a client certificate (--cert, --key)"
    )]
    Offer {},
    /// The server does not accept the client's certificate.
    #[error(
        "the server does not accept the client's certificate ({alert}): give one that it trusts with --cert and --key"
    )]
    ClientCertificate {
        /// The alert.
        alert: String,
    },
    /// The server has no certificate for the host.
    #[error("the server has no certificate for this host: load it by a name that it knows")]
    UnknownHost {},
    /// The server ends TLS with another alert.
    #[error("the server ends TLS ({alert}); its log may say why")]
    Alert {
        /// The alert.
        alert: String,
    },
    /// The certificate's issuer is not trusted.
    #[error(
        "the certificate leads to no issuer that is trusted (it may be self-signed, or the server does not send the intermediate certificates between): give the issuer's certificate with --cacert FILE, or accept every certificate with --insecure"
    )]
    UnknownIssuer {},
    /// The certificate is for other hosts.
    #[error("the certificate is {}not for {host}: load the server by a name that it has, or accept every certificate with --insecure", hosts(.valid_for))]
    WrongHost {
        /// The host that was asked for.
        host: String,
        /// Those that it is for; `null` = not known.
        valid_for: Option<Vec<String>>,
    },
    /// The certificate has expired.
    #[error("the certificate expired on {}: renew it, or accept every certificate with --insecure", day(.on))]
    Expired {
        /// The day (UTC), as YYYY-MM-DD; `null` = beyond the calendar.
        on: Option<String>,
    },
    /// The certificate is not valid yet.
    #[error("the certificate is valid from {} only: is this machine's clock right?", day(.from))]
    NotYetValid {
        /// From which day on, likewise.
        from: Option<String>,
    },
    /// The certificate is not valid at this time.
    #[error(
        "the certificate is not valid at this time: renew it, or accept every certificate with --insecure"
    )]
    NotValidNow {},
    /// The certificate cannot be accepted for another reason.
    #[error(
        "the certificate cannot be accepted ({says}): replace it, or accept every certificate with --insecure"
    )]
    Certificate {
        /// What was said.
        says: String,
    },
}

fn hosts(valid_for: &Option<Vec<String>>) -> String {
    match valid_for.as_deref() {
        None => String::new(),
        Some([]) => "for no host and ".to_owned(),
        Some(names) => format!("for {} and ", names.join(", ")),
    }
}

fn day(day: &Option<String>) -> &str {
    day.as_deref().unwrap_or("a day beyond the calendar")
}
