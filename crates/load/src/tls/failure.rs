//! Why a handshake failed: a kind, and what to say of it.

use jiff::Timestamp;
use photofinish_model::finding::complaint::TlsFailure;
use rustls::{AlertDescription, CertificateError, Error};

use crate::outcome::ErrorKind;
use crate::tls::settings::is_issuer_s_own;

/// What rustls found in a handshake with a server that was asked for by `name`. `h2`: HTTP/2 alone was offered.
pub fn explain(error: &Error, name: &str, h2: bool) -> (ErrorKind, TlsFailure) {
    match error {
        Error::InvalidCertificate(wrong) => certificate(wrong, name),
        Error::AlertReceived(alert) => (ErrorKind::TlsRefused, refused(*alert, h2)),
        Error::PeerIncompatible(why) => {
            let says = format!("{why:?}");
            (ErrorKind::TlsRefused, TlsFailure::NothingInCommon { says })
        }
        Error::NoApplicationProtocol => (ErrorKind::TlsRefused, TlsFailure::NoHttp2 {}),
        Error::InvalidMessage(_) => {
            let says = error.to_string();
            (ErrorKind::TlsNotSpoken, TlsFailure::NotSpoken { says })
        }
        error => {
            let says = error.to_string();
            (ErrorKind::TlsHandshake, TlsFailure::Handshake { says })
        }
    }
}

/// What is wrong with the server's certificate.
fn certificate(wrong: &CertificateError, name: &str) -> (ErrorKind, TlsFailure) {
    let wrong_host = |valid_for| TlsFailure::WrongHost {
        host: name.to_owned(),
        valid_for,
    };
    match wrong {
        // A bad signature: an issuer of that name is trusted, whose key is another.
        wrong
            if matches!(
                wrong,
                CertificateError::UnknownIssuer | CertificateError::BadSignature
            ) || is_issuer_s_own(wrong) =>
        {
            (ErrorKind::TlsUnknownIssuer, TlsFailure::UnknownIssuer {})
        }
        CertificateError::NotValidForNameContext { presented, .. } => {
            let names = presented.iter().map(|name| bare(name).to_owned());
            (ErrorKind::TlsWrongHost, wrong_host(Some(names.collect())))
        }
        CertificateError::NotValidForName => (ErrorKind::TlsWrongHost, wrong_host(None)),
        CertificateError::ExpiredContext { not_after, .. } => {
            let on = date(not_after.as_secs());
            (ErrorKind::TlsExpired, TlsFailure::Expired { on })
        }
        CertificateError::NotValidYetContext { not_before, .. } => {
            let from = date(not_before.as_secs());
            (ErrorKind::TlsExpired, TlsFailure::NotYetValid { from })
        }
        CertificateError::Expired | CertificateError::NotValidYet => {
            (ErrorKind::TlsExpired, TlsFailure::NotValidNow {})
        }
        wrong => {
            let says = wrong.to_string();
            (ErrorKind::TlsCertificate, TlsFailure::Certificate { says })
        }
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
fn refused(alert: AlertDescription, h2: bool) -> TlsFailure {
    match alert {
        AlertDescription::NoApplicationProtocol if h2 => TlsFailure::NoHttp2 {},
        AlertDescription::NoApplicationProtocol => TlsFailure::NoHttp1 {},
        AlertDescription::ProtocolVersion => TlsFailure::Versions {},
        AlertDescription::HandshakeFailure | AlertDescription::InsufficientSecurity => {
            TlsFailure::Offer {}
        }
        AlertDescription::CertificateRequired
        | AlertDescription::BadCertificate
        | AlertDescription::UnknownCA
        | AlertDescription::CertificateUnknown
        | AlertDescription::CertificateExpired
        | AlertDescription::AccessDenied => TlsFailure::ClientCertificate {
            alert: format!("{alert:?}"),
        },
        AlertDescription::UnrecognisedName => TlsFailure::UnknownHost {},
        alert => TlsFailure::Alert {
            alert: format!("{alert:?}"),
        },
    }
}

/// The day (UTC) of a time in seconds since 1970, as YYYY-MM-DD; a certificate may name any time, beyond the calendar too.
fn date(seconds: u64) -> Option<String> {
    let seconds = i64::try_from(seconds).ok()?;
    let time = Timestamp::from_second(seconds).ok()?;
    Some(time.strftime("%F").to_string())
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
            assert_eq!(date(seconds).as_deref(), Some(day));
        }
        assert_eq!(date(u64::MAX), None);
    }
}
