use std::fs::{self, OpenOptions};
use std::io::{self, Seek, SeekFrom, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use photofinish_model::Address;
use photofinish_profile::{SampleClock, Sampled};

use super::{Made, Remote};
use crate::agent::serve::request;
use crate::{Error, PortHolder, Process, Usage};

/// A process that an agent started.
pub(super) struct RemoteProcess {
    remote: Remote,
    made: Made,
    pid: Option<u32>,
    /// On this machine.
    log: PathBuf,
    /// How long that was before.
    before: u64,
    stopped: bool,
}

impl RemoteProcess {
    /// `made` is the process with the id `pid`, and `log` where on this machine its output goes.
    pub(super) fn new(remote: Remote, made: Made, pid: Option<u32>, log: &Path) -> RemoteProcess {
        RemoteProcess {
            remote,
            made,
            pid,
            log: log.to_owned(),
            // What others have printed to the same log stays.
            before: fs::metadata(log).map_or(0, |meta| meta.len()),
            stopped: false,
        }
    }

    fn number(&self) -> u64 {
        self.made.number
    }
}

impl Process for RemoteProcess {
    fn pid(&self) -> Option<u32> {
        self.pid
    }

    fn exited(&mut self) -> Result<Option<String>, Error> {
        let process = self.number();
        self.remote.ask(request::Exited { process })
    }

    fn usage(&mut self) -> Result<Usage, Error> {
        let process = self.number();
        self.remote.ask(request::FullUsage { process })
    }

    fn glance(&mut self) -> Result<Usage, Error> {
        let process = self.number();
        self.remote.ask(request::Glance { process })
    }

    fn foreign_listener(&mut self, address: &Address) -> Option<PortHolder> {
        let (process, address) = (self.number(), address.clone());
        let listener = request::ForeignListener { process, address };
        self.remote.known(listener)
    }

    fn cpu(&mut self) -> Option<Duration> {
        let process = self.number();
        self.remote.known(request::Cpu { process })
    }

    fn place_compilers(&mut self, cores: &[usize]) -> Result<bool, Error> {
        let (process, cores) = (self.number(), cores.to_vec());
        self.remote.ask(request::PlaceCompilers { process, cores })
    }

    fn freeze(&mut self, frozen: bool) -> Result<(), Error> {
        let process = self.number();
        self.remote.ask(request::Freeze { process, frozen })
    }

    fn has_bare_java(&mut self) -> Result<bool, Error> {
        let process = self.number();
        self.remote.ask(request::HasBareJava { process })
    }

    fn load_java_agent(&mut self, library: &Path) -> Result<(), Error> {
        let (process, library) = (self.number(), library.to_owned());
        self.remote.ask(request::LoadJavaAgent { process, library })
    }

    fn sample(&mut self, clock: SampleClock, on: bool) -> Result<(), Error> {
        let process = self.number();
        self.remote.ask(request::Sample { process, clock, on })
    }

    fn sampled(&mut self, clock: SampleClock) -> Result<Sampled, Error> {
        let process = self.number();
        self.remote.ask(request::Sampled { process, clock })
    }

    fn fetch_log(&mut self) -> Result<(), Error> {
        let process = self.number();
        let bytes = self.remote.ask(request::Log { process })?;
        let write = || -> io::Result<()> {
            let mut options = OpenOptions::new();
            options.write(true).create(true).truncate(false).mode(0o600);
            let mut file = options.open(&self.log)?;
            // All of it each time: a long log loses its middle.
            file.set_len(self.before)?;
            file.seek(SeekFrom::Start(self.before))?;
            file.write_all(&bytes)
        };
        write().map_err(|source| Error::File {
            verb: "write",
            path: self.log.clone(),
            source,
        })
    }

    fn stop(&mut self, grace: Duration) -> Result<(), Error> {
        if self.stopped {
            return Ok(());
        }
        let process = self.number();
        let result = self.remote.ask(request::Stop { process, grace });
        self.stopped = result.is_ok();
        let fetched = self.fetch_log();
        result.and(fetched)
    }
}

impl Drop for RemoteProcess {
    fn drop(&mut self) {
        // Where this fails the agent is gone, and ends it by itself.
        let _ = self.stop(crate::keeper::ORPHAN_GRACE);
    }
}
