//! Responses over TLS.

use super::*;

/// A certificate for 127.0.0.1 as a server shows it, and how a client trusts it.
fn own() -> (rustls::ServerConfig, Tls) {
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
    let tls = Tls {
        trust: photofinish_model::Trust::Issuers(certificate.pem().into_bytes()),
        ..Tls::default()
    };
    (server, tls)
}

/// Asks a server that speaks TLS and responds once.
fn asked_over_tls(
    response: &'static [u8],
    tls: impl FnOnce(Tls) -> Tls,
) -> Result<Response, NoResponse> {
    let (server, trusted) = own();
    let listener = TcpListener::bind("127.0.0.1:0").expect("bind");
    let to = listener.local_addr().expect("address").into();
    let serving = thread::spawn(move || {
        let (socket, _) = listener.accept().expect("accept");
        let connection = rustls::ServerConnection::new(std::sync::Arc::new(server));
        let mut stream = rustls::StreamOwned::new(connection.expect("a connection"), socket);
        let mut head = [0; GET.bytes.len()];
        if stream.read_exact(&mut head).is_ok() {
            assert_eq!(head, GET.bytes);
            stream.write_all(response).expect("write");
            stream.conn.send_close_notify();
            stream.flush().expect("flush");
        }
    });
    let tls = tls(trusted);
    let route = Route {
        tls: Some(&tls),
        ..here(&to)
    };
    let got = http1(route, &GET, Duration::from_secs(20), &|| false);
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
    let got = asked_over_tls(b"", |_| Tls::default());
    let says = got.expect_err("refused").say(Language::En);
    assert!(says.contains("--cacert FILE"), "{says}");
}

#[test]
fn a_websocket_over_tls_is_opened_only_where_the_server_is_trusted() {
    for trusts in [true, false] {
        let (server, trusted) = own();
        let listener = TcpListener::bind("127.0.0.1:0").expect("bind");
        let to = listener.local_addr().expect("address").into();
        let serving = thread::spawn(move || {
            let (socket, _) = listener.accept().expect("accept");
            let connection = rustls::ServerConnection::new(std::sync::Arc::new(server));
            let stream = rustls::StreamOwned::new(connection.expect("a connection"), socket);
            if let Ok(mut socket) = tungstenite::accept(stream) {
                let message = socket.read().expect("a message");
                socket.send(message).expect("send");
                // Until the client has taken its leave.
                while socket.read().is_ok() {}
            }
        });
        let tls = match trusts {
            true => trusted,
            false => Tls::default(),
        };
        let route = Route {
            tls: Some(&tls),
            ..here(&to)
        };
        let once = photofinish_load::websocket::Once {
            text: true,
            message: b"hi".to_vec(),
            reply: b"hi".to_vec(),
        };
        let got = websocket::ask(route, GET.bytes, &once, Duration::from_secs(20), &|| false);
        serving.join().expect("server");
        match trusts {
            true => assert_eq!(got.expect("a reply").body, b"hi"),
            false => {
                let says = got.expect_err("refused").say(Language::En);
                assert!(says.contains("--cacert FILE"), "{says}");
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
        let route = Route {
            tls: Some(&tls),
            ..here(&to)
        };
        let got = http2::ask(route, &GET, Duration::from_secs(20), &|| false);
        server.join().expect("server");
        match chooses {
            true => assert_eq!(got.expect("a response").body, b"https://h:1/a"),
            false => {
                let says = got.expect_err("refused").say(Language::En);
                assert!(says.contains("--http2"), "{says}");
            }
        }
    }
}
