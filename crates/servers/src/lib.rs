//! The servers that are built into photofinish: for trying things out, and as references
//! whose behaviour is known.
//!
//! All kinds but `websocket-echo` and `grpc-echo` serve the same paths with the same bytes, so that only how they serve differs:
//!
//! | path | response |
//! |---|---|
//! | `/plaintext` | `Hello, World!` |
//! | `/json` | `{"message":"Hello, World!"}` |
//! | `/sleep?ms=N` | `Hello, World!`, N milliseconds later |
//! | `/truth` | what the `delay` kind noted of its own responses, as JSON |
//! | `/truth/arrivals` | when the kernel got each request that it noted: a sorted JSON array of nanoseconds since 1970 |
//!
//! A WebSocket that was opened at such a path gets its messages back as they came, as late as the path says.

mod connection;
mod event_loop;
mod grpc;
mod http;
mod http2;
mod listen;
mod pipe;
mod policy;
mod session;
mod slower;
mod threads;
mod timer;
mod tls;
mod truth;
mod websocket;

use std::io;
use std::time::Duration;

use photofinish_model::Address;

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
    /// gRPC: the message of a call to `/echo.Echo/Unary` goes back as it came, of one to `/echo.Echo/Stream` three times.
    GrpcEcho,
    /// One event loop that responds late by known times and notes what it did: the reference for
    /// the load generator.
    Delay(Delays),
}

/// By how much the `delay` kind responds late.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Delays {
    /// Every response.
    pub usual: Duration,
    /// One response in `slow_one_in`.
    pub slow: Duration,
    /// How rare slow responses are; 0 = none.
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
    #[error("cannot listen on {address}: {source}; choose another {}", match address {
        Address::Tcp(_) => "port with --port",
        Address::Unix(_) => "path with --unix-socket",
    })]
    Listen {
        /// The address.
        address: Address,
        /// Why.
        source: io::Error,
    },
    /// TLS by a kind that has none.
    #[error("this kind speaks no TLS; event-loop, delay, websocket-echo and grpc-echo do")]
    NoTls,
    /// HTTP/2 without an event loop.
    #[error("only the kinds with event loops speak HTTP/2: event-loop and delay")]
    NoHttp2,
    /// WebSocket beside HTTP without an event loop.
    #[error(
        "only the kinds with event loops open WebSockets beside HTTP: event-loop and delay; websocket-echo opens nothing else"
    )]
    NoWebSocket,
    /// The event loop broke.
    #[error("the server stopped: {0}")]
    Serve(#[from] io::Error),
}

/// What a built-in server speaks beside plain HTTP/1.1.
#[derive(Clone, Debug, Default)]
pub struct Spoken {
    /// TLS, and nothing without it.
    pub tls: Option<Tls>,
    /// HTTP/2 too, with clients that begin with it; over TLS it is offered by ALPN.
    pub http2: bool,
    /// WebSocket too, with clients that ask for it over HTTP/1.1.
    pub websocket: bool,
}

/// Listens on `address`, calls `ready` with the address that it got (port 0 = any free one), and
/// serves until the process ends.
pub fn serve(
    kind: &Kind,
    address: &Address,
    spoken: &Spoken,
    ready: impl FnOnce(&Address),
) -> Result<(), Error> {
    match kind {
        Kind::ThreadPerConnection { .. } if spoken.tls.is_some() => {
            return Err(Error::NoTls);
        }
        Kind::ThreadPerConnection { .. } | Kind::WebSocketEcho if spoken.http2 => {
            return Err(Error::NoHttp2);
        }
        Kind::ThreadPerConnection { .. } | Kind::GrpcEcho if spoken.websocket => {
            return Err(Error::NoWebSocket);
        }
        _ => {}
    }
    let slower = match kind {
        Kind::EventLoop { slower, .. } | Kind::ThreadPerConnection { slower } => *slower,
        Kind::WebSocketEcho | Kind::GrpcEcho | Kind::Delay(_) => None,
    };
    let slower = slower.map(slower::Slower::by);
    let (listener, at) = listen::listen(address).map_err(|source| Error::Listen {
        address: address.clone(),
        source,
    })?;
    ready(&at);
    match kind {
        Kind::EventLoop { threads, .. } => match slower {
            None => event_loop::serve(&listener, (*threads).max(1), spoken, || policy::Prompt)?,
            Some(slower) => event_loop::serve(&listener, (*threads).max(1), spoken, || {
                slower::Worker::new(slower.clone())
            })?,
        },
        Kind::ThreadPerConnection { .. } => threads::serve(&listener, move |stream| {
            threads::converse(stream, slower.clone())
        })?,
        Kind::WebSocketEcho => {
            let tls = spoken.tls.clone();
            threads::serve(&listener, move |stream| {
                websocket::converse(stream, tls.as_ref())
            })?;
        }
        Kind::GrpcEcho => grpc::serve(listener, spoken.tls.as_ref())?,
        Kind::Delay(delays) => {
            event_loop::serve(&listener, 1, spoken, || truth::Delayed::new(delays.clone()))?
        }
    }
    Ok(())
}
