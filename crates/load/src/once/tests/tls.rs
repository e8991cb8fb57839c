//! Responses over TLS.

use super::*;

/// A certificate for 127.0.0.1 as a server shows it, and how a client trusts it.
fn own() -> (rustls::ServerConfig, Wanted) {
    let key = rcgen::KeyPair::generate().expect("a key");
    let params = rcgen::CertificateParams::new(vec!["127.0.0.1".to_owned()]).expect("a name");
    let certificate = params.self_signed(&key).expect("a certificate");
    let provider = std::sync::Arc::new(rustls::crypto::ring::default_provider());
    let der = rustls::pki_types::PrivatePkcs8KeyDer::from(key.serialize_der());
    let server = rustls::ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .expect("versions")
        .with_no_client_auth()
        .with_single_cert(vec![certificate.der().clone()], der.into())
        .expect("a certificate and its key");
    let tls = Wanted {
        trust: Trust::Issuers(certificate.pem().into_bytes()),
        ..Wanted::default()
    };
    (server, tls)
}

/// A server of one connection over TLS, which gets its own address too.
fn serving_tls(
    server: rustls::ServerConfig,
    serve: impl FnOnce(
        rustls::StreamOwned<rustls::ServerConnection, std::net::TcpStream>,
        std::net::SocketAddr,
    ) + Send
    + 'static,
) -> (Address, JoinHandle<()>) {
    let listener = TcpListener::bind("127.0.0.1:0").expect("bind");
    let local = listener.local_addr().expect("address");
    let serving = thread::spawn(move || {
        let (socket, _) = listener.accept().expect("accept");
        let connection = rustls::ServerConnection::new(std::sync::Arc::new(server));
        let connection = connection.expect("a connection");
        serve(rustls::StreamOwned::new(connection, socket), local);
    });
    (local.into(), serving)
}

/// Asks a server that speaks TLS and responds once.
fn asked_over_tls(
    response: &'static [u8],
    tls: impl FnOnce(Wanted) -> Wanted,
) -> Result<Response, NoResponse> {
    let (server, trusted) = own();
    let (to, serving) = serving_tls(server, move |mut stream, local| {
        let request = format!("GET /a HTTP/1.1\r\nHost: {local}\r\n\r\n");
        let mut head = vec![0; request.len()];
        if stream.read_exact(&mut head).is_ok() {
            assert_eq!(head, request.as_bytes());
            stream.write_all(response).expect("write");
            stream.conn.send_close_notify();
            stream.flush().expect("flush");
        }
    });
    let got = patiently(&to, &get(), Some(&tls(trusted)));
    serving.join().expect("server");
    got
}

#[test]
fn a_response_comes_over_tls() {
    let response = b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello";
    let got = asked_over_tls(response, |tls| tls).expect("a response");
    assert_eq!((got.status, got.body.as_slice()), (200, &b"hello"[..]));
    assert_eq!(got.wire_bytes, response.len() as u64);
    let got = asked_over_tls(b"HTTP/1.1 200 OK\r\n\r\nto the end", |tls| tls);
    assert_eq!(got.expect("a response").body, b"to the end");
}

#[test]
fn a_server_that_is_not_trusted_is_not_asked() {
    let got = asked_over_tls(b"", |_| Wanted::default());
    assert_contains(&got.expect_err("refused").to_string(), "--cacert FILE");
}

#[test]
fn a_websocket_over_tls_is_opened_only_where_the_server_is_trusted() {
    for trusts in [true, false] {
        let (server, trusted) = own();
        let (to, serving) = serving_tls(server, |stream, _| {
            if let Ok(mut socket) = tungstenite::accept(stream) {
                let message = socket.read().expect("a message");
                socket.send(message).expect("send");
                // Until the client has taken its leave.
                while socket.read().is_ok() {}
            }
        });
        let tls = match trusts {
            true => trusted,
            false => Wanted::default(),
        };
        let got = patiently(&to, &websocket(), Some(&tls));
        serving.join().expect("server");
        match trusts {
            true => assert_eq!(got.expect("a reply").body, b"hi"),
            false => {
                assert_contains(&got.expect_err("refused").to_string(), "--cacert FILE");
            }
        }
    }
}

#[test]
fn a_response_comes_over_http2_and_tls_where_the_server_chooses_it() {
    for chooses in [true, false] {
        let (mut server, tls) = own();
        if chooses {
            server.alpn_protocols = vec![b"h2".to_vec()];
        }
        let (to, server) = serving(|stream| async move {
            let acceptor = tokio_rustls::TlsAcceptor::from(std::sync::Arc::new(server));
            let Ok(stream) = acceptor.accept(stream).await else {
                return;
            };
            let Ok(mut connection) = h2::server::handshake(stream).await else {
                return;
            };
            while let Some(Ok((request, mut respond))) = connection.accept().await {
                let text = request.uri().to_string();
                let head = http::Response::builder()
                    .status(200)
                    .body(())
                    .expect("head");
                let mut body = respond.send_response(head, false).expect("send");
                body.send_data(text.into(), true).expect("send");
            }
        });
        let got = patiently(&to, &get_over_http2(), Some(&tls));
        server.join().expect("server");
        match chooses {
            true => {
                let uri = format!("https://{}/a", to.authority());
                assert_eq!(got.expect("a response").body, uri.as_bytes());
            }
            false => {
                assert_contains(&got.expect_err("refused").to_string(), "--http2");
            }
        }
    }
}
