//! Sockets: opening them, and reading together with the kernel's time of arrival.

use std::io;
use std::mem::{size_of, zeroed};
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::os::fd::{AsRawFd, RawFd};
use std::ptr;

use socket2::{Domain, Protocol, SockAddr, Socket, Type};

use crate::clock::{self, Nanos};

/// What one read takes at most.
pub const BUFFER: usize = 64 * 1024;

/// How many loopback addresses are tried as sources when ports run out: each has its own 28,000 or so.
const SOURCES: u8 = 32;

/// Which address connections come from.
#[derive(Clone, Copy, Debug, Default)]
pub struct Source(u8);

impl Source {
    /// The next address to come from, if the server is on loopback and there is one.
    pub fn next(self, server: &SocketAddr) -> Option<Source> {
        (server.is_ipv4() && server.ip().is_loopback() && self.0 < SOURCES)
            .then_some(Source(self.0 + 1))
    }

    /// `None`: the kernel chooses.
    fn address(self) -> Option<SocketAddr> {
        let host = IpAddr::V4(Ipv4Addr::new(127, 0, 0, self.0 + 1));
        (self.0 > 0).then_some(SocketAddr::new(host, 0))
    }
}

/// Begins a connection; the socket does not block and asks for times of arrival.
pub fn connect(server: &SocketAddr, source: Source) -> io::Result<Socket> {
    let socket = Socket::new(
        Domain::for_address(*server),
        Type::STREAM.nonblocking(),
        Some(Protocol::TCP),
    )?;
    socket.set_tcp_nodelay(true)?;
    // Requests are small, and a system's own choice may be one that paces (BBR does): that sets a timer for each
    // request, and would delay requests that are counted as sent. Every kernel has Reno.
    let _ = socket.set_tcp_congestion(b"reno");
    // When the system refuses, answers come without a stamp, and the outcome says so.
    let _ = set_option(&socket, libc::SOL_SOCKET, libc::SO_TIMESTAMPNS);
    if let Some(address) = source.address() {
        // Without this, bind would take a port that no other connection may use to any server.
        let _ = set_option(&socket, libc::IPPROTO_IP, libc::IP_BIND_ADDRESS_NO_PORT);
        socket.bind(&SockAddr::from(address))?;
    }
    match socket.connect(&SockAddr::from(*server)) {
        Err(error) if error.raw_os_error() != Some(libc::EINPROGRESS) => Err(error),
        _ => Ok(socket),
    }
}

fn set_option(socket: &Socket, level: libc::c_int, name: libc::c_int) -> io::Result<()> {
    let on: libc::c_int = 1;
    // SAFETY: the pointer and the size are those of `on`.
    let result = unsafe {
        libc::setsockopt(
            socket.as_raw_fd(),
            level,
            name,
            (&raw const on).cast(),
            size_of::<libc::c_int>() as libc::socklen_t,
        )
    };
    if result == 0 {
        Ok(())
    } else {
        Err(io::Error::last_os_error())
    }
}

/// Sends; how many bytes were taken.
#[inline]
pub fn send(fd: RawFd, bytes: &[u8]) -> io::Result<usize> {
    // Not by the C library's `send`, nor its `recvmsg` below: in a process of several threads these are cancellation
    // points, which cost two atomic operations each.
    // SAFETY: the pointer and the length are those of `bytes`; there is no address.
    let sent = unsafe {
        libc::syscall(
            libc::SYS_sendto,
            fd,
            bytes.as_ptr(),
            bytes.len(),
            libc::MSG_NOSIGNAL,
            ptr::null::<libc::sockaddr>(),
            0,
        )
    };
    usize::try_from(sent).map_err(|_| io::Error::last_os_error())
}

/// One thread's buffer to read into.
#[derive(Debug)]
pub struct Reader {
    buffer: Box<[u8]>,
    /// Room for control messages, aligned as they need it.
    control: [u64; 8],
}

impl Reader {
    /// A buffer of [`BUFFER`] bytes.
    pub fn new() -> Self {
        Reader {
            buffer: vec![0; BUFFER].into_boxed_slice(),
            control: [0; 8],
        }
    }

    /// Reads once: how many bytes (0 = the peer closed), and when the last of them arrived, if the kernel tells.
    #[inline]
    pub fn read(&mut self, fd: RawFd) -> io::Result<(usize, Option<Nanos>)> {
        let mut slice = libc::iovec {
            iov_base: self.buffer.as_mut_ptr().cast(),
            iov_len: self.buffer.len(),
        };
        // SAFETY: all zeros is a valid `msghdr`: no address, no buffers.
        let mut message: libc::msghdr = unsafe { zeroed() };
        message.msg_iov = &raw mut slice;
        message.msg_iovlen = 1;
        message.msg_control = self.control.as_mut_ptr().cast();
        message.msg_controllen = size_of::<[u64; 8]>();
        // SAFETY: `message` points at buffers of `self` that outlive the call, with their lengths.
        let read = unsafe { libc::syscall(libc::SYS_recvmsg, fd, &raw mut message, 0) };
        let read = usize::try_from(read).map_err(|_| io::Error::last_os_error())?;
        Ok((read, stamp(&message)))
    }

    /// The first `length` bytes of what was read last.
    #[inline]
    pub fn bytes(&self, length: usize) -> &[u8] {
        &self.buffer[..length]
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn connections_come_from_further_loopback_addresses() {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let server = listener.local_addr().unwrap();
        let mut source = Source::default();
        for last in 1..=3 {
            let _socket = connect(&server, source).unwrap();
            let (_, peer) = listener.accept().unwrap();
            assert_eq!(peer.ip(), IpAddr::V4(Ipv4Addr::new(127, 0, 0, last)));
            source = source.next(&server).unwrap();
        }
        // Elsewhere the kernel knows which address reaches the server, and there is no other.
        assert!(
            Source::default()
                .next(&"192.0.2.1:80".parse().unwrap())
                .is_none()
        );
    }

    #[test]
    fn bytes_come_with_the_time_of_their_arrival() {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let socket = connect(&listener.local_addr().unwrap(), Source::default()).unwrap();
        let (mut stream, _) = listener.accept().unwrap();
        let mut reader = Reader::new();
        let fd = socket.as_raw_fd();
        assert_eq!(
            reader.read(fd).unwrap_err().kind(),
            io::ErrorKind::WouldBlock
        );
        let before = clock::now();
        io::Write::write_all(&mut stream, b"hello").unwrap();
        let (length, stamp) = reader.read(fd).unwrap();
        assert_eq!(reader.bytes(length), b"hello");
        if let Some(stamp) = stamp {
            assert!((before..=clock::now()).contains(&stamp));
        }
        drop(stream);
        assert_eq!(reader.read(fd).unwrap(), (0, None));
    }
}
