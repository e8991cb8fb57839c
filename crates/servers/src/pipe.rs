//! Two buffers in place of a socket, for libraries that read and write by themselves: the event loop has done the I/O already.

use std::cell::RefCell;
use std::io::{self, Read, Write};
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

/// The bytes that have come, and those that are to go.
#[derive(Debug, Default)]
struct Buffers {
    input: Vec<u8>,
    /// How many of the input's bytes the library has taken.
    taken: usize,
    output: Vec<u8>,
}

/// A handle of the buffers: the library has one, and whoever does the I/O another.
#[derive(Clone, Debug, Default)]
pub struct Pipe(Rc<RefCell<Buffers>>);

impl Pipe {
    /// Bytes have come.
    pub fn give(&self, bytes: &[u8]) {
        let mut buffers = self.0.borrow_mut();
        let taken = std::mem::take(&mut buffers.taken);
        buffers.input.drain(..taken);
        buffers.input.extend_from_slice(bytes);
    }

    /// Adds what is to go to `to`.
    pub fn output(&self, to: &mut Vec<u8>) {
        to.append(&mut self.0.borrow_mut().output);
    }
}

impl Read for Pipe {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let mut buffers = self.0.borrow_mut();
        let rest = &buffers.input[buffers.taken..];
        if rest.is_empty() {
            return Err(io::ErrorKind::WouldBlock.into());
        }
        let length = rest.len().min(into.len());
        into[..length].copy_from_slice(&rest[..length]);
        buffers.taken += length;
        Ok(length)
    }
}

impl Write for Pipe {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.borrow_mut().output.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl AsyncRead for Pipe {
    fn poll_read(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
        into: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        match self.read(into.initialize_unfilled()) {
            Ok(length) => {
                into.advance(length);
                Poll::Ready(Ok(()))
            }
            // Nothing wakes the library: it is asked again when more has come.
            Err(_) => Poll::Pending,
        }
    }
}

impl AsyncWrite for Pipe {
    fn poll_write(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        Poll::Ready(self.write(bytes))
    }

    fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }
}
