//! What goes wrong with TLS.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What went wrong with TLS. `says` is what rustls or the system said.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "failure", rename_all = "kebab-case")]
pub enum TlsFailure {
    /// The server speaks plain HTTP.
    PlainHttp {},
    /// What the server says is no TLS.
    NotSpoken {
        /// What was said.
        says: String,
    },
    /// The server closed the connection at the first message.
    ClosedAtOnce {},
    /// The server closed the connection in the middle of the handshake.
    ClosedInHandshake {},
    /// The server closed the connection without saying so in TLS.
    NoCloseNotify {},
    /// The handshake took too long.
    Late {
        /// The timeout, in seconds.
        within_s: f64,
    },
    /// The handshake failed.
    Handshake {
        /// What was said.
        says: String,
    },
    /// The system broke the connection off in the handshake.
    Interrupted {
        /// What was said.
        says: String,
    },
    /// What came later is no good TLS, or no connection could be made.
    Broken {
        /// What was said.
        says: String,
    },
    /// A message is longer than may be.
    LongMessage {},
    /// No version or cipher suite in common.
    NothingInCommon {
        /// What was said.
        says: String,
    },
    /// The server does not choose HTTP/2.
    NoHttp2 {},
    /// The server refuses HTTP/1.1.
    NoHttp1 {},
    /// The server refuses the versions of TLS that are offered.
    Versions {},
    /// The server refuses what is offered.
    Offer {},
    /// The server does not accept the client's certificate.
    ClientCertificate {
        /// The alert.
        alert: String,
    },
    /// The server has no certificate for the host.
    UnknownHost {},
    /// The server ends TLS with another alert.
    Alert {
        /// The alert.
        alert: String,
    },
    /// The certificate's issuer is not trusted.
    UnknownIssuer {},
    /// The certificate is for other hosts.
    WrongHost {
        /// The host that was asked for.
        host: String,
        /// Those that it is for; `null` = not known.
        valid_for: Option<Vec<String>>,
    },
    /// The certificate has expired.
    Expired {
        /// The day (UTC), as YYYY-MM-DD; `null` = beyond the calendar.
        on: Option<String>,
    },
    /// The certificate is not valid yet.
    NotYetValid {
        /// From which day on, likewise.
        from: Option<String>,
    },
    /// The certificate is not valid at this time.
    NotValidNow {},
    /// The certificate cannot be accepted for another reason.
    Certificate {
        /// What was said.
        says: String,
    },
}
