//! Connections of another machine, brought to this one.

use std::io::{self, Read, Write};
use std::net::Shutdown;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use photofinish_model::Address;
use socket2::{Domain, Socket, Type};

use super::Remote;
use crate::agent::message::{News, ToAgent};
use crate::agent::serve::request;

impl Remote {
    /// Connects from there. What comes and goes goes through a pair of sockets of this machine, so that it can be used as any other
    /// connection.
    pub(super) fn connection(&self, address: &Address, within: Duration) -> io::Result<Socket> {
        let connect = request::Connect {
            address: address.clone(),
            within,
        };
        let (number, came) = (self.link.subscribe(connect)).map_err(|failed| failed.as_io())?;
        let made = Arc::new(self.made(number));
        let (ours, theirs) = Socket::pair(Domain::UNIX, Type::STREAM, None)?;
        let mut from = theirs.try_clone()?;
        let out = Arc::clone(&made);
        thread::spawn(move || {
            let mut bytes = vec![0; 64 * 1024];
            loop {
                let read = from.read(&mut bytes).unwrap_or(0);
                out.link
                    .send(&ToAgent::Bytes(number, bytes[..read].to_vec()));
                if read == 0 {
                    return;
                }
            }
        });
        thread::spawn(move || {
            let _made = made;
            let mut to = theirs;
            for news in came {
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
