//! A server on a machine.

use std::fs::{self, OpenOptions};
use std::io::{self, Seek, SeekFrom, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::PathBuf;
use std::time::Duration;

use photofinish_load::Control;
use photofinish_model::Address;

use super::{Host, Kind, Process, request};
use crate::keeper::ORPHAN_GRACE;
use crate::{Error, ProcessSpec};

/// A log of another machine, as it is brought to this one.
pub(super) struct FetchedLog {
    path: PathBuf,
    /// How long it was before: what others have printed to it stays.
    before: u64,
}

impl Host {
    /// Starts a server, whose output goes to a log of this machine ([`Process::fetch_log`]). It and everything that it starts ends when
    /// the [`Process`] is dropped, and when photofinish ends, however that happens.
    ///
    /// # Errors
    /// If it cannot be started.
    pub fn start(&self, spec: &ProcessSpec) -> Result<Process, Error> {
        let mut spec = Box::new(spec.clone());
        let log = (!self.is_here()).then(|| {
            let path = std::mem::take(&mut spec.log);
            let before = fs::metadata(&path).map_or(0, |meta| meta.len());
            FetchedLog { path, before }
        });
        let start = request::Start { spec };
        let (made, pid) = self.make(start, &Control::default(), &|| false)?;
        Ok(Process {
            made,
            pid,
            log,
            stopped: false,
        })
    }

    /// A server that runs already and listens at this address: its process if that is on this machine and can be found, else one of which
    /// nothing is known. It is only sampled, and continues when the [`Process`] is dropped.
    ///
    /// # Errors
    /// If the machine cannot be reached.
    pub fn find(&self, address: &Address) -> Result<Process, Error> {
        let address = matches!(self.kind, Kind::Local(_)).then(|| address.clone());
        let find = request::Find { address };
        let (made, pid) = self.make(find, &Control::default(), &|| false)?;
        Ok(Process {
            made,
            pid,
            log: None,
            stopped: true,
        })
    }
}

impl Process {
    /// The server's own process id; `None` if it is not known.
    pub fn pid(&self) -> Option<u32> {
        self.pid
    }

    pub(super) fn host(&self) -> &Host {
        &self.made.host
    }

    pub(super) fn number(&self) -> u64 {
        self.made.number
    }

    /// Brings what it has printed so far to the log that its spec names.
    ///
    /// # Errors
    /// If its machine cannot be reached, or the log cannot be written.
    pub fn fetch_log(&mut self) -> Result<(), Error> {
        let Some(FetchedLog { path, before }) = &self.log else {
            // It writes to it itself.
            return Ok(());
        };
        let process = self.number();
        let bytes = self.host().ask(request::Log { process })?;
        let write = || -> io::Result<()> {
            let mut options = OpenOptions::new();
            options.write(true).create(true).truncate(false).mode(0o600);
            let mut file = options.open(path)?;
            // All of it each time: a long log loses its middle.
            file.set_len(*before)?;
            file.seek(SeekFrom::Start(*before))?;
            file.write_all(&bytes)
        };
        write().map_err(Error::file("write", path))
    }

    /// SIGTERM to it and everything that it started, SIGKILL to what is left after `grace`; returns when all are gone. Stopping again
    /// does nothing. Dropping does the same.
    ///
    /// # Errors
    /// If some of its processes do not end, or its machine cannot be reached.
    pub fn stop(&mut self, grace: Duration) -> Result<(), Error> {
        if self.stopped {
            return Ok(());
        }
        let process = self.number();
        let result = self.host().ask(request::Stop { process, grace });
        self.stopped = result.is_ok();
        let fetched = self.fetch_log();
        result.and(fetched)
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // If this fails on another machine its agent is gone, and ends it by itself.
        let _ = self.stop(ORPHAN_GRACE);
    }
}

#[cfg(test)]
mod tests {
    use std::net::TcpListener;

    use photofinish_profile::SampleClock;

    use super::*;

    #[test]
    fn a_server_that_runs_already_is_sampled_and_never_changed() {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let address = listener.local_addr().expect("an address").into();
        let mut found = Host::this_machine().find(&address).expect("it is here");
        assert_eq!(found.pid(), Some(std::process::id()));
        assert!(found.usage().expect("its process is known").processes >= 1);
        assert_eq!(found.exited().expect("its process is known"), None);
        assert!(matches!(found.freeze(true), Err(Error::NotOurs(_))));
        let sampled = found.sample(SampleClock::Cpu, true);
        assert!(matches!(sampled, Err(Error::NotOurs(_))));
        found.freeze(false).expect("nothing happens");
        found.stop(Duration::ZERO).expect("nothing happens");
    }
}
