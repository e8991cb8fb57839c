//! Where a built-in server listens, and whom it accepts.

use std::io;
use std::os::unix::fs::FileTypeExt;
use std::path::Path;

use photofinish_model::Address;
use rustix::net::SocketFlags;
use socket2::{Protocol, Socket, Type};

/// A listening socket with a backlog that holds a burst of connects, and its address: port 0 becomes the one that it got.
pub fn listen(address: &Address) -> io::Result<(Socket, Address)> {
    let at = address.to_system()?;
    let socket = match address {
        Address::Tcp(_) => {
            let socket = Socket::new(at.domain(), Type::STREAM, Some(Protocol::TCP))?;
            // A restarted server finds its old connections in TIME_WAIT on the same port.
            socket.set_reuse_address(true)?;
            // Linux hands it on to every connection that is accepted.
            socket.set_tcp_nodelay(true)?;
            socket.bind(&at)?;
            socket
        }
        Address::Unix(path) => {
            let socket = Socket::new(at.domain(), Type::STREAM, None)?;
            match socket.bind(&at) {
                Err(error) if error.kind() == io::ErrorKind::AddrInUse && left(path, address)? => {
                    std::fs::remove_file(path)?;
                    socket.bind(&at)?;
                }
                bound => bound?,
            }
            socket
        }
    };
    socket.listen(16_384)?;
    let at = match socket.local_addr()?.as_socket() {
        Some(address) => address.into(),
        None => address.clone(),
    };
    Ok((socket, at))
}

/// Whether a path is that of a socket on which nobody listens any more: a server that was killed left it.
fn left(path: &Path, address: &Address) -> io::Result<bool> {
    let is_socket = |file: std::fs::Metadata| file.file_type().is_socket();
    if !path.symlink_metadata().is_ok_and(is_socket) {
        return Ok(false);
    }
    let to = address.to_system()?;
    let asked = Socket::new(to.domain(), Type::STREAM.nonblocking(), None)?.connect(&to);
    Ok(asked.is_err_and(|error| error.kind() == io::ErrorKind::ConnectionRefused))
}

/// A connection that has come, which does not block.
pub fn accept(listener: &Socket) -> io::Result<Socket> {
    let flags = SocketFlags::NONBLOCK | SocketFlags::CLOEXEC;
    Ok(rustix::net::accept_with(listener, flags)?.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_socket_that_nobody_serves_any_more_is_taken_over_and_no_other_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("socket");
        let address = Address::unix(&path).unwrap();
        let (first, at) = listen(&address).unwrap();
        assert_eq!(at, address);
        let taken = listen(&address).unwrap_err();
        assert_eq!(taken.kind(), io::ErrorKind::AddrInUse);
        drop(first);
        assert!(path.exists());
        drop(listen(&address).unwrap());
        let file = folder.path().join("file");
        std::fs::write(&file, "mine").unwrap();
        let address = Address::unix(&file).unwrap();
        assert!(listen(&address).is_err());
        assert_eq!(std::fs::read_to_string(&file).unwrap(), "mine");
    }
}
