//! What lies between a socket and a protocol: bytes as they are on the wire become bytes as the protocol means them, and back.
//!
//! The kernel's time of a read belongs to every byte that the read completed, whatever wraps them.

use std::fmt::Debug;
use std::io;
use std::os::fd::RawFd;

use photofinish_model::finding::complaint::TlsFailure;

use crate::outcome::ErrorKind;
use crate::socket;

/// One thread's side of a transport.
pub trait Transport {
    /// What is remembered of one connection.
    type Link: Debug;

    /// Whether what is on the wire differs from what the protocol sees. Where it does not, only [`send`](Self::send) is called.
    const WRAPS: bool;

    /// A connection begins.
    ///
    /// # Errors
    /// Where none can be made.
    fn link(&mut self) -> Result<Self::Link, TlsFailure>;

    /// Whether requests may go out: there is no handshake, or it is done.
    fn is_open(link: &Self::Link) -> bool;

    /// How the handshake went that is done; `None` where there is none.
    fn handshake(link: &Self::Link) -> Option<Handshake>;

    /// Unwraps bytes that came, into `plain`. It is called again with the bytes that it did not use, and once more without any.
    ///
    /// # Errors
    /// With the kind and why, where what came cannot be unwrapped; the connection is of no further use then.
    fn unwrap(
        &mut self,
        link: &mut Self::Link,
        wrapped: &[u8],
        plain: &mut [u8],
    ) -> Result<Unwrapped, (ErrorKind, TlsFailure)>;

    /// Sends; how many of the bytes were taken. What it keeps itself goes out by [`flush`](Self::flush).
    ///
    /// # Errors
    /// As `send(2)`; `WouldBlock` where nothing was taken.
    fn send(&mut self, link: &mut Self::Link, fd: RawFd, bytes: &[u8]) -> io::Result<usize>;

    /// Whether it keeps bytes that have to go out.
    fn keeps(link: &Self::Link) -> bool;

    /// Sends what it keeps, as far as the socket takes it.
    ///
    /// # Errors
    /// As `send(2)`, but for `WouldBlock`.
    fn flush(&mut self, link: &mut Self::Link, fd: RawFd) -> io::Result<()>;

    /// The peer has closed the socket: what is wrong with that, where it was to say something first.
    fn cut_off(link: &Self::Link) -> Option<(ErrorKind, TlsFailure)>;

    /// The socket is about to be closed from here, of which the peer may have to learn.
    fn close(&mut self, link: &mut Self::Link, fd: RawFd);
}

/// How a handshake went.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Handshake {
    /// From nothing.
    Full,
    /// By what an earlier connection had agreed on.
    Resumed,
}

/// What came of unwrapping.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Unwrapped {
    /// How many of the wrapped bytes were used.
    pub used: usize,
    /// How many bytes the protocol is to see.
    pub plain: usize,
    /// The peer said that it will send nothing more.
    pub closed: bool,
}

/// No wrapping: what is on the wire is what the protocol sees.
#[derive(Clone, Copy, Debug)]
pub struct Plain;

impl Transport for Plain {
    type Link = ();

    const WRAPS: bool = false;

    fn link(&mut self) -> Result<(), TlsFailure> {
        Ok(())
    }

    fn is_open((): &()) -> bool {
        true
    }

    fn handshake((): &()) -> Option<Handshake> {
        None
    }

    fn unwrap(
        &mut self,
        (): &mut (),
        wrapped: &[u8],
        plain: &mut [u8],
    ) -> Result<Unwrapped, (ErrorKind, TlsFailure)> {
        let length = wrapped.len().min(plain.len());
        plain[..length].copy_from_slice(&wrapped[..length]);
        Ok(Unwrapped {
            used: length,
            plain: length,
            closed: false,
        })
    }

    #[inline]
    fn send(&mut self, (): &mut (), fd: RawFd, bytes: &[u8]) -> io::Result<usize> {
        socket::send(fd, bytes)
    }

    #[inline]
    fn keeps((): &()) -> bool {
        false
    }

    fn flush(&mut self, (): &mut (), _: RawFd) -> io::Result<()> {
        Ok(())
    }

    fn cut_off((): &()) -> Option<(ErrorKind, TlsFailure)> {
        None
    }

    fn close(&mut self, (): &mut (), _: RawFd) {}
}
