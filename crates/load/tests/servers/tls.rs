//! TLS beside servers of rustls: what goes well, and what every mistake comes to.

use std::io::{Read, Write};
use std::net::{Shutdown, SocketAddr};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::Duration;

use crate::support;
use crate::support::tasks;
use crate::support::tls::{Ca, Own, over, request, respond_to_all, serve, serve_raw, trusting};
use crate::support::{HELLO, assert_good, config, over_http2};
use photofinish_load::{Config, Control, Error, ErrorKind, Outcome, Until, run};
use photofinish_model::finding::complaint::TlsFailure;
use photofinish_model::samples::assert_contains;
use photofinish_model::{Identity, Tls, TlsVersion, Trust};
use rcgen::date_time_ymd;
use rustls::server::WebPkiClientVerifier;
use rustls::{RootCertStore, version};

fn load(address: SocketAddr, tls: Tls, change: impl FnOnce(&mut Config)) -> Result<Outcome, Error> {
    let mut config = config(address, 4, Until::Requests(200));
    over(tls, &mut config);
    change(&mut config);
    run(&config, &Control::default())
}

fn good(address: SocketAddr, tls: Tls, change: impl FnOnce(&mut Config)) -> Outcome {
    let outcome = load(address, tls, change).expect("an outcome");
    assert!(
        outcome.errors.is_empty(),
        "{:?} {:?}",
        outcome.errors,
        outcome.first_error
    );
    assert_good(&outcome, 200);
    outcome
}

/// Why no connection could be opened.
fn refusal(address: SocketAddr, tls: Tls) -> (ErrorKind, String) {
    let until = |config: &mut Config| config.timeout = Duration::from_millis(300);
    match load(address, tls, until) {
        Err(Error::Connect { kind, why, .. }) => {
            let kind = ErrorKind::try_from(kind).expect("a kind");
            (kind, why.to_string())
        }
        other => panic!("{other:?}"),
    }
}

fn hello(own: &Own) -> SocketAddr {
    serve(own.server(), |stream| respond_to_all(stream, HELLO))
}

#[test]
fn responses_come_and_handshakes_are_counted_apart() {
    let ca = Ca::new();
    let address = hello(&ca.issue("localhost", |_| {}));
    for newest in [TlsVersion::Tls12, TlsVersion::Tls13] {
        let tls = Tls {
            newest,
            ..trusting(&ca.pem)
        };
        let outcome = good(address, tls, |_| {});
        assert_eq!((outcome.connects, outcome.reconnects), (4, 0));
        assert_eq!(outcome.opening.connect.len(), 4);
        let handshakes = outcome.opening.full.len() + outcome.opening.resumed.len();
        assert_eq!(handshakes, 4);
        assert!(outcome.kernel_timestamps);
        // What is within TLS.
        assert_eq!(outcome.bytes_in, 200 * HELLO.len() as u64);
    }
}

#[test]
fn a_connection_of_one_request_resumes_the_session_where_it_may() {
    let ca = Ca::new();
    let own = ca.issue("localhost", |_| {});
    for versions in [&[&version::TLS13][..], &[&version::TLS12]] {
        let seen = Arc::new(AtomicU64::new(0));
        let closes = Arc::clone(&seen);
        let mut server = own.server_of(versions);
        // Sessions of TLS 1.2 are resumed by tickets or by what the server remembers.
        server.session_storage = rustls::server::ServerSessionMemoryCache::new(1024);
        let address = serve(server, move |mut stream| {
            let Some(head) = request(&mut stream) else {
                return;
            };
            closes.fetch_add(
                u64::from(head.contains("\r\nConnection: close\r\n")),
                Ordering::SeqCst,
            );
            let _ = stream.write_all(HELLO);
            stream.conn.send_close_notify();
            let _ = stream.flush();
            // Until the client has closed.
            let _ = stream.sock.read(&mut [0; 64]);
        });
        let once = |config: &mut Config| config.requests_per_connection = Some(1);
        let resumed = good(address, trusting(&ca.pem), once);
        assert_eq!(seen.load(Ordering::SeqCst), 200);
        assert!(resumed.connects >= 200, "{}", resumed.connects);
        assert!(
            resumed.opening.resumed.len() >= 150,
            "{}",
            resumed.opening.resumed.len()
        );
        let full = Tls {
            resume: false,
            ..trusting(&ca.pem)
        };
        let full = good(address, full, once);
        assert!(full.opening.full.len() >= 200);
        assert_eq!(full.opening.resumed.len(), 0);
    }
}

#[test]
fn connections_end_after_as_many_requests_as_wished() {
    for tls in [true, false] {
        let ca = Ca::new();
        let per_connection = Arc::new(AtomicU64::new(0));
        let most = Arc::clone(&per_connection);
        let served = move |stream: &mut dyn FnMut() -> bool| {
            let mut served = 0;
            while stream() {
                served += 1;
                most.fetch_max(served, Ordering::SeqCst);
            }
        };
        let seven = |config: &mut Config| config.requests_per_connection = Some(7);
        let outcome = match tls {
            true => {
                let address = serve(ca.issue("localhost", |_| {}).server(), move |mut stream| {
                    served(&mut || {
                        request(&mut stream).is_some() && stream.write_all(HELLO).is_ok()
                    });
                });
                good(address, trusting(&ca.pem), seven)
            }
            false => {
                let address = serve_raw(move |mut stream| {
                    served(&mut || {
                        request(&mut stream).is_some() && stream.write_all(HELLO).is_ok()
                    });
                });
                good(address, Tls::default(), |config| {
                    config.tls = None;
                    seven(config);
                })
            }
        };
        assert_eq!(per_connection.load(Ordering::SeqCst), 7);
        assert!(outcome.connects >= 200 / 7, "{}", outcome.connects);
        let opening = outcome.opening;
        // A handshake may be under way at the end.
        let opened = match tls {
            true => opening.full.len() + opening.resumed.len(),
            false => opening.connect.len(),
        };
        assert_eq!(opened, outcome.connects);
        assert!(opening.connect.len() >= opened);
    }
}

#[test]
fn large_bodies_come_in_many_records() {
    let ca = Ca::new();
    let body = "x".repeat(1_000_000);
    let response = format!("HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n{body}");
    let address = serve(ca.issue("localhost", |_| {}).server(), move |stream| {
        respond_to_all(stream, response.as_bytes());
    });
    let outcome = load(address, trusting(&ca.pem), |config| {
        config.until = Until::Requests(12);
    });
    let outcome = outcome.expect("an outcome");
    assert_eq!((outcome.good, outcome.errors.len()), (12, 0));
    assert!(outcome.bytes_in > 12_000_000);
}

#[test]
fn large_requests_go_out_whole() {
    let ca = Ca::new();
    let address = serve(ca.issue("localhost", |_| {}).server(), |mut stream| {
        while let Some(head) = request(&mut stream) {
            assert!(head.contains("Content-Length: 3000000"));
            let mut body = vec![0; 3_000_000];
            if stream.read_exact(&mut body).is_err() || body.iter().any(|byte| *byte != b'y') {
                return;
            }
            let _ = stream.write_all(HELLO).and_then(|()| stream.flush());
        }
    });
    let outcome = load(address, trusting(&ca.pem), |config| {
        config.until = Until::Requests(6);
        support::http(config).0.body =
            photofinish_model::Template::fixed(vec![b'y'; 3_000_000]).into();
    });
    let outcome = outcome.expect("an outcome");
    assert_eq!(
        (outcome.good, outcome.errors.len()),
        (6, 0),
        "{:?}",
        outcome.first_error
    );
}

#[test]
fn a_certificate_that_cannot_be_accepted_says_what_to_do() {
    let ca = Ca::new();
    let usual = hello(&ca.issue("localhost", |_| {}));
    let (kind, says) = refusal(usual, trusting(&Ca::new().pem));
    assert_eq!(kind, ErrorKind::TlsUnknownIssuer);
    assert!(
        says.contains("--cacert FILE") && says.contains("--insecure"),
        "{says}"
    );
    // As does a chain that lacks the certificate between.
    assert_contains(
        &says,
        "the server does not send the intermediate certificates",
    );

    let elsewhere = hello(&ca.issue("example.org", |_| {}));
    let (kind, says) = refusal(elsewhere, trusting(&ca.pem));
    assert_eq!(kind, ErrorKind::TlsWrongHost);
    assert_contains(&says, "for example.org and not for localhost");

    let expired = hello(&ca.issue("localhost", |params| {
        params.not_before = date_time_ymd(2020, 1, 1);
        params.not_after = date_time_ymd(2021, 2, 3);
    }));
    let (kind, says) = refusal(expired, trusting(&ca.pem));
    assert_eq!(kind, ErrorKind::TlsExpired);
    assert!(says.contains("expired on 2021-02-03"), "{says}");

    let future = hello(&ca.issue("localhost", |params| {
        params.not_before = date_time_ymd(2190, 1, 1);
        params.not_after = date_time_ymd(2191, 2, 3);
    }));
    let (kind, says) = refusal(future, trusting(&ca.pem));
    assert_eq!(kind, ErrorKind::TlsExpired);
    assert!(says.contains("valid from 2190-01-01"), "{says}");

    let insecure = Tls {
        trust: Trust::Anyone,
        ..Tls::default()
    };
    for address in [usual, elsewhere, expired, future] {
        good(address, insecure.clone(), |_| {});
    }
}

#[test]
fn a_self_signed_certificate_is_accepted_when_it_is_given() {
    // As rcgen makes them, and as `openssl req -x509` does.
    for is_ca in [false, true] {
        let own = Own::self_signed("localhost", is_ca);
        let address = hello(&own);
        let (kind, says) = refusal(address, trusting(&Ca::new().pem));
        assert_eq!(kind, ErrorKind::TlsUnknownIssuer, "{says}");
        good(address, trusting(&own.pem), |_| {});
        let (kind, _) = refusal(hello(&Own::self_signed("other", is_ca)), trusting(&own.pem));
        assert_eq!(kind, ErrorKind::TlsUnknownIssuer);
        let named = Tls {
            name: Some("other".to_owned()),
            ..trusting(&own.pem)
        };
        assert_eq!(refusal(address, named).0, ErrorKind::TlsWrongHost);
    }
}

#[test]
fn a_certificate_of_an_unknown_issuer_is_accepted_when_it_is_given_itself() {
    let ca = Ca::new();
    let own = ca.issue("localhost", |_| {});
    let address = hello(&own);
    good(address, trusting(&own.pem), |_| {});
    // Another one of the same issuer, and what else may be wrong with it.
    let other = ca.issue("localhost", |_| {});
    let (kind, _) = refusal(address, trusting(&other.pem));
    assert_eq!(kind, ErrorKind::TlsUnknownIssuer);
    let elsewhere = ca.issue("example.org", |_| {});
    let (kind, _) = refusal(hello(&elsewhere), trusting(&elsewhere.pem));
    assert_eq!(kind, ErrorKind::TlsWrongHost);
    let expired = ca.issue("localhost", |params| {
        params.not_before = date_time_ymd(2020, 1, 1);
        params.not_after = date_time_ymd(2021, 2, 3);
    });
    let (kind, _) = refusal(hello(&expired), trusting(&expired.pem));
    assert_eq!(kind, ErrorKind::TlsExpired);
}

#[test]
fn a_server_may_want_a_client_certificate() {
    let ca = Ca::new();
    let mut issuers = RootCertStore::empty();
    let clients = Ca::new();
    for pem in rustls_pem(&clients.pem) {
        issuers.add(pem).expect("an issuer");
    }
    let own = ca.issue("localhost", |_| {});
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let verifier =
        WebPkiClientVerifier::builder_with_provider(Arc::new(issuers), Arc::clone(&provider))
            .build()
            .expect("a verifier");
    for versions in [&[&version::TLS13][..], &[&version::TLS12]] {
        let server = rustls::ServerConfig::builder_with_provider(Arc::clone(&provider))
            .with_protocol_versions(versions)
            .expect("versions")
            .with_client_cert_verifier(verifier.clone())
            .with_single_cert(
                vec![own.certificate.clone()],
                rustls::pki_types::PrivatePkcs8KeyDer::from(own.key.clone()).into(),
            )
            .expect("a certificate");
        let address = serve(server, |stream| respond_to_all(stream, HELLO));
        let client = clients.issue("me", |_| {});
        let known = Tls {
            identity: Some(Identity {
                certificate: client.pem.into_bytes(),
                key: client.key_pem.into_bytes().into(),
            }),
            ..trusting(&ca.pem)
        };
        good(address, known, |_| {});
        // In TLS 1.3 the client's handshake is done before the server refuses it.
        let unknown = load(address, trusting(&ca.pem), |config| {
            config.timeout = Duration::from_millis(300);
        });
        let says = match unknown {
            Err(Error::Connect { why, .. }) => why.to_string(),
            Ok(outcome) => {
                assert_eq!(outcome.good, 0);
                support::first_error(&outcome)
            }
            Err(other) => panic!("{other}"),
        };
        assert!(says.contains("client"), "{says}");
    }
}

fn rustls_pem(pem: &str) -> Vec<rustls::pki_types::CertificateDer<'static>> {
    use rustls::pki_types::pem::PemObject;
    rustls::pki_types::CertificateDer::pem_slice_iter(pem.as_bytes())
        .collect::<Result<_, _>>()
        .expect("certificates")
}

#[test]
fn versions_and_ciphers_are_those_that_are_asked_for() {
    let ca = Ca::new();
    let own = ca.issue("localhost", |_| {});
    let agreed = Arc::new(std::sync::Mutex::new(Vec::new()));
    let seen = Arc::clone(&agreed);
    let address = serve(own.server(), move |mut stream| {
        while request(&mut stream).is_some() {
            let suite = stream
                .conn
                .negotiated_cipher_suite()
                .expect("a suite")
                .suite();
            let sni = stream.conn.server_name().map(str::to_owned);
            seen.lock()
                .expect("a lock")
                .push((format!("{suite:?}"), sni));
            let _ = stream.write_all(HELLO);
        }
    });
    for name in [
        "TLS_AES_128_GCM_SHA256",
        "TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256",
    ] {
        agreed.lock().expect("a lock").clear();
        let tls = Tls {
            ciphers: vec![name.to_owned()],
            ..trusting(&ca.pem)
        };
        good(address, tls, |_| {});
        let agreed = agreed.lock().expect("a lock");
        assert!(
            agreed.iter().all(|(suite, sni)| {
                suite.replace("TLS13_", "TLS_") == name && sni.as_deref() == Some("localhost")
            }),
            "{:?}",
            agreed[0]
        );
    }
    let old_only = serve(own.server_of(&[&version::TLS13]), |stream| {
        respond_to_all(stream, HELLO)
    });
    let old = Tls {
        newest: TlsVersion::Tls12,
        ..trusting(&ca.pem)
    };
    let (kind, says) = refusal(old_only, old);
    assert_eq!(kind, ErrorKind::TlsRefused);
    assert!(says.contains("--tls-max"), "{says}");
    let other = Tls {
        ciphers: vec!["TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256".to_owned()],
        ..trusting(&ca.pem)
    };
    let (kind, says) = refusal(address, other);
    assert_eq!(kind, ErrorKind::TlsRefused);
    assert!(says.contains("--ciphers"), "{says}");
}

#[test]
fn a_server_that_speaks_something_else_is_named() {
    let plain = serve_raw(|mut stream| {
        let _ = stream.read(&mut [0; 4096]);
        let _ = stream.write_all(b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n");
    });
    let (kind, says) = refusal(plain, Tls::default());
    assert_eq!(kind, ErrorKind::TlsNotSpoken);
    assert!(says.contains("write http://"), "{says}");
    let garbage = serve_raw(|mut stream| {
        let _ = stream.read(&mut [0; 4096]);
        let _ = stream.write_all(&[0x7f; 9_000]);
    });
    assert_eq!(refusal(garbage, Tls::default()).0, ErrorKind::TlsNotSpoken);
    let silent = serve_raw(|mut stream| {
        let _ = stream.read(&mut [0; 4096]);
    });
    let (kind, says) = refusal(silent, Tls::default());
    assert_eq!(kind, ErrorKind::TlsHandshake);
    assert!(says.contains("http://"), "{says}");
}

#[test]
fn a_handshake_that_never_ends_reaches_the_timeout() {
    // Nothing at all, and the beginning of a record that never goes on.
    for start in [&b""[..], &[22, 3, 3, 0x3f, 0xff, 2]] {
        let address = serve_raw(move |mut stream| {
            let _ = stream.write_all(start);
            while matches!(stream.read(&mut [0; 4096]), Ok(1..)) {}
        });
        let (kind, says) = refusal(address, Tls::default());
        assert_eq!(kind, ErrorKind::TlsTimeout);
        assert!(says.contains("300ms"), "{says}");
    }
}

#[test]
fn garbage_in_a_handshake_is_refused_within_bounds() {
    // Records of handshakes without end: what is kept of them has a limit, and they are no ServerHello.
    let hellos = |first: [u8; 4]| {
        serve_raw(move |mut stream| {
            let _ = stream.read(&mut [0; 4096]);
            let mut record = vec![22, 3, 3, 0x40, 0];
            record.extend([first.to_vec(), vec![0; 0x4000 - 4]].concat());
            // Until the client has had enough.
            while stream.write_all(&record).is_ok() {}
        })
    };
    // A message of 16 MiB; an unknown message.
    for first in [[2, 0xff, 0xff, 0xff], [99, 0, 0, 8]] {
        let (kind, says) = refusal(hellos(first), Tls::default());
        assert!(
            matches!(kind, ErrorKind::TlsHandshake | ErrorKind::TlsNotSpoken),
            "{kind:?} {says}"
        );
    }
}

/// A server whose connections behave but for the second, with which `harm` is done after its first request.
fn one_bad(
    ca: &Ca,
    harm: impl Fn(&mut support::tls::Stream) + Send + Sync + 'static,
) -> SocketAddr {
    let connections = AtomicU64::new(0);
    serve(ca.issue("localhost", |_| {}).server(), move |mut stream| {
        let number = connections.fetch_add(1, Ordering::SeqCst);
        if number == 1 && request(&mut stream).is_some() {
            harm(&mut stream);
            return;
        }
        respond_to_all(stream, HELLO);
    })
}

/// One request was lost so, and no other connection was harmed.
fn one_lost(address: SocketAddr, ca: &Ca, kind: ErrorKind) -> String {
    let outcome = load(address, trusting(&ca.pem), |_| {}).expect("an outcome");
    assert_eq!(
        outcome.errors.get(&kind),
        Some(&1),
        "{:?} {:?}",
        outcome.errors,
        outcome.first_error
    );
    assert_eq!((outcome.requests, outcome.good), (200, 199));
    support::first_error(&outcome)
}

#[test]
fn an_end_without_close_notify_is_named() {
    let ca = Ca::new();
    let address = one_bad(&ca, |stream| {
        let _ = stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf");
        let _ = stream.flush();
        let _ = stream.sock.shutdown(Shutdown::Write);
    });
    let says = one_lost(address, &ca, ErrorKind::ClosedWithoutNotify);
    assert!(says.contains("close_notify"), "{says}");
    // A body that the end of the connection ends cannot be told from one that was cut.
    let address = one_bad(&ca, |stream| {
        let _ = stream.write_all(b"HTTP/1.1 200 OK\r\n\r\nhalf");
        let _ = stream.flush();
        let _ = stream.sock.shutdown(Shutdown::Write);
    });
    one_lost(address, &ca, ErrorKind::ClosedWithoutNotify);
}

#[test]
fn an_end_with_close_notify_ends_a_body() {
    let ca = Ca::new();
    let address = serve(ca.issue("localhost", |_| {}).server(), |mut stream| {
        if request(&mut stream).is_some() {
            let _ = stream.write_all(b"HTTP/1.1 200 OK\r\n\r\nall of it");
            stream.conn.send_close_notify();
            let _ = stream.flush();
        }
    });
    let outcome = good(address, trusting(&ca.pem), |_| {});
    assert!(outcome.connects >= 200);
    // In the middle of a response it is none.
    let address = one_bad(&ca, |stream| {
        let _ = stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf");
        stream.conn.send_close_notify();
        let _ = stream.flush();
    });
    one_lost(address, &ca, ErrorKind::Closed);
}

#[test]
fn a_record_that_cannot_be_harms_its_own_connection_alone() {
    let ca = Ca::new();
    // Longer than a record may be; of an unknown type; not encrypted by the connection's keys.
    for record in [
        [vec![23, 3, 3, 0xff, 0xff], vec![0; 70_000]].concat(),
        vec![77, 3, 3, 0, 1, 0],
        [vec![23, 3, 3, 0, 40], vec![1; 40]].concat(),
    ] {
        let address = one_bad(&ca, move |stream| {
            let _ = stream.sock.write_all(&record);
            let _ = stream.sock.read(&mut [0; 1024]);
            thread::sleep(Duration::from_millis(1));
        });
        assert_contains(&one_lost(address, &ca, ErrorKind::BrokenTls), "TLS");
    }
}

#[test]
fn what_cannot_be_is_refused_before_anything_is_sent() {
    let address = serve_raw(|_| panic!("nothing is to come"));
    let issuers = load(address, trusting("no PEM"), |_| {});
    let says = issuers.expect_err("refused").to_string();
    assert!(
        says.contains("--cacert") && says.contains("no certificate"),
        "{says}"
    );
    let many = load(address, Tls::default(), |config| {
        config.requests_per_connection = Some(0);
    });
    assert!(matches!(many, Err(Error::Settings { .. })));
}

/// A server of HTTP/2 over TLS, by the libraries `h2` and `tokio-rustls`; ends with the process.
fn http2_over_tls(mut server: rustls::ServerConfig) -> SocketAddr {
    server.alpn_protocols = vec![b"h2".to_vec()];
    let acceptor = tokio_rustls::TlsAcceptor::from(Arc::new(server));
    tasks::serve(move |stream| {
        let acceptor = acceptor.clone();
        async move {
            let Ok(stream) = acceptor.accept(stream).await else {
                return;
            };
            let Ok(mut connection) = h2::server::handshake(stream).await else {
                return;
            };
            while let Some(Ok((request, mut respond))) = connection.accept().await {
                assert_eq!(request.uri().scheme_str(), Some("https"));
                let head = http::Response::new(());
                if let Ok(mut body) = respond.send_response(head, false) {
                    let _ = body.send_data(bytes::Bytes::from_static(b"hello"), true);
                }
            }
        }
    })
}

#[test]
fn http2_is_agreed_on_in_the_handshake() {
    let ca = Ca::new();
    let own = ca.issue("localhost", |_| {});
    let address = http2_over_tls(own.server());
    for batch in [Duration::ZERO, Duration::from_micros(100)] {
        let outcome = load(address, trusting(&ca.pem), |config| {
            *config = over_http2(config.clone(), 10);
            config.until = Until::Requests(5_000);
            config.batch = batch;
        });
        let outcome = outcome.expect("an outcome");
        assert_eq!(
            (outcome.good, outcome.errors.len()),
            (5_000, 0),
            "{:?}",
            outcome.first_error
        );
        let handshakes = outcome.opening.full.len() + outcome.opening.resumed.len();
        assert_eq!(handshakes, 4);
    }
    // A server that offers HTTP/2 alone, asked for HTTP/1.1.
    let (kind, says) = refusal(address, trusting(&ca.pem));
    assert_eq!(kind, ErrorKind::TlsRefused);
    assert!(says.contains("try --http2"), "{says}");
    // A server that knows nothing of ALPN, and one that offers HTTP/1.1 alone.
    let mut old = own.server();
    old.alpn_protocols = vec![b"http/1.1".to_vec()];
    for server in [own.server(), old] {
        let address = serve(server, |stream| respond_to_all(stream, HELLO));
        let http2 = |config: &mut Config| *config = over_http2(config.clone(), 10);
        match load(address, trusting(&ca.pem), http2) {
            Err(Error::Connect { kind, why, .. }) => {
                assert_eq!(kind, ErrorKind::TlsRefused.name());
                assert_eq!(why, TlsFailure::NoHttp2 {}.into());
            }
            other => panic!("{other:?}"),
        }
    }
}
