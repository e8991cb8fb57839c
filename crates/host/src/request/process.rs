//! Servers: what is asked of one that was started, or that runs already.

use std::fs::{self, OpenOptions};
use std::io::{self, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use photofinish_load::Control;
use photofinish_model::{Address, files};
use photofinish_profile::SampleClock;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::{Ask, Request};
use crate::agent::{Agent, LONGEST_MESSAGE, Server, Thing};
use crate::host::{Call, Host, Made};
use crate::keeper::ORPHAN_GRACE;
use crate::local::LocalProcess;
use crate::{Error, PortHolder, ProcessSpec};

/// A server that was started, or runs already. One that was started ends when this is dropped.
pub struct Process {
    made: Made,
    pid: Option<u32>,
    /// Where its output goes that is printed on another machine.
    log: Option<FetchedLog>,
    is_stopped: bool,
}

/// A log of another machine, as it is brought to this one.
struct FetchedLog {
    path: PathBuf,
    /// How long that was before: what others have printed to it stays.
    before: u64,
}

impl Host {
    /// Starts a server, whose words go to a log of this machine ([`Process::fetch_log`]). It and everything that it starts ends when the [`Process`]
    /// is dropped, and when photofinish ends, however that happens.
    ///
    /// # Errors
    /// Where it cannot be started.
    pub fn start(&self, spec: &ProcessSpec) -> Result<Process, Error> {
        let mut there = spec.clone();
        let log = (!self.is_local()).then(|| FetchedLog {
            path: std::mem::take(&mut there.log),
            before: fs::metadata(&spec.log).map_or(0, |meta| meta.len()),
        });
        let (made, pid) = self.make(Start(Box::new(there)), &Control::default())?;
        Ok(Process {
            made,
            pid,
            log,
            is_stopped: false,
        })
    }

    /// A server that runs already and listens at this address. It is only looked at, and goes on when the [`Process`] is dropped.
    ///
    /// # Errors
    /// Where the machine cannot be reached.
    pub fn find(&self, address: &Address) -> Result<Process, Error> {
        let (made, pid) = self.make(Find(address.clone()), &Control::default())?;
        Ok(Process {
            made,
            pid,
            log: None,
            // It is not ended.
            is_stopped: true,
        })
    }
}

impl Process {
    /// The server's own process id; `None` where it was not known at the start.
    pub fn pid(&self) -> Option<u32> {
        self.pid
    }

    /// Asks something about it.
    ///
    /// # Errors
    /// Why that cannot be said or done.
    pub fn ask<R: ProcessRequest>(&mut self, request: R) -> Result<R::Reply, Error>
    where
        On<R>: Into<Ask>,
    {
        let Made { host, number } = &self.made;
        host.ask(On(*number, request))
    }

    /// The same for what may not be known.
    pub fn known<T, R: ProcessRequest<Reply = Option<T>>>(&mut self, request: R) -> Option<T>
    where
        On<R>: Into<Ask>,
    {
        self.ask(request).ok().flatten()
    }

    /// Brings what it has printed so far to the log that its spec names.
    ///
    /// # Errors
    /// Where the machine cannot be reached, or the log cannot be written.
    pub fn fetch_log(&mut self) -> Result<(), Error> {
        if self.log.is_none() {
            // The server writes to it itself, or where its owner wants.
            return Ok(());
        }
        let bytes = self.ask(Log)?;
        let Some(FetchedLog { path, before }) = &self.log else {
            return Ok(());
        };
        let write = || -> io::Result<()> {
            let mut options = OpenOptions::new();
            let mut file = (options.write(true).create(true).truncate(false)).open(path)?;
            // All of it each time: a long log loses its middle.
            file.set_len(*before)?;
            file.seek(SeekFrom::Start(*before))?;
            file.write_all(&bytes)
        };
        write().map_err(|source| Error::File {
            verb: "write",
            path: path.clone(),
            source,
        })
    }

    /// SIGTERM to it and everything that it started, SIGKILL to what is left after `grace`; returns when all are gone. Stopping again does
    /// nothing. Dropping does the same.
    ///
    /// # Errors
    /// Where some of its processes do not end, or the machine cannot be reached.
    pub fn stop(&mut self, grace: Duration) -> Result<(), Error> {
        if self.is_stopped {
            return Ok(());
        }
        let result = self.ask(Stop(grace));
        self.is_stopped = result.is_ok();
        let fetched = self.fetch_log();
        result.and(fetched)
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // Where this fails on another machine its agent is gone, and ends it by itself.
        let _ = self.stop(ORPHAN_GRACE);
    }
}

/// Starts a server; replies with its process id. One whose spec has no log gets one of the machine's own.
#[derive(Debug, Serialize, Deserialize)]
pub struct Start(pub Box<ProcessSpec>);

impl Request for Start {
    type Reply = Option<u32>;

    fn perform(self, agent: &Agent, call: &Call<'_>) -> Result<Option<u32>, Error> {
        let mut spec = *self.0;
        if spec.log == Path::new("") {
            spec.log = agent.new_log()?;
        }
        let process = LocalProcess::start(agent.program(), &agent.logs, &spec)?;
        let pid = process.pid();
        if spec.container.is_some() {
            // It may be below no process of photofinish's.
            agent.racing.add(pid);
        }
        let server = Server::Started(Box::new(process));
        agent.keep(call, Thing::server(server, spec.log));
        Ok(pid)
    }
}

/// Finds the server that listens at this address; replies with its process id, where it is on that machine and can be found.
#[derive(Debug, Serialize, Deserialize)]
pub struct Find(pub Address);

impl Request for Find {
    type Reply = Option<u32>;

    fn perform(self, agent: &Agent, call: &Call<'_>) -> Result<Option<u32>, Error> {
        let found = agent.racing.find(&self.0);
        let pid = found.pid();
        agent.keep(call, Thing::server(Server::Found(found), PathBuf::new()));
        Ok(pid)
    }
}

/// Something that can be asked about a server.
pub trait ProcessRequest: Serialize + DeserializeOwned + Send + 'static {
    /// What comes of it.
    type Reply: Serialize + DeserializeOwned + Send + 'static;

    /// Does it, on the server's machine. `log` is where its output goes there.
    ///
    /// # Errors
    /// Why it cannot be done.
    fn perform(self, server: &mut Server, log: &Path) -> Result<Self::Reply, Error>;
}

/// A request about the server of this number.
#[derive(Debug, Serialize, Deserialize)]
pub struct On<R>(pub u64, pub R);

impl<R: ProcessRequest> Request for On<R>
where
    On<R>: Into<Ask>,
{
    type Reply = R::Reply;

    fn perform(self, agent: &Agent, _: &Call<'_>) -> Result<R::Reply, Error> {
        let On(number, request) = self;
        agent.server(number, |server, log| request.perform(server, log))
    }
}

/// How it ended, such as `exit status 1` or `signal 9 (SIGKILL)`; nothing while it runs.
#[derive(Debug, Serialize, Deserialize)]
pub struct Exited;

impl ProcessRequest for Exited {
    type Reply = Option<String>;

    fn perform(self, server: &mut Server, _: &Path) -> Result<Option<String>, Error> {
        match server {
            Server::Started(process) => process.exited(),
            Server::Found(found) => Ok(found.exited()),
        }
    }
}

/// What it and its descendants have used. Looks at every thread, which takes some 10 µs each.
/// [`Error::NotOurs`] where its process is not known.
#[derive(Debug, Serialize, Deserialize)]
pub struct Usage;

impl ProcessRequest for Usage {
    type Reply = crate::Usage;

    fn perform(self, server: &mut Server, _: &Path) -> Result<crate::Usage, Error> {
        Ok(server.usage_meter()?.usage())
    }
}

/// The same at a bounded cost, for sampling while a measurement runs: where there are very many threads, the context switches may be those
/// of an earlier look.
#[derive(Debug, Serialize, Deserialize)]
pub struct Glance;

impl ProcessRequest for Glance {
    type Reply = crate::Usage;

    fn perform(self, server: &mut Server, _: &Path) -> Result<crate::Usage, Error> {
        Ok(server.usage_meter()?.glance())
    }
}

/// Who listens where it was to listen in its place or with it: a process that was there before it. Nothing where there is none, or that
/// cannot be known.
#[derive(Debug, Serialize, Deserialize)]
pub struct ForeignListener(pub Address);

impl ProcessRequest for ForeignListener {
    type Reply = Option<PortHolder>;

    fn perform(self, server: &mut Server, _: &Path) -> Result<Option<PortHolder>, Error> {
        match server {
            Server::Started(process) => Ok(process.foreign_listener(&self.0)),
            // Whoever listens there is the server.
            Server::Found(_) => Ok(None),
        }
    }
}

/// The CPU time that those of its processes have used which the last look at its usage found, to the nanosecond and at the cost of a clock
/// each; nothing where one of them has ended since, or nothing reports it so finely.
#[derive(Debug, Serialize, Deserialize)]
pub struct Cpu;

impl ProcessRequest for Cpu {
    type Reply = Option<Duration>;

    fn perform(self, server: &mut Server, _: &Path) -> Result<Option<Duration>, Error> {
        Ok(server.usage_meter().ok().and_then(|meter| meter.clocks()))
    }
}

/// Lets those of its threads that compile just in time, as many as the last look at its usage found, use these cores of its machine alone;
/// the others stay where they are. `false` where the kernel refuses that: a container may not have these cores.
#[derive(Debug, Serialize, Deserialize)]
pub struct PlaceCompilers(pub Vec<usize>);

impl ProcessRequest for PlaceCompilers {
    type Reply = bool;

    fn perform(self, server: &mut Server, _: &Path) -> Result<bool, Error> {
        match server {
            Server::Started(process) => Ok(process.place_compilers(&self.0)),
            Server::Found(_) => Ok(false),
        }
    }
}

/// Stops it and everything that it started until it is to go on (by its cgroup's freezer where it has one, else by SIGSTOP and SIGCONT);
/// doing the same again does nothing, nor does either to one that has ended.
#[derive(Debug, Serialize, Deserialize)]
pub struct Freeze(pub bool);

impl ProcessRequest for Freeze {
    type Reply = ();

    fn perform(self, server: &mut Server, _: &Path) -> Result<(), Error> {
        match (server, self.0) {
            (Server::Started(process), frozen) => process.freeze(frozen),
            (Server::Found(_), true) => Err(Error::NotOurs("stop for a while")),
            (Server::Found(_), false) => Ok(()),
        }
    }
}

/// Whether there is a Java virtual machine among it and what it has started that has no agent.
#[derive(Debug, Serialize, Deserialize)]
pub struct HasBareJava;

impl ProcessRequest for HasBareJava {
    type Reply = bool;

    fn perform(self, server: &mut Server, _: &Path) -> Result<bool, Error> {
        match server {
            Server::Started(process) => Ok(process.has_bare_java()),
            Server::Found(_) => Ok(false),
        }
    }
}

/// Loads an agent, a file of its machine, into each of its Java virtual machines, unless it has one: they are sampled by it from now on.
/// [`Error::Java`] where one of them does not let it; none of them has an agent then.
#[derive(Debug, Serialize, Deserialize)]
pub struct LoadJavaAgent(pub PathBuf);

impl ProcessRequest for LoadJavaAgent {
    type Reply = ();

    fn perform(self, server: &mut Server, _: &Path) -> Result<(), Error> {
        match server {
            Server::Started(process) => process.load_java_agent(&self.0),
            Server::Found(_) => Err(Error::NotOurs("load an agent into")),
        }
    }
}

/// Begins, or ends for now, to sample what the cores that it may use run of it, or, by the wall clock, the threads of its Java virtual
/// machines that have an agent. Fails where the kernel does not let this user. [`Error::Java`] where an agent does not do it: it is sampled
/// without one from now on.
#[derive(Debug, Serialize, Deserialize)]
pub struct Sample(pub SampleClock, pub bool);

impl ProcessRequest for Sample {
    type Reply = ();

    fn perform(self, server: &mut Server, _: &Path) -> Result<(), Error> {
        match (server, self.1) {
            (Server::Started(process), on) => process.sample(self.0, on),
            (Server::Found(_), true) => Err(Error::NotOurs("profile")),
            (Server::Found(_), false) => Ok(()),
        }
    }
}

/// The stacks in which it and everything that it started were found, and what ran in them, by this clock since they were last asked for,
/// before another clock is begun; none where nothing was sampled.
#[derive(Debug, Serialize, Deserialize)]
pub struct Sampled(pub SampleClock);

impl ProcessRequest for Sampled {
    type Reply = photofinish_profile::Sampled;

    fn perform(self, server: &mut Server, _: &Path) -> Result<Self::Reply, Error> {
        match server {
            Server::Started(process) => Ok(process.sampled(self.0)),
            Server::Found(_) => Ok(photofinish_profile::Sampled::default()),
        }
    }
}

/// What it has printed so far.
#[derive(Debug, Serialize, Deserialize)]
pub struct Log;

impl ProcessRequest for Log {
    type Reply = Vec<u8>;

    fn perform(self, _: &mut Server, log: &Path) -> Result<Vec<u8>, Error> {
        files::read(log, LONGEST_MESSAGE as u64 / 2).map_err(|source| Error::File {
            verb: "read",
            path: log.to_owned(),
            source,
        })
    }
}

/// SIGTERM to it and everything that it started, SIGKILL to what is left after this time; replies when all are gone.
#[derive(Debug, Serialize, Deserialize)]
pub struct Stop(pub Duration);

impl ProcessRequest for Stop {
    type Reply = ();

    fn perform(self, server: &mut Server, _: &Path) -> Result<(), Error> {
        match server {
            Server::Started(process) => process.stop(self.0),
            Server::Found(_) => Ok(()),
        }
    }
}
