//! What a server says over TLS comes out as it was said, however it comes.

use std::os::fd::AsRawFd;
use std::os::unix::net::UnixStream;
use std::sync::LazyLock;

use photofinish_model::{Tls as Wanted, Trust};
use proptest::prelude::*;
use rustls::pki_types::PrivatePkcs8KeyDer;
use rustls::{ServerConfig, ServerConnection};

use super::*;

/// A server with a certificate of its own.
static SERVER: LazyLock<Arc<ServerConfig>> = LazyLock::new(|| {
    let key = rcgen::KeyPair::generate().expect("a key");
    let params = rcgen::CertificateParams::new(vec!["localhost".to_owned()]).expect("a name");
    let certificate = params.self_signed(&key).expect("a certificate");
    let der = PrivatePkcs8KeyDer::from(key.serialize_der());
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .expect("versions")
        .with_no_client_auth()
        .with_single_cert(vec![certificate.der().clone()], der.into());
    Arc::new(config.expect("a certificate and its key"))
});

/// A client that accepts every certificate.
static CLIENT: LazyLock<Settings> = LazyLock::new(|| {
    let wanted = Wanted {
        trust: Trust::Anyone,
        ..Wanted::default()
    };
    Settings::new(&wanted, "localhost", &[b"http/1.1"]).expect("settings")
});

/// The client's side of a connection, and the server's end of its socket.
struct Side {
    tls: Tls,
    link: Link,
    ours: UnixStream,
    theirs: UnixStream,
    plain: Vec<u8>,
}

impl Side {
    fn new() -> Side {
        let (ours, theirs) = UnixStream::pair().expect("a pair");
        theirs.set_nonblocking(true).expect("a socket");
        let mut tls = Tls::new(&CLIENT);
        Side {
            link: tls.link().expect("a connection"),
            tls,
            ours,
            theirs,
            plain: vec![0; 64 * 1024],
        }
    }

    fn send(&mut self) {
        let fd = self.ours.as_raw_fd();
        self.tls.flush(&mut self.link, fd).expect("it is taken");
    }

    /// Takes pieces; what came of them, and why no more did.
    fn take(&mut self, pieces: &[&[u8]]) -> (Vec<u8>, Option<ErrorKind>) {
        let mut came = Vec::new();
        for piece in pieces {
            let mut at = 0;
            loop {
                let rest = &piece[at..];
                let unwrapped = self.tls.unwrap(&mut self.link, rest, &mut self.plain);
                self.send();
                let unwrapped = match unwrapped {
                    Ok(unwrapped) => unwrapped,
                    Err((kind, _)) => return (came, Some(kind)),
                };
                at += unwrapped.used;
                came.extend_from_slice(&self.plain[..unwrapped.plain]);
                if unwrapped.used == 0 && unwrapped.plain == 0 {
                    assert_eq!(at, piece.len());
                    break;
                }
            }
        }
        (came, None)
    }
}

/// What the server sends.
fn spoken(server: &mut ServerConnection) -> Vec<u8> {
    let mut wrapped = Vec::new();
    while server.wants_write() {
        server.write_tls(&mut wrapped).expect("it is memory");
    }
    wrapped
}

/// Both sides agree, the server's part coming in pieces.
fn shake_hands(cuts: &[usize]) -> (Side, ServerConnection) {
    let mut side = Side::new();
    let mut server = ServerConnection::new(Arc::clone(&SERVER)).expect("a connection");
    side.send();
    let mut bytes = vec![0; 64 * 1024];
    while let Ok(length @ 1..) = side.theirs.read(&mut bytes) {
        let mut rest = &bytes[..length];
        while !rest.is_empty() {
            server.read_tls(&mut rest).expect("it is memory");
            server.process_new_packets().expect("the client is right");
        }
        let wrapped = spoken(&mut server);
        assert_eq!(side.take(&pieces(&wrapped, cuts)), (Vec::new(), None));
    }
    assert!(Tls::is_open(&side.link) && !server.is_handshaking());
    (side, server)
}

/// Bytes in pieces that end at `cuts`.
fn pieces<'a>(bytes: &'a [u8], cuts: &[usize]) -> Vec<&'a [u8]> {
    let length = bytes.len();
    let mut cuts: Vec<usize> = cuts.iter().map(|cut| cut % (length + 1)).collect();
    cuts.extend([0, length]);
    cuts.sort_unstable();
    cuts.windows(2)
        .map(|pair| &bytes[pair[0]..pair[1]])
        .collect()
}

/// What a server says, in records of their own.
fn all_said() -> impl Strategy<Value = Vec<Vec<u8>>> {
    // Some longer than a record may be.
    let said = prop_oneof![
        4 => proptest::collection::vec(any::<u8>(), 0..200),
        1 => (16_000usize..40_000).prop_map(|length| vec![b'x'; length]),
    ];
    proptest::collection::vec(said, 0..5)
}

proptest! {
    // Each has a handshake.
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn any_split_of_handshake_and_records_gives_what_was_said(
        said in all_said(),
        cuts in proptest::collection::vec(any::<usize>(), 0..12),
        bytewise in any::<bool>(),
    ) {
        let (mut side, mut server) = shake_hands(&cuts);
        let mut wrapped = Vec::new();
        for said in &said {
            server.writer().write_all(said).expect("it is memory");
            wrapped.extend(spoken(&mut server));
        }
        let pieces = match bytewise {
            true => wrapped.chunks(1).collect(),
            false => pieces(&wrapped, &cuts),
        };
        prop_assert_eq!(side.take(&pieces), (said.concat(), None));
    }

    #[test]
    fn what_comes_before_a_byte_that_was_changed_is_all_that_comes(
        said in all_said(),
        cuts in proptest::collection::vec(any::<usize>(), 0..12),
        (at, to) in any::<(usize, u8)>(),
    ) {
        let (mut side, mut server) = shake_hands(&[]);
        let mut wrapped = Vec::new();
        for said in &said {
            server.writer().write_all(said).expect("it is memory");
            wrapped.extend(spoken(&mut server));
        }
        prop_assume!(!wrapped.is_empty());
        let at = at % wrapped.len();
        let changed = wrapped[at] != to;
        wrapped[at] = to;
        let (came, why) = side.take(&pieces(&wrapped, &cuts));
        let said = said.concat();
        prop_assert!(said.starts_with(&came));
        prop_assert!(changed || (came == said && why.is_none()));
        prop_assert!(why.is_none_or(|kind| kind == ErrorKind::BrokenTls), "{:?}", why);
    }
}
