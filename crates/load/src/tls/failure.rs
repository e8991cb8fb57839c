//! Why a handshake failed: a kind, and a sentence with what to do.

use jiff::Timestamp;
use rustls::{AlertDescription, CertificateError, Error};

use crate::outcome::ErrorKind;
use crate::tls::settings::is_issuer_s_own;

pub(super) const PLAIN_HTTP: &str =
    "the server speaks plain HTTP on this port: write http://, or give the port of its TLS";
pub(super) const NO_H2: &str = "the server does not choose HTTP/2 (ALPN h2): leave out --http2 (in a study, http2), or switch it on in the server";
pub(super) const NO_NOTIFY: &str = "the server closed the connection without TLS's close_notify: what it was sending may be cut off";
pub(super) const CUT_OFF: &str =
    "the server closed the connection in the middle of the TLS handshake; its log may say why";
pub(super) const SILENT: &str = "the server closed the connection at the first message of TLS: it may speak plain HTTP on this port (then write http://), or have no certificate for this host";

/// The kind and a sentence for what rustls found in a handshake with a server that was asked for by `name`. `h2`: HTTP/2
/// alone was offered.
pub fn explain(error: &Error, name: &str, h2: bool) -> (ErrorKind, String) {
    match error {
        Error::InvalidCertificate(wrong) => certificate(wrong, name),
        Error::AlertReceived(alert) => refused(*alert, h2),
        Error::PeerIncompatible(why) => (
            ErrorKind::TlsRefused,
            format!(
                "server and load generator have no version of TLS or no cipher suite in common ({why:?}): see --tls-max and --ciphers; TLS 1.2 with ECDHE or newer is needed"
            ),
        ),
        Error::NoApplicationProtocol => (ErrorKind::TlsRefused, NO_H2.to_owned()),
        Error::InvalidMessage(_) => (
            ErrorKind::TlsNotSpoken,
            format!("what the server says is not TLS ({error}): does it speak TLS on this port?"),
        ),
        error => (
            ErrorKind::TlsHandshake,
            format!("the TLS handshake failed: {error}"),
        ),
    }
}

/// What is wrong with the server's certificate.
fn certificate(wrong: &CertificateError, name: &str) -> (ErrorKind, String) {
    match wrong {
        // A bad signature: an issuer of that name is trusted, whose key is another.
        wrong
            if matches!(
                wrong,
                CertificateError::UnknownIssuer | CertificateError::BadSignature
            ) || is_issuer_s_own(wrong) =>
        (
            ErrorKind::TlsUnknownIssuer,
            "the certificate's issuer is not trusted (it may be self-signed): give the issuer's certificate with --cacert FILE, or accept every certificate with --insecure".to_owned(),
        ),
        CertificateError::NotValidForNameContext { presented, .. } => {
            let valid = match presented.as_slice() {
                [] => "no host".to_owned(),
                names => {
                    let names: Vec<&str> = names.iter().map(|name| bare(name)).collect();
                    names.join(", ")
                }
            };
            (
                ErrorKind::TlsWrongHost,
                format!(
                    "the certificate is for {valid} and not for {name}: load the server by a name that it has, or accept every certificate with --insecure"
                ),
            )
        }
        CertificateError::NotValidForName => (
            ErrorKind::TlsWrongHost,
            format!(
                "the certificate is not for {name}: load the server by a name that it has, or accept every certificate with --insecure"
            ),
        ),
        CertificateError::ExpiredContext { not_after, .. } => (
            ErrorKind::TlsExpired,
            format!(
                "the certificate expired on {}: renew it, or accept every certificate with --insecure",
                date(not_after.as_secs())
            ),
        ),
        CertificateError::NotValidYetContext { not_before, .. } => (
            ErrorKind::TlsExpired,
            format!(
                "the certificate is valid from {} only: is this machine's clock right?",
                date(not_before.as_secs())
            ),
        ),
        CertificateError::Expired | CertificateError::NotValidYet => (
            ErrorKind::TlsExpired,
            "the certificate is not valid at this time: renew it, or accept every certificate with --insecure".to_owned(),
        ),
        wrong => (
            ErrorKind::TlsCertificate,
            format!("the certificate cannot be accepted ({wrong}): replace it, or accept every certificate with --insecure"),
        ),
    }
}

/// A name of a certificate without the kind of name that rustls writes around it, as in `DnsName("example.org")`.
fn bare(name: &str) -> &str {
    let within = name
        .split_once('(')
        .and_then(|(_, rest)| rest.strip_suffix(')'));
    within.unwrap_or(name).trim_matches('"')
}

/// What the server did not like.
fn refused(alert: AlertDescription, h2: bool) -> (ErrorKind, String) {
    let says = match alert {
        AlertDescription::NoApplicationProtocol if h2 => NO_H2.to_owned(),
        AlertDescription::NoApplicationProtocol => {
            "the server refuses HTTP/1.1 (ALPN http/1.1): try --http2".to_owned()
        }
        AlertDescription::ProtocolVersion => {
            "the server refuses the versions of TLS that are offered: see --tls-max".to_owned()
        }
        AlertDescription::HandshakeFailure | AlertDescription::InsufficientSecurity => {
            "the server refuses what is offered: see --ciphers and --tls-max; it may also want a client certificate (--cert, --key)".to_owned()
        }
        AlertDescription::CertificateRequired
        | AlertDescription::BadCertificate
        | AlertDescription::UnknownCA
        | AlertDescription::CertificateUnknown
        | AlertDescription::CertificateExpired
        | AlertDescription::AccessDenied => format!(
            "the server does not accept the client's certificate ({alert:?}): give one that it trusts with --cert and --key"
        ),
        AlertDescription::UnrecognisedName => {
            "the server has no certificate for this host: load it by a name that it knows".to_owned()
        }
        alert => format!("the server ends TLS ({alert:?}); its log may say why"),
    };
    (ErrorKind::TlsRefused, says)
}

/// The day (UTC) of a time in seconds since 1970, as YYYY-MM-DD.
fn date(seconds: u64) -> String {
    let time = i64::try_from(seconds).map(Timestamp::from_second);
    // A certificate may name any time.
    time.ok().and_then(Result::ok).map_or_else(
        || "a day beyond the calendar".to_owned(),
        |time| time.strftime("%F").to_string(),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_shown_alone() {
        assert_eq!(bare("DnsName(\"example.org\")"), "example.org");
        assert_eq!(bare("IpAddress(127.0.0.1)"), "127.0.0.1");
        assert_eq!(bare("other"), "other");
    }

    #[test]
    fn days_are_those_of_the_calendar() {
        // As `date -u -d @N +%F` has them.
        for (seconds, day) in [
            (0, "1970-01-01"),
            (951_782_400, "2000-02-29"),
            (1_709_251_199, "2024-02-29"),
            (1_709_251_200, "2024-03-01"),
            (4_102_444_799, "2099-12-31"),
        ] {
            assert_eq!(date(seconds), day);
        }
    }
}
