//! What goes wrong with TLS.

use crate::finding::complaint::TlsFailure;

use super::span;

pub(super) fn failure(failure: &TlsFailure) -> String {
    match failure {
        TlsFailure::PlainHttp {} => "the server speaks plain HTTP on this port: write http://, or give its TLS port".to_owned(),
        TlsFailure::NotSpoken { says } => {
            format!("what the server sent is not TLS ({says}): does it speak TLS on this port?")
        }
        TlsFailure::ClosedAtOnce {} => "the server closed the connection at the first message of TLS: it may speak plain HTTP on this port (then write http://), or have no certificate for this host".to_owned(),
        TlsFailure::ClosedInHandshake {} => "the server closed the connection in the middle of the TLS handshake; its log may say why".to_owned(),
        TlsFailure::NoCloseNotify {} => "the server closed the connection without TLS's close_notify: what it was sending may be cut off".to_owned(),
        TlsFailure::Late { within_s } => format!(
            "no TLS handshake was completed within {}; does the server speak TLS on this port?",
            span(*within_s)
        ),
        TlsFailure::Handshake { says } => format!("the TLS handshake failed: {says}"),
        TlsFailure::Interrupted { says } => format!("in the TLS handshake: {says}"),
        TlsFailure::Broken { says } => format!("TLS: {says}"),
        TlsFailure::LongMessage {} => "TLS: a message is longer than allowed".to_owned(),
        TlsFailure::NothingInCommon { says } => format!(
            "server and load generator have no version of TLS or no cipher suite in common ({says}): see --tls-max and --ciphers; TLS 1.2 with ECDHE or newer is needed"
        ),
        TlsFailure::NoHttp2 {} => "the server does not choose HTTP/2 (ALPN h2): leave out --http2 (in a study, http2), or switch it on in the server".to_owned(),
        TlsFailure::NoHttp1 {} => {
            "the server refuses HTTP/1.1 (ALPN http/1.1): try --http2".to_owned()
        }
        TlsFailure::Versions {} => {
            "the server refuses the versions of TLS that are offered: see --tls-max".to_owned()
        }
        TlsFailure::Offer {} => "the server refuses what is offered: see --ciphers and --tls-max; it may also want a client certificate (--cert, --key)".to_owned(),
        TlsFailure::ClientCertificate { alert } => format!(
            "the server does not accept the client's certificate ({alert}): give one that it trusts with --cert and --key"
        ),
        TlsFailure::UnknownHost {} => {
            "the server has no certificate for this host: load it by a name that it knows".to_owned()
        }
        TlsFailure::Alert { alert } => {
            format!("the server ends TLS ({alert}); its log may say why")
        }
        TlsFailure::UnknownIssuer {} => "the certificate leads to no issuer that is trusted (it may be self-signed, or the server does not send the intermediate certificates between): give the issuer's certificate with --cacert FILE, or accept every certificate with --insecure".to_owned(),
        TlsFailure::WrongHost {
            host,
            valid_for: Some(names),
        } => {
            let valid = match names.as_slice() {
                [] => "no host".to_owned(),
                names => names.join(", "),
            };
            format!(
                "the certificate is for {valid} and not for {host}: load the server by a name that it has, or accept every certificate with --insecure"
            )
        }
        TlsFailure::WrongHost {
            host,
            valid_for: None,
        } => format!(
            "the certificate is not for {host}: load the server by a name that it has, or accept every certificate with --insecure"
        ),
        TlsFailure::Expired { on } => format!(
            "the certificate expired on {}: renew it, or accept every certificate with --insecure",
            day(on.as_deref())
        ),
        TlsFailure::NotYetValid { from } => format!(
            "the certificate is valid from {} only: is this machine's clock right?",
            day(from.as_deref())
        ),
        TlsFailure::NotValidNow {} => "the certificate is not valid at this time: renew it, or accept every certificate with --insecure".to_owned(),
        TlsFailure::Certificate { says } => format!(
            "the certificate cannot be accepted ({says}): replace it, or accept every certificate with --insecure"
        ),
    }
}

fn day(day: Option<&str>) -> &str {
    day.unwrap_or("a day beyond the calendar")
}
