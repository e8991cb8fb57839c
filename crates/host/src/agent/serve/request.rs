//! What an agent can be asked for: each request once, with its reply and with what the agent does for it.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Mutex;
use std::time::Duration;

use photofinish_load::{Config, Outcome};
use photofinish_model::version::VersionReq;
use photofinish_model::{Address, network};
use photofinish_profile::SampleClock;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::call::Call;
use super::{Thing, refusal};
use crate::agent::frame;
use crate::agent::message::{Json, Piece, Refusal, Times};
use crate::{
    Engine, Files, Host, Installed, InterfaceQuery, Machine, ProcessSpec, ThisMachine, Usage,
};

/// Something that an agent is asked for. What it makes gets the call's number.
pub(in crate::agent) trait Request: Into<Ask> {
    /// What comes of it.
    type Reply: Serialize + DeserializeOwned;

    /// Does it, on the agent's machine.
    ///
    /// # Errors
    /// Why it cannot be done.
    fn perform(self, call: &Call<'_>) -> Result<Self::Reply, Refusal>;
}

/// Makes a type of each request, and [`Ask`], which is any of them.
macro_rules! requests {
    ($(
        $(#[doc = $doc:literal])*
        $name:ident($($field:ident: $type:ty),*) -> $reply:ty = |$call:ident| $work:expr;
    )+) => {
        $(
            $(#[doc = $doc])*
            #[derive(Debug, Serialize, Deserialize)]
            pub(in crate::agent) struct $name {
                $(pub(in crate::agent) $field: $type),*
            }

            impl Request for $name {
                type Reply = $reply;

                fn perform(self, $call: &Call<'_>) -> Result<$reply, Refusal> {
                    let $name { $($field),* } = self;
                    Ok($work)
                }
            }

            impl From<$name> for Ask {
                fn from(request: $name) -> Ask {
                    Ask::$name(request)
                }
            }
        )+

        /// Any request, as it travels.
        #[derive(Debug, Serialize, Deserialize)]
        pub(in crate::agent) enum Ask {
            $($name($name)),+
        }

        impl Ask {
            /// Does it; returns the reply as it travels.
            ///
            /// # Errors
            /// Why it cannot be done.
            pub(super) fn perform(self, call: &Call<'_>) -> Result<Vec<u8>, Refusal> {
                match self {
                    $(Ask::$name(request) => written(&request.perform(call)?)),+
                }
            }
        }
    };
}

fn written(reply: &impl Serialize) -> Result<Vec<u8>, Refusal> {
    postcard::to_stdvec(reply).map_err(|error| refusal(format!("write a reply: {error}")))
}

requests! {
    Cores() -> u64 = |_call| ThisMachine.cores() as u64;
    Cpus() -> Vec<crate::Cpu> = |_call| ThisMachine.cpus()?;
    Facts() -> crate::Facts = |_call| ThisMachine.facts()?;
    /// The reply is the most open files that may be had, if that is too few.
    AllowOpenFiles(needed: u64) -> Option<u64> = |_call| ThisMachine.allow_open_files(needed).err();
    OwnCpu() -> Option<Duration> = |_call| ThisMachine.own_cpu();
    /// The wall clock.
    Clock() -> Option<Duration> = |call| call.wall().now();
    /// As many bytes, to see how fast they come.
    Fill(bytes: u32) -> Vec<u8> = |_call| vec![0; (bytes as usize).min(frame::LONGEST / 2)];
    Hiccups(cpu: Option<usize>) -> () = |call| call.keep_meter(ThisMachine.hiccups(cpu));
    Reference(cpu: usize) -> () = |call| call.keep_meter(ThisMachine.reference(cpu));
    Wakes(cpu: usize) -> () = |call| call.keep_meter(ThisMachine.wakes(cpu));
    Lap(meter: u64) -> Option<Times> =
        |call| call.meter(meter, |meter| meter.as_ref().and_then(|meter| meter.lap()))?;
    /// Ends a meter; the reply is its last lap.
    EndMeter(meter: u64) -> Option<Times> =
        |call| call.meter(meter, |meter| meter.take().and_then(|meter| meter.end()))?;
    /// What comes over the connection is sent as news.
    Connect(address: Address, within: Duration) -> () = |call| call.connect(&address, within)?;
    Interface(way: InterfaceQuery) -> Option<network::Interface> = |_call| ThisMachine.interface(way);
    FreePort() -> u16 = |call| call.host().free_port()?;
    PortHolder(address: Address) -> Option<crate::PortHolder> = |call| call.host().holder(&address);
    MachineSample() -> Option<crate::MachineSample> = |call| call.host().machine_sample();
    CoreTimes() -> Option<crate::CoreTimes> = |call| call.host().core_times();
    MemoryAvailable() -> Option<u64> = |call| call.host().memory_available();
    Tools(needs: BTreeMap<String, VersionReq>) -> crate::Tools = |call| call.host().tools(&needs)?;
    Image(engine: Engine, name: String) -> Option<crate::Image> =
        |call| call.host().image(&engine, &name)?;
    /// Programs by name, in the search path and in these folders.
    Programs(names: Vec<String>, folders: Vec<String>) -> Vec<Installed> =
        |call| call.host().programs(&names, &folders)?;
    /// The first of these users that exists.
    Account(names: Vec<String>) -> crate::Account = |call| call.host().account(&names)?;
    /// Starts a server; the reply is its process id.
    Start(spec: Box<ProcessSpec>) -> Option<u32> = |call| call.start(*spec)?;
    Exited(process: u64) -> Option<String> = |call| call.process(process, |it| it.exited())?;
    FullUsage(process: u64) -> Usage = |call| call.process(process, |it| it.usage())?;
    Glance(process: u64) -> Usage = |call| call.process(process, |it| it.glance())?;
    ForeignListener(process: u64, address: Address) -> Option<crate::PortHolder> =
        |call| call.process(process, |it| Ok(it.foreign_listener(&address)))?;
    Cpu(process: u64) -> Option<Duration> = |call| call.process(process, |it| Ok(it.cpu()))?;
    PlaceCompilers(process: u64, cores: Vec<usize>) -> bool =
        |call| call.process(process, |it| it.place_compilers(&cores))?;
    Freeze(process: u64, frozen: bool) -> () = |call| call.process(process, |it| it.freeze(frozen))?;
    HasBareJava(process: u64) -> bool = |call| call.process(process, |it| it.has_bare_java())?;
    LoadJavaAgent(process: u64, library: PathBuf) -> () =
        |call| call.process(process, |it| it.load_java_agent(&library))?;
    Sample(process: u64, clock: SampleClock, on: bool) -> () =
        |call| call.process(process, |it| it.sample(clock, on))?;
    Sampled(process: u64, clock: SampleClock) -> photofinish_profile::Sampled =
        |call| call.process(process, |it| it.sampled(clock))?;
    /// What a server has printed so far.
    Log(process: u64) -> Vec<u8> = |call| call.log(process)?;
    Stop(process: u64, grace: Duration) -> () = |call| call.process(process, |it| it.stop(grace))?;
    Lock(path: PathBuf) -> () = |call| {
        let control = call.control();
        call.keep(Thing::held(ThisMachine.lock(&path, &|| control.stopped())?));
    };
    Has(path: PathBuf) -> bool = |_call| ThisMachine.has(&path)?;
    /// Makes an empty folder.
    Clear(path: PathBuf) -> () = |_call| ThisMachine.put("/".as_ref(), &[], &path)?;
    Put(path: PathBuf, piece: Piece) -> () = |_call| piece.put(&path)?;
    /// Gives a path to a user and a group.
    Give(path: PathBuf, to: (u32, u32)) -> () = |_call| ThisMachine.give(&path, to)?;
    /// Makes a temporary folder; the reply is its path.
    Temp() -> PathBuf = |call| {
        let folder = ThisMachine.temp()?;
        let path = folder.path().to_owned();
        call.keep(Thing::held(folder));
        path
    };
    Run(config: Json<Config>) -> Outcome = |call| {
        let config = config.read()?;
        call.followed(|control| photofinish_load::run(&config, control))?
    };
    /// Opens a session.
    Open(config: Json<Config>) -> () = |call| {
        let session = photofinish_load::Session::open(&config.read()?, &call.control());
        call.keep(Thing::Session(Mutex::new(session.map_err(refusal)?)));
    };
    Slice(session: u64, slice: photofinish_load::Slice) -> Outcome =
        |call| call.slice(session, slice)?;
}

#[cfg(test)]
mod tests;
