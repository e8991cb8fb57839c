//! One request by itself and its whole response, by the protocols and transports of the load.
//!
//! Verification, questions whether a server is ready, and logins ask this way. So a response that the load would refuse does not
//! verify, and one that verifies is not refused later.

use std::io::{self, Read};
use std::os::fd::{AsRawFd, RawFd};
use std::time::{Duration, Instant};

use photofinish_model::finding::complaint::{
    Complaint, Http1Violation, Http2Complaint, TlsFailure,
};
use photofinish_model::finding::failure::{NoResponse, RequestFault};
use photofinish_model::secret::mask;
use photofinish_model::{Exchange, Tls as Wanted, Version};
use rustix::event::{PollFd, PollFlags, poll};
use rustix::time::Timespec;
use socket2::Socket;

use crate::error::Error as LoadError;
use crate::outcome::ErrorKind;
use crate::protocol::{self, Place, Progress, Protocol, Ticket};
use crate::protocols::{self, Begin, Terms};
use crate::reader::BUFFER;
use crate::tls::{Settings, Tls};
use crate::transport::{Plain, Transport};

pub use crate::protocol::Kept as Response;

/// The largest response that is read, in bytes: no larger one is compared.
const LARGEST: u64 = 64 << 20;

/// The longest line that is shown of a response that is not HTTP, in bytes.
const SHOWN: usize = 100;

/// How often a wait asks whether it is still wanted.
const LOOK: Duration = Duration::from_millis(50);

/// A request to a server.
#[derive(Clone, Copy, Debug)]
pub struct Ask<'a> {
    /// What goes out and what must come back.
    pub exchange: &'a Exchange,
    /// What the request calls the server: the value of `Host`.
    pub authority: &'a str,
    /// How TLS is spoken, if it is.
    pub tls: Option<&'a Wanted>,
    /// The seed of what varies in the request.
    pub seed: u64,
}

/// How long to wait for a response.
#[derive(Clone, Copy)]
pub struct Wait<'a> {
    /// From the connection's beginning to the response's end.
    pub timeout: Duration,
    /// Returns true once nobody wants the response any more.
    pub unwanted: &'a dyn Fn() -> bool,
}

/// Why there is no response.
#[derive(Clone, Debug, PartialEq)]
pub enum Error {
    /// The request cannot be built.
    Request(RequestFault),
    /// No whole response came.
    NoResponse(NoResponse),
}

/// Sends one request over a new connection and returns its response, which may be wrong: see [`Response::complaint`].
///
/// `connect` opens the connection within the given time. The request has the number 0, which no request of a load has.
///
/// # Errors
/// For a request that cannot be built, and if no whole response comes.
pub fn ask(
    ask: &Ask,
    wait: Wait,
    connect: impl FnOnce(Duration) -> io::Result<Socket>,
) -> Result<Response, Error> {
    let exchange = alone(ask.exchange);
    let terms = Terms {
        exchange: &exchange,
        authority: ask.authority,
        encrypted: ask.tls.is_some(),
        requests_per_connection: None,
        baseline: None,
        connections: 1,
        seed: ask.seed,
    };
    let begin = Asking {
        ask,
        patience: Patience {
            wait,
            deadline: Instant::now() + wait.timeout,
        },
        connect,
    };
    match protocols::with(terms, begin) {
        Ok(got) => got.map_err(Error::NoResponse),
        Err(LoadError::Request { why }) => Err(Error::Request(why)),
        Err(error) => Err(Error::NoResponse(NoResponse::send(error))),
    }
}

/// An exchange with a single request in flight.
fn alone(exchange: &Exchange) -> Exchange {
    let mut alone = exchange.clone();
    match &mut alone {
        Exchange::Http {
            version: Version::Http2 { streams },
            ..
        } => *streams = 1,
        Exchange::Grpc(call) => call.streams = 1,
        Exchange::WebSocket(wanted) => wanted.streams = 1,
        Exchange::Http { .. } | Exchange::Requests(_) | Exchange::TcpEcho { .. } => {}
    }
    alone
}

/// A wait that has begun.
#[derive(Clone, Copy)]
struct Patience<'a> {
    wait: Wait<'a>,
    deadline: Instant,
}

impl Patience<'_> {
    /// Returns how long to wait until this is asked again.
    ///
    /// # Errors
    /// If the wait is over, after `bytes` of a response.
    fn turn(&self, bytes: u64) -> Result<Duration, NoResponse> {
        let left = self.deadline.saturating_duration_since(Instant::now());
        match ((self.wait.unwanted)(), left.is_zero()) {
            (true, _) => Err(NoResponse::Interrupted {}),
            (false, true) => Err(NoResponse::Late {
                within_s: self.wait.timeout.as_secs_f64(),
                bytes,
            }),
            (false, false) => Ok(left.min(LOOK)),
        }
    }
}

struct Asking<'a, C> {
    ask: &'a Ask<'a>,
    patience: Patience<'a>,
    connect: C,
}

impl<C: FnOnce(Duration) -> io::Result<Socket>> Begin for Asking<'_, C> {
    type Output = Result<Response, NoResponse>;

    fn begin<P: Protocol>(
        self,
        speaker: impl Fn(Place) -> Result<P, LoadError> + Clone + Send + 'static,
    ) -> Result<Self::Output, LoadError> {
        let protocol = speaker(Place::SINGLE)?;
        let Some(tls) = self.ask.tls else {
            return Ok(self.converse(protocol, Plain));
        };
        let alpn = protocols::alpn(self.ask.exchange);
        Ok(match Settings::new(tls, self.ask.authority, alpn) {
            Ok(settings) => self.converse(protocol, Tls::new(&settings)),
            Err(error) => Err(NoResponse::tls(Complaint::said(error))),
        })
    }
}

impl<C: FnOnce(Duration) -> io::Result<Socket>> Asking<'_, C> {
    fn converse<P: Protocol, T: Transport>(
        self,
        protocol: P,
        mut transport: T,
    ) -> Result<Response, NoResponse> {
        let left = self
            .patience
            .deadline
            .saturating_duration_since(Instant::now());
        let socket = (self.connect)(left)
            .and_then(|socket| socket.set_nonblocking(true).map(|()| socket))
            .map_err(NoResponse::connect)?;
        let link = transport.link().map_err(NoResponse::tls)?;
        let mut conversation = Conversation {
            state: protocol.state(0),
            protocol,
            transport,
            link,
            socket,
            patience: self.patience,
            is_echo: matches!(self.ask.exchange, Exchange::TcpEcho { .. }),
            opened: false,
            asked: false,
            out: Vec::new(),
            sent: 0,
            received: 0,
            start: Vec::new(),
        };
        let got = conversation.run();
        conversation.close();
        got
    }
}

/// A connection with one request.
struct Conversation<'a, P: Protocol, T: Transport> {
    protocol: P,
    state: P::State,
    transport: T,
    link: T::Link,
    socket: Socket,
    patience: Patience<'a>,
    is_echo: bool,
    /// The protocol has said what comes before the request.
    opened: bool,
    /// The request is on its way.
    asked: bool,
    /// What is to be sent, and how much of it was.
    out: Vec<u8>,
    sent: usize,
    /// Bytes that the protocol has seen, and the first of them.
    received: u64,
    start: Vec<u8>,
}

impl<P: Protocol, T: Transport> Conversation<'_, P, T> {
    fn run(&mut self) -> Result<Response, NoResponse> {
        let (mut wrapped, mut plain) = (vec![0; BUFFER], vec![0; BUFFER]);
        loop {
            self.speak()?;
            let turn = self.patience.turn(self.shown_bytes())?;
            let length = match (&self.socket).read(&mut wrapped) {
                Ok(0) => return self.closed(),
                Ok(length) => length,
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                    self.sleep(turn)?;
                    continue;
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(self.not_read(&error)),
            };
            if let Some(response) = self.unwrap(&wrapped[..length], &mut plain)? {
                return Ok(response);
            }
        }
    }

    fn fd(&self) -> RawFd {
        self.socket.as_raw_fd()
    }

    /// Sends what there is to say, as far as the socket takes it.
    fn speak(&mut self) -> Result<(), NoResponse> {
        let said = self.say();
        said.map_err(|error| match (T::is_open(&self.link), self.is_echo) {
            (false, _) => NoResponse::tls(TlsFailure::Interrupted {
                says: error.to_string(),
            }),
            (true, false) => NoResponse::send(error),
            (true, true) => NoResponse::send_message(error),
        })
    }

    fn say(&mut self) -> io::Result<()> {
        let fd = self.fd();
        if T::is_open(&self.link) {
            if !self.opened {
                self.opened = true;
                self.protocol.opened(&mut self.state, &mut self.out);
            }
            if !self.asked && self.protocol.room(&self.state) > 0 {
                self.asked = true;
                let request = self.protocol.request(&mut self.state, Ticket::default());
                self.out.extend_from_slice(request);
            }
            loop {
                let waiting = self.out.len() - self.sent;
                self.protocol.fill(&mut self.state, waiting, &mut self.out);
                if self.out.is_empty() || !self.send_out()? {
                    break;
                }
            }
        }
        self.transport.flush(&mut self.link, fd)
    }

    /// Sends what is put together; whether the socket took all of it.
    fn send_out(&mut self) -> io::Result<bool> {
        let fd = self.fd();
        while self.sent < self.out.len() {
            let rest = &self.out[self.sent..];
            match self.transport.send(&mut self.link, fd, rest) {
                Ok(sent) => self.sent += sent,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return Ok(false),
                Err(error) => return Err(error),
            }
        }
        self.out.clear();
        self.sent = 0;
        if P::MANY {
            self.protocol.drained(&mut self.state);
        }
        Ok(true)
    }

    /// Waits until the socket has bytes, or takes what is still to be sent.
    fn sleep(&self, turn: Duration) -> Result<(), NoResponse> {
        let mut wanted = PollFlags::IN;
        if !self.out.is_empty() || T::keeps(&self.link) {
            wanted |= PollFlags::OUT;
        }
        let turn = Timespec {
            tv_sec: 0,
            tv_nsec: turn.subsec_nanos().into(),
        };
        match poll(&mut [PollFd::new(&self.socket, wanted)], Some(&turn)) {
            Ok(_) | Err(rustix::io::Errno::INTR) => Ok(()),
            Err(error) => Err(self.not_read(&error.into())),
        }
    }

    /// Takes bytes as they were on the wire; the response once it is whole.
    fn unwrap(
        &mut self,
        mut wrapped: &[u8],
        plain: &mut [u8],
    ) -> Result<Option<Response>, NoResponse> {
        loop {
            let unwrapped = self.transport.unwrap(&mut self.link, wrapped, plain);
            // What TLS has to say, be it only why it gives up.
            let flushed = self
                .transport
                .flush(&mut self.link, self.socket.as_raw_fd());
            let unwrapped = unwrapped.map_err(|(_, failure)| NoResponse::tls(failure))?;
            flushed.map_err(|error| self.not_read(&error))?;
            wrapped = &wrapped[unwrapped.used..];
            self.speak()?;
            if unwrapped.plain > 0
                && let Some(response) = self.take(&plain[..unwrapped.plain])?
            {
                return Ok(Some(response));
            }
            if unwrapped.closed {
                return self.closed().map(Some);
            }
            if unwrapped.used == 0 && unwrapped.plain == 0 {
                return Ok(None);
            }
        }
    }

    /// Takes bytes as the protocol sees them; the response once it is whole.
    fn take(&mut self, bytes: &[u8]) -> Result<Option<Response>, NoResponse> {
        self.received += bytes.len() as u64;
        if self.received > LARGEST {
            let mib = LARGEST >> 20;
            return Err(NoResponse::TooLarge { mib });
        }
        let room = SHOWN.saturating_sub(self.start.len()).min(bytes.len());
        self.start.extend_from_slice(&bytes[..room]);
        let mut rest = bytes;
        loop {
            match self.protocol.receive(&mut self.state, rest, &mut self.out) {
                Progress::More => return Ok(None),
                Progress::Done { used, response, .. } => {
                    let extra = (rest.len() - used) as u64;
                    if !P::MANY && extra > 0 && response.fault.is_none() {
                        let echo = self.is_echo;
                        return Err(NoResponse::Extra { bytes: extra, echo });
                    }
                    return self.ended(response).map(Some);
                }
                Progress::Broken(kind) => {
                    // Why it is given up; a server that does not take it need not know.
                    let _ = self.say();
                    return self.failed(kind).map(Some);
                }
                Progress::Unseen { .. } => {
                    return Err(NoResponse::http2(Http2Complaint::Unseen {}));
                }
                // The server takes no request at all.
                Progress::Last { .. } if !self.asked => return self.closed().map(Some),
                Progress::Last { used } => rest = &rest[used..],
            }
        }
    }

    /// The server sends nothing more.
    fn closed(&mut self) -> Result<Response, NoResponse> {
        if let Some((_, failure)) = T::cut_off(&self.link) {
            return Err(NoResponse::tls(failure));
        }
        match self.protocol.closed(&mut self.state) {
            Progress::Done { response, .. } => self.ended(response),
            Progress::Broken(kind) => self.failed(kind),
            Progress::More | Progress::Unseen { .. } | Progress::Last { .. } => {
                Err(NoResponse::Closed {
                    bytes: self.shown_bytes(),
                })
            }
        }
    }

    fn ended(&mut self, response: protocol::Response) -> Result<Response, NoResponse> {
        match response.fault {
            None => Ok(self.response(None)),
            Some(kind) => self.failed(kind),
        }
    }

    /// A response that is not as expected, or why there is none.
    fn failed(&mut self, kind: ErrorKind) -> Result<Response, NoResponse> {
        let bytes = self.shown_bytes();
        Err(match (kind, self.protocol.complaint()) {
            (ErrorKind::Body, Some(complaint))
            | (ErrorKind::Status, Some(complaint @ Complaint::Status { .. })) => {
                return Ok(self.response(Some(complaint)));
            }
            (_, Some(Complaint::Http1 { violation })) => self.not_http(violation),
            (_, Some(why @ Complaint::Http2 { .. })) => NoResponse::Http2 { why },
            (_, Some(why @ Complaint::Grpc { .. })) => NoResponse::Grpc { why },
            (_, Some(why @ Complaint::WebSocket { .. })) => NoResponse::WebSocket { why },
            (_, _) => NoResponse::Closed { bytes },
        })
    }

    fn response(&self, complaint: Option<Complaint>) -> Response {
        Response {
            complaint,
            ..self.protocol.kept(&self.state, self.received)
        }
    }

    /// What is not HTTP/1: its first line says more than that it is none.
    fn not_http(&self, violation: Http1Violation) -> NoResponse {
        match violation {
            Http1Violation::NotHttp1 if !self.start.starts_with(b"HTTP/1.") => {
                let start = String::from_utf8_lossy(&self.start);
                let line = mask(start.lines().next().unwrap_or_default()).into_owned();
                NoResponse::NotHttp { line }
            }
            violation => NoResponse::http1(violation),
        }
    }

    fn not_read(&self, error: &io::Error) -> NoResponse {
        match T::is_open(&self.link) {
            true => NoResponse::Read {
                bytes: self.shown_bytes(),
                says: error.to_string(),
            },
            false => NoResponse::tls(TlsFailure::Interrupted {
                says: error.to_string(),
            }),
        }
    }

    /// The bytes of the response so far. Frames that a server sends by itself are none.
    fn shown_bytes(&self) -> u64 {
        match P::MANY {
            true => 0,
            false => self.received,
        }
    }

    fn close(&mut self) {
        self.transport
            .close(&mut self.link, self.socket.as_raw_fd());
    }
}

#[cfg(test)]
mod tests;
