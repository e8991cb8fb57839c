//! From what a configuration says of TLS to what rustls needs.

use std::sync::Arc;

use photofinish_model::tls::{Identity, Tls, TlsVersion, Trust, ciphers_fit};
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::client::{WebPkiServerVerifier, verify_server_name};
use rustls::crypto::{
    CryptoProvider, WebPkiSupportedAlgorithms, ring, verify_tls12_signature, verify_tls13_signature,
};
use rustls::pki_types::pem::{self, PemObject};
use rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName, UnixTime};
use rustls::server::ParsedCertificate;
use rustls::{
    CertificateError, CipherSuite, ClientConfig, DigitallySignedStruct, Error, RootCertStore,
    SignatureScheme, version,
};

use crate::error::InvalidTls;

/// TLS towards one server, for all threads.
#[derive(Clone, Debug)]
pub struct Settings {
    /// What rustls needs; it resumes no session.
    pub config: Arc<ClientConfig>,
    /// What the server is called.
    pub name: ServerName<'static>,
    pub(super) resume: bool,
}

impl Settings {
    /// TLS with a server that requests call `authority`; `alpn` is offered in this order, and nothing where it is empty.
    ///
    /// # Errors
    /// With what cannot be.
    pub fn new(tls: &Tls, authority: &str, alpn: &[&[u8]]) -> Result<Settings, InvalidTls> {
        let host = tls.name.as_deref().unwrap_or_else(|| host(authority));
        let name =
            ServerName::try_from(host.to_owned()).map_err(|_| InvalidTls::Name(host.to_owned()))?;
        let provider = Arc::new(provider(tls)?);
        let versions: &[_] = match tls.newest {
            TlsVersion::Tls13 => &[&version::TLS13, &version::TLS12],
            TlsVersion::Tls12 => &[&version::TLS12],
        };
        let algorithms = provider.signature_verification_algorithms;
        let config = ClientConfig::builder_with_provider(Arc::clone(&provider))
            .with_protocol_versions(versions)
            .map_err(|_| InvalidTls::Ciphers)?;
        let given = match &tls.trust {
            Trust::Issuers(pem) => Some(Given::new(pem, &provider)?),
            Trust::Anyone | Trust::System => None,
        };
        let config = match &tls.trust {
            Trust::System => config.with_root_certificates(system_issuers()?),
            Trust::Anyone | Trust::Issuers(_) => config
                .dangerous()
                .with_custom_certificate_verifier(Arc::new(Accepted { algorithms, given })),
        };
        let mut config = match &tls.identity {
            None => config.with_no_client_auth(),
            Some(identity) => {
                let (chain, key) = own(identity, &provider)?;
                config
                    .with_client_auth_cert(chain, key)
                    .map_err(|error| InvalidTls::Identity(error.to_string()))?
            }
        };
        config.alpn_protocols = alpn.iter().map(|name| name.to_vec()).collect();
        config.resumption = rustls::client::Resumption::disabled();
        Ok(Settings {
            config: Arc::new(config),
            name,
            resume: tls.resume,
        })
    }
}

/// Whether a configuration can be, wherever load is sent from: certificates, key and cipher suites.
///
/// # Errors
/// With what cannot be.
pub fn check(tls: &Tls) -> Result<(), InvalidTls> {
    let provider = provider(tls)?;
    if let Trust::Issuers(pem) = &tls.trust {
        issuers(pem)?;
    }
    if let Some(identity) = &tls.identity {
        own(identity, &provider)?;
    }
    Ok(())
}

/// The host of `host:port`, `[host]:port` or `host`.
fn host(authority: &str) -> &str {
    if let Some(rest) = authority.strip_prefix('[') {
        return rest.split(']').next().unwrap_or(rest);
    }
    authority
        .rsplit_once(':')
        .map_or(authority, |(host, _)| host)
}

/// ring with the cipher suites that are asked for.
fn provider(tls: &Tls) -> Result<CryptoProvider, InvalidTls> {
    let mut provider = ring::default_provider();
    if tls.ciphers.is_empty() {
        return Ok(provider);
    }
    let all = std::mem::take(&mut provider.cipher_suites);
    for wanted in &tls.ciphers {
        let suite = all.iter().find(|suite| iana(suite.suite()) == *wanted);
        provider.cipher_suites.extend(suite);
    }
    match provider.cipher_suites.is_empty() || !ciphers_fit(&tls.ciphers, tls.newest) {
        true => Err(InvalidTls::Ciphers),
        false => Ok(provider),
    }
}

/// A suite's IANA name; rustls calls those of TLS 1.3 otherwise.
fn iana(suite: CipherSuite) -> String {
    let name = format!("{suite:?}");
    match name.strip_prefix("TLS13_") {
        Some(rest) => format!("TLS_{rest}"),
        None => name,
    }
}

/// The certificates of a file; `invalid` makes the error of what is wrong with it.
fn certificates(
    pem: &[u8],
    invalid: fn(String) -> InvalidTls,
) -> Result<Vec<CertificateDer<'static>>, InvalidTls> {
    let all: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(pem).collect();
    match all {
        Ok(all) if all.is_empty() => Err(invalid("no certificate in PEM format".to_owned())),
        Ok(all) => Ok(all),
        Err(error) => Err(invalid(format!(
            "no certificates in PEM format: {}",
            broken_pem(&error)
        ))),
    }
}

/// What is wrong with a file in PEM format, without the lines that the library quotes: they may be parts of a key.
fn broken_pem(error: &pem::Error) -> &'static str {
    match error {
        pem::Error::MissingSectionEnd { .. } => "a line with -----END is missing",
        pem::Error::IllegalSectionStart { .. } => "a line with -----BEGIN is not complete",
        pem::Error::Base64Decode(_) => "it is not base64 between -----BEGIN and -----END",
        pem::Error::NoItemsFound => "nothing of the kind is in it",
        _ => "it cannot be read",
    }
}

fn issuers(pem: &[u8]) -> Result<RootCertStore, InvalidTls> {
    let mut store = RootCertStore::empty();
    for certificate in certificates(pem, InvalidTls::Issuers)? {
        store.add(certificate).map_err(|error| {
            InvalidTls::Issuers(format!("a certificate that cannot be used: {error}"))
        })?;
    }
    Ok(store)
}

fn system_issuers() -> Result<RootCertStore, InvalidTls> {
    let mut store = RootCertStore::empty();
    // Some of a system's are of kinds that are long out of use.
    store.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
    match store.is_empty() {
        true => Err(InvalidTls::NoSystemIssuers),
        false => Ok(store),
    }
}

/// A chain of certificates and the key of its first.
type Own = (Vec<CertificateDer<'static>>, PrivateKeyDer<'static>);

fn own(identity: &Identity, provider: &CryptoProvider) -> Result<Own, InvalidTls> {
    let chain = certificates(&identity.certificate, InvalidTls::Certificate)?;
    let pem = identity.key.expose();
    if is_encrypted(pem) {
        return Err(InvalidTls::Key(
            "an encrypted private key; write it without its passphrase first (`openssl pkey -in KEY -out PLAIN`)".to_owned(),
        ));
    }
    let key = PrivateKeyDer::from_pem_slice(pem).map_err(|error| {
        InvalidTls::Key(format!(
            "no private key in PEM format: {}",
            broken_pem(&error)
        ))
    })?;
    if provider
        .key_provider
        .load_private_key(key.clone_key())
        .is_err()
    {
        return Err(InvalidTls::Key(
            "a private key of a kind that cannot be used; RSA, ECDSA over P-256 or P-384, and Ed25519 can".to_owned(),
        ));
    }
    Ok((chain, key))
}

/// Whether a private key in PEM format is encrypted, in the form of PKCS #8 or in OpenSSL's own.
fn is_encrypted(pem: &[u8]) -> bool {
    let marks: [&[u8]; 2] = [b"BEGIN ENCRYPTED PRIVATE KEY", b"Proc-Type: 4,ENCRYPTED"];
    (marks.iter()).any(|mark| memchr::memmem::find(pem, mark).is_some())
}

/// Accepts every certificate, or those that are given ones or lead to them; it always requires that the server has its key.
#[derive(Debug)]
struct Accepted {
    algorithms: WebPkiSupportedAlgorithms,
    /// `None`: every certificate.
    given: Option<Given>,
}

/// Certificates that are accepted, with those that lead to them: a self-signed certificate as `openssl req -x509` makes it, which says
/// that it may issue others, and one whose issuer is not known here.
#[derive(Debug)]
struct Given {
    usual: Arc<WebPkiServerVerifier>,
    given: Vec<CertificateDer<'static>>,
}

impl Given {
    fn new(pem: &[u8], provider: &Arc<CryptoProvider>) -> Result<Given, InvalidTls> {
        let usual = WebPkiServerVerifier::builder_with_provider(
            Arc::new(issuers(pem)?),
            Arc::clone(provider),
        )
        .build()
        .map_err(|error| InvalidTls::Issuers(format!("nothing that can be used: {error}")))?;
        Ok(Given {
            usual,
            given: certificates(pem, InvalidTls::Issuers)?,
        })
    }
}

/// Whether nothing else is wrong with a certificate than that it may issue others. Its dates were found to be good before that, its
/// host was not looked at.
pub(super) fn is_issuer_s_own(wrong: &CertificateError) -> bool {
    matches!(wrong, CertificateError::Other(other) if format!("{other:?}").contains("CaUsedAsEndEntity"))
}

/// Whether nothing else is wrong with a certificate than that nobody vouches for it, or a given one that is called like its issuer did not sign
/// it. Its dates were found to be good before that, its host was not looked at.
fn is_only_untrusted(wrong: &CertificateError) -> bool {
    use CertificateError::{BadSignature, UnknownIssuer};
    matches!(wrong, UnknownIssuer | BadSignature) || is_issuer_s_own(wrong)
}

impl ServerCertVerifier for Accepted {
    fn verify_server_cert(
        &self,
        certificate: &CertificateDer<'_>,
        between: &[CertificateDer<'_>],
        name: &ServerName<'_>,
        ocsp: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        let Some(Given { usual, given }) = &self.given else {
            return Ok(ServerCertVerified::assertion());
        };
        let usual = usual.verify_server_cert(certificate, between, name, ocsp, now);
        match &usual {
            Err(Error::InvalidCertificate(wrong))
                if is_only_untrusted(wrong) && given.contains(certificate) =>
            {
                verify_server_name(&ParsedCertificate::try_from(certificate)?, name)?;
                Ok(ServerCertVerified::assertion())
            }
            _ => usual,
        }
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        verify_tls12_signature(message, certificate, signature, &self.algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        verify_tls13_signature(message, certificate, signature, &self.algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.algorithms.supported_schemes()
    }
}

#[cfg(test)]
mod tests {
    use photofinish_model::samples::{assert_contains, assert_starts};
    use photofinish_model::tls::CIPHERS;

    use super::*;

    #[test]
    fn the_host_is_what_stands_before_the_port() {
        for (authority, name) in [
            ("localhost:8443", "localhost"),
            ("example.org", "example.org"),
            ("127.0.0.1:1", "127.0.0.1"),
            ("[::1]:443", "::1"),
            ("[::1]", "::1"),
        ] {
            assert_eq!(host(authority), name);
        }
    }

    #[test]
    fn a_key_that_cannot_be_used_is_named() {
        let certificate = rcgen::generate_simple_self_signed(vec!["localhost".to_owned()]);
        let certificate = certificate.expect("a certificate").cert.pem().into_bytes();
        let said = |key: &str| {
            let tls = Tls {
                identity: Some(Identity {
                    certificate: certificate.clone(),
                    key: key.as_bytes().to_vec().into(),
                }),
                ..Tls::default()
            };
            check(&tls).expect_err("refused").to_string()
        };
        for encrypted in [
            "-----BEGIN ENCRYPTED PRIVATE KEY-----\nMII=\n-----END ENCRYPTED PRIVATE KEY-----\n",
            "-----BEGIN RSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-256-CBC,AB\n\nMII=\n-----END RSA PRIVATE KEY-----\n",
        ] {
            assert_contains(&said(encrypted), "openssl pkey");
        }
        let unknown = "-----BEGIN PRIVATE KEY-----\nMAA=\n-----END PRIVATE KEY-----\n";
        assert_contains(&said(unknown), "P-256 or P-384");
    }

    #[test]
    fn every_cipher_suite_that_can_be_asked_for_is_there_and_no_other() {
        let provider = ring::default_provider();
        let ours: Vec<String> = (provider.cipher_suites.iter())
            .map(|suite| iana(suite.suite()))
            .collect();
        let known: Vec<&str> = CIPHERS.iter().map(|(iana, _)| *iana).collect();
        assert_eq!(ours, known);
    }

    #[test]
    fn what_cannot_be_is_named() {
        let tls = |trust| Tls {
            trust,
            ..Tls::default()
        };
        let wrong = |tls: Tls| check(&tls).expect_err("wrong").to_string();
        assert_eq!(
            wrong(tls(Trust::Issuers(b"hello".to_vec()))),
            "the issuers' file (--cacert) holds no certificate in PEM format"
        );
        let identity = Identity {
            certificate: b"-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n".to_vec(),
            key: b"no".to_vec().into(),
        };
        let says = wrong(Tls {
            identity: Some(identity),
            ..Tls::default()
        });
        assert_starts(&says, "the key's file (--key) holds no private key");
        let old = Tls {
            newest: TlsVersion::Tls12,
            ciphers: vec!["TLS_AES_128_GCM_SHA256".to_owned()],
            ..Tls::default()
        };
        assert!(wrong(old).contains("--ciphers"));
        let unnamed = Settings::new(&tls(Trust::Anyone), "a b:80", &[]).expect_err("no name");
        assert_eq!(unnamed, InvalidTls::Name("a b".to_owned()));
    }
}
