//! Servers on this machine.

use std::collections::BTreeMap;
use std::net::{IpAddr, Ipv4Addr};
use std::path::{Path, PathBuf};
use std::time::Duration;

use photofinish_model::Address;
use photofinish_model::version::VersionReq;
use procfs::{Current, Meminfo};

use super::bounds;
use super::found::Racing;
use super::logs::Logs;
use super::{
    Account, CoreTimes, Engine, Error, Files, Host, Image, Installed, Machine, MachineSample,
    PortHolder, Process, ProcessSpec, ThisMachine, Tools, distance, ports, programs, sys, tools,
};

mod process;
mod reports;
mod sampling;

use process::LocalProcess;

/// This machine as a host.
#[derive(Debug)]
pub struct LocalHost {
    keeper: PathBuf,
    logs: Logs,
    address: IpAddr,
    racing: Racing,
}

impl LocalHost {
    /// `keeper` is the photofinish binary, whose hidden command `__keep` is [`super::keep`].
    ///
    /// From now on this process adopts what keepers leave that are killed; where the kernel does not know that, most of it
    /// is found otherwise.
    pub fn new(keeper: PathBuf) -> LocalHost {
        let _ = sys::adopt_orphans();
        LocalHost {
            keeper,
            logs: Logs::default(),
            address: Ipv4Addr::LOCALHOST.into(),
            racing: Racing::default(),
        }
    }

    /// The same, whose servers are reached at this address.
    pub fn at(self, address: Option<IpAddr>) -> LocalHost {
        LocalHost {
            address: address.unwrap_or(self.address),
            ..self
        }
    }
}

impl Host for LocalHost {
    fn machine(&self) -> &dyn Machine {
        &ThisMachine
    }

    fn files(&self) -> &dyn Files {
        &ThisMachine
    }

    fn photofinish(&self) -> &Path {
        &self.keeper
    }

    fn address(&self) -> IpAddr {
        self.address
    }

    fn free_port(&self) -> Result<u16, Error> {
        ports::free()
    }

    fn holder(&self, address: &Address) -> Option<PortHolder> {
        ports::holder(address)
    }

    fn start(&self, spec: &ProcessSpec) -> Result<Box<dyn Process>, Error> {
        let process = LocalProcess::start(&self.keeper, &self.logs, spec)?;
        if spec.container.is_some() {
            // It may be below no process of photofinish's.
            self.racing.add(process.pid());
        }
        Ok(Box::new(process))
    }

    fn find(&self, address: &Address) -> Box<dyn Process> {
        self.racing.find(address)
    }

    fn machine_sample(&self) -> Option<MachineSample> {
        MachineSample::beside(&self.racing.known())
    }

    fn core_times(&self) -> Option<CoreTimes> {
        CoreTimes::take()
    }

    fn core_to_core(&self, one: usize, other: usize) -> Option<Duration> {
        distance::core_to_core(one, other)
    }

    fn memory_available(&self) -> Option<u64> {
        let free = Meminfo::current().ok()?.mem_available?;
        let bound = bounds::memory().map(|bound| bound.available);
        Some(bound.unwrap_or(free).min(free))
    }

    fn tools(&self, needs: &BTreeMap<String, VersionReq>) -> Result<Tools, Error> {
        tools::find(needs)
    }

    fn programs(&self, names: &[String], folders: &[String]) -> Result<Vec<Installed>, Error> {
        Ok(programs::installed(names, folders))
    }

    fn account(&self, names: &[String]) -> Result<Account, Error> {
        Ok(programs::account(names))
    }

    fn image(&self, engine: &Engine, name: &str) -> Result<Option<Image>, Error> {
        Ok(engine.image(name))
    }
}
