//! Connections of another machine, brought to this one.

use std::io::{self, Read, Write};
use std::net::{Ipv4Addr, Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use super::Remote;
use crate::agent::link::Came;
use crate::agent::message::{Ask, News, ToAgent};

impl Remote {
    /// Connects from there. What comes and goes goes through a pair of sockets of this machine, so that it can be used as any other
    /// connection.
    pub(super) fn connection(
        &self,
        address: SocketAddr,
        within: Duration,
    ) -> io::Result<TcpStream> {
        let ask = Ask::Connect(address, within);
        let (number, came) = (self.link.subscribe(ask)).map_err(|failed| failed.as_io())?;
        let made = Arc::new(self.made(number));
        let (ours, theirs) = pair()?;
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
            while let Ok(Came::News(News::Bytes(bytes))) = came.recv() {
                if bytes.is_empty() || to.write_all(&bytes).is_err() {
                    break;
                }
            }
            let _ = to.shutdown(Shutdown::Both);
        });
        Ok(ours)
    }
}

/// Two ends of a connection within this machine.
fn pair() -> io::Result<(TcpStream, TcpStream)> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
    let ours = TcpStream::connect(listener.local_addr()?)?;
    loop {
        let (theirs, address) = listener.accept()?;
        // Anybody may have connected meanwhile.
        if address == ours.local_addr()? {
            theirs.set_nodelay(true)?;
            return Ok((ours, theirs));
        }
    }
}
