//! TLS for the built-in servers: a certificate of its own, made at the start.

use std::net::IpAddr;
use std::sync::Arc;

use rcgen::{BasicConstraints, CertificateParams, DnType, IsCa, Issuer, KeyPair};
use rustls::ServerConfig;
use rustls::crypto::ring;
use rustls::pki_types::PrivatePkcs8KeyDer;

/// How a built-in server speaks TLS: TLS 1.2 and 1.3, by a certificate for `localhost`, the loopback addresses and the address at which
/// it listens.
#[derive(Clone, Debug)]
pub struct Tls {
    pub(crate) config: Arc<ServerConfig>,
    /// The certificate of its issuer, as PEM: what clients have to trust.
    pub issuer: String,
}

/// Why there is no certificate.
#[derive(Debug, thiserror::Error)]
pub enum TlsError {
    /// It could not be made.
    #[error("make a certificate: {0}")]
    Certificate(#[from] rcgen::Error),
    /// It cannot be used.
    #[error("use the certificate: {0}")]
    Config(#[from] rustls::Error),
}

impl Tls {
    /// Makes an issuer and a certificate by it; both end with this process. With `http2` that is offered by ALPN, before HTTP/1.1.
    ///
    /// # Errors
    /// If the system gives no random numbers.
    pub fn new(host: IpAddr, http2: bool) -> Result<Tls, TlsError> {
        let mut ours = CertificateParams::new(Vec::new())?;
        ours.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        ours.distinguished_name
            .push(DnType::CommonName, "photofinish server");
        let key = KeyPair::generate()?;
        let issuer = ours.self_signed(&key)?.pem();
        let names = [
            "localhost".to_owned(),
            "127.0.0.1".to_owned(),
            "::1".to_owned(),
        ];
        let mut names: Vec<String> = names.into();
        let own = host.to_string();
        if !host.is_unspecified() && !names.contains(&own) {
            names.push(own);
        }
        let server = KeyPair::generate()?;
        let certificate =
            CertificateParams::new(names)?.signed_by(&server, &Issuer::new(ours, key))?;
        let mut config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
            .with_safe_default_protocol_versions()?
            .with_no_client_auth()
            .with_single_cert(
                vec![certificate.der().clone()],
                PrivatePkcs8KeyDer::from(server.serialize_der()).into(),
            )?;
        let offered: &[&[u8]] = match http2 {
            true => &[b"h2", b"http/1.1"],
            false => &[b"http/1.1"],
        };
        config.alpn_protocols = offered.iter().map(|name| name.to_vec()).collect();
        Ok(Tls {
            config: Arc::new(config),
            issuer,
        })
    }
}
