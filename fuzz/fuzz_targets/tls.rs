//! What a server sends over TLS comes out as it was sent, in any pieces; where one byte of it is another, no more than its beginning
//! does. Bytes that are no TLS at all end as the same error in any pieces. None makes the transport panic or stand still.
#![no_main]

use std::io::{Read, Write};
use std::os::fd::AsRawFd;
use std::os::unix::net::UnixStream;
use std::sync::{Arc, LazyLock};

use arbitrary::Arbitrary;
use libfuzzer_sys::fuzz_target;
use photofinish_fuzz_support::cut;
use photofinish_load::ErrorKind;
use photofinish_load::tls::{Settings, Tls};
use photofinish_load::transport::Transport;
use photofinish_model::{Tls as Wanted, Trust};
use rustls::{ServerConfig, ServerConnection};

#[path = "../support.rs"]
mod photofinish_fuzz_support;

#[derive(Arbitrary, Debug)]
struct Case {
    cuts: Vec<u8>,
    /// What comes in place of a handshake; none: there is one.
    garbage: Option<Vec<u8>>,
    /// What the server then says.
    said: Vec<Vec<u8>>,
    /// A byte of it on the wire, and what it becomes.
    change: Option<(u16, u8)>,
}

/// A server with a certificate of its own.
static SERVER: LazyLock<Arc<ServerConfig>> = LazyLock::new(|| {
    let own = rcgen::generate_simple_self_signed(["localhost".to_owned()]).expect("a certificate");
    let key = rustls::pki_types::PrivatePkcs8KeyDer::from(own.signing_key.serialize_der());
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .expect("versions")
        .with_no_client_auth()
        .with_single_cert(vec![own.cert.der().clone()], key.into());
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

/// The client's side of a connection.
struct Side {
    tls: Tls,
    link: <Tls as Transport>::Link,
    /// Where it sends to.
    socket: UnixStream,
    plain: Vec<u8>,
}

impl Side {
    fn new(socket: UnixStream) -> Side {
        let mut tls = Tls::new(&CLIENT);
        let link = tls.link().expect("a connection");
        Side {
            tls,
            link,
            socket,
            plain: vec![0; 64 * 1024],
        }
    }

    fn send(&mut self) {
        let fd = self.socket.as_raw_fd();
        self.tls.flush(&mut self.link, fd).expect("it is taken");
    }

    /// Takes pieces; what came of them, and why no more did.
    fn take(&mut self, pieces: &[&[u8]]) -> (Vec<u8>, Option<ErrorKind>) {
        let mut came = Vec::new();
        for piece in pieces {
            let mut at = 0;
            loop {
                let unwrapped = self
                    .tls
                    .unwrap(&mut self.link, &piece[at..], &mut self.plain);
                self.send();
                let unwrapped = match unwrapped {
                    Ok(unwrapped) => unwrapped,
                    Err((kind, _)) => return (came, Some(kind)),
                };
                at += unwrapped.used;
                came.extend_from_slice(&self.plain[..unwrapped.plain]);
                if unwrapped.closed {
                    return (came, None);
                }
                if unwrapped.used == 0 && unwrapped.plain == 0 {
                    assert_eq!(at, piece.len());
                    break;
                }
            }
        }
        (came, None)
    }
}

fn pair() -> (Side, UnixStream) {
    let (ours, theirs) = UnixStream::pair().expect("a pair");
    for socket in [&ours, &theirs] {
        socket.set_nonblocking(true).expect("a socket");
    }
    (Side::new(ours), theirs)
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
fn shake_hands(side: &mut Side, socket: &mut UnixStream, cuts: &[u8]) -> ServerConnection {
    let mut server = ServerConnection::new(Arc::clone(&SERVER)).expect("a connection");
    side.send();
    let mut bytes = vec![0; 64 * 1024];
    while let Ok(length @ 1..) = socket.read(&mut bytes) {
        let mut rest = &bytes[..length];
        while !rest.is_empty() {
            server.read_tls(&mut rest).expect("it is memory");
            server.process_new_packets().expect("the client is right");
        }
        let wrapped = spoken(&mut server);
        assert_eq!(side.take(&cut(&wrapped, cuts)), (Vec::new(), None));
    }
    assert!(Tls::is_open(&side.link) && !server.is_handshaking());
    server
}

fuzz_target!(|case: Case| {
    if let Some(garbage) = &case.garbage {
        let single: Vec<&[u8]> = garbage.chunks(1).collect();
        let whole = pair().0.take(&[garbage]);
        // By its first bytes alone plain HTTP is told from a broken handshake.
        if !garbage.starts_with(b"HTTP/") {
            assert_eq!(pair().0.take(&cut(garbage, &case.cuts)), whole);
            assert_eq!(pair().0.take(&single), whole);
        }
        assert_eq!(whole.0, b"");
        return;
    }
    let (mut side, mut socket) = pair();
    let mut server = shake_hands(&mut side, &mut socket, &case.cuts);
    let mut wrapped = Vec::new();
    for said in &case.said {
        server.writer().write_all(said).expect("it is memory");
        wrapped.extend(spoken(&mut server));
    }
    let said = case.said.concat();
    let Some((at, to)) = case.change.filter(|_| !wrapped.is_empty()) else {
        assert_eq!(side.take(&cut(&wrapped, &case.cuts)), (said, None));
        return;
    };
    let at = usize::from(at) % wrapped.len();
    let changed = wrapped[at] != to;
    wrapped[at] = to;
    let (came, why) = side.take(&cut(&wrapped, &case.cuts));
    assert!(said.starts_with(&came));
    assert!(changed || (came == said && why.is_none()));
});
