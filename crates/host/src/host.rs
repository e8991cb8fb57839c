//! A machine that servers and load generators run on, and what it can be asked.
//!
//! `request.rs` defines each request once. This machine performs it at once, an agent when it has arrived there.

use std::io;
use std::net::{IpAddr, Ipv4Addr};
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use photofinish_load::Control;
use photofinish_model::Address;
use photofinish_model::network::Interface;
use socket2::Socket;

use crate::local::{self, LocalHost};
use crate::{Allocation, Error, InterfaceQuery};

mod files;
mod generator;
mod meter;
mod process;
pub mod request;
mod several;

pub use files::{Folder, Lock};
pub use generator::{Generator, Session, beside, each, threads, watched};
pub use meter::Meter;
pub use several::Several;

use process::FetchedLog;
use request::{Ask, Call, Request};

/// A machine.
#[derive(Clone)]
pub struct Host {
    about: Arc<About>,
    kind: Kind,
}

/// How a machine is asked.
#[derive(Clone)]
enum Kind {
    /// This machine.
    Local(Arc<LocalHost>),
    /// A machine with an agent.
    Agent(Arc<dyn AgentLink>),
    /// Machines that send load together. What is asked of one of them is asked of the first.
    Several(Arc<Several>),
}

/// What is known of a machine without asking.
#[derive(Clone, Debug)]
pub struct About {
    /// What the user calls it.
    pub name: String,
    /// photofinish itself as a program there, for the servers that are built into it.
    pub photofinish: PathBuf,
    /// The address at which its servers are reached.
    pub address: IpAddr,
    /// Whether a path means the same there as here.
    pub is_here: bool,
    /// Where builds are kept there, if that is another machine.
    pub cache: Option<PathBuf>,
    /// What a scheduler has given out, without the cores that may be used there.
    pub allocation: Option<Allocation>,
}

impl About {
    /// Of this machine.
    pub fn this_machine(photofinish: PathBuf) -> About {
        About {
            name: "this machine".to_owned(),
            photofinish,
            address: Ipv4Addr::LOCALHOST.into(),
            is_here: true,
            cache: None,
            allocation: None,
        }
    }
}

/// A connection to an agent.
pub trait AgentLink: Send + Sync {
    /// Returns an error if somebody has noticed that the agent is gone. Asks nothing.
    ///
    /// # Errors
    /// Why the machine cannot be reached any more.
    fn still_there(&self) -> Result<(), Error> {
        Ok(())
    }

    /// Asks, and waits for the reply. Returns the request's number and the reply as it travels. `control` hears windows and marks.
    /// `control` and `unwanted` cancel the request.
    ///
    /// # Errors
    /// Why there is no reply.
    fn ask(
        &self,
        ask: Ask,
        control: &Control,
        unwanted: &dyn Fn() -> bool,
    ) -> Result<(u64, Vec<u8>), Error>;

    /// Lets the agent drop what it made for the request of this number.
    fn release(&self, number: u64);

    /// Connects from the machine to a server.
    ///
    /// # Errors
    /// Those of the system of the machine, and if the agent is gone.
    fn connect(&self, address: &Address, within: Duration) -> io::Result<Socket>;
}

/// Something that a machine made for a request. The machine drops it when this is dropped.
struct Made {
    host: Host,
    number: u64,
}

impl Drop for Made {
    fn drop(&mut self) {
        match &self.host.kind {
            Kind::Local(local) => local.release(self.number),
            Kind::Agent(link) => link.release(self.number),
            Kind::Several(_) => {}
        }
    }
}

/// A server that was started, or runs already. What can be asked of it stands in `request.rs`.
pub struct Process {
    made: Made,
    pid: Option<u32>,
    /// If another machine writes its log.
    log: Option<FetchedLog>,
    stopped: bool,
}

impl Host {
    fn new(about: About, kind: Kind) -> Host {
        let about = Arc::new(about);
        Host { about, kind }
    }

    /// This machine. `program` is the photofinish binary, whose hidden command `__keep` is [`crate::keep`].
    pub fn local(program: PathBuf) -> Host {
        let local = LocalHost::new(program.clone());
        Host::new(About::this_machine(program), Kind::Local(Arc::new(local)))
    }

    /// This machine for what needs no servers.
    pub fn this_machine() -> &'static Host {
        static HOST: OnceLock<Host> = OnceLock::new();
        HOST.get_or_init(|| {
            let about = About::this_machine(PathBuf::new());
            Host::new(about, Kind::Local(Arc::default()))
        })
    }

    /// A machine with an agent.
    pub fn of_agent(about: About, link: Arc<dyn AgentLink>) -> Host {
        Host::new(about, Kind::Agent(link))
    }

    /// Several generators as one.
    ///
    /// # Errors
    /// If one of them cannot be asked.
    pub fn several(generators: Vec<Box<dyn Generator>>) -> Result<Host, Error> {
        let several = Several::new(generators)?;
        let about = About {
            name: several.name(),
            allocation: None,
            ..(*several.first().about).clone()
        };
        Ok(Host::new(about, Kind::Several(Arc::new(several))))
    }

    /// The same, whose servers are reached at this address.
    pub fn at(self, address: Option<IpAddr>) -> Host {
        let mut about = (*self.about).clone();
        about.address = address.unwrap_or(about.address);
        Host::new(about, self.kind)
    }

    /// The machine itself, or the first of several.
    fn one(&self) -> &Host {
        match &self.kind {
            Kind::Several(several) => several.first().one(),
            _ => self,
        }
    }

    /// The machines that this is.
    fn each(&self) -> Vec<&Host> {
        match &self.kind {
            Kind::Several(several) => several.machines().collect(),
            _ => vec![self],
        }
    }

    /// Asks, and waits for the reply.
    fn ask<R: Request>(&self, request: R) -> Result<R::Reply, Error> {
        Ok(self.begin(request, &Control::default(), &|| false)?.1)
    }

    /// Asks for what may not be known.
    fn known<T>(&self, request: impl Request<Reply = Option<T>>) -> Option<T> {
        self.ask(request).ok().flatten()
    }

    /// Asks for something that stays until it is dropped.
    fn make<R: Request>(
        &self,
        request: R,
        control: &Control,
        unwanted: &dyn Fn() -> bool,
    ) -> Result<(Made, R::Reply), Error> {
        let (number, reply) = self.begin(request, control, unwanted)?;
        let host = self.one().clone();
        Ok((Made { host, number }, reply))
    }

    fn begin<R: Request>(
        &self,
        request: R,
        control: &Control,
        unwanted: &dyn Fn() -> bool,
    ) -> Result<(u64, R::Reply), Error> {
        match &self.kind {
            Kind::Local(local) => {
                let number = local.new_number();
                let reply = request.perform(&Call {
                    local,
                    number,
                    control,
                    unwanted,
                })?;
                Ok((number, reply))
            }
            Kind::Agent(link) => {
                let (number, bytes) = link.ask(request.into(), control, unwanted)?;
                let reply = postcard::from_bytes(&bytes).map_err(|_| {
                    Error::unreachable(&self.about.name, "its reply is to another request")
                })?;
                Ok((number, reply))
            }
            Kind::Several(several) => several.first().begin(request, control, unwanted),
        }
    }

    /// What the user calls it.
    pub fn name(&self) -> String {
        self.about.name.clone()
    }

    /// photofinish itself as a program there, for the servers that are built into it.
    pub fn photofinish(&self) -> &Path {
        &self.about.photofinish
    }

    /// The address at which its servers are reached.
    pub fn address(&self) -> IpAddr {
        self.about.address
    }

    /// Whether a path means the same there as here.
    pub fn is_here(&self) -> bool {
        self.about.is_here
    }

    /// Where builds are kept there, if that is another machine.
    pub fn cache(&self) -> Option<&Path> {
        self.about.cache.as_deref()
    }

    /// Returns an error if somebody has noticed that it is gone. Asks nothing.
    ///
    /// # Errors
    /// Why it cannot be reached any more.
    pub fn still_there(&self) -> Result<(), Error> {
        match &self.kind {
            Kind::Local(_) => Ok(()),
            Kind::Agent(link) => link.still_there(),
            Kind::Several(several) => several.machines().try_for_each(Host::still_there),
        }
    }

    /// How many cores may be used; of several machines the fewest.
    pub fn cores(&self) -> usize {
        match &self.kind {
            Kind::Several(several) => several.fewest_cores(),
            // Whoever is gone says so when more is asked of it.
            _ => self
                .ask(request::Cores {})
                .map_or(1, |cores| cores as usize),
        }
    }

    /// What a scheduler has given out, if it has.
    ///
    /// # Errors
    /// If the machine cannot be asked.
    pub fn allocation(&self) -> Result<Option<Allocation>, Error> {
        let Some(allocation) = self.about.allocation.clone() else {
            return Ok(None);
        };
        let cpus = self.cpus()?;
        let cpus = cpus.iter().map(|cpu| cpu.number as u32).collect();
        Ok(Some(allocation.on(cpus)))
    }

    /// Raises the limit of open files as far as this user may, if it is below `needed`; servers inherit it.
    ///
    /// # Errors
    /// The most that this user may have, if that is less.
    pub fn allow_open_files(&self, needed: u64) -> Result<(), u64> {
        let machines = self.each().into_iter();
        let most = machines.map(|one| one.known(request::AllowOpenFiles { needed }));
        // All of them, whatever the first says.
        let most: Vec<Option<u64>> = most.collect();
        most.into_iter().flatten().min().map_or(Ok(()), Err)
    }

    /// The CPU time that photofinish itself has used on it so far; `None` if that is not known.
    pub fn own_cpu(&self) -> Option<Duration> {
        let machines = self.each().into_iter();
        machines.map(|one| one.known(request::OwnCpu {})).sum()
    }

    /// A network interface that load passes; `None` if that is not known, or each of several machines has its own.
    pub fn interface(&self, query: InterfaceQuery) -> Option<Interface> {
        match &self.kind {
            Kind::Several(_) => None,
            _ => self.known(request::Interface { query }),
        }
    }

    /// Connects from it to a server.
    ///
    /// # Errors
    /// Those of its system, and if it cannot be reached.
    pub fn connect(&self, address: &Address, within: Duration) -> io::Result<Socket> {
        match &self.one().kind {
            Kind::Agent(link) => link.connect(address, within),
            _ => local::connect(address, within),
        }
    }
}
