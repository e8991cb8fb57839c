//! Servers that run already: photofinish has not started them and does not end them. They are looked at, where that is possible.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};

use photofinish_model::Address;

use super::locked::locked;
use super::ports;
use super::processes::{self, Stat};
use super::usage::Meter;

/// Those of this machine that race, for telling them from what else runs on it.
#[derive(Clone, Debug, Default)]
pub(super) struct RunningServers(Arc<Mutex<Known>>);

/// What is known of them.
#[derive(Clone, Debug, Default)]
pub(super) struct Known {
    /// The processes that were found.
    pub(super) pids: BTreeSet<u32>,
    /// Whether there is one on this machine whose process was not found: its CPU time is nobody's.
    pub(super) unseen: bool,
}

impl RunningServers {
    /// What is known by now.
    pub(super) fn known(&self) -> Known {
        locked(&self.0).clone()
    }

    /// One whose process is this; `None`: it is on this machine, and is not known.
    pub(super) fn add(&self, pid: Option<u32>) {
        let mut known = locked(&self.0);
        known.pids.extend(pid);
        known.unseen |= pid.is_none();
    }

    /// The server that listens at this address.
    pub(super) fn find(&self, address: &Address) -> FoundServer {
        let found = ports::server(address).and_then(processes::stat);
        let mut known = locked(&self.0);
        match found {
            Some(root) => {
                known.pids.insert(root.pid);
                FoundServer::new(&root)
            }
            None => {
                known.unseen |= ports::is_here(address);
                FoundServer::default()
            }
        }
    }
}

/// A server that runs already. By default nothing is known of its process, such as of one on another machine.
#[derive(Default)]
pub(crate) struct FoundServer(Option<Found>);

/// A process that was found.
struct Found {
    pid: u32,
    /// In clock ticks since boot: with the id it names the process for good.
    started: u64,
    meter: Meter,
}

impl FoundServer {
    fn new(root: &Stat) -> FoundServer {
        FoundServer(Some(Found {
            pid: root.pid,
            started: root.started,
            meter: Meter::of(root.pid),
        }))
    }

    pub(crate) fn pid(&self) -> Option<u32> {
        self.0.as_ref().map(|found| found.pid)
    }

    /// How it ended. Only a parent learns more than that it did; if nothing is known of it, whoever loads it sees whether it responds.
    pub(crate) fn exited(&self) -> Option<String> {
        let found = self.0.as_ref()?;
        let now = processes::stat(found.pid);
        let gone = now.is_none_or(|now| now.started != found.started || now.ended());
        gone.then(|| format!("process {} is gone", found.pid))
    }

    pub(crate) fn meter(&mut self) -> Option<&mut Meter> {
        self.0.as_mut().map(|found| &mut found.meter)
    }
}

#[cfg(test)]
mod tests {
    use std::net::{SocketAddr, TcpListener};
    use std::time::Duration;

    use super::*;

    fn at(listener: &TcpListener) -> Address {
        listener.local_addr().expect("an address").into()
    }

    #[test]
    fn a_server_of_this_machine_is_found_and_sampled() {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let running_servers = RunningServers::default();
        let mut found = running_servers.find(&at(&listener));
        assert_eq!(found.pid(), Some(std::process::id()));
        assert_eq!(running_servers.known().pids, [std::process::id()].into());
        assert!(!running_servers.known().unseen);
        let meter = found.meter().expect("it can be seen");
        let usage = meter.usage();
        assert!(usage.processes >= 1 && usage.rss_bytes > 0 && usage.threads >= 1);
        assert!(meter.clocks().is_some_and(|cpu| cpu > Duration::ZERO));
        assert_eq!(found.exited(), None);
        drop(found);
        assert!(running_servers.find(&at(&listener)).pid().is_some());
    }

    #[test]
    fn of_one_elsewhere_nothing_is_known() {
        let running_servers = RunningServers::default();
        // An address for documentation (RFC 5737).
        let far: SocketAddr = "192.0.2.1:80".parse().expect("an address");
        let mut far = running_servers.find(&far.into());
        assert!(far.pid().is_none() && far.meter().is_none() && far.exited().is_none());
        assert!(!running_servers.known().unseen);
        // Here, but nobody's that can be seen.
        let free = at(&TcpListener::bind("127.0.0.1:0").expect("a port"));
        let deadline = std::time::Instant::now() + Duration::from_secs(60);
        // Another test's child may hold the listener until it executes its program.
        while running_servers.find(&free).pid().is_some() {
            assert!(std::time::Instant::now() < deadline);
            std::thread::yield_now();
        }
        assert!(running_servers.known().unseen);
    }
}
