//! How TLS is spoken to a server: data that travels to the machine that sends load.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::secret::Secret;

/// How TLS is spoken to a server. Certificates and keys are here with their content, so that no machine but the user's needs
/// their files.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tls {
    /// The host's name (or its address) that is asked for (SNI) and that the certificate must have; `None` = the host that
    /// requests name.
    pub name: Option<String>,
    /// Whose certificates are accepted.
    pub trust: Trust,
    /// What the client shows of itself (mutual TLS).
    pub identity: Option<Identity>,
    /// The highest version that is offered; 1.2 is always offered.
    pub newest: TlsVersion,
    /// The cipher suites that are offered, by their IANA names and in this order; empty = all of [`CIPHERS`].
    pub ciphers: Vec<String>,
    /// Whether a connection resumes the session of an earlier one where the server allows it.
    pub resume: bool,
}

impl Default for Tls {
    /// As a browser does: the system's issuers, TLS 1.3, sessions are resumed.
    fn default() -> Self {
        Tls {
            name: None,
            trust: Trust::System,
            identity: None,
            newest: TlsVersion::Tls13,
            ciphers: Vec::new(),
            resume: true,
        }
    }
}

/// Whose certificates are accepted.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Trust {
    /// Those that lead to one of the issuers which the machine that sends load trusts.
    System,
    /// Those that lead to one of these (PEM), or are one of these.
    Issuers(#[serde(with = "crate::bytes")] Vec<u8>),
    /// Every certificate.
    Anyone,
}

/// A certificate and its key, both PEM.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Identity {
    /// The certificate, and those between it and its issuer.
    #[serde(with = "crate::bytes")]
    pub certificate: Vec<u8>,
    /// The private key.
    pub key: Secret<Vec<u8>>,
}

impl fmt::Debug for Identity {
    /// Without the key.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Identity({} bytes)", self.certificate.len())
    }
}

crate::worded! {
    /// A version of TLS.
    #[derive(Serialize, Deserialize)]
    #[serde(rename_all = "kebab-case")]
    TlsVersion = Tls13;
    /// RFC 5246.
    Tls12 "1.2";
    /// RFC 8446.
    Tls13 "1.3";
}

/// The cipher suites that there are: the IANA name, and that of OpenSSL where it has another.
pub const CIPHERS: [(&str, &str); 9] = [
    ("TLS_AES_256_GCM_SHA384", "TLS_AES_256_GCM_SHA384"),
    ("TLS_AES_128_GCM_SHA256", "TLS_AES_128_GCM_SHA256"),
    (
        "TLS_CHACHA20_POLY1305_SHA256",
        "TLS_CHACHA20_POLY1305_SHA256",
    ),
    (
        "TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384",
        "ECDHE-ECDSA-AES256-GCM-SHA384",
    ),
    (
        "TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256",
        "ECDHE-ECDSA-AES128-GCM-SHA256",
    ),
    (
        "TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256",
        "ECDHE-ECDSA-CHACHA20-POLY1305",
    ),
    (
        "TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384",
        "ECDHE-RSA-AES256-GCM-SHA384",
    ),
    (
        "TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256",
        "ECDHE-RSA-AES128-GCM-SHA256",
    ),
    (
        "TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256",
        "ECDHE-RSA-CHACHA20-POLY1305",
    ),
];

/// The IANA name of a cipher suite that is called so by IANA or OpenSSL; `None` where it is none of [`CIPHERS`].
pub fn cipher(name: &str) -> Option<&'static str> {
    let same = |other: &str| other.eq_ignore_ascii_case(name);
    let found = CIPHERS
        .iter()
        .find(|(iana, openssl)| same(iana) || same(openssl));
    found.map(|(iana, _)| *iana)
}

/// Whether some of the cipher suites are of a version that is offered. Those of TLS 1.3 begin with `TLS_AES` or `TLS_CHACHA20`, and
/// those of 1.2 name a key exchange.
pub fn ciphers_fit(ciphers: &[String], newest: TlsVersion) -> bool {
    ciphers.is_empty()
        || newest == TlsVersion::Tls13
        || ciphers.iter().any(|name| name.contains("_WITH_"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ciphers_go_by_two_names() {
        assert_eq!(
            cipher("tls_aes_128_gcm_sha256"),
            Some("TLS_AES_128_GCM_SHA256")
        );
        assert_eq!(
            cipher("ECDHE-RSA-AES128-GCM-SHA256"),
            Some("TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256")
        );
        assert_eq!(cipher("RC4-MD5"), None);
    }

    #[test]
    fn a_cipher_of_tls_1_3_cannot_be_alone_below_it() {
        let named = |name: &str| vec![name.to_owned()];
        let new = named("TLS_AES_128_GCM_SHA256");
        let old = named("TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256");
        assert!(ciphers_fit(&new, TlsVersion::Tls13));
        assert!(!ciphers_fit(&new, TlsVersion::Tls12));
        assert!(ciphers_fit(&old, TlsVersion::Tls12));
        assert!(ciphers_fit(&[], TlsVersion::Tls12));
    }

    #[test]
    fn a_key_is_never_shown() {
        let tls = Tls {
            identity: Some(Identity {
                certificate: b"public".to_vec(),
                key: b"secret".to_vec().into(),
            }),
            ..Tls::default()
        };
        assert!(!format!("{tls:?}").contains("115"), "no byte of it");
        let json = crate::secret::exposing(|| serde_json::to_string(&tls)).expect("JSON");
        assert_eq!(serde_json::from_str::<Tls>(&json).expect("reads back"), tls);
    }
}
