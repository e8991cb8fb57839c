//! What is spoken on a connection of an event loop where several requests may wait at once, whichever protocol it is.

use std::time::Duration;

use crate::http2;
use crate::policy::Policy;
use crate::websocket;

/// Bytes in, requests and responses, bytes out; no I/O.
pub enum Session {
    Http2(Box<http2::Session>),
    WebSocket(Box<websocket::Session>),
}

impl Session {
    /// Takes bytes that arrived at this time, and serves what can be served. What has to wait goes to `waits`, with its ticket.
    /// Whether the connection stays.
    pub fn take<P: Policy>(
        &mut self,
        bytes: &[u8],
        arrival: i64,
        policy: &mut P,
        waits: &mut Vec<(Duration, u32)>,
    ) -> bool {
        match self {
            Session::Http2(session) => session.take(bytes, arrival, policy, waits),
            Session::WebSocket(session) => session.take(bytes, arrival, policy, waits),
        }
    }

    /// The time of the request with this ticket has come. Whether the connection stays.
    pub fn due<P: Policy>(
        &mut self,
        ticket: u32,
        policy: &mut P,
        waits: &mut Vec<(Duration, u32)>,
    ) -> bool {
        match self {
            Session::Http2(session) => session.due(ticket, policy, waits),
            Session::WebSocket(session) => session.due(ticket),
        }
    }

    /// Adds what is to be sent, and is sent now, as `policy` learns.
    pub fn output<P: Policy>(&mut self, to: &mut Vec<u8>, policy: &mut P) {
        match self {
            Session::Http2(session) => session.output(to, policy),
            Session::WebSocket(session) => session.output(to, policy),
        }
    }
}
