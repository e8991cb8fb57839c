//! Where a server listens.

use std::ffi::OsString;
use std::net::SocketAddr;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::PathBuf;
use std::{fmt, io};

use serde::{Deserialize, Serialize};
use socket2::SockAddr;

/// The longest path that a Unix socket may have, in bytes: `sun_path` holds 108, the last of which is 0.
pub const LONGEST_SOCKET_PATH: usize = 107;

/// Why nothing can listen at a path.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InvalidSocketPath {
    /// There is none.
    #[error("the path of a Unix socket is empty")]
    Empty,
    /// The system takes no path of so many bytes.
    #[error("the path of a Unix socket has {LONGEST_SOCKET_PATH} bytes at most, and this one has {bytes}: {}", path.display())]
    TooLong {
        /// How many it has.
        bytes: usize,
        /// The path.
        path: PathBuf,
    },
}

/// Where a server listens.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Address {
    /// A port of an address.
    Tcp(SocketAddr),
    /// A Unix socket: its path, on the server's machine. A name that begins with `@` is Linux's abstract one, which no file has.
    Unix(PathBuf),
}

impl Address {
    /// What requests call a server that is listening there, unless somebody knows better: the value of HTTP's `Host`.
    pub fn authority(&self) -> String {
        match self {
            Address::Tcp(address) => address.to_string(),
            Address::Unix(_) => "localhost".to_owned(),
        }
    }

    /// As the system's calls take it.
    ///
    /// # Errors
    /// For a path that is longer than the system allows.
    pub fn to_system(&self) -> io::Result<SockAddr> {
        match self {
            Address::Tcp(address) => Ok((*address).into()),
            Address::Unix(path) => match path.as_os_str().as_bytes() {
                // An abstract name begins with a zero byte, which nobody can write.
                [b'@', name @ ..] => {
                    let name = [&[0], name].concat();
                    SockAddr::unix(OsString::from_vec(name))
                }
                _ => SockAddr::unix(path),
            },
        }
    }

    /// The address of a Unix socket.
    ///
    /// # Errors
    /// For a path at which nothing can listen.
    pub fn unix(path: impl Into<PathBuf>) -> Result<Address, InvalidSocketPath> {
        let path = path.into();
        match path.as_os_str().len() {
            0 => Err(InvalidSocketPath::Empty),
            1..=LONGEST_SOCKET_PATH => Ok(Address::Unix(path)),
            bytes => Err(InvalidSocketPath::TooLong { bytes, path }),
        }
    }
}

impl From<SocketAddr> for Address {
    fn from(address: SocketAddr) -> Address {
        Address::Tcp(address)
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Address::Tcp(address) => address.fmt(f),
            Address::Unix(path) => write!(f, "unix:{}", path.display()),
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::samples::assert_contains;

    use super::*;

    #[test]
    fn a_path_fits_the_system_s_own_bound() {
        let longest = "x".repeat(LONGEST_SOCKET_PATH);
        let address = Address::unix(longest.as_str()).unwrap();
        assert_eq!(address.to_string(), format!("unix:{longest}"));
        assert_eq!(address.authority(), "localhost");
        let says = Address::unix(format!("{longest}x"))
            .unwrap_err()
            .to_string();
        assert_contains(&says, "107 bytes at most, and this one has 108");
        assert_eq!(Address::unix(""), Err(InvalidSocketPath::Empty));
    }

    #[test]
    fn a_port_is_reported_as_it_is_written() {
        let address: SocketAddr = "[::1]:80".parse().unwrap();
        assert_eq!(Address::from(address).to_string(), "[::1]:80");
        assert_eq!(Address::from(address).authority(), "[::1]:80");
    }
}
