//! Sockets: opening them and sending.
//!
//! Sending and receiving are system calls by hand: `rustix` and `socket2` do not return `SCM_TIMESTAMPNS`, and the C library's
//! wrappers are cancellation points, which cost two atomic operations for each call.

use std::io::{self, IoSlice, Write};
use std::mem::{size_of, zeroed};
use std::net::{IpAddr, Ipv4Addr, SocketAddr, TcpListener};
use std::os::fd::{AsRawFd, RawFd};
use std::time::{Duration, Instant};
use std::{ptr, thread};

use photofinish_model::Address;
use socket2::{Protocol, SockAddr, Socket, Type};

use crate::clock;
use crate::ports;
use crate::reader::{Piece, Reader};

/// How many loopback addresses are tried as sources when ports run out: each has its own 28,000 or so.
const SOURCES: u8 = 32;

/// Which address connections come from.
#[derive(Clone, Debug, Default)]
pub struct Source {
    /// How many addresses have no free port left, the kernel's own choice included.
    full: usize,
    /// This machine's other addresses from which the server can be reached, once the kernel's choice has no free port left.
    others: Vec<IpAddr>,
    /// The first and the last port, in place of the system's own range.
    #[cfg(test)]
    ports: Option<(u16, u16)>,
}

impl Source {
    /// Goes on to the next address, if the server is on loopback and there is one; whether it did.
    fn advance(&mut self, server: &Address) -> bool {
        let Address::Tcp(server) = server else {
            return false;
        };
        if self.full == 0 {
            self.others = match server.ip() {
                // All of them are this machine's.
                IpAddr::V4(ip) if ip.is_loopback() => (1..=SOURCES)
                    .map(|last| Ipv4Addr::new(127, 0, 0, last + 1).into())
                    .collect(),
                // The kernel's own choice may be one of them, and costs another attempt.
                ip => ports::on_network_of(ip),
            };
        }
        let further = self.full < self.others.len();
        self.full += usize::from(further);
        further
    }

    /// `None`: the kernel chooses.
    fn address(&self) -> Option<SocketAddr> {
        let host = self.others.get(self.full.checked_sub(1)?)?;
        Some(SocketAddr::new(*host, 0))
    }
}

/// Begins a connection; the socket does not block and asks for times of arrival. When an address has no free port
/// left, `source` goes on to another one, on which further connections begin. `WouldBlock`: the queue of a Unix socket is full.
pub fn connect(server: &Address, source: &mut Source) -> io::Result<Socket> {
    loop {
        match connect_from(server, source) {
            Err(error)
                if error.raw_os_error() == Some(libc::EADDRNOTAVAIL) && source.advance(server) => {}
            result => return result,
        }
    }
}

fn connect_from(server: &Address, source: &Source) -> io::Result<Socket> {
    let to = server.to_system()?;
    let protocol = match server {
        Address::Tcp(_) => Some(Protocol::TCP),
        Address::Unix(_) => None,
    };
    let socket = Socket::new(to.domain(), Type::STREAM.nonblocking(), protocol)?;
    if protocol.is_some() {
        prepare_tcp(&socket, source)?;
    }
    match socket.connect(&to) {
        Err(error) if error.raw_os_error() != Some(libc::EINPROGRESS) => Err(error),
        _ => Ok(socket),
    }
}

/// What is set on a TCP socket before it connects. Of a Unix socket's arrivals (of a stream; Linux 6.18) the kernel keeps no time.
fn prepare_tcp(socket: &Socket, source: &Source) -> io::Result<()> {
    socket.set_tcp_nodelay(true)?;
    // Requests are small, and a system's own choice may be one that paces (BBR does): that sets a timer for each
    // request, and would delay requests that are counted as sent. Every kernel has Reno.
    let _ = socket.set_tcp_congestion(b"reno");
    // When the system refuses, responses come without a stamp, and the outcome says so.
    let _ = set_option(socket, libc::SOL_SOCKET, libc::SO_TIMESTAMPNS);
    #[cfg(test)]
    if let Some((first, last)) = source.ports {
        tests::allow_ports(socket, first, last)?;
    }
    if let Some(address) = source.address() {
        // Without this, bind would take a port that no other connection may use to any server.
        let _ = set_option(socket, libc::IPPROTO_IP, libc::IP_BIND_ADDRESS_NO_PORT);
        socket.bind(&SockAddr::from(address))?;
    }
    Ok(())
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

/// Waits until the kernel stamps arrivals: how long before it was read a first byte had arrived, by its stamp; `None` if
/// there is no stamp within `limit`.
///
/// It begins when the first socket of the whole system asks for it, but not at once: a worker of the kernel switches it on
/// (`net_enable_timestamp`), and on a busy machine that takes milliseconds. Responses that came before would have no stamp.
pub fn await_stamps(limit: Duration) -> io::Result<Option<Duration>> {
    let until = Instant::now() + limit;
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
    let socket = connect_from(&listener.local_addr()?.into(), &Source::default())?;
    let (mut peer, _) = listener.accept()?;
    let mut reader = Reader::new();
    loop {
        peer.write_all(&[0])?;
        match reader.read(socket.as_raw_fd()) {
            Ok(Piece {
                stamp: Some(stamp), ..
            }) => {
                return Ok(Some(Duration::from_nanos(
                    clock::now().saturating_sub(stamp),
                )));
            }
            Err(error) if error.kind() != io::ErrorKind::WouldBlock => return Err(error),
            _ if Instant::now() >= until => return Ok(None),
            _ => thread::sleep(Duration::from_micros(100)),
        }
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

/// Sends several pieces in this order; how many bytes were taken.
pub fn send_all(fd: RawFd, pieces: &[IoSlice<'_>]) -> io::Result<usize> {
    // SAFETY: all zeros is a valid `msghdr`: no address, no buffers.
    let mut message: libc::msghdr = unsafe { zeroed() };
    // An `IoSlice` is an `iovec` by its documentation, and none is written to.
    message.msg_iov = pieces.as_ptr().cast_mut().cast();
    message.msg_iovlen = pieces.len() as _;
    // SAFETY: `message` points at `pieces`, which outlive the call, with their number.
    let sent = unsafe {
        libc::syscall(
            libc::SYS_sendmsg,
            fd,
            &raw const message,
            libc::MSG_NOSIGNAL,
        )
    };
    usize::try_from(sent).map_err(|_| io::Error::last_os_error())
}

#[cfg(test)]
mod tests {
    use std::net::TcpStream;

    use super::*;

    /// Lets the kernel choose among these ports alone (Linux 6.3).
    pub(super) fn allow_ports(socket: &Socket, first: u16, last: u16) -> io::Result<()> {
        // From <linux/in.h>; the C library's headers may be older.
        const IP_LOCAL_PORT_RANGE: libc::c_int = 51;
        let range = u32::from(last) << 16 | u32::from(first);
        // SAFETY: the pointer and the size are those of `range`.
        let result = unsafe {
            libc::setsockopt(
                socket.as_raw_fd(),
                libc::IPPROTO_IP,
                IP_LOCAL_PORT_RANGE,
                (&raw const range).cast(),
                size_of::<u32>() as libc::socklen_t,
            )
        };
        if result == 0 {
            Ok(())
        } else {
            Err(io::Error::last_os_error())
        }
    }

    #[test]
    fn connections_come_from_further_loopback_addresses_when_ports_run_out() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let server = listener.local_addr().unwrap().into();
        // Eight ports for thirty connections: the last ones of the system's own range, beyond which a socket may not go.
        let range = std::fs::read_to_string("/proc/sys/net/ipv4/ip_local_port_range").unwrap();
        let last: u16 = range.split_whitespace().nth(1).unwrap().parse().unwrap();
        let first = last - 7;
        let mut source = Source {
            ports: Some((first, last)),
            ..Source::default()
        };
        let mut open = Vec::new();
        let mut per_address = std::collections::BTreeMap::new();
        for _ in 0..30 {
            match connect(&server, &mut source) {
                // A kernel that cannot narrow the range cannot show this.
                Err(error) if error.raw_os_error() == Some(libc::ENOPROTOOPT) => return,
                socket => open.push(socket.unwrap()),
            }
            let (stream, peer) = listener.accept().unwrap();
            assert!((first..=last).contains(&peer.port()), "{peer}");
            *per_address.entry(peer.ip()).or_insert(0) += 1;
            open.push(stream.into());
        }
        assert!(per_address.len() >= 4, "{per_address:?}");
        assert!(per_address.values().all(|n| *n <= 8), "{per_address:?}");
        let expected = (1..).map(|last| IpAddr::V4(Ipv4Addr::new(127, 0, 0, last)));
        assert!(
            per_address
                .keys()
                .copied()
                .eq(expected.take(per_address.len()))
        );
    }

    #[test]
    fn a_network_of_others_has_no_further_source() {
        for address in ["198.51.100.1:80", "[2001:db8::1]:80"] {
            let address: SocketAddr = address.parse().unwrap();
            assert!(!Source::default().advance(&address.into()));
        }
        let path = Address::unix("/run/server").unwrap();
        assert!(!Source::default().advance(&path));
    }

    #[test]
    fn the_kernel_stamps_once_it_was_waited_for() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let server = listener.local_addr().unwrap().into();
        let socket = connect(&server, &mut Source::default()).unwrap();
        let (mut stream, _) = listener.accept().unwrap();
        let stamps = await_stamps(Duration::from_secs(10)).unwrap().is_some();
        stream.write_all(b"hello").unwrap();
        let read = Reader::new().read(socket.as_raw_fd()).unwrap();
        let stamped = read.stamp.is_some();
        assert_eq!(stamps, stamped);
    }

    #[test]
    fn bytes_come_with_the_time_of_their_arrival() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let server = listener.local_addr().unwrap().into();
        let socket = connect(&server, &mut Source::default()).unwrap();
        let (mut stream, _) = listener.accept().unwrap();
        let mut reader = Reader::new();
        let fd = socket.as_raw_fd();
        assert_eq!(
            reader.read(fd).unwrap_err().kind(),
            io::ErrorKind::WouldBlock
        );
        let before = clock::now();
        stream.write_all(b"hello").unwrap();
        let read = reader.read(fd).unwrap();
        assert_eq!(reader.bytes(read), b"hello");
        if let Some(stamp) = read.stamp {
            assert!((before..=clock::now()).contains(&stamp));
        }
        drop(stream);
        assert_eq!(reader.read(fd).unwrap(), Piece::default());
    }

    #[test]
    fn bytes_over_a_unix_socket_come_without_a_time() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("socket");
        for path in [path, format!("@photofinish-{}", std::process::id()).into()] {
            let server = Address::unix(path).unwrap();
            let listener = Socket::new(socket2::Domain::UNIX, Type::STREAM, None).unwrap();
            listener.bind(&server.to_system().unwrap()).unwrap();
            listener.listen(0).unwrap();
            let socket = connect(&server, &mut Source::default()).unwrap();
            // There is room for one more than was asked for; then the queue is full.
            let full = connect(&server, &mut Source::default()).unwrap_err();
            assert_eq!(full.kind(), io::ErrorKind::WouldBlock);
            let (mut stream, _) = listener.accept().unwrap();
            stream.write_all(b"hello").unwrap();
            let mut reader = Reader::new();
            let read = reader.read(socket.as_raw_fd()).unwrap();
            assert_eq!(reader.bytes(read), b"hello");
            assert_eq!(read.stamp, None);
        }
    }

    /// A connection whose arrivals the kernel stamps, and its other end.
    fn connected() -> (Socket, TcpStream) {
        await_stamps(Duration::from_secs(10)).unwrap();
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let server = listener.local_addr().unwrap().into();
        let socket = connect(&server, &mut Source::default()).unwrap();
        (socket, listener.accept().unwrap().0)
    }

    #[test]
    fn each_piece_has_a_time_of_its_own() {
        let (socket, mut peer) = connected();
        let mut sent = Vec::new();
        for _ in 0..3 {
            sent.push(clock::now());
            peer.write_all(&[7; 40]).unwrap();
        }
        let mut reader = Reader::new();
        reader.read_pieces(socket.as_raw_fd(), 40).unwrap();
        assert_eq!(reader.pieces(), 3);
        assert!(!reader.is_full());
        let now = clock::now();
        for (at, sent) in sent.into_iter().enumerate() {
            let piece = reader.piece(at);
            assert_eq!(reader.bytes(piece), [7; 40]);
            // The kernel may have joined it to a later one, or not stamp at all.
            if let Some(stamp) = piece.stamp {
                assert!((sent..=now).contains(&stamp), "{at}: {stamp} {sent}");
            }
        }
    }

    #[test]
    fn a_read_in_pieces_takes_as_much_as_a_whole_one() {
        let (socket, mut peer) = connected();
        let content: Vec<u8> = (0..200_000u32).map(|at| at as u8).collect();
        let sending = content.clone();
        let sender = thread::spawn(move || peer.write_all(&sending).unwrap());
        let mut reader = Reader::new();
        let mut got = Vec::new();
        // The peer closes when it has sent all.
        loop {
            match reader.read_pieces(socket.as_raw_fd(), 100) {
                Ok(()) if reader.piece(0).length == 0 => break,
                Ok(()) => {
                    for at in 0..reader.pieces() {
                        got.extend_from_slice(reader.bytes(reader.piece(at)));
                    }
                }
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => thread::yield_now(),
                Err(error) => panic!("{error}"),
            }
        }
        sender.join().unwrap();
        assert!(got == content);
    }
}
