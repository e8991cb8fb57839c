//! A way from this machine to a database that listens on another machine's loopback interface.

use std::io::{self, Read, Write};
use std::net::{Ipv4Addr, Shutdown, SocketAddr, TcpListener};
use std::thread;

use photofinish_host::Host;
use photofinish_model::Address;
use socket2::Socket;

use super::sql::CONNECT;

/// A port of this machine's loopback interface that leads, for one connection, to a port of another machine's.
///
/// # Errors
/// If nothing listens there, or this machine has no port.
pub(super) fn relay(machine: &Host, port: u16) -> io::Result<u16> {
    let loopback = |port| SocketAddr::from((Ipv4Addr::LOCALHOST, port));
    let far = machine.connect(&Address::from(loopback(port)), CONNECT)?;
    let listener = TcpListener::bind(loopback(0))?;
    let port = listener.local_addr()?.port();
    let listener = Socket::from(listener);
    // A driver that has not come by then does not come.
    listener.set_read_timeout(Some(CONNECT))?;
    thread::Builder::new().spawn(move || {
        let both = || -> io::Result<()> {
            let (near, _) = listener.accept()?;
            near.set_read_timeout(None)?;
            near.set_tcp_nodelay(true)?;
            let (near_too, far_too) = (near.try_clone()?, far.try_clone()?);
            thread::Builder::new().spawn(move || pass(&near_too, &far_too))?;
            pass(&far, &near);
            Ok(())
        };
        // Whoever waits for a reply sees that there is none.
        let _ = both();
    })?;
    Ok(port)
}

/// Passes on what comes, until no more does.
fn pass(mut from: &Socket, mut to: &Socket) {
    let mut bytes = vec![0; 1 << 16];
    loop {
        match from.read(&mut bytes) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Ok(0) | Err(_) => break,
            Ok(length) if to.write_all(&bytes[..length]).is_err() => break,
            Ok(_) => {}
        }
    }
    let _ = to.shutdown(Shutdown::Write);
}
