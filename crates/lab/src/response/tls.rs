//! TLS below a single request: rustls with its own I/O, which the load generator does not use.

use std::io::{self, Read, Write};
use std::sync::Arc;

use photofinish_load::tls::{Settings, explain};
use photofinish_model::Tls;
use photofinish_model::finding::complaint::{Complaint, TlsFailure};
use photofinish_model::finding::failure::NoResponse;
use rustls::{ClientConnection, StreamOwned};
use socket2::Socket;

use super::{Route, is_late};

/// A socket, or TLS over one.
pub(super) enum Stream {
    Plain(Socket),
    Tls(Box<Encrypted>),
}

/// TLS over a socket.
pub(super) struct Encrypted {
    stream: StreamOwned<ClientConnection, Socket>,
    name: String,
}

/// How TLS is spoken with a server; it is asked for by its address where it has no name.
pub(super) fn settings(tls: &Tls, route: Route, alpn: &[u8]) -> Result<Settings, NoResponse> {
    Settings::new(tls, &route.authority(), &[alpn])
        .map_err(|error| NoResponse::tls(Complaint::said(error)))
}

/// TLS over a socket, before its handshake.
pub(super) fn begin(socket: Socket, tls: &Tls, route: Route) -> Result<Stream, NoResponse> {
    let settings = settings(tls, route, b"http/1.1")?;
    let name = settings.name.to_str().into_owned();
    let connection = ClientConnection::new(Arc::clone(&settings.config), settings.name)
        .map_err(|error| NoResponse::tls(Complaint::said(error)))?;
    Ok(Stream::Tls(Box::new(Encrypted {
        stream: StreamOwned::new(connection, socket),
        name,
    })))
}

/// Why a handshake with a server that was asked for by `name` failed.
pub(super) fn failed(error: io::Error, name: &str, h2: bool) -> NoResponse {
    let cause = (error.get_ref()).and_then(|cause| cause.downcast_ref::<rustls::Error>());
    let failure = match cause {
        Some(cause) => explain(cause, name, h2).1,
        None => {
            let says = error.to_string();
            TlsFailure::Handshake { says }
        }
    };
    NoResponse::tls(failure)
}

impl Stream {
    pub(super) fn socket(&self) -> &Socket {
        match self {
            Stream::Plain(socket) => socket,
            Stream::Tls(tls) => &tls.stream.sock,
        }
    }

    pub(super) fn shakes_hands(&self) -> bool {
        match self {
            Stream::Plain(_) => false,
            Stream::Tls(tls) => tls.stream.conn.is_handshaking(),
        }
    }

    /// Goes on with the handshake for as long as the socket's timeouts allow.
    pub(super) fn shake_hands(&mut self) -> Result<(), NoResponse> {
        let Stream::Tls(tls) = self else {
            return Ok(());
        };
        match tls.stream.conn.complete_io(&mut tls.stream.sock) {
            Err(error) if !is_late(&error) => Err(failed(error, &tls.name, false)),
            _ => Ok(()),
        }
    }
}

impl Read for Stream {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        match self {
            Stream::Plain(socket) => socket.read(into),
            Stream::Tls(tls) => tls.stream.read(into),
        }
    }
}

impl Write for Stream {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Stream::Plain(socket) => socket.write(bytes),
            Stream::Tls(tls) => tls.stream.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Stream::Plain(socket) => socket.flush(),
            Stream::Tls(tls) => tls.stream.flush(),
        }
    }
}
