//! TLS (RFC 8446, RFC 5246) as a transport: rustls without its I/O, over the loop's own reads and sends.
//!
//! A response is timed by the kernel's stamp of the read that completed the record in which it ends.

mod failure;
mod settings;

use std::io::{self, IoSlice, Read, Write};
use std::os::fd::RawFd;
use std::sync::Arc;

use photofinish_model::finding::complaint::TlsFailure;
use rustls::client::Resumption;
use rustls::pki_types::ServerName;
use rustls::{ClientConfig, ClientConnection, HandshakeKind};

use crate::outcome::ErrorKind;
use crate::socket;
use crate::transport::{Handshake, Transport, Unwrapped};

pub use crate::error::InvalidTls;
pub use failure::explain;
pub use settings::{Settings, check};

/// What is offered by ALPN where HTTP/2 is spoken.
const H2: &[u8] = b"h2";

/// How many sessions a thread remembers for resumption.
const SESSIONS: usize = 256;

/// One thread's TLS.
#[derive(Debug)]
pub struct Tls {
    config: Arc<ClientConfig>,
    name: ServerName<'static>,
}

/// What is remembered of one connection.
#[derive(Debug)]
pub struct Link {
    connection: Box<ClientConnection>,
    /// Something came.
    heard: bool,
    /// The peer said that it will send nothing more.
    closed: bool,
}

impl Tls {
    /// A thread's own, so that no thread waits for another's sessions.
    pub fn new(settings: &Settings) -> Tls {
        let mut config = ClientConfig::clone(&settings.config);
        config.resumption = match settings.resume {
            true => Resumption::in_memory_sessions(SESSIONS),
            false => Resumption::disabled(),
        };
        Tls {
            config: Arc::new(config),
            name: settings.name.clone(),
        }
    }

    fn wants_h2(&self) -> bool {
        self.config.alpn_protocols.iter().any(|name| name == H2)
    }

    fn failed(&self, link: &Link, error: &rustls::Error) -> (ErrorKind, TlsFailure) {
        let (kind, failure) = explain(error, &self.name.to_str(), self.wants_h2());
        match (link.connection.is_handshaking(), error) {
            (true, _) => (kind, failure),
            // In TLS 1.3 a server may refuse a client when the client has done its part.
            (false, rustls::Error::AlertReceived(_)) => (ErrorKind::BrokenTls, failure),
            (false, error) => (ErrorKind::BrokenTls, garbled(error)),
        }
    }
}

impl Transport for Tls {
    type Link = Link;

    const WRAPS: bool = true;

    fn link(&mut self) -> Result<Link, TlsFailure> {
        let connection = ClientConnection::new(Arc::clone(&self.config), self.name.clone());
        Ok(Link {
            connection: Box::new(connection.map_err(|error| garbled(&error))?),
            heard: false,
            closed: false,
        })
    }

    fn is_open(link: &Link) -> bool {
        !link.connection.is_handshaking()
    }

    fn handshake(link: &Link) -> Option<Handshake> {
        match link.connection.handshake_kind()? {
            HandshakeKind::Resumed => Some(Handshake::Resumed),
            HandshakeKind::Full | HandshakeKind::FullWithHelloRetryRequest => Some(Handshake::Full),
        }
    }

    fn unwrap(
        &mut self,
        link: &mut Link,
        wrapped: &[u8],
        plain: &mut [u8],
    ) -> Result<Unwrapped, (ErrorKind, TlsFailure)> {
        let mut rest = wrapped;
        if !link.heard && !rest.is_empty() {
            link.heard = true;
            if rest.starts_with(b"HTTP/") {
                return Err((ErrorKind::TlsNotSpoken, TlsFailure::PlainHttp {}));
            }
        }
        let opening = link.connection.is_handshaking();
        loop {
            // What is left of an earlier read, or came with the last one.
            let got = match link.connection.reader().read(plain) {
                Ok(length) => length,
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => 0,
                Err(error) => return Err((ErrorKind::BrokenTls, garbled(&error))),
            };
            let done = Unwrapped {
                used: wrapped.len() - rest.len(),
                plain: got,
                closed: link.closed && got == 0,
            };
            let opened = opening && !link.connection.is_handshaking();
            if got > 0 || rest.is_empty() || link.closed || opened {
                return Ok(done);
            }
            let read = link.connection.read_tls(&mut rest);
            let processed = link.connection.process_new_packets();
            let state = processed.map_err(|error| self.failed(link, &error))?;
            link.closed = state.peer_has_closed();
            // rustls takes no more of a record that is longer than may be.
            if !matches!(read, Ok(1..)) && !link.closed {
                return Err((broken(opening), TlsFailure::LongMessage {}));
            }
            if opening && !link.connection.is_handshaking() && self.wants_h2() {
                self.require_h2(link)?;
            }
        }
    }

    fn send(&mut self, link: &mut Link, fd: RawFd, bytes: &[u8]) -> io::Result<usize> {
        let mut taken = 0;
        // Until the socket takes no more, which alone an event follows.
        while taken < bytes.len() {
            taken += link.connection.writer().write(&bytes[taken..])?;
            self.flush(link, fd)?;
            if link.connection.wants_write() {
                break;
            }
        }
        match taken {
            0 => Err(io::ErrorKind::WouldBlock.into()),
            taken => Ok(taken),
        }
    }

    #[inline]
    fn keeps(link: &Link) -> bool {
        link.connection.wants_write()
    }

    #[inline]
    fn flush(&mut self, link: &mut Link, fd: RawFd) -> io::Result<()> {
        while link.connection.wants_write() {
            match link.connection.write_tls(&mut Out(fd)) {
                Ok(_) => {}
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return Ok(()),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    fn cut_off(link: &Link) -> Option<(ErrorKind, TlsFailure)> {
        match (link.closed, link.connection.is_handshaking()) {
            (true, _) => None,
            (false, false) => Some((ErrorKind::ClosedWithoutNotify, TlsFailure::NoCloseNotify {})),
            (false, true) if link.heard => {
                Some((ErrorKind::TlsHandshake, TlsFailure::ClosedInHandshake {}))
            }
            (false, true) => Some((ErrorKind::TlsHandshake, TlsFailure::ClosedAtOnce {})),
        }
    }

    fn close(&mut self, link: &mut Link, fd: RawFd) {
        link.connection.send_close_notify();
        // Whether it still arrives matters to nobody here.
        let _ = self.flush(link, fd);
    }
}

impl Tls {
    fn require_h2(&self, link: &Link) -> Result<(), (ErrorKind, TlsFailure)> {
        match link.connection.alpn_protocol() {
            Some(H2) => Ok(()),
            _ => Err((ErrorKind::TlsRefused, TlsFailure::NoHttp2 {})),
        }
    }
}

/// What came is no good TLS.
fn garbled(error: &dyn std::error::Error) -> TlsFailure {
    let says = error.to_string();
    TlsFailure::Broken { says }
}

fn broken(opening: bool) -> ErrorKind {
    match opening {
        true => ErrorKind::TlsHandshake,
        false => ErrorKind::BrokenTls,
    }
}

/// A socket to write to.
struct Out(RawFd);

impl Write for Out {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        socket::send(self.0, bytes)
    }

    fn write_vectored(&mut self, pieces: &[IoSlice<'_>]) -> io::Result<usize> {
        match pieces {
            [one] => socket::send(self.0, one),
            pieces => socket::send_all(self.0, pieces),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests;
