//! One connection of an event loop: bytes in, responses out.

use std::io::{self, Read, Write};
use std::os::fd::AsRawFd;
use std::sync::Arc;
use std::time::Duration;

use rustls::ServerConnection;
use socket2::Socket;

use crate::Spoken;
use crate::http::{self, Parsed, Request};
use crate::http2;
use crate::policy::{Policy, now_ns};
use crate::session::Session;
use crate::websocket;

/// A connection and what is half done on it.
pub struct Connection {
    pub stream: Socket,
    /// Distinguishes this connection from earlier ones under the same token.
    pub generation: u64,
    tls: Option<Box<ServerConnection>>,
    input: Vec<u8>,
    output: Vec<u8>,
    /// Of HTTP/1.1 the request that waits for its time, and when it arrived.
    waiting: Option<(Request, i64)>,
    speaks: Speaks,
    /// Whether a request over HTTP/1.1 may turn the connection into a WebSocket.
    websocket: bool,
    /// Requests that came since it was looked at and are to be served so long after their arrival, with their tickets.
    pub waits: Vec<(Duration, u32)>,
    /// Whether the socket may hold more than was read; no further event would show it.
    more: bool,
}

/// What is spoken on a connection.
enum Speaks {
    Http1,
    /// The first bytes will show.
    ToSee,
    Session(Session),
}

/// What became of a connection.
#[derive(PartialEq, Eq)]
pub enum State {
    Open,
    Closed,
    /// Nothing more is to be read before the request that waits is served.
    Waits,
}

impl Connection {
    pub fn new(stream: Socket, generation: u64, stamps: bool, spoken: &Spoken) -> io::Result<Self> {
        if stamps {
            let on: libc::c_int = 1;
            // SAFETY: `on` lives through the call and has the length given.
            let done = unsafe {
                libc::setsockopt(
                    stream.as_raw_fd(),
                    libc::SOL_SOCKET,
                    libc::SO_TIMESTAMPNS,
                    (&raw const on).cast(),
                    size_of_val(&on) as libc::socklen_t,
                )
            };
            if done < 0 {
                return Err(io::Error::last_os_error());
            }
        }
        let tls = spoken.tls.as_ref().map(|tls| {
            let mut connection =
                ServerConnection::new(Arc::clone(&tls.config)).map_err(io::Error::other)?;
            // What is to be sent is bounded by what is asked for.
            connection.set_buffer_limit(None);
            Ok::<_, io::Error>(Box::new(connection))
        });
        Ok(Connection {
            stream,
            generation,
            tls: tls.transpose()?,
            input: Vec::new(),
            output: Vec::new(),
            waiting: None,
            speaks: match spoken.http2 {
                true => Speaks::ToSee,
                false => Speaks::Http1,
            },
            websocket: spoken.websocket,
            waits: Vec::new(),
            more: false,
        })
    }

    /// Reads all that is there and serves what can be served.
    pub fn readable<P: Policy>(&mut self, policy: &mut P, buffer: &mut [u8]) -> io::Result<State> {
        loop {
            let (read, stamp) = match receive(&self.stream, buffer, P::STAMPS) {
                Ok((0, _)) => return Ok(State::Closed),
                Ok(got) => got,
                Err(e) if e.kind() == io::ErrorKind::WouldBlock => return Ok(State::Open),
                Err(e) if e.kind() == io::ErrorKind::Interrupted => continue,
                Err(e) => return Err(e),
            };
            let arrival = stamp.unwrap_or_else(|| if P::STAMPS { now_ns() } else { 0 });
            let state = if self.tls.is_some() {
                let open = self.decrypt(&buffer[..read])?;
                let state = self.serve_input(policy, arrival)?;
                if open { state } else { State::Closed }
            } else if self.input.is_empty()
                && !self.websocket
                && matches!(self.speaks, Speaks::Http1)
            {
                // The usual case: the whole request came in one continuous run, and need not be kept.
                let (used, state) = self.serve(policy, &buffer[..read], arrival)?;
                self.input.extend_from_slice(&buffer[used..read]);
                state
            } else {
                self.input.extend_from_slice(&buffer[..read]);
                self.serve_input(policy, arrival)?
            };
            // Less than asked for: the socket is empty, and the next arrival will show.
            self.more = read == buffer.len();
            if state != State::Open || !self.more {
                return Ok(state);
            }
        }
    }

    /// Adds what came over TLS to the input; whether more may come.
    fn decrypt(&mut self, mut bytes: &[u8]) -> io::Result<bool> {
        let Some(tls) = &mut self.tls else {
            return Ok(true);
        };
        let mut open = true;
        while open && !bytes.is_empty() {
            let taken = tls.read_tls(&mut bytes)?;
            let Ok(state) = tls.process_new_packets() else {
                open = false;
                break;
            };
            let before = self.input.len();
            self.input
                .resize(before + state.plaintext_bytes_to_read(), 0);
            tls.reader().read_exact(&mut self.input[before..])?;
            open = taken > 0 && !state.peer_has_closed();
        }
        // The handshake's messages, or why it is given up.
        self.flush()?;
        Ok(open)
    }

    /// The time of the request with this ticket has come.
    pub fn due<P: Policy>(
        &mut self,
        ticket: u32,
        policy: &mut P,
        buffer: &mut [u8],
    ) -> io::Result<State> {
        if let Speaks::Session(session) = &mut self.speaks {
            let open = session.due(ticket, policy, &mut self.waits);
            return self.pass_on(policy, open);
        }
        let Some((request, arrival)) = self.waiting.take() else {
            return Ok(State::Open);
        };
        if self.respond(policy, request, arrival)? == State::Closed {
            return Ok(State::Closed);
        }
        match self.serve_input(policy, arrival)? {
            State::Open if self.more => self.readable(policy, buffer),
            state => Ok(state),
        }
    }

    /// Sends what could not be sent before.
    pub fn writable(&mut self) -> io::Result<State> {
        self.flush()?;
        Ok(State::Open)
    }

    /// Sends what a session has to say; what becomes of the connection where it is to stay `open`, or not.
    fn pass_on<P: Policy>(&mut self, policy: &mut P, open: bool) -> io::Result<State> {
        if let Speaks::Session(session) = &mut self.speaks {
            session.output(&mut self.output, policy);
        }
        self.flush()?;
        Ok(if open { State::Open } else { State::Closed })
    }

    fn serve_input<P: Policy>(&mut self, policy: &mut P, arrival: i64) -> io::Result<State> {
        if let Speaks::ToSee = self.speaks {
            self.speaks = match self.input.get(..http2::PREFACE.len()) {
                None => return Ok(State::Open),
                Some(http2::PREFACE) => {
                    Speaks::Session(Session::Http2(Box::new(http2::Session::new())))
                }
                Some(_) => Speaks::Http1,
            };
        }
        if let Speaks::Session(session) = &mut self.speaks {
            let open = session.take(&self.input, arrival, policy, &mut self.waits);
            self.input.clear();
            return self.pass_on(policy, open);
        }
        let input = std::mem::take(&mut self.input);
        let (used, state) = self.serve(policy, &input, arrival)?;
        self.input = input;
        self.input.drain(..used);
        match self.speaks {
            // Its first bytes, or what it has to say of its opening.
            Speaks::Session(_) => self.serve_input(policy, arrival),
            _ => Ok(state),
        }
    }

    /// Serves requests from the start of `bytes`; returns how many bytes were used up.
    fn serve<P: Policy>(
        &mut self,
        policy: &mut P,
        bytes: &[u8],
        arrival: i64,
    ) -> io::Result<(usize, State)> {
        let mut used = 0;
        while self.waiting.is_none() && used < bytes.len() {
            let (request, length) = match http::parse(&bytes[used..]) {
                Parsed::Partial => break,
                Parsed::Bad => return Ok((bytes.len(), State::Closed)),
                Parsed::Whole { request, length } => (request, length),
            };
            if self.websocket && request.opens_websocket {
                let head = &bytes[used..used + length];
                return Ok(match websocket::Session::open(head, request) {
                    Some(session) => {
                        self.speaks = Speaks::Session(Session::WebSocket(Box::new(session)));
                        (used + length, State::Open)
                    }
                    None => (bytes.len(), State::Closed),
                });
            }
            used += length;
            let delay = policy.delay(request);
            if !delay.is_zero() {
                self.waiting = Some((request, arrival));
                self.waits.push((delay, 0));
                return Ok((used, State::Waits));
            }
            if self.respond(policy, request, arrival)? == State::Closed {
                return Ok((used, State::Closed));
            }
        }
        Ok((used, State::Open))
    }

    fn respond<P: Policy>(
        &mut self,
        policy: &mut P,
        request: Request,
        arrival: i64,
    ) -> io::Result<State> {
        http::respond(request, &mut self.output, || policy.truth(request.route));
        if P::STAMPS && !request.route.asks_for_notes() {
            policy.written(arrival, now_ns());
        }
        if !request.keep_alive
            && let Some(tls) = &mut self.tls
        {
            tls.writer().write_all(&self.output)?;
            self.output.clear();
            tls.send_close_notify();
        }
        self.flush()?;
        let unsent =
            !self.output.is_empty() || self.tls.as_ref().is_some_and(|tls| tls.wants_write());
        Ok(if request.keep_alive || unsent {
            State::Open
        } else {
            State::Closed
        })
    }

    fn flush(&mut self) -> io::Result<()> {
        if let Some(tls) = &mut self.tls {
            tls.writer().write_all(&self.output)?;
            self.output.clear();
            while tls.wants_write() {
                match tls.write_tls(&mut self.stream) {
                    Ok(_) => {}
                    Err(e) if e.kind() == io::ErrorKind::WouldBlock => break,
                    Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
                    Err(e) => return Err(e),
                }
            }
            return Ok(());
        }
        let mut sent = 0;
        while sent < self.output.len() {
            match self.stream.write(&self.output[sent..]) {
                Ok(n) => sent += n,
                Err(e) if e.kind() == io::ErrorKind::WouldBlock => break,
                Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
                Err(e) => return Err(e),
            }
        }
        self.output.drain(..sent);
        Ok(())
    }
}

/// Reads from a socket; with `stamps` also the kernel's receive timestamp in nanoseconds.
fn receive(stream: &Socket, buffer: &mut [u8], stamps: bool) -> io::Result<(usize, Option<i64>)> {
    let mut control = [0u64; 8];
    let mut part = libc::iovec {
        iov_base: buffer.as_mut_ptr().cast(),
        iov_len: buffer.len(),
    };
    // SAFETY: all zeroes is a valid msghdr; the pointers set below outlive the call.
    let mut message: libc::msghdr = unsafe { std::mem::zeroed() };
    message.msg_iov = &mut part;
    message.msg_iovlen = 1;
    if stamps {
        message.msg_control = control.as_mut_ptr().cast();
        message.msg_controllen = size_of_val(&control) as _;
    }
    // SAFETY: `message` describes `buffer` and `control`, which outlive the call.
    let read = unsafe { libc::recvmsg(stream.as_raw_fd(), &mut message, 0) };
    if read < 0 {
        return Err(io::Error::last_os_error());
    }
    let mut stamp = None;
    if stamps {
        // SAFETY: the CMSG macros walk the control buffer that the kernel has just filled.
        unsafe {
            let header = libc::CMSG_FIRSTHDR(&message);
            if !header.is_null()
                && (*header).cmsg_level == libc::SOL_SOCKET
                && (*header).cmsg_type == libc::SCM_TIMESTAMPNS
            {
                let time: libc::timespec = std::ptr::read_unaligned(libc::CMSG_DATA(header).cast());
                stamp = Some(time.tv_sec * 1_000_000_000 + time.tv_nsec);
            }
        }
    }
    Ok((read as usize, stamp))
}
