//! Reading from a socket together with the kernel's time of arrival.

use std::io;
use std::mem::{size_of, zeroed};
use std::os::fd::RawFd;

use crate::clock::{self, Nanos};

/// The most bytes of one read.
pub const BUFFER: usize = 64 * 1024;

/// The most pieces of one read.
const PIECES: usize = 16;
/// The bounds of a piece's length in bytes. Shorter ones would take more time than the read itself, and all but the last
/// must leave room for it in the buffer.
const SHORTEST: usize = 32;
const LONGEST: usize = 2048;

/// A part of the bytes of a read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Piece {
    start: usize,
    /// How many bytes it has; 0 = the peer closed.
    pub length: usize,
    /// When its last byte arrived, if the kernel reports it.
    pub stamp: Option<Nanos>,
}

impl Piece {
    /// Returns as many bytes that a transport has unwrapped from this piece, and which lie elsewhere.
    pub fn unwrapped(self, length: usize) -> Piece {
        Piece {
            start: 0,
            length,
            stamp: self.stamp,
        }
    }
}

/// One thread's buffer to read into.
///
/// Sockets are read by system calls by hand, as they are sent to: see [`socket`](crate::socket).
#[derive(Debug)]
pub struct Reader {
    buffer: Box<[u8]>,
    /// Room for control messages, aligned as they need it.
    control: [[u64; 8]; PIECES],
    pieces: Vec<Piece>,
    is_full: bool,
}

impl Reader {
    /// A buffer of [`BUFFER`] bytes.
    pub fn new() -> Self {
        Reader {
            buffer: vec![0; BUFFER].into_boxed_slice(),
            control: [[0; 8]; PIECES],
            pieces: Vec::with_capacity(PIECES),
            is_full: false,
        }
    }

    /// Reads once, as one piece.
    #[inline]
    pub fn read(&mut self, fd: RawFd) -> io::Result<Piece> {
        let mut part = part(&mut self.buffer);
        let mut message = message(&mut part, &mut self.control[0]);
        // SAFETY: `message` points at buffers of `self` that outlive the call, with their lengths.
        let read = unsafe { libc::syscall(libc::SYS_recvmsg, fd, &raw mut message, 0) };
        let length = usize::try_from(read).map_err(|_| io::Error::last_os_error())?;
        let piece = Piece {
            start: 0,
            length,
            stamp: stamp(&message),
        };
        self.pieces.clear();
        self.pieces.push(piece);
        self.is_full = length == BUFFER;
        Ok(piece)
    }

    /// Reads once, as pieces of about `length` bytes and a longer last one, each with its own time.
    pub fn read_pieces(&mut self, fd: RawFd, length: usize) -> io::Result<()> {
        let length = length.clamp(SHORTEST, LONGEST);
        let (short, last) = self.buffer.split_at_mut(length * (PIECES - 1));
        let buffers = short.chunks_exact_mut(length).chain([last]);
        // SAFETY: all zeros is a valid `iovec` and a valid `mmsghdr`: no address, no buffers.
        let mut parts: [libc::iovec; PIECES] = unsafe { zeroed() };
        // SAFETY: as above.
        let mut messages: [libc::mmsghdr; PIECES] = unsafe { zeroed() };
        for (((buffer, control), own), header) in (buffers.zip(&mut self.control))
            .zip(&mut parts)
            .zip(&mut messages)
        {
            *own = part(buffer);
            header.msg_hdr = message(own, control);
        }
        // SAFETY: `messages` point at buffers of `self` and at `parts`, which outlive the call, with their lengths and
        // their number; there is no time limit.
        let read = unsafe {
            libc::syscall(
                libc::SYS_recvmmsg,
                fd,
                messages.as_mut_ptr(),
                PIECES,
                libc::MSG_DONTWAIT,
                0usize,
            )
        };
        let read = usize::try_from(read).map_err(|_| io::Error::last_os_error())?;
        let piece = |(at, header): (usize, &libc::mmsghdr)| Piece {
            start: at * length,
            length: header.msg_len as usize,
            stamp: stamp(&header.msg_hdr),
        };
        self.pieces.clear();
        (self.pieces).extend(messages[..read].iter().enumerate().map(piece));
        let last = self.pieces.last().copied().unwrap_or_default();
        self.is_full = read == PIECES && last.start + last.length == BUFFER;
        Ok(())
    }

    /// How many pieces the last read had.
    #[inline]
    pub fn pieces(&self) -> usize {
        self.pieces.len()
    }

    /// Returns a piece of the last read.
    #[inline]
    pub fn piece(&self, at: usize) -> Piece {
        self.pieces[at]
    }

    /// Whether the last read filled the buffer, so that the socket may hold more.
    #[inline]
    pub fn is_full(&self) -> bool {
        self.is_full
    }

    /// Returns the bytes of a piece of the last read.
    #[inline]
    pub fn bytes(&self, piece: Piece) -> &[u8] {
        &self.buffer[piece.start..][..piece.length]
    }
}

fn part(buffer: &mut [u8]) -> libc::iovec {
    libc::iovec {
        iov_base: buffer.as_mut_ptr().cast(),
        iov_len: buffer.len(),
    }
}

#[inline]
fn message(part: &mut libc::iovec, control: &mut [u64; 8]) -> libc::msghdr {
    // SAFETY: all zeros is a valid `msghdr`: no address, no buffers.
    let mut message: libc::msghdr = unsafe { zeroed() };
    message.msg_iov = part;
    message.msg_iovlen = 1;
    message.msg_control = control.as_mut_ptr().cast();
    // Of another type with other C libraries.
    message.msg_controllen = size_of::<[u64; 8]>() as _;
    message
}

#[inline]
fn stamp(message: &libc::msghdr) -> Option<Nanos> {
    // SAFETY: the kernel has filled the control buffer and set its length; the macros stay within it.
    unsafe {
        let mut header = libc::CMSG_FIRSTHDR(message);
        while !header.is_null() {
            if (*header).cmsg_level == libc::SOL_SOCKET
                && (*header).cmsg_type == libc::SCM_TIMESTAMPNS
            {
                let time: libc::timespec = libc::CMSG_DATA(header)
                    .cast::<libc::timespec>()
                    .read_unaligned();
                return Some(clock::from_timespec(&time));
            }
            header = libc::CMSG_NXTHDR(message, header);
        }
    }
    None
}
