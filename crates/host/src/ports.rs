//! TCP ports and Unix sockets: a free port, and who listens there already.

use std::collections::BTreeSet;
use std::io;
use std::net::{IpAddr, Ipv4Addr, TcpListener, UdpSocket};
use std::ops::RangeInclusive;
use std::time::SystemTime;

use photofinish_load::ephemeral_range;
use photofinish_model::Address;
use photofinish_model::secret::mask_words;
use procfs::net::{TcpNetEntry, TcpState, UnixNetEntry, UnixState};
use procfs::process::{FDTarget, Process, all_processes};

use super::processes::{self, Stat};
use super::{Error, PortHolder, strays};

/// Where free ports are looked for: above what is commonly in use.
const FREE_PORTS: RangeInclusive<u16> = 20_000..=65_000;

/// A TCP port that nobody uses.
///
/// It lies outside the kernel's range of ephemeral ports where it can: one of the generator's own connections could
/// else be given it in the time between two starts of a server.
pub(super) fn free() -> Result<u16, Error> {
    let used: BTreeSet<u16> = sockets().iter().map(|s| s.local_address.port()).collect();
    let ephemeral = ephemeral_range().unwrap_or(0..=0);
    let candidates: Vec<u16> = FREE_PORTS
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

/// Whether a server could listen there now; returns the port that it was.
fn binds(port: u16) -> io::Result<u16> {
    Ok(TcpListener::bind((Ipv4Addr::LOCALHOST, port))?
        .local_addr()?
        .port())
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

/// A process that listens there, is none of `own`, and was there before `since` (in clock ticks since boot) or is a server of another
/// photofinish or of another target, by a mark that is not `mark`: whatever responds there is not, or not always, what was started since.
/// Any other that is younger may serve on its behalf, as a container's does.
pub(super) fn foreign_listener(
    at: &Address,
    own: &[u32],
    since: u64,
    mark: &str,
) -> Option<PortHolder> {
    let is_own = |inode: u64| {
        let mut processes = own.iter().filter_map(|&pid| Process::new(pid as i32).ok());
        processes.any(|process| has_socket(&process, inode))
    };
    let mut others = listeners(at)
        .into_iter()
        .filter(|&inode| !is_own(inode))
        .filter_map(owner);
    let is_older = |other: &Process| other.stat().is_ok_and(|stat| stat.starttime < since);
    let is_another_s = |other: &Process| {
        let marked = strays::mark_of(other.pid as u32);
        marked.is_some_and(|other| other != mark.as_bytes())
    };
    others
        .find(|other| is_older(other) || is_another_s(other))
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

/// Programs that listen on behalf of servers elsewhere: in a container, in a cluster, on another machine. What they use is not
/// what the server uses.
const FORWARDERS: [&str; 9] = [
    "docker-proxy",
    "containers-root", // containers-rootlessport, as the kernel cuts names
    "rootlessport",
    "pasta",
    "pasta.avx2",
    "slirp4netns",
    "ssh",
    "kubectl",
    "socat",
];

/// Programs that open sockets for servers, and keep them open beside these.
const ACTIVATORS: [&str; 2] = ["systemd", "init"];

/// The process of this machine that serves an address: of several with the listener open the one that all others descend from. `None`
/// where there is none, or it is not known.
pub(super) fn server(at: &Address) -> Option<u32> {
    if !is_here(at) {
        return None;
    }
    let inodes = serving(at);
    let all = processes::processes();
    let has_one = |pid: u32| {
        let process = Process::new(pid as i32).ok();
        process.is_some_and(|process| inodes.iter().any(|&inode| has_socket(&process, inode)))
    };
    let holders: Vec<&Stat> = (all.iter())
        .filter(|p| !p.kernel && !ACTIVATORS.contains(&&*p.name))
        .filter(|p| !inodes.is_empty() && has_one(p.pid))
        .collect();
    let mut roots = holders.iter().filter(|one| {
        let below = |other: &&&Stat| processes::descendants(&all, other.pid).contains(*one);
        !holders.iter().any(|other| below(&other))
    });
    match (roots.next(), roots.next()) {
        (Some(root), None) if !FORWARDERS.contains(&&*root.name) => Some(root.pid),
        _ => None,
    }
}

/// The sockets that accept what is sent to an address: those that are bound to it, else those of any address.
fn serving(at: &Address) -> Vec<u64> {
    let Address::Tcp(to) = at else {
        return listeners(at);
    };
    let plain = |ip: IpAddr| ip.to_canonical();
    let listens =
        |s: &TcpNetEntry| s.state == TcpState::Listen && s.local_address.port() == to.port();
    let all: Vec<TcpNetEntry> = sockets().into_iter().filter(listens).collect();
    let bound_to = |wanted: &dyn Fn(IpAddr) -> bool| -> Vec<u64> {
        let fit = all.iter().filter(|s| wanted(s.local_address.ip()));
        fit.map(|socket| socket.inode).collect()
    };
    let exact = bound_to(&|ip| plain(ip) == plain(to.ip()));
    match exact.is_empty() {
        false => exact,
        // That of IPv6 accepts IPv4 too.
        true => bound_to(&|ip| ip.is_unspecified() && (ip.is_ipv6() || plain(to.ip()).is_ipv4())),
    }
}

/// Whether a server that listens there is on this machine: only its own addresses can be bound to.
pub fn is_here(address: &Address) -> bool {
    match address {
        Address::Tcp(address) => {
            let ip = address.ip();
            ip.is_loopback() || UdpSocket::bind((ip, 0)).is_ok()
        }
        Address::Unix(_) => true,
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

/// A process's command line without the secrets in it, its arguments parted by spaces; its name where it has none.
fn command_line(process: &Process) -> Option<String> {
    match mask_words(&process.cmdline().ok()?).join(" ").trim() {
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
    fn own_addresses_are_told_from_others() {
        let here = |text: &str| is_here(&text.parse::<SocketAddr>().expect("an address").into());
        assert!(here("127.0.0.1:80") && here("[::1]:80"));
        assert!(!here("203.0.113.1:80"));
    }

    #[test]
    fn a_server_is_found_at_any_of_its_addresses_and_at_no_other() {
        let find = |ip: &str, port: u16| {
            let ip: IpAddr = ip.parse().expect("an address");
            server(&SocketAddr::from((ip, port)).into())
        };
        let own = Some(std::process::id());
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let port = listener.local_addr().expect("an address").port();
        assert_eq!(find("127.0.0.1", port), own);
        // Another address of the same machine, and the same port of another machine.
        assert_eq!(find("127.0.0.2", port), None);
        assert_eq!(find("192.0.2.1", port), None);
        let any = TcpListener::bind("0.0.0.0:0").expect("a port");
        let port = any.local_addr().expect("an address").port();
        assert_eq!(find("127.0.0.2", port), own);
        if let Ok(any) = TcpListener::bind("[::]:0") {
            let port = any.local_addr().expect("an address").port();
            assert_eq!([find("::1", port), find("127.0.0.1", port)], [own; 2]);
        }
    }

    #[test]
    fn a_free_port_is_not_one_for_outgoing_connections() {
        let ephemeral = ephemeral_range().expect("Linux reports it");
        if FREE_PORTS
            .into_iter()
            .any(|port| !ephemeral.contains(&port))
        {
            assert!(!ephemeral.contains(&free().expect("there are free ports")));
        }
    }
}
