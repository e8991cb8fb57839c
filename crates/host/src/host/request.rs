//! What a machine can be asked: each request once, with its reply, with what the machine does for it, and with the method that asks.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use photofinish_load::{Config, Control, Outcome};
use photofinish_model::version::VersionReq;
use photofinish_model::{Address, network};
use photofinish_profile::SampleClock;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::{Host, Process};
use crate::local::{LocalHost, Thing};
use crate::{
    Engine, Error, Installed, InterfaceQuery, ProcessSpec, Usage, cores, cpus, distance, facts,
    interface, local, machine, ports, programs, sys, tools,
};

mod data;

pub use crate::local::Piece;
pub use crate::meter::MeterKind;
pub(crate) use data::LARGEST_REPLY;
pub use data::{Json, Times};

/// A request under way. What it makes gets its number.
pub struct Call<'a> {
    pub(crate) local: &'a LocalHost,
    pub(crate) number: u64,
    /// Hears of load that flows, and may end it.
    pub(crate) control: &'a Control,
    /// Whether nobody waits for the reply any more.
    pub(crate) unwanted: &'a dyn Fn() -> bool,
}

impl Call<'_> {
    fn keep(&self, thing: Thing) -> Result<(), Error> {
        self.local.keep(self.number, thing);
        Ok(())
    }
}

/// Something that a machine is asked for.
pub trait Request: Into<Ask> {
    /// What comes of it.
    type Reply: Serialize + DeserializeOwned;

    /// Does it, on this machine.
    ///
    /// # Errors
    /// Why it cannot be done.
    fn perform(self, call: &Call<'_>) -> Result<Self::Reply, Error>;

    /// Writes a reply as it travels.
    ///
    /// # Errors
    /// If it cannot be written.
    fn written(reply: &Self::Reply) -> Result<Vec<u8>, Error> {
        postcard::to_stdvec(reply).map_err(Error::Reply)
    }
}

impl Ask {
    /// Does it on this machine for somebody who waits; returns its number, and the reply as it travels.
    ///
    /// # Errors
    /// Why it cannot be done.
    pub fn answer(
        self,
        local: &LocalHost,
        control: &Control,
        unwanted: &dyn Fn() -> bool,
    ) -> Result<(u64, Vec<u8>), Error> {
        let number = local.new_number();
        let reply = self.perform(&Call {
            local,
            number,
            control,
            unwanted,
        })?;
        Ok((number, reply))
    }
}

/// Makes a type of a request.
macro_rules! request {
    (
        $(#[doc = $doc:literal])*
        $name:ident($($field:ident: $type:ty),* $(,)?) -> $reply:ty = |$call:ident| $work:expr
    ) => {
        $(#[doc = $doc])*
        #[derive(Debug, Serialize, Deserialize)]
        pub struct $name {
            $(#[allow(missing_docs)] pub $field: $type),*
        }

        impl Request for $name {
            type Reply = $reply;

            fn perform(self, $call: &Call<'_>) -> Result<$reply, Error> {
                let $name { $($field),* } = self;
                $work
            }
        }

        impl From<$name> for Ask {
            fn from(request: $name) -> Ask {
                Ask::$name(request)
            }
        }
    };
}

/// What a method returns for a reply: of `known`, the reply is `None` also if there is none.
macro_rules! returned {
    (ask $reply:ty) => { Result<$reply, Error> };
    (known $reply:ty) => { $reply };
}

/// Makes a type and a method of each request, and [`Ask`], which is any of them.
macro_rules! requests {
    (
        host { $(
            $(#[doc = $host_doc:literal])*
            $a_how:ident $host:ident: $a_name:ident($($a:ident: $a_type:ty),*) -> $a_reply:ty = |$a_call:ident| $a_work:expr;
        )+ }
        process { $(
            $(#[doc = $process_doc:literal])*
            $b_how:ident $process:ident: $b_name:ident($($b:ident: $b_type:ty),*) -> $b_reply:ty = |$server:ident| $b_work:expr;
        )+ }
        within { $(
            $(#[doc = $within_doc:literal])*
            $within:ident($($c:ident: $c_type:ty),*) -> $c_reply:ty = |$c_call:ident| $c_work:expr;
        )+ }
    ) => {
        $(request! { $host($($a: $a_type),*) -> $a_reply = |$a_call| $a_work })+
        $(request! {
            $process(process: u64, $($b: $b_type),*) -> $b_reply =
                |call| call.local.server(process, |$server| $b_work)
        })+
        $(request! { $(#[doc = $within_doc])* $within($($c: $c_type),*) -> $c_reply = |$c_call| $c_work })+

        /// Any request, as it travels.
        #[derive(Debug, Serialize, Deserialize)]
        #[allow(missing_docs)]
        pub enum Ask {
            $($host($host),)+
            $($process($process),)+
            $($within($within),)+
        }

        impl Ask {
            /// Does it; returns the reply as it travels.
            ///
            /// # Errors
            /// Why it cannot be done.
            pub(crate) fn perform(self, call: &Call<'_>) -> Result<Vec<u8>, Error> {
                match self {
                    $(Ask::$host(request) => $host::written(&request.perform(call)?),)+
                    $(Ask::$process(request) => $process::written(&request.perform(call)?),)+
                    $(Ask::$within(request) => $within::written(&request.perform(call)?),)+
                }
            }
        }

        #[allow(clippy::missing_errors_doc)]
        impl Host {
            $(
                $(#[doc = $host_doc])*
                pub fn $a_name(&self, $($a: $a_type),*) -> returned!($a_how $a_reply) {
                    self.$a_how($host { $($a),* })
                }
            )+
        }

        #[allow(clippy::missing_errors_doc)]
        impl Process {
            $(
                $(#[doc = $process_doc])*
                pub fn $b_name(&mut self, $($b: $b_type),*) -> returned!($b_how $b_reply) {
                    let process = self.number();
                    self.host().$b_how($process { process, $($b),* })
                }
            )+
        }
    };
}

requests! {
    host {
        /// The cores that may be used.
        ask Cpus: cpus() -> Vec<crate::Cpu> = |_call| cpus::take();
        /// What it is, for the record.
        ask Facts: facts() -> facts::Facts =
            |_call| Ok(facts::Facts::take(&sys::affinity().unwrap_or_default()));
        /// Its wall clock, since the epoch.
        ask Clock: clock() -> Duration = |call| call.local.wall.now().ok_or(Error::EarlyClock);
        /// As many bytes, to see how fast they come.
        ask Fill: fill(bytes: u32) -> Vec<u8> = |_call| Ok(vec![0; (bytes as usize).min(LARGEST_REPLY)]);
        /// A TCP port that nobody uses at this moment, on any address.
        ask FreePort: free_port() -> u16 = |_call| ports::free();
        /// Finds tools in versions that fit, by name: `jdk`, `maven`, `cargo`, `go`, `node`, or any command.
        ask Tools: tools(needs: BTreeMap<String, VersionReq>) -> crate::Tools = |_call| tools::find(&needs);
        /// The image of a name, if the engine has it already; removes the containers that killed photofinishes have left there.
        ask Image: image(engine: Engine, name: String) -> Option<crate::Image> =
            |_call| Ok(engine.image(&name));
        /// Every program of these names, in the search path and in these folders, of whose path one part may be or hold a `*`.
        ask Programs: programs(names: Vec<String>, folders: Vec<String>) -> Vec<Installed> =
            |_call| Ok(programs::installed(&names, &folders));
        /// The user that a program without rights runs as: the first of these that exists, if photofinish is root.
        ask Account: account(names: Vec<String>) -> crate::Account = |_call| Ok(programs::account(&names));
        /// Whether a file or a folder exists.
        ask Has: has(path: PathBuf) -> bool = |_call| Ok(path.exists());
        /// Gives a file or a folder to a user and a group. Only root may.
        ask Give: give(path: PathBuf, to: (u32, u32)) -> () = |_call| local::give(&path, to);
        /// Who listens at this address, or of a port at any; `None` if a server could.
        known PortHolder: holder(address: Address) -> Option<crate::PortHolder> = |_call| Ok(ports::holder(&address));
        /// What the machine has done so far.
        known MachineSample: machine_sample() -> Option<machine::MachineSample> =
            |call| Ok(machine::MachineSample::beside(&call.local.running_servers.known()));
        /// What its cores have run so far, to the nanosecond; `None` if nothing reports it so finely.
        known CoreTimes: core_times() -> Option<cores::CoreTimes> = |_call| Ok(cores::CoreTimes::take());
        /// The core-to-core latency: the time that a cache line takes from one of its cores to another. Keeps both busy for some
        /// tenths of a millisecond. `None` if that cannot be measured.
        known CoreToCore: core_to_core(one: usize, other: usize) -> Option<Duration> =
            |_call| Ok(distance::core_to_core(one, other));
        /// Memory that programs may take before something is swapped out or a limit of their control group is reached, in bytes.
        known MemoryAvailable: memory_available() -> Option<u64> = |_call| Ok(local::memory_available());
    }

    process {
        /// How it ended, such as `exit status 1` or `signal 9 (SIGKILL)`; `None` while it runs.
        ask Exited: exited() -> Option<String> = |server| server.exited();
        /// What it and its descendants have used. Looks at every thread, which takes some 10 µs each. [`Error::NotOurs`] if its
        /// process is not known.
        ask FullUsage: usage() -> Usage = |server| Ok(server.meter()?.usage());
        /// The same at a bounded cost, for sampling while a measurement runs: of very many threads, the context switches may be those
        /// of an earlier sample.
        ask Glance: glance() -> Usage = |server| Ok(server.meter()?.glance());
        /// Lets those of its threads that compile just in time, as many as the last sample of its usage found, use these cores of its
        /// machine alone; the others stay where they are. `false` if the kernel refuses: a container may not have these cores.
        ask PlaceCompilers: place_compilers(cores: Vec<usize>) -> bool =
            |server| server.started().map_or(Ok(false), |own| own.place_compilers(&cores));
        /// Stops it and everything that it started until it is to continue (by its cgroup's freezer if it has one, else by SIGSTOP and
        /// SIGCONT). Doing the same again does nothing, nor does either to one that has ended.
        ask Freeze: freeze(frozen: bool) -> () =
            |server| server.change("stop for a while", frozen, |own| own.freeze(frozen));
        /// Whether a Java virtual machine among it and what it has started has no agent.
        ask HasBareJava: has_bare_java() -> bool =
            |server| Ok(server.started().is_some_and(|own| own.has_bare_java()));
        /// Loads an agent, a file of its machine, into each of its Java virtual machines that has none: they are sampled by it from now
        /// on. [`Error::Java`] if one of them refuses; none of them has an agent then.
        ask LoadJavaAgent: load_java_agent(library: PathBuf) -> () =
            |server| server.change("load an agent into", true, |own| own.load_java_agent(&library));
        /// Begins, or ends for now, to sample what the cores that it may use run of it, or, by the wall clock, the threads of its Java
        /// virtual machines that have an agent. [`Error::Java`] if an agent does not do it: it is sampled without one from now on.
        ask Sample: sample(clock: SampleClock, on: bool) -> () =
            |server| server.change("profile", on, |own| own.sample(clock, on));
        /// The stacks in which it and everything that it started were found, and what ran in them, by this clock since they were last
        /// asked for, before another clock is begun.
        ask Sampled: sampled(clock: SampleClock) -> photofinish_profile::Sampled =
            |server| Ok(server.started().map(|own| own.sampled(clock)).unwrap_or_default());
        /// Who listens at its address instead of it: a process that was there before it. `None` if there is none, or that cannot be
        /// known.
        known ForeignListener: foreign_listener(address: Address) -> Option<crate::PortHolder> =
            |server| Ok(server.started().and_then(|own| own.foreign_listener(&address)));
        /// The CPU time of those of its processes that the last sample of its usage found, to the nanosecond and at the cost of a
        /// clock each; `None` if one of them has ended since, or nothing reports it so finely.
        known Cpu: cpu() -> Option<Duration> = |server| Ok(server.meter().ok().and_then(|meter| meter.clocks()));
    }

    within {
        Cores() -> u64 = |_call| Ok(local::cores() as u64);
        /// The reply is the most open files that may be had, if that is too few.
        AllowOpenFiles(needed: u64) -> Option<u64> = |_call| Ok(sys::allow_open_files(needed).err());
        OwnCpu() -> Option<Duration> = |_call| Ok(Some(cores::own()));
        Interface(query: InterfaceQuery) -> Option<network::Interface> =
            |_call| Ok(interface::interface(query));
        StartMeter(kind: MeterKind, cpu: Option<usize>) -> () =
            |call| call.keep(Thing::meter(local::start_meter(kind, cpu)));
        Lap(meter: u64) -> Option<Times> =
            |call| Ok(call.local.meter(meter, |meter| meter.as_ref()?.lap())?.map(Times));
        /// Ends a meter; the reply is its last lap.
        EndMeter(meter: u64) -> Option<Times> =
            |call| Ok(call.local.meter(meter, |meter| meter.take()?.end())?.map(Times));
        /// What comes over the connection is sent as news.
        Connect(address: Address, within: Duration) -> () = |call| {
            let stream = local::connect(&address, within).map_err(Error::Connect)?;
            call.keep(Thing::Connection(stream))
        };
        /// Starts a server; the reply is its process id. If it has no log, it gets one of the agent's.
        Start(spec: Box<ProcessSpec>) -> Option<u32> = |call| call.local.start(call.number, *spec);
        /// Finds the server at this address. Nothing is known of a server without one.
        Find(address: Option<Address>) -> Option<u32> =
            |call| Ok(call.local.find(call.number, address.as_ref()));
        /// What a server has printed so far.
        Log(process: u64) -> Vec<u8> = |call| call.local.log(process, LARGEST_REPLY);
        Stop(process: u64, grace: Duration) -> () = |call| {
            call.local.server(process, |server| server.change("end", false, |own| own.stop(grace)))
        };
        Lock(path: PathBuf) -> () = |call| {
            let lock = local::lock(&path, call.unwanted)?;
            call.keep(Thing::held(lock))
        };
        /// Makes an empty folder.
        Clear(path: PathBuf) -> () = |_call| local::clear(&path);
        Put(path: PathBuf, piece: Piece) -> () = |_call| piece.put(&path);
        /// Makes a temporary folder; the reply is its path.
        Temp() -> PathBuf = |call| {
            let folder = local::temp()?;
            let path = folder.path().to_owned();
            call.keep(Thing::held(folder))?;
            Ok(path)
        };
        Run(config: Json<Config>) -> Outcome = |call| call.local.run(config.read()?, call.control);
        /// Opens a session.
        Open(config: Json<Config>) -> () =
            |call| call.local.open(call.number, config.read()?, call.control);
        Slice(session: u64, slice: photofinish_load::Slice) -> Outcome =
            |call| call.local.slice(session, slice, call.control);
    }
}

#[cfg(test)]
mod tests;
