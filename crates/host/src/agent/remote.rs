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
use super::serve::request::{self, Request};
use crate::{
    Account, Allocation, CoreTimes, Cpu, Engine, Error, Facts, Files, Host, Image, Installed,
    InterfaceQuery, Machine, MachineSample, Meter, NoLoad, PortHolder, Process, ProcessSpec, Tools,
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
    allocation: Option<Allocation>,
}

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
            allocation: None,
        })
    }

    /// The same, which keeps something for as long as it is there.
    pub(crate) fn holding(self, held: Arc<dyn Any + Send + Sync>) -> Remote {
        Remote {
            _held: Some(held),
            ..self
        }
    }

    /// The same, as a part of what a scheduler allocated.
    pub(crate) fn allocated(self, allocation: Allocation) -> Remote {
        Remote {
            allocation: Some(allocation),
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
        let clock = self.ask(request::Clock {})?;
        clock.ok_or_else(|| Error::Unreachable {
            machine: self.link.name().to_owned(),
            says: "its clock is before 1970".to_owned(),
        })
    }

    /// So many bytes from there.
    ///
    /// # Errors
    /// Where the agent is gone.
    pub fn fill(&self, bytes: u32) -> Result<usize, Error> {
        Ok(self.ask(request::Fill { bytes })?.len())
    }

    fn ask<R: Request>(&self, request: R) -> Result<R::Reply, Error> {
        self.link.ask(request).map_err(|failed| self.error(failed))
    }

    /// Asks for what may not be known.
    fn known<T>(&self, request: impl Request<Reply = Option<T>>) -> Option<T> {
        self.ask(request).ok().flatten()
    }

    fn make<R: Request>(&self, request: R) -> Result<(Made, R::Reply), Error> {
        let made = self.link.make(request);
        let (number, reply) = made.map_err(|failed| self.error(failed))?;
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
        let cores = self.ask(request::Cores {});
        // Whoever is gone says so when more is asked of it.
        cores.map_or(1, |cores| cores as usize)
    }

    fn cpus(&self) -> Result<Vec<Cpu>, Error> {
        self.ask(request::Cpus {})
    }

    fn facts(&self) -> Result<Facts, Error> {
        self.ask(request::Facts {})
    }

    fn allocation(&self) -> Result<Option<Allocation>, Error> {
        let Some(allocation) = self.allocation.clone() else {
            return Ok(None);
        };
        let cpus = self.cpus()?;
        let cpus = cpus.iter().map(|cpu| cpu.number as u32).collect();
        Ok(Some(allocation.on(cpus)))
    }

    fn allow_open_files(&self, needed: u64) -> Result<(), u64> {
        let most = self.known(request::AllowOpenFiles { needed });
        most.map_or(Ok(()), Err)
    }

    fn own_cpu(&self) -> Option<Duration> {
        self.known(request::OwnCpu {})
    }

    fn hiccups(&self, cpu: Option<usize>) -> Box<dyn Meter> {
        self.meter(request::Hiccups { cpu })
    }

    fn reference(&self, cpu: usize) -> Box<dyn Meter> {
        self.meter(request::Reference { cpu })
    }

    fn wakes(&self, cpu: usize) -> Box<dyn Meter> {
        self.meter(request::Wakes { cpu })
    }

    fn interface(&self, way: InterfaceQuery) -> Option<Interface> {
        self.known(request::Interface { way })
    }

    fn connect(&self, address: &Address, within: Duration) -> io::Result<Socket> {
        self.connection(address, within)
    }
}

impl Remote {
    fn meter(&self, request: impl Request<Reply = ()>) -> Box<dyn Meter> {
        Box::new(RemoteMeter {
            remote: self.clone(),
            made: self.make(request).ok().map(|(made, ())| made),
        })
    }
}

struct RemoteMeter {
    remote: Remote,
    /// `None`: there could be none.
    made: Option<Made>,
}

impl Meter for RemoteMeter {
    fn lap(&self) -> Option<Histogram<u64>> {
        let meter = self.made.as_ref()?.number;
        self.remote.known(request::Lap { meter })?.read()
    }

    fn end(self: Box<Self>) -> Option<Histogram<u64>> {
        let meter = self.made.as_ref()?.number;
        self.remote.known(request::EndMeter { meter })?.read()
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
        self.ask(request::FreePort {})
    }

    fn holder(&self, address: &Address) -> Option<PortHolder> {
        let address = address.clone();
        self.known(request::PortHolder { address })
    }

    fn start(&self, spec: &ProcessSpec) -> Result<Box<dyn Process>, Error> {
        let (made, pid) = self.make(request::Start {
            spec: Box::new(spec.clone()),
        })?;
        let remote = self.clone();
        Ok(Box::new(RemoteProcess::new(remote, made, pid, &spec.log)))
    }

    fn machine_sample(&self) -> Option<MachineSample> {
        self.known(request::MachineSample {})
    }

    fn core_times(&self) -> Option<CoreTimes> {
        self.known(request::CoreTimes {})
    }

    fn memory_available(&self) -> Option<u64> {
        self.known(request::MemoryAvailable {})
    }

    fn tools(&self, needs: &BTreeMap<String, VersionReq>) -> Result<Tools, Error> {
        let needs = needs.clone();
        self.ask(request::Tools { needs })
    }

    fn programs(&self, names: &[String], folders: &[String]) -> Result<Vec<Installed>, Error> {
        let (names, folders) = (names.to_vec(), folders.to_vec());
        self.ask(request::Programs { names, folders })
    }

    fn account(&self, names: &[String]) -> Result<Account, Error> {
        let names = names.to_vec();
        self.ask(request::Account { names })
    }

    fn image(&self, engine: &Engine, name: &str) -> Result<Option<Image>, Error> {
        let (engine, name) = (engine.clone(), name.to_owned());
        self.ask(request::Image { engine, name })
    }
}
