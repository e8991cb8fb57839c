//! Servers that run already: photofinish has not started them and does not end them. They are looked at, where that is possible.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, PoisonError};

use photofinish_model::Address;

use super::ports;
use super::processes::{self, Stat};
use super::usage::Meter;

/// Those of this machine that race, for telling them from what else runs on it.
#[derive(Clone, Debug, Default)]
pub(super) struct Racing(Arc<Mutex<Known>>);

/// What is known of them.
#[derive(Clone, Debug, Default)]
pub(super) struct Known {
    /// The processes that were found.
    pub(super) pids: BTreeSet<u32>,
    /// Whether there is one on this machine whose process was not found: its CPU time is nobody's.
    pub(super) unseen: bool,
}

impl Racing {
    /// What is known by now.
    pub(super) fn known(&self) -> Known {
        self.0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }

    /// One whose process is this; `None`: it is on this machine, and is not known.
    pub(super) fn add(&self, pid: Option<u32>) {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        known.pids.extend(pid);
        known.unseen |= pid.is_none();
    }

    /// The server that listens at this address.
    pub(super) fn find(&self, address: &Address) -> Found {
        let found = ports::server(address).and_then(processes::stat);
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match found {
            Some(root) => {
                known.pids.insert(root.pid);
                Found(Some(FoundProcess::new(&root)))
            }
            None => {
                known.unseen |= ports::is_here(address);
                Found(None)
            }
        }
    }
}

/// A server that runs already: it is looked at, where its process was found, and nothing is done to it.
pub struct Found(Option<FoundProcess>);

/// The process of a server.
struct FoundProcess {
    pid: u32,
    /// In clock ticks since boot: with the id it names the process for good.
    started: u64,
    meter: Meter,
}

impl FoundProcess {
    fn new(root: &Stat) -> FoundProcess {
        FoundProcess {
            pid: root.pid,
            started: root.started,
            meter: Meter::of(root.pid),
        }
    }

    fn is_gone(&self) -> bool {
        let now = processes::stat(self.pid);
        now.is_none_or(|now| now.started != self.started || now.ended())
    }
}

impl Found {
    pub(super) fn pid(&self) -> Option<u32> {
        Some(self.0.as_ref()?.pid)
    }

    /// How it ended: only a parent learns that. Of one whose process is not known, whoever loads it sees whether it still responds.
    pub(super) fn exited(&self) -> Option<String> {
        let process = self.0.as_ref().filter(|process| process.is_gone())?;
        Some(format!("process {} is gone", process.pid))
    }

    pub(super) fn usage_meter(&mut self) -> Option<&mut Meter> {
        Some(&mut self.0.as_mut()?.meter)
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
    fn a_server_of_this_machine_is_found_looked_at_and_left_alone() {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let racing = Racing::default();
        let mut found = racing.find(&at(&listener));
        assert_eq!(found.pid(), Some(std::process::id()));
        assert_eq!(racing.known().pids, [std::process::id()].into());
        assert!(!racing.known().unseen);
        let usage = found.usage_meter().expect("it can be seen").usage();
        assert!(usage.processes >= 1 && usage.rss_bytes > 0 && usage.threads >= 1);
        let cpu = found.usage_meter().expect("it can be seen").clocks();
        assert!(cpu.is_some_and(|cpu| cpu > Duration::ZERO));
        assert_eq!(found.exited(), None);
        drop(found);
        assert!(racing.find(&at(&listener)).pid().is_some());
    }

    #[test]
    fn of_one_elsewhere_nothing_is_known() {
        let racing = Racing::default();
        // An address for documentation (RFC 5737).
        let far: SocketAddr = "192.0.2.1:80".parse().expect("an address");
        let mut far = racing.find(&far.into());
        assert!(far.pid().is_none() && far.usage_meter().is_none() && far.exited().is_none());
        assert!(!racing.known().unseen);
        // Here, but nobody's that can be seen.
        let free = at(&TcpListener::bind("127.0.0.1:0").expect("a port"));
        let deadline = std::time::Instant::now() + Duration::from_secs(60);
        // Another test's child may hold the listener until it executes its program.
        while racing.find(&free).pid().is_some() {
            assert!(std::time::Instant::now() < deadline);
            std::thread::yield_now();
        }
        assert!(racing.known().unseen);
    }
}
