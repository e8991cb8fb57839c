//! How TLS is spoken, as flags say it; the files that they name are read here.

use std::path::Path;

use photofinish_load::tls::{InvalidTls, check};
use photofinish_model::Secret;
use photofinish_model::files;
use photofinish_model::settings::TlsSettings;
use photofinish_model::tls::{CIPHERS, Identity, Tls, Trust, cipher};

use crate::exit::Failure;

/// Reads the flags, and the files that they name; `None`: there are none.
///
/// # Errors
/// By the flag, with what is wrong with it.
pub(super) fn asked(given: &TlsSettings) -> Result<Option<Tls>, Failure> {
    let TlsSettings {
        cacert,
        insecure,
        cert,
        key,
        max,
        ciphers,
        resume,
    } = given;
    let tls = Tls {
        name: None,
        trust: match cacert {
            Some(file) => Trust::Issuers(read("--cacert", file)?),
            None if *insecure => Trust::Anyone,
            None => Trust::System,
        },
        identity: match (cert, key) {
            (Some(cert), Some(key)) => Some(Identity {
                certificate: read("--cert", cert)?,
                key: Secret::from_source(
                    read("--key", key)?,
                    &format!("--key {}", key.display()).into(),
                ),
            }),
            _ => None,
        },
        newest: *max,
        ciphers: ciphers
            .iter()
            .map(|name| suite(name))
            .collect::<Result<_, _>>()?,
        resume: *resume,
    };
    check(&tls).map_err(|wrong| {
        let file = match wrong {
            InvalidTls::Issuers(_) => cacert,
            InvalidTls::Certificate(_) | InvalidTls::Identity(_) => cert,
            InvalidTls::Key(_) => key,
            InvalidTls::NoSystemIssuers | InvalidTls::Name(_) | InvalidTls::Ciphers => &None,
        };
        let file = file
            .as_ref()
            .map_or_else(String::new, |file| format!("{}: ", file.display()));
        Failure::request(format!("{file}{wrong}"))
    })?;
    Ok((tls != Tls::default()).then_some(tls))
}

fn read(flag: &str, file: &Path) -> Result<Vec<u8>, Failure> {
    files::read_given(file, files::WRITTEN)
        .map_err(|e| Failure::request(format!("{flag}: cannot read {}: {e}", file.display())))
}

fn suite(name: &str) -> Result<String, Failure> {
    let known = || CIPHERS.map(|(iana, _)| iana).join(", ");
    let found = cipher(name).ok_or_else(|| {
        Failure::request(format!(
            "--ciphers {name}: this is not a cipher suite that can be spoken; there are {}",
            known()
        ))
    });
    found.map(str::to_owned)
}
