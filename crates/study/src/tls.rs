//! `[tls]`: how TLS is spoken to a target.

use std::path::Path;

use photofinish_model::files;
use photofinish_model::tls::{CIPHERS, Identity, Tls, TlsVersion, Trust, cipher, ciphers_fit};

use crate::nearest::advice;
use crate::reader::{Node, Section};

/// Reads the table, and the files that it names from the target's folder.
pub(crate) fn read_tls(node: &Node<'_>, dir: &Path) -> Option<Tls> {
    let section = node.section()?;
    let insecure: bool = section.value_or_default("insecure");
    let cacert = section.get("cacert");
    let issuers = cacert
        .as_ref()
        .and_then(|node| read_pem(node, dir, "CERTIFICATE"));
    let trust = match (issuers, insecure) {
        (Some(issuers), _) => Trust::Issuers(issuers),
        (None, true) => Trust::Anyone,
        (None, false) => Trust::System,
    };
    if let (Some(node), true) = (&cacert, insecure) {
        node.note(
            "with insecure = true every certificate is accepted",
            "leave one of the two out",
        );
    }
    let newest: TlsVersion = section.value_or_default("max");
    Some(Tls {
        name: section.text("name").map(str::to_owned),
        trust,
        identity: read_identity(&section, dir),
        newest,
        ciphers: read_ciphers(&section, newest),
        resume: section.value_or_default("resume"),
    })
}

fn read_identity(section: &Section<'_>, dir: &Path) -> Option<Identity> {
    let (certificate, key) = (section.get("cert"), section.get("key"));
    if let (Some(alone), None) | (None, Some(alone)) = (&certificate, &key) {
        alone.note(
            "a client certificate and its key belong together",
            "write cert = \"client.pem\" and key = \"client.key\"",
        );
    }
    Some(Identity {
        certificate: read_pem(&certificate?, dir, "CERTIFICATE")?,
        key: read_pem(&key?, dir, "PRIVATE KEY")?.into(),
    })
}

fn read_ciphers(section: &Section<'_>, newest: TlsVersion) -> Vec<String> {
    let Some(list) = section.get("ciphers") else {
        return Vec::new();
    };
    let mut ciphers = Vec::new();
    for node in list.one_or_more() {
        let Some(text) = node.text() else { continue };
        match cipher(text) {
            Some(name) => ciphers.push(name.to_owned()),
            None => {
                let known = CIPHERS.iter().map(|(iana, _)| *iana);
                let help = advice(text, "cipher suites", known);
                node.note(format!("unknown cipher suite `{text}`"), help);
            }
        }
    }
    if !ciphers_fit(&ciphers, newest) {
        list.note(
            "none of these is a cipher suite of TLS 1.2",
            "leave out max, or add one such as TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256",
        );
    }
    ciphers
}

/// A file in PEM format that holds such a thing.
fn read_pem(node: &Node<'_>, dir: &Path, what: &str) -> Option<Vec<u8>> {
    let path = dir.join(node.text()?);
    let shown = path.display();
    match files::read(&path, files::WRITTEN) {
        Ok(bytes) if String::from_utf8_lossy(&bytes).contains(&format!("{what}-----")) => {
            return Some(bytes);
        }
        Ok(_) => node.note(
            format!("{shown} holds no {} in PEM format", what.to_lowercase()),
            "",
        ),
        Err(error) => node.note(
            format!("cannot read {shown}: {error}"),
            "name a file in PEM format, from the target's folder",
        ),
    }
    None
}
