//! What a machine is, and how it fares.

use std::collections::BTreeMap;
use std::thread;
use std::time::Duration;

use photofinish_model::Address;
use photofinish_model::version::VersionReq;
use procfs::{Current, Meminfo};
use serde::{Deserialize, Serialize};

use super::Request;
use crate::agent::{Agent, LONGEST_MESSAGE};
use crate::host::Call;
use crate::interface::Way;
use crate::several::Several;
use crate::{Error, bounds, cores, cpus, distance, facts, interface, machine, ports, programs};
use crate::{container, sys, tools};

/// The wall clock, since the epoch.
#[derive(Debug, Serialize, Deserialize)]
pub struct Clock;

impl Request for Clock {
    type Reply = Duration;

    fn perform(self, agent: &Agent, _: &Call<'_>) -> Result<Duration, Error> {
        Ok(agent.wall.now())
    }
}

/// So many bytes, to see how fast they come.
#[derive(Debug, Serialize, Deserialize)]
pub struct Fill(pub u32);

impl Request for Fill {
    type Reply = Vec<u8>;

    fn perform(self, _: &Agent, _: &Call<'_>) -> Result<Vec<u8>, Error> {
        Ok(vec![0; (self.0 as usize).min(LONGEST_MESSAGE / 2)])
    }
}

/// How many cores may be used.
#[derive(Debug, Serialize, Deserialize)]
pub struct Cores;

impl Request for Cores {
    type Reply = u32;

    fn perform(self, _: &Agent, _: &Call<'_>) -> Result<u32, Error> {
        Ok(thread::available_parallelism().map_or(1, |cores| cores.get() as u32))
    }

    /// The fewest that any of them has.
    fn of_several(self, several: &Several, _: &Call<'_>) -> Result<u32, Error> {
        Ok(several.fewest_cores())
    }
}

/// Which cores those are.
#[derive(Debug, Serialize, Deserialize)]
pub struct Cpus;

impl Request for Cpus {
    type Reply = Vec<crate::Cpu>;

    fn perform(self, _: &Agent, _: &Call<'_>) -> Result<Vec<crate::Cpu>, Error> {
        cpus::take()
    }
}

/// What it is, for the record.
#[derive(Debug, Serialize, Deserialize)]
pub struct Facts;

impl Request for Facts {
    type Reply = facts::Facts;

    fn perform(self, _: &Agent, _: &Call<'_>) -> Result<facts::Facts, Error> {
        Ok(facts::Facts::take(&sys::affinity().unwrap_or_default()))
    }
}

/// Raises the limit of open files as far as this user may, if it is below this; servers inherit it. The reply is the most that this user may
/// have, if that is less.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct AllowOpenFiles(pub u64);

impl Request for AllowOpenFiles {
    type Reply = Option<u64>;

    fn perform(self, _: &Agent, _: &Call<'_>) -> Result<Option<u64>, Error> {
        Ok(sys::allow_open_files(self.0).err())
    }

    fn of_several(self, several: &Several, _: &Call<'_>) -> Result<Option<u64>, Error> {
        let each = several.hosts().iter().map(|host| host.known(self.clone()));
        // All of them, whatever one says.
        let each: Vec<Option<u64>> = each.collect();
        Ok(each.into_iter().flatten().min())
    }
}

/// The CPU time that photofinish itself has used there so far.
#[derive(Debug, Serialize, Deserialize)]
pub struct OwnCpu;

impl Request for OwnCpu {
    type Reply = Option<Duration>;

    fn perform(self, _: &Agent, _: &Call<'_>) -> Result<Option<Duration>, Error> {
        Ok(Some(cores::own()))
    }

    fn of_several(self, several: &Several, _: &Call<'_>) -> Result<Option<Duration>, Error> {
        Ok(several.hosts().iter().map(|host| host.known(OwnCpu)).sum())
    }
}

/// A network interface that load passes; no reply where it is not known.
#[derive(Debug, Serialize, Deserialize)]
pub struct Interface(pub Way);

impl Request for Interface {
    type Reply = Option<photofinish_model::network::Interface>;

    fn perform(self, _: &Agent, _: &Call<'_>) -> Result<Self::Reply, Error> {
        Ok(interface::interface(self.0))
    }

    /// Each has its own.
    fn of_several(self, _: &Several, _: &Call<'_>) -> Result<Self::Reply, Error> {
        Ok(None)
    }
}

/// A TCP port that nobody uses at this moment, on any address.
#[derive(Debug, Serialize, Deserialize)]
pub struct FreePort;

impl Request for FreePort {
    type Reply = u16;

    fn perform(self, _: &Agent, _: &Call<'_>) -> Result<u16, Error> {
        ports::free()
    }
}

/// Who listens at this address, or of a port at any; none when a server could.
#[derive(Debug, Serialize, Deserialize)]
pub struct PortHolder(pub Address);

impl Request for PortHolder {
    type Reply = Option<crate::PortHolder>;

    fn perform(self, _: &Agent, _: &Call<'_>) -> Result<Self::Reply, Error> {
        Ok(ports::holder(&self.0))
    }
}

/// What the machine has done so far; no reply where that is not known.
#[derive(Debug, Serialize, Deserialize)]
pub struct MachineSample;

impl Request for MachineSample {
    type Reply = Option<machine::MachineSample>;

    fn perform(self, agent: &Agent, _: &Call<'_>) -> Result<Self::Reply, Error> {
        Ok(machine::MachineSample::beside(&agent.racing.known()))
    }
}

/// What its cores have run so far, to the nanosecond; no reply where nothing reports it so finely.
#[derive(Debug, Serialize, Deserialize)]
pub struct CoreTimes;

impl Request for CoreTimes {
    type Reply = Option<cores::CoreTimes>;

    fn perform(self, _: &Agent, _: &Call<'_>) -> Result<Self::Reply, Error> {
        Ok(cores::CoreTimes::take())
    }
}

/// The core-to-core latency: the time that a cache line takes from one of its cores to another. Keeps both busy for some tenths of a
/// millisecond. No reply where that cannot be measured.
#[derive(Debug, Serialize, Deserialize)]
pub struct CoreToCore(pub usize, pub usize);

impl Request for CoreToCore {
    type Reply = Option<Duration>;

    fn perform(self, _: &Agent, _: &Call<'_>) -> Result<Option<Duration>, Error> {
        Ok(distance::core_to_core(self.0, self.1))
    }
}

/// Memory that programs may take without anything being swapped out or a limit of their control group being reached, in bytes; no reply
/// where that is not known.
#[derive(Debug, Serialize, Deserialize)]
pub struct MemoryAvailable;

impl Request for MemoryAvailable {
    type Reply = Option<u64>;

    fn perform(self, _: &Agent, _: &Call<'_>) -> Result<Option<u64>, Error> {
        let free = Meminfo::current().ok().and_then(|all| all.mem_available);
        let bound = bounds::memory().map(|bound| bound.available);
        Ok(free.map(|free| bound.unwrap_or(free).min(free)))
    }
}

/// Tools in versions that fit, by name: `jdk`, `maven`, `cargo`, `go`, `node`, or any command.
#[derive(Debug, Serialize, Deserialize)]
pub struct Tools(pub BTreeMap<String, VersionReq>);

impl Request for Tools {
    type Reply = crate::Tools;

    fn perform(self, _: &Agent, _: &Call<'_>) -> Result<crate::Tools, Error> {
        tools::find(&self.0)
    }
}

/// Every program of these names, in the search path and in these folders, of whose path one part may be or hold a `*`.
#[derive(Debug, Serialize, Deserialize)]
pub struct Programs {
    /// The names.
    pub names: Vec<String>,
    /// Folders besides the search path.
    pub folders: Vec<String>,
}

impl Request for Programs {
    type Reply = Vec<programs::Installed>;

    fn perform(self, _: &Agent, _: &Call<'_>) -> Result<Self::Reply, Error> {
        Ok(programs::installed(&self.names, &self.folders))
    }
}

/// Who a program that needs no rights is to run as: the first of these users that there is, where photofinish is root.
#[derive(Debug, Serialize, Deserialize)]
pub struct Account(pub Vec<String>);

impl Request for Account {
    type Reply = programs::Account;

    fn perform(self, _: &Agent, _: &Call<'_>) -> Result<Self::Reply, Error> {
        Ok(programs::account(&self.0))
    }
}

/// The image of a name, where the engine has it already; removes the containers that killed photofinishes have left there.
#[derive(Debug, Serialize, Deserialize)]
pub struct Image(pub container::Engine, pub String);

impl Request for Image {
    type Reply = Option<container::Image>;

    fn perform(self, _: &Agent, _: &Call<'_>) -> Result<Self::Reply, Error> {
        Ok(self.0.image(&self.1))
    }
}
