use std::fs::{self, OpenOptions};
use std::io::{self, Seek, SeekFrom, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use photofinish_model::Address;
use photofinish_profile::{SampleClock, Sampled};

use super::{Made, Remote, reply};
use crate::agent::message::{Ask, ProcessAsk, Reply};
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

    fn ask(&self, ask: ProcessAsk) -> Result<Reply, Error> {
        self.remote.ask(Ask::Process(self.made.number, ask))
    }

    fn odd(&self) -> Error {
        self.remote.odd()
    }
}

impl Process for RemoteProcess {
    fn pid(&self) -> Option<u32> {
        self.pid
    }

    fn exited(&mut self) -> Result<Option<String>, Error> {
        reply!(self, ProcessAsk::Exited, Exited)
    }

    fn usage(&mut self) -> Result<Usage, Error> {
        reply!(self, ProcessAsk::Usage, Usage)
    }

    fn glance(&mut self) -> Result<Usage, Error> {
        reply!(self, ProcessAsk::Glance, Usage)
    }

    fn foreign_listener(&mut self, address: &Address) -> Option<PortHolder> {
        let ask = ProcessAsk::ForeignListener(address.clone());
        let holder = reply!(self, ask, Holder);
        holder.ok().flatten()
    }

    fn cpu(&mut self) -> Option<Duration> {
        let time = reply!(self, ProcessAsk::Cpu, Time);
        time.ok().flatten()
    }

    fn place_compilers(&mut self, cores: &[usize]) -> Result<bool, Error> {
        reply!(self, ProcessAsk::PlaceCompilers(cores.to_vec()), Has)
    }

    fn freeze(&mut self, frozen: bool) -> Result<(), Error> {
        self.ask(ProcessAsk::Freeze(frozen)).map(drop)
    }

    fn has_bare_java(&mut self) -> Result<bool, Error> {
        reply!(self, ProcessAsk::HasBareJava, Has)
    }

    fn load_java_agent(&mut self, library: &Path) -> Result<(), Error> {
        self.ask(ProcessAsk::JavaAgent(library.to_owned()))
            .map(drop)
    }

    fn sample(&mut self, clock: SampleClock, on: bool) -> Result<(), Error> {
        self.ask(ProcessAsk::Sample(clock, on)).map(drop)
    }

    fn sampled(&mut self, clock: SampleClock) -> Result<Sampled, Error> {
        reply!(self, ProcessAsk::Sampled(clock), Sampled)
    }

    fn fetch_log(&mut self) -> Result<(), Error> {
        let bytes: Vec<u8> = reply!(self, ProcessAsk::Log, Bytes)?;
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
        let result = self.ask(ProcessAsk::Stop(grace)).map(drop);
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
