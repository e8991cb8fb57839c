//! A non-blocking socket with what it could not send yet.

use std::io::{self, ErrorKind, Read, Write};
use std::net::{Shutdown, TcpStream};

use rustix::event::epoll::EventFlags;

use crate::poller::{Poller, Token};

/// A socket in an event loop.
///
/// What goes wrong with a write is not told here: the socket is shut down, so that the next event
/// tells it, and only the handler of a socket's own event ever closes one.
pub struct Stream {
    socket: TcpStream,
    token: Token,
    interest: EventFlags,
    /// What the kernel did not take, from `sent` on.
    pending: Vec<u8>,
    sent: usize,
}

/// What a read brought.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Got {
    /// So many bytes.
    Bytes(usize),
    /// Nothing now.
    Nothing,
    /// The end; the other side sends no more, or the connection broke.
    End,
}

impl Stream {
    /// A socket that does not block and is in the poller already, with that interest.
    pub fn new(socket: TcpStream, token: Token, interest: EventFlags) -> Stream {
        Stream {
            socket,
            token,
            interest,
            pending: Vec::new(),
            sent: 0,
        }
    }

    /// Reads once.
    pub fn read(&mut self, bytes: &mut [u8]) -> Got {
        match self.socket.read(bytes) {
            Ok(0) => Got::End,
            Ok(length) => Got::Bytes(length),
            Err(error) => match error.kind() {
                ErrorKind::WouldBlock | ErrorKind::Interrupted => Got::Nothing,
                _ => Got::End,
            },
        }
    }

    /// Sends all of it, now as far as the kernel takes it and the rest when there is room.
    pub fn send(&mut self, bytes: &[u8]) {
        if self.is_pending() {
            self.pending.extend_from_slice(bytes);
            return;
        }
        let sent = self.write(bytes);
        self.pending.extend_from_slice(&bytes[sent..]);
    }

    /// Goes on with what waits to be sent.
    pub fn flush(&mut self) {
        let pending = std::mem::take(&mut self.pending);
        let sent = self.sent + self.write(&pending[self.sent..]);
        self.pending = pending;
        self.sent = sent;
        if sent == self.pending.len() {
            self.pending.clear();
            self.sent = 0;
        }
    }

    /// Whether something waits to be sent.
    pub fn is_pending(&self) -> bool {
        self.sent < self.pending.len()
    }

    /// Ends the connection once the kernel has sent what it took; its event comes next.
    pub fn shut_down(&mut self) {
        self.pending.clear();
        self.sent = 0;
        // It fails only where the connection is gone, which its event tells too.
        let _ = self.socket.shutdown(Shutdown::Both);
    }

    /// The error that broke the connection, if one did.
    pub fn error(&self) -> Option<io::Error> {
        self.socket.take_error().unwrap_or_else(Some)
    }

    /// Waits for room if something is to be sent, else for bytes if `read` says so.
    pub fn settle(&mut self, poller: &Poller, read: bool) {
        let interest = match (self.is_pending(), read) {
            (true, _) => EventFlags::OUT,
            (false, true) => EventFlags::IN,
            (false, false) => EventFlags::empty(),
        };
        if interest == self.interest {
            return;
        }
        self.interest = interest;
        if poller.change(&self.socket, self.token, interest).is_err() {
            self.shut_down();
        }
    }

    /// Writes until it would block; how many bytes are done with.
    fn write(&mut self, bytes: &[u8]) -> usize {
        let mut sent = 0;
        while sent < bytes.len() {
            match self.socket.write(&bytes[sent..]) {
                Ok(length) => sent += length,
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) if error.kind() == ErrorKind::WouldBlock => return sent,
                Err(_) => {
                    self.shut_down();
                    return bytes.len();
                }
            }
        }
        sent
    }
}
