//! Servers that speak TLS, and the certificates that they show.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::thread;

use photofinish_load::Config;
use photofinish_model::{Tls, Trust};
use rcgen::{BasicConstraints, CertificateParams, IsCa, Issuer, KeyPair};
use rustls::pki_types::{CertificateDer, PrivateKeyDer, PrivatePkcs8KeyDer};
use rustls::{ServerConfig, ServerConnection};

/// An issuer of certificates.
pub struct Ca {
    issuer: Issuer<'static, KeyPair>,
    pub pem: String,
}

impl Ca {
    pub fn new() -> Ca {
        let mut params = CertificateParams::new(Vec::new()).expect("no names");
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let key = KeyPair::generate().expect("a key");
        let pem = params.self_signed(&key).expect("a certificate").pem();
        Ca {
            issuer: Issuer::new(params, key),
            pem,
        }
    }

    /// A certificate for a host, changed as wished.
    pub fn issue(&self, host: &str, change: impl FnOnce(&mut CertificateParams)) -> Own {
        let mut params = CertificateParams::new(vec![host.to_owned()]).expect("a name");
        change(&mut params);
        let key = KeyPair::generate().expect("a key");
        let certificate = params.signed_by(&key, &self.issuer).expect("a certificate");
        Own {
            pem: certificate.pem(),
            key_pem: key.serialize_pem(),
            certificate: certificate.der().clone(),
            key: key.serialize_der(),
        }
    }
}

/// A certificate and its key.
pub struct Own {
    pub pem: String,
    pub key_pem: String,
    pub certificate: CertificateDer<'static>,
    pub key: Vec<u8>,
}

impl Own {
    pub fn self_signed(host: &str, is_ca: bool) -> Own {
        let mut params = CertificateParams::new(vec![host.to_owned()]).expect("a name");
        if is_ca {
            params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        }
        let key = KeyPair::generate().expect("a key");
        let certificate = params.self_signed(&key).expect("a certificate");
        Own {
            pem: certificate.pem(),
            key_pem: key.serialize_pem(),
            certificate: certificate.der().clone(),
            key: key.serialize_der(),
        }
    }

    pub fn server(&self) -> ServerConfig {
        self.server_of(rustls::ALL_VERSIONS)
    }

    pub fn server_of(
        &self,
        versions: &[&'static rustls::SupportedProtocolVersion],
    ) -> ServerConfig {
        let key = PrivateKeyDer::from(PrivatePkcs8KeyDer::from(self.key.clone()));
        ServerConfig::builder_with_provider(Arc::new(rustls::crypto::ring::default_provider()))
            .with_protocol_versions(versions)
            .expect("versions")
            .with_no_client_auth()
            .with_single_cert(vec![self.certificate.clone()], key)
            .expect("a certificate and its key")
    }
}

/// Trust in an issuer's certificate.
pub fn trusting(pem: &str) -> Tls {
    Tls {
        trust: Trust::Issuers(pem.as_bytes().to_vec()),
        ..Tls::default()
    }
}

/// A configuration to load `localhost` over TLS.
pub fn over(tls: Tls, config: &mut Config) {
    config.authority = config.address.to_string().replace("127.0.0.1", "localhost");
    config.tls = Some(tls);
}

/// The server's side of a connection.
pub type Stream = rustls::StreamOwned<ServerConnection, TcpStream>;

/// Serves each connection on a thread of its own; ends with the process.
pub fn serve(server: ServerConfig, script: impl Fn(Stream) + Send + Sync + 'static) -> SocketAddr {
    let server = Arc::new(server);
    serve_raw(move |stream| {
        let connection = ServerConnection::new(Arc::clone(&server)).expect("a connection");
        script(Stream::new(connection, stream));
    })
}

/// The same without TLS.
pub fn serve_raw(script: impl Fn(TcpStream) + Send + Sync + 'static) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = listener.local_addr().expect("an address");
    let script = Arc::new(script);
    thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let script = Arc::clone(&script);
            thread::spawn(move || {
                let _ = stream.set_nodelay(true);
                script(stream);
            });
        }
    });
    address
}

/// Reads a request's head; `None` where the client has closed.
pub fn request(stream: &mut impl Read) -> Option<String> {
    let mut held = Vec::new();
    let mut byte = [0];
    while !held.ends_with(b"\r\n\r\n") {
        match stream.read(&mut byte) {
            Ok(1) => held.push(byte[0]),
            _ => return None,
        }
    }
    Some(String::from_utf8_lossy(&held).into_owned())
}

/// Responds to every request with the same bytes, and closes as TLS wants it when the client does.
pub fn respond_to_all(mut stream: Stream, response: &[u8]) {
    while request(&mut stream).is_some() {
        if stream
            .write_all(response)
            .and_then(|()| stream.flush())
            .is_err()
        {
            return;
        }
    }
    stream.conn.send_close_notify();
    let _ = stream.flush();
}
