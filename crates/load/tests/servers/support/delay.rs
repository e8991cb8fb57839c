//! A server that responds to each request after a delay and notes what it did by its own clocks:
//! when the kernel got the request, and when the response was written.

use std::collections::BTreeMap;
use std::io::Write;
use std::mem::zeroed;
use std::net::SocketAddr;
use std::os::fd::AsRawFd;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use mio::net::{TcpListener, TcpStream};
use mio::{Events, Interest, Poll, Token};
use socket2::{Domain, Socket, Type};

use super::HELLO;

/// The server; ends when it is asked for what it noted.
pub struct DelayServer {
    pub address: SocketAddr,
    ended: Arc<AtomicBool>,
    thread: JoinHandle<Vec<u64>>,
}

impl DelayServer {
    /// `delay` gets the number of the request over all connections.
    pub fn new(delay: impl Fn(u64) -> Duration + Send + 'static) -> DelayServer {
        DelayServer::with_backlog(1024, delay)
    }

    /// The same; the kernel keeps at most so many connections that the server has not accepted yet.
    pub fn with_backlog(
        backlog: i32,
        delay: impl Fn(u64) -> Duration + Send + 'static,
    ) -> DelayServer {
        let socket = Socket::new(Domain::IPV4, Type::STREAM, None).unwrap();
        let any: SocketAddr = "127.0.0.1:0".parse().unwrap();
        socket.bind(&any.into()).unwrap();
        socket.listen(backlog).unwrap();
        socket.set_nonblocking(true).unwrap();
        let listener = TcpListener::from_std(socket.into());
        let address = listener.local_addr().unwrap();
        let ended = Arc::new(AtomicBool::new(false));
        let flag = Arc::clone(&ended);
        let thread = thread::spawn(move || serve(listener, &flag, delay));
        DelayServer {
            address,
            ended,
            thread,
        }
    }

    /// From the arrival of each request to the writing of its response, in ns, sorted.
    pub fn noted(self) -> Vec<u64> {
        self.ended.store(true, Ordering::SeqCst);
        let mut noted = self.thread.join().unwrap();
        noted.sort_unstable();
        noted
    }
}

fn serve(
    mut listener: TcpListener,
    ended: &AtomicBool,
    delay: impl Fn(u64) -> Duration,
) -> Vec<u64> {
    let mut poll = Poll::new().unwrap();
    let mut events = Events::with_capacity(256);
    let mut streams: Vec<TcpStream> = Vec::new();
    poll.registry()
        .register(&mut listener, Token(usize::MAX), Interest::READABLE)
        .unwrap();
    // By the time at which to respond; the number makes keys differ.
    let mut waiting: BTreeMap<(u64, u64), (usize, u64)> = BTreeMap::new();
    let mut noted = Vec::new();
    let mut number = 0;
    while !ended.load(Ordering::SeqCst) {
        // While something waits, only looking is precise enough.
        let sleep = if waiting.is_empty() {
            Duration::from_millis(1)
        } else {
            Duration::ZERO
        };
        poll.poll(&mut events, Some(sleep)).unwrap();
        for event in &events {
            if event.token() == Token(usize::MAX) {
                while let Ok((mut stream, _)) = listener.accept() {
                    stream.set_nodelay(true).unwrap();
                    stamp_arrivals(&stream);
                    poll.registry()
                        .register(&mut stream, Token(streams.len()), Interest::READABLE)
                        .unwrap();
                    streams.push(stream);
                }
            } else {
                let Token(i) = event.token();
                while let Some(arrived) = read(&streams[i]) {
                    let due = arrived + u64::try_from(delay(number).as_nanos()).unwrap();
                    waiting.insert((due, number), (i, arrived));
                    number += 1;
                }
            }
        }
        while let Some(entry) = waiting.first_entry()
            && entry.key().0 <= now()
        {
            let (i, arrived) = entry.remove();
            noted.push(now() - arrived);
            streams[i].write_all(HELLO).unwrap();
        }
    }
    noted
}

fn now() -> u64 {
    let since = std::time::SystemTime::now()
        .duration_since(std::time::UNIX_EPOCH)
        .unwrap();
    u64::try_from(since.as_nanos()).unwrap()
}

fn stamp_arrivals(stream: &TcpStream) {
    let on: libc::c_int = 1;
    // SAFETY: the pointer and the size are those of `on`.
    let result = unsafe {
        libc::setsockopt(
            stream.as_raw_fd(),
            libc::SOL_SOCKET,
            libc::SO_TIMESTAMPNS,
            (&raw const on).cast(),
            4,
        )
    };
    assert_eq!(result, 0);
}

/// Reads a request (all of it, they are small): when it arrived.
fn read(stream: &TcpStream) -> Option<u64> {
    let mut buffer = [0u8; 4096];
    let mut control = [0u64; 8];
    // SAFETY: the message points at buffers that outlive the call, with their lengths.
    unsafe {
        let mut slice = libc::iovec {
            iov_base: buffer.as_mut_ptr().cast(),
            iov_len: buffer.len(),
        };
        let mut message: libc::msghdr = zeroed();
        message.msg_iov = &raw mut slice;
        message.msg_iovlen = 1;
        message.msg_control = control.as_mut_ptr().cast();
        message.msg_controllen = size_of_val(&control);
        if libc::recvmsg(stream.as_raw_fd(), &raw mut message, 0) <= 0 {
            return None;
        }
        let header = libc::CMSG_FIRSTHDR(&raw const message);
        if header.is_null() {
            return Some(now());
        }
        let time = libc::CMSG_DATA(header)
            .cast::<libc::timespec>()
            .read_unaligned();
        Some(time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64)
    }
}
