//! TLS below a single request: rustls with its own I/O, which the load generator does not use.

use std::io::{self, Read, Write};

use photofinish_load::tls::{Settings, explain};
use photofinish_model::Tls;
use photofinish_model::finding::complaint::{Complaint, TlsFailure};
use photofinish_model::finding::failure::NoResponse;
use rustls::{ClientConnection, StreamOwned};
use socket2::Socket;

use super::Route;
use super::wait::{Patient, Wait, is_over};

/// A socket, or TLS over one.
pub(super) enum Stream<'a> {
    Plain(Patient<'a>),
    Tls(Box<StreamOwned<ClientConnection, Patient<'a>>>),
}

/// How TLS is spoken with a server; it is asked for by its address where it has no name.
pub(super) fn settings(tls: &Tls, route: Route, alpn: &[u8]) -> Result<Settings, NoResponse> {
    Settings::new(tls, &route.authority(), &[alpn])
        .map_err(|error| NoResponse::tls(Complaint::said(error)))
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

impl<'a> Stream<'a> {
    /// A new connection, with the handshake of TLS where it is spoken.
    pub(super) fn open(route: Route, wait: Wait<'a>) -> Result<Stream<'a>, NoResponse> {
        let socket = Patient::connect(route, wait)?;
        let Some(tls) = route.tls else {
            return Ok(Stream::Plain(socket));
        };
        let settings = settings(tls, route, b"http/1.1")?;
        let name = settings.name.to_str().into_owned();
        let connection = ClientConnection::new(settings.config, settings.name)
            .map_err(|error| NoResponse::tls(Complaint::said(error)))?;
        let mut stream = Box::new(StreamOwned::new(connection, socket));
        match stream.conn.complete_io(&mut stream.sock) {
            Ok(_) => Ok(Stream::Tls(stream)),
            Err(error) if is_over(&error) => Err(wait.over(0)),
            Err(error) => Err(failed(error, &name, false)),
        }
    }

    pub(super) fn socket(&self) -> &Socket {
        match self {
            Stream::Plain(socket) => socket.socket(),
            Stream::Tls(tls) => tls.sock.socket(),
        }
    }
}

impl Read for Stream<'_> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        match self {
            Stream::Plain(socket) => socket.read(into),
            Stream::Tls(tls) => tls.read(into),
        }
    }
}

impl Write for Stream<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Stream::Plain(socket) => socket.write(bytes),
            Stream::Tls(tls) => tls.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Stream::Plain(socket) => socket.flush(),
            Stream::Tls(tls) => tls.flush(),
        }
    }
}
