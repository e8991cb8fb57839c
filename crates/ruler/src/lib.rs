//! The servers that are built into photofinish: for trying things out, and as rulers whose
//! behaviour is known.
//!
//! All kinds but `websocket-echo` answer the same paths with the same bytes, so that only how they serve differs:
//!
//! | path | answer |
//! |---|---|
//! | `/plaintext` | `Hello, World!` |
//! | `/json` | `{"message":"Hello, World!"}` |
//! | `/sleep?ms=N` | `Hello, World!`, N milliseconds later |
//! | `/truth` | what the `delay` kind noted of its own answers, as JSON |
//! | `/truth/arrivals` | when the kernel got each request that it noted: a sorted JSON array of nanoseconds since 1970 |

mod connection;
mod event_loop;
mod http;
mod policy;
mod slower;
mod threads;
mod timer;
mod tls;
mod truth;
mod websocket;

use std::io;
use std::net::{SocketAddr, TcpListener};
use std::time::Duration;

use socket2::{Domain, Protocol, Socket, Type};

pub use tls::{Tls, TlsError};
pub use truth::Truth;

/// How a built-in server serves.
#[derive(Clone, Debug, PartialEq)]
pub enum Kind {
    /// A few threads, each with an event loop over many connections.
    EventLoop {
        /// How many loops.
        threads: usize,
        /// How much more CPU time a request takes than it would by itself, as a share; `None` = no more.
        slower: Option<f64>,
    },
    /// A thread for each connection, which blocks.
    ThreadPerConnection {
        /// As for the event loop.
        slower: Option<f64>,
    },
    /// WebSocket on every path: each message goes back as it came, by a thread for each connection.
    WebSocketEcho,
    /// One event loop that answers late by known times and notes what it did: the ruler for
    /// the load generator.
    Delay(Delays),
}

/// By how much the `delay` kind answers late.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Delays {
    /// Every answer.
    pub usual: Duration,
    /// One answer in `slow_one_in`.
    pub slow: Duration,
    /// How rare slow answers are; 0 = none.
    pub slow_one_in: u64,
    /// When the server freezes, from the first request on; `None` = never.
    pub freeze_after: Option<Duration>,
    /// For how long it freezes, once.
    pub freeze_for: Duration,
}

/// Why a built-in server could not serve.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The address could not be listened on.
    #[error("cannot listen on {address}: {source}; choose another port with --port")]
    Listen {
        /// The address.
        address: SocketAddr,
        /// Why.
        source: io::Error,
    },
    /// TLS without an event loop.
    #[error("only the kinds with event loops speak TLS: event-loop and delay")]
    NoTls,
    /// The event loop broke.
    #[error("the server stopped: {0}")]
    Serve(#[from] io::Error),
}

/// Listens on `address`, calls `ready` with the address that it got (port 0 = any free one), and
/// serves until the process ends; over TLS where it is given.
pub fn serve(
    kind: &Kind,
    address: SocketAddr,
    tls: Option<&Tls>,
    ready: impl FnOnce(SocketAddr),
) -> Result<(), Error> {
    let has_threads = matches!(kind, Kind::ThreadPerConnection { .. } | Kind::WebSocketEcho);
    if tls.is_some() && has_threads {
        return Err(Error::NoTls);
    }
    let slower = match kind {
        Kind::EventLoop { slower, .. } | Kind::ThreadPerConnection { slower } => *slower,
        Kind::WebSocketEcho | Kind::Delay(_) => None,
    };
    let slower = slower.map(slower::Slower::by);
    let listener = listen(address).map_err(|source| Error::Listen { address, source })?;
    ready(listener.local_addr()?);
    match kind {
        Kind::EventLoop { threads, .. } => match slower {
            None => event_loop::serve(&listener, (*threads).max(1), tls, || policy::Prompt)?,
            Some(slower) => event_loop::serve(&listener, (*threads).max(1), tls, || {
                slower::Worker::new(slower.clone())
            })?,
        },
        Kind::ThreadPerConnection { .. } => threads::serve(&listener, move |stream| {
            threads::converse(stream, slower.clone())
        })?,
        Kind::WebSocketEcho => threads::serve(&listener, websocket::converse)?,
        Kind::Delay(delays) => {
            event_loop::serve(&listener, 1, tls, || truth::Delayed::new(delays.clone()))?
        }
    }
    Ok(())
}

/// A listening socket with a backlog that holds a burst of connects.
fn listen(address: SocketAddr) -> io::Result<TcpListener> {
    let socket = Socket::new(
        Domain::for_address(address),
        Type::STREAM,
        Some(Protocol::TCP),
    )?;
    // A restarted server finds its old connections in TIME_WAIT on the same port.
    socket.set_reuse_address(true)?;
    socket.bind(&address.into())?;
    socket.listen(16_384)?;
    Ok(socket.into())
}
