//! Connections of another machine, brought to this one.

use std::io::{self, Read, Write};
use std::net::Shutdown;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use photofinish_model::Address;
use socket2::{Domain, Socket, Type};

use super::shared::Shared;
use super::{Came, Link};
use crate::agent::message::{News, Refusal, ToAgent};
use crate::request;

/// The agent's end of a connection; dropping it says that it is not needed any more.
struct Connection {
    shared: Arc<Shared>,
    number: u64,
}

impl Drop for Connection {
    fn drop(&mut self) {
        self.shared.release(self.number);
    }
}

impl Link {
    /// Connects from there. What comes and goes goes through a pair of sockets of this machine, so that it can be used as any other
    /// connection.
    pub(super) fn connection(&self, address: &Address, within: Duration) -> io::Result<Socket> {
        let connect = request::Connect {
            address: address.clone(),
            within,
        };
        let (number, came) = self.begin(connect.into()).map_err(io::Error::other)?;
        // A server that speaks first may have spoken before the reply.
        let mut early = Vec::new();
        let refusal = loop {
            match came.recv() {
                Ok(Came::Reply(reply)) => break reply.err(),
                Ok(Came::News(news)) => early.push(news),
                Err(_) => return Err(io::Error::other(self.lost())),
            }
        };
        if let Some(Refusal { says, number: code }) = refusal {
            self.shared.forget(number);
            return Err(code.map_or_else(|| io::Error::other(says), io::Error::from_raw_os_error));
        }
        let shared = Arc::clone(&self.shared);
        let made = Arc::new(Connection { shared, number });
        let (ours, theirs) = Socket::pair(Domain::UNIX, Type::STREAM, None)?;
        let mut from = theirs.try_clone()?;
        let out = Arc::clone(&made);
        thread::spawn(move || {
            let mut bytes = vec![0; 64 * 1024];
            loop {
                let read = from.read(&mut bytes).unwrap_or(0);
                let bytes = bytes[..read].to_vec();
                out.shared.send(&ToAgent::Bytes(number, bytes));
                if read == 0 {
                    return;
                }
            }
        });
        thread::spawn(move || {
            let _made = made;
            let mut to = theirs;
            let later = came.into_iter().map_while(|came| match came {
                Came::News(news) => Some(news),
                Came::Reply(_) => None,
            });
            for news in early.into_iter().chain(later) {
                let News::Bytes(bytes) = news else { break };
                if bytes.is_empty() || to.write_all(&bytes).is_err() {
                    break;
                }
            }
            let _ = to.shutdown(Shutdown::Both);
        });
        Ok(ours)
    }
}
