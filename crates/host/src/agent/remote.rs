//! Another machine as the lab sees it: a host and a generator whose work an agent does.

mod connection;
mod files;
mod load;
mod process;

use std::any::Any;
use std::collections::BTreeMap;
use std::io;
use std::net::{IpAddr, Ipv4Addr};
use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use hdrhistogram::Histogram;
use photofinish_model::Address;
use photofinish_model::network::Interface;
use photofinish_model::version::VersionReq;
use socket2::Socket;

use super::link::{Failed, Link};
use super::message::{Ask, Reply};
use crate::{
    Account, CoreTimes, Cpu, Engine, Error, Facts, Files, Given, Host, Image, Installed, Machine,
    MachineSample, Meter, NoLoad, PortHolder, Process, ProcessSpec, Tools, Way,
};
use process::RemoteProcess;

/// Another machine.
#[derive(Clone)]
pub struct Remote {
    link: Arc<Link>,
    address: IpAddr,
    /// What the program that carries the bytes needs for as long as it runs; after the link.
    _held: Option<Arc<dyn Any + Send + Sync>>,
    /// What a scheduler says that it is, without the cores that may be used there.
    given: Option<Given>,
}

/// Takes the reply of the kind that a question has.
macro_rules! reply {
    ($remote:expr, $ask:expr, $kind:ident) => {
        match $remote.ask($ask) {
            Ok(Reply::$kind(reply)) => Ok(reply),
            Ok(_) => Err($remote.odd()),
            Err(error) => Err(error),
        }
    };
}
use reply;

impl Remote {
    /// Starts the program that carries the bytes to an agent; servers there are reached at `address`, or at the one that an SSH
    /// connection came to.
    ///
    /// # Errors
    /// Where no agent can be had.
    pub fn start(
        name: &str,
        address: Option<IpAddr>,
        command: &mut Command,
        interrupt: &AtomicBool,
    ) -> Result<Remote, Error> {
        let link = Link::start(name, command, interrupt)?;
        let address = address.or(link.welcome.address);
        Ok(Remote {
            link: Arc::new(link),
            address: address.unwrap_or(Ipv4Addr::LOCALHOST.into()),
            _held: None,
            given: None,
        })
    }

    /// The same, which keeps something for as long as it is there.
    pub(crate) fn holding(self, held: Arc<dyn Any + Send + Sync>) -> Remote {
        Remote {
            _held: Some(held),
            ..self
        }
    }

    /// The same, which a scheduler has given out.
    pub(crate) fn scheduled_as(self, given: Given) -> Remote {
        Remote {
            given: Some(given),
            ..self
        }
    }

    /// The stream to the agent.
    pub fn link(&self) -> &Link {
        &self.link
    }

    /// Where builds are kept there.
    pub fn cache(&self) -> &Path {
        &self.link.welcome.cache
    }

    /// The wall clock there, since the epoch.
    ///
    /// # Errors
    /// Where the agent is gone.
    pub fn clock(&self) -> Result<Duration, Error> {
        reply!(self, Ask::Clock, Time)?.ok_or_else(|| self.odd())
    }

    /// So many bytes from there.
    ///
    /// # Errors
    /// Where the agent is gone.
    pub fn fill(&self, bytes: u32) -> Result<usize, Error> {
        Ok(reply!(self, Ask::Fill(bytes), Bytes)?.len())
    }

    fn ask(&self, ask: Ask) -> Result<Reply, Error> {
        self.link.ask(ask).map_err(|failed| self.error(failed))
    }

    fn make(&self, ask: Ask) -> Result<(Made, Reply), Error> {
        let (number, reply) = self.link.make(ask).map_err(|failed| self.error(failed))?;
        Ok((self.made(number), reply))
    }

    fn made(&self, number: u64) -> Made {
        let link = Arc::clone(&self.link);
        Made { link, number }
    }

    fn error(&self, failed: Failed) -> Error {
        failed.on(self.link.name())
    }

    fn no_load(&self, failed: Failed) -> NoLoad {
        NoLoad::Elsewhere(Box::new(self.error(failed)))
    }

    /// A reply of another kind than was asked for.
    fn odd(&self) -> Error {
        Error::Unreachable {
            machine: self.link.name().to_owned(),
            says: "its reply is to another question".to_owned(),
        }
    }
}

/// Something that an agent made; dropping it says that it is not needed any more.
struct Made {
    link: Arc<Link>,
    number: u64,
}

impl Drop for Made {
    fn drop(&mut self) {
        self.link.release(self.number);
    }
}

impl Machine for Remote {
    fn name(&self) -> String {
        self.link.name().to_owned()
    }

    fn still_there(&self) -> Result<(), Error> {
        self.link.still_there().map_err(|failed| self.error(failed))
    }

    fn cores(&self) -> usize {
        let cores = reply!(self, Ask::Cores, Count);
        // Whoever is gone says so when more is asked of it.
        cores.map_or(1, |cores| cores as usize)
    }

    fn cpus(&self) -> Result<Vec<Cpu>, Error> {
        reply!(self, Ask::Cpus, Cpus)
    }

    fn facts(&self) -> Result<Facts, Error> {
        reply!(self, Ask::Facts, Facts)
    }

    fn given(&self) -> Result<Option<Given>, Error> {
        let Some(given) = self.given.clone() else {
            return Ok(None);
        };
        let cpus = self.cpus()?;
        let cpus = cpus.iter().map(|cpu| cpu.number as u32).collect();
        Ok(Some(given.on(cpus)))
    }

    fn allow_open_files(&self, needed: u64) -> Result<(), u64> {
        let most = reply!(self, Ask::OpenFiles(needed), OpenFiles);
        most.ok().flatten().map_or(Ok(()), Err)
    }

    fn own_cpu(&self) -> Option<Duration> {
        let time = reply!(self, Ask::OwnCpu, Time);
        time.ok().flatten()
    }

    fn hiccups(&self, cpu: Option<usize>) -> Box<dyn Meter> {
        self.meter(Ask::Hiccups(cpu))
    }

    fn reference(&self, cpu: usize) -> Box<dyn Meter> {
        self.meter(Ask::Reference(cpu))
    }

    fn wakes(&self, cpu: usize) -> Box<dyn Meter> {
        self.meter(Ask::Wakes(cpu))
    }

    fn interface(&self, way: Way) -> Option<Interface> {
        let interface = reply!(self, Ask::Interface(way), Interface);
        interface.ok().flatten()
    }

    fn connect(&self, address: &Address, within: Duration) -> io::Result<Socket> {
        self.connection(address, within)
    }
}

impl Remote {
    fn meter(&self, ask: Ask) -> Box<dyn Meter> {
        Box::new(RemoteMeter {
            remote: self.clone(),
            made: self.make(ask).ok().map(|(made, _)| made),
        })
    }
}

struct RemoteMeter {
    remote: Remote,
    /// `None`: there could be none.
    made: Option<Made>,
}

impl RemoteMeter {
    fn late(&self, ask: fn(u64) -> Ask) -> Option<Histogram<u64>> {
        let number = self.made.as_ref()?.number;
        let late = reply!(self.remote, ask(number), Late);
        late.ok().flatten()?.read()
    }
}

impl Meter for RemoteMeter {
    fn lap(&self) -> Option<Histogram<u64>> {
        self.late(Ask::Lap)
    }

    fn end(self: Box<Self>) -> Option<Histogram<u64>> {
        self.late(Ask::End)
    }
}

impl Host for Remote {
    fn machine(&self) -> &dyn Machine {
        self
    }

    fn files(&self) -> &dyn Files {
        self
    }

    fn photofinish(&self) -> &Path {
        &self.link.welcome.program
    }

    fn address(&self) -> IpAddr {
        self.address
    }

    fn free_port(&self) -> Result<u16, Error> {
        let port: u64 = reply!(self, Ask::FreePort, Count)?;
        u16::try_from(port).map_err(|_| self.odd())
    }

    fn holder(&self, address: &Address) -> Option<PortHolder> {
        let holder = reply!(self, Ask::Holder(address.clone()), Holder);
        holder.ok().flatten()
    }

    fn start(&self, spec: &ProcessSpec) -> Result<Box<dyn Process>, Error> {
        let (made, reply) = self.make(Ask::Start(Box::new(spec.clone())))?;
        let Reply::Pid(pid) = reply else {
            return Err(self.odd());
        };
        let remote = self.clone();
        Ok(Box::new(RemoteProcess::new(remote, made, pid, &spec.log)))
    }

    fn machine_sample(&self) -> Option<MachineSample> {
        let sample = reply!(self, Ask::MachineSample, Sample);
        sample.ok().flatten()
    }

    fn core_times(&self) -> Option<CoreTimes> {
        let times = reply!(self, Ask::CoreTimes, CoreTimes);
        times.ok().flatten()
    }

    fn memory_available(&self) -> Option<u64> {
        let memory = reply!(self, Ask::MemoryAvailable, Memory);
        memory.ok().flatten()
    }

    fn tools(&self, needs: &BTreeMap<String, VersionReq>) -> Result<Tools, Error> {
        reply!(self, Ask::Tools(needs.clone()), Tools)
    }

    fn programs(&self, names: &[String], folders: &[String]) -> Result<Vec<Installed>, Error> {
        let ask = Ask::Programs(names.to_vec(), folders.to_vec());
        reply!(self, ask, Programs)
    }

    fn account(&self, names: &[String]) -> Result<Account, Error> {
        reply!(self, Ask::Account(names.to_vec()), Account)
    }

    fn image(&self, engine: &Engine, name: &str) -> Result<Option<Image>, Error> {
        reply!(self, Ask::Image(engine.clone(), name.to_owned()), Image)
    }
}
