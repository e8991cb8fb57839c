//! TCP ports and Unix sockets: a free port, and who listens there already.

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::net::{Ipv4Addr, TcpListener};
use std::ops::RangeInclusive;
use std::time::SystemTime;

use photofinish_model::Address;
use procfs::net::{TcpNetEntry, TcpState, UnixNetEntry, UnixState};
use procfs::process::{FDTarget, Process, all_processes};

use super::{Error, PortHolder};

/// Where free ports are looked for: above what is commonly in use.
const RANGE: RangeInclusive<u16> = 20_000..=65_000;

/// A TCP port that nobody uses.
///
/// It lies outside the kernel's range of ephemeral ports where it can: one of the generator's own connections could
/// else be given it in the time between two starts of a server.
pub(super) fn free() -> Result<u16, Error> {
    let used: BTreeSet<u16> = sockets().iter().map(|s| s.local_address.port()).collect();
    let ephemeral = ephemeral_range().unwrap_or(0..=0);
    let candidates: Vec<u16> = RANGE
        .filter(|port| !ephemeral.contains(port) && !used.contains(port))
        .collect();
    // Starts anywhere, so that two photofinish that look at the same moment do not meet.
    let start = SystemTime::UNIX_EPOCH
        .elapsed()
        .map_or(0, |t| t.subsec_nanos()) as usize;
    let from = start % candidates.len().max(1);
    let found = candidates[from..]
        .iter()
        .chain(&candidates[..from])
        .find(|&&port| binds(port).is_ok());
    match found {
        Some(&port) => Ok(port),
        None => binds(0).map_err(Error::NoPort),
    }
}

/// Whether a server could listen there now; tells the port that it was.
fn binds(port: u16) -> io::Result<u16> {
    Ok(TcpListener::bind((Ipv4Addr::LOCALHOST, port))?
        .local_addr()?
        .port())
}

/// The ports from which the kernel takes those of outgoing connections.
pub fn ephemeral_range() -> Option<RangeInclusive<u16>> {
    let text = fs::read_to_string("/proc/sys/net/ipv4/ip_local_port_range").ok()?;
    let mut bounds = text.split_ascii_whitespace().map(str::parse);
    Some(bounds.next()?.ok()?..=bounds.next()?.ok()?)
}

/// Every TCP socket of this network, of both families.
fn sockets() -> Vec<TcpNetEntry> {
    // A machine may lack either family.
    let mut sockets = procfs::net::tcp().unwrap_or_default();
    sockets.extend(procfs::net::tcp6().unwrap_or_default());
    sockets
}

/// Who listens somewhere, of a port on any address; `None` when nobody does and a server could. The file of a Unix socket on which
/// nobody listens any more is for the server to remove.
pub(super) fn holder(at: &Address) -> Option<PortHolder> {
    let unknown = PortHolder {
        pid: 0,
        command: String::new(),
    };
    let Some(listener) = listeners(at).first().copied() else {
        let taken = match at {
            Address::Tcp(address) => {
                binds(address.port()).is_err_and(|e| e.kind() == io::ErrorKind::AddrInUse)
            }
            Address::Unix(_) => false,
        };
        return taken.then_some(unknown);
    };
    let Some(owner) = owner(listener) else {
        return Some(unknown);
    };
    Some(named(&owner))
}

fn named(owner: &Process) -> PortHolder {
    PortHolder {
        pid: owner.pid as u32,
        command: command_line(owner).unwrap_or_default(),
    }
}

/// A process that listens there, is none of `own`, and was there before `since` (in clock ticks since boot): whatever answers
/// there is not, or not always, what was started since. One that is younger may serve on its behalf, as a container's does.
pub(super) fn older_listener(at: &Address, own: &[u32], since: u64) -> Option<PortHolder> {
    let is_own = |inode: u64| {
        let mut processes = own.iter().filter_map(|&pid| Process::new(pid as i32).ok());
        processes.any(|process| has_socket(&process, inode))
    };
    let mut others = listeners(at)
        .into_iter()
        .filter(|&inode| !is_own(inode))
        .filter_map(owner);
    others
        .find(|other| other.stat().is_ok_and(|stat| stat.starttime < since))
        .map(|other| named(&other))
}

/// The sockets that listen there, by their inodes.
fn listeners(at: &Address) -> Vec<u64> {
    match at {
        Address::Tcp(address) => {
            let port = address.port();
            let listens =
                |s: &TcpNetEntry| s.state == TcpState::Listen && s.local_address.port() == port;
            let sockets = sockets().into_iter().filter(listens);
            sockets.map(|socket| socket.inode).collect()
        }
        Address::Unix(path) => {
            let accepted = |s: &UnixNetEntry| {
                s.state == UnixState::UNCONNECTED && s.path.as_deref() == Some(path)
            };
            let sockets = procfs::net::unix().unwrap_or_default();
            let sockets = sockets.into_iter().filter(accepted);
            sockets.map(|socket| socket.inode).collect()
        }
    }
}

/// The process that has a socket open.
fn owner(inode: u64) -> Option<Process> {
    let mut all = all_processes().ok()?.flatten();
    all.find(|process| has_socket(process, inode))
}

fn has_socket(process: &Process, inode: u64) -> bool {
    let files = process.fd().into_iter().flatten().flatten();
    files
        .map(|file| file.target)
        .any(|target| matches!(target, FDTarget::Socket(of) if of == inode))
}

/// A process's command line, its arguments parted by spaces; its name where it has none.
fn command_line(process: &Process) -> Option<String> {
    match process.cmdline().ok()?.join(" ").trim() {
        "" => Some(process.stat().ok()?.comm),
        line => Some(line.to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use std::net::SocketAddr;
    use std::os::unix::net::UnixListener;
    use std::time::{Duration, Instant};

    use super::*;

    #[test]
    fn a_free_port_is_free_and_a_taken_one_names_its_holder() {
        let port = free().expect("there are free ports");
        let at = Address::from(SocketAddr::from((Ipv4Addr::LOCALHOST, port)));
        assert_eq!(holder(&at), None);
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port)).expect("it is free");
        let found = holder(&at).expect("it is taken");
        assert_eq!(found.pid, std::process::id());
        assert!(!found.command.is_empty());
        drop(listener);
        // A process that another test starts meanwhile has the listener too until it executes its program.
        let deadline = Instant::now() + Duration::from_secs(60);
        while holder(&at).is_some() {
            assert!(Instant::now() < deadline, "{:?}", holder(&at));
            std::thread::sleep(Duration::from_millis(1));
        }
    }

    #[test]
    fn a_socket_is_free_unless_somebody_listens_on_it() {
        let folder = tempfile::tempdir().expect("there is room");
        let at = Address::unix(folder.path().join("socket")).expect("it is short");
        assert_eq!(holder(&at), None);
        let path = folder.path().join("socket");
        let listener = UnixListener::bind(&path).expect("it is free");
        let found = holder(&at).expect("it is taken");
        assert_eq!(found.pid, std::process::id());
        drop(listener);
        let deadline = Instant::now() + Duration::from_secs(60);
        while holder(&at).is_some() {
            assert!(Instant::now() < deadline, "{:?}", holder(&at));
            std::thread::sleep(Duration::from_millis(1));
        }
        // Its file is still there.
        assert!(path.exists());
    }

    #[test]
    fn a_free_port_is_not_one_for_outgoing_connections() {
        let ephemeral = ephemeral_range().expect("Linux tells it");
        if RANGE.into_iter().any(|port| !ephemeral.contains(&port)) {
            assert!(!ephemeral.contains(&free().expect("there are free ports")));
        }
    }
}
