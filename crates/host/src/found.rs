//! Servers that run already: photofinish has not started them and does not end them. They are looked at, where that is possible.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use photofinish_model::Address;
use photofinish_profile::{SampleClock, Sampled};

use super::processes::{self, Stat};
use super::usage::Meter;
use super::{Error, PortHolder, Process, Usage, ports};

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
    pub(super) fn find(&self, address: &Address) -> Box<dyn Process> {
        let found = ports::server(address).and_then(processes::stat);
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match found {
            Some(root) => {
                known.pids.insert(root.pid);
                Box::new(FoundServer::new(&root))
            }
            None => {
                known.unseen |= ports::is_here(address);
                Box::new(UnknownServer)
            }
        }
    }
}

/// A server whose process was found.
struct FoundServer {
    pid: u32,
    /// In clock ticks since boot: with the id it names the process for good.
    started: u64,
    meter: Meter,
}

impl FoundServer {
    fn new(root: &Stat) -> FoundServer {
        FoundServer {
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

impl Process for FoundServer {
    fn pid(&self) -> Option<u32> {
        Some(self.pid)
    }

    fn exited(&mut self) -> Result<Option<String>, Error> {
        // Only a parent learns how a process has ended.
        let gone = || format!("process {} is gone", self.pid);
        Ok(self.is_gone().then(gone))
    }

    fn usage(&mut self) -> Result<Usage, Error> {
        Ok(self.meter.usage())
    }

    fn glance(&mut self) -> Result<Usage, Error> {
        Ok(self.meter.glance())
    }

    fn foreign_listener(&mut self, address: &Address) -> Option<PortHolder> {
        UnknownServer.foreign_listener(address)
    }

    fn cpu(&mut self) -> Option<Duration> {
        self.meter.clocks()
    }

    fn freeze(&mut self, frozen: bool) -> Result<(), Error> {
        UnknownServer.freeze(frozen)
    }

    fn has_bare_java(&mut self) -> Result<bool, Error> {
        UnknownServer.has_bare_java()
    }

    fn load_java_agent(&mut self, library: &Path) -> Result<(), Error> {
        UnknownServer.load_java_agent(library)
    }

    fn sample(&mut self, clock: SampleClock, on: bool) -> Result<(), Error> {
        UnknownServer.sample(clock, on)
    }

    fn sampled(&mut self, clock: SampleClock) -> Result<Sampled, Error> {
        UnknownServer.sampled(clock)
    }

    fn fetch_log(&mut self) -> Result<(), Error> {
        UnknownServer.fetch_log()
    }

    fn stop(&mut self, grace: Duration) -> Result<(), Error> {
        UnknownServer.stop(grace)
    }
}

/// A server of whose process nothing is known, such as one on another machine, and to which nothing is done.
#[derive(Clone, Copy, Debug, Default)]
pub struct UnknownServer;

impl Process for UnknownServer {
    fn pid(&self) -> Option<u32> {
        None
    }

    /// Whoever loads it sees whether it still responds.
    fn exited(&mut self) -> Result<Option<String>, Error> {
        Ok(None)
    }

    fn usage(&mut self) -> Result<Usage, Error> {
        Err(Error::NotOurs("look at"))
    }

    /// Whoever listens there is the server.
    fn foreign_listener(&mut self, _: &Address) -> Option<PortHolder> {
        None
    }

    fn cpu(&mut self) -> Option<Duration> {
        None
    }

    fn freeze(&mut self, frozen: bool) -> Result<(), Error> {
        match frozen {
            true => Err(Error::NotOurs("stop for a while")),
            false => Ok(()),
        }
    }

    fn has_bare_java(&mut self) -> Result<bool, Error> {
        Ok(false)
    }

    fn load_java_agent(&mut self, _: &Path) -> Result<(), Error> {
        Err(Error::NotOurs("load an agent into"))
    }

    fn sample(&mut self, _: SampleClock, on: bool) -> Result<(), Error> {
        match on {
            true => Err(Error::NotOurs("profile")),
            false => Ok(()),
        }
    }

    fn sampled(&mut self, _: SampleClock) -> Result<Sampled, Error> {
        Ok(Sampled::default())
    }

    /// It prints where its owner wants it to.
    fn fetch_log(&mut self) -> Result<(), Error> {
        Ok(())
    }

    fn stop(&mut self, _: Duration) -> Result<(), Error> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::net::{SocketAddr, TcpListener};

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
        let usage = found.usage().expect("it can be seen");
        assert!(usage.processes >= 1 && usage.rss_bytes > 0 && usage.threads >= 1);
        assert!(found.cpu().is_some_and(|cpu| cpu > Duration::ZERO));
        assert_eq!(found.exited().expect("it can be seen"), None);
        assert!(found.freeze(true).is_err() && found.sample(SampleClock::Cpu, true).is_err());
        found.stop(Duration::ZERO).expect("nothing happens");
        drop(found);
        assert!(racing.find(&at(&listener)).pid().is_some());
    }

    #[test]
    fn of_one_elsewhere_nothing_is_known() {
        let racing = Racing::default();
        // An address for documentation (RFC 5737).
        let far: SocketAddr = "192.0.2.1:80".parse().expect("an address");
        let mut far = racing.find(&far.into());
        assert!(far.pid().is_none() && far.usage().is_err() && far.cpu().is_none());
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
