//! What a machine can be asked for. A request is a type with its reply and with what does it; `requests!` lists all of them. This machine
//! does it at once, another one's agent when the request has arrived there.

mod files;
mod load;
mod machine;
mod meter;
mod process;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

pub use files::{Clear, Folder, Give, Has, Lock, Locked, Piece, Put, Temp};
pub use load::{Connect, Flow, Open, Run, Session, SystemError, threads, with_looks};
pub use machine::{
    Account, AllowOpenFiles, Clock, CoreTimes, CoreToCore, Cores, Cpus, Facts, Fill, FreePort,
    Image, Interface, MachineSample, MemoryAvailable, OwnCpu, PortHolder, Programs, Tools,
};
pub use meter::{EndMeter, Hiccups, Lap, Meter, Reference, Times, Wakes};
pub use process::{
    Cpu, Exited, Find, ForeignListener, Freeze, Glance, HasBareJava, LoadJavaAgent, Log, On,
    PlaceCompilers, Process, ProcessRequest, Sample, Sampled, Start, Stop, Usage,
};

pub(crate) use files::temporary_folder;
pub(crate) use load::{broke_down, no_thread};

use crate::Error;
use crate::agent::Agent;
use crate::host::Call;
use crate::several::Several;

/// Something that a machine can be asked for.
pub trait Request: Into<Ask> + Send + 'static {
    /// What comes of it.
    type Reply: Serialize + DeserializeOwned + Send + 'static;
    /// Whether windows and marks come before the reply.
    const IS_FOLLOWED: bool = false;

    /// Does it, on the machine that is asked.
    ///
    /// # Errors
    /// Why it cannot be done.
    fn perform(self, agent: &Agent, call: &Call<'_>) -> Result<Self::Reply, Error>;

    /// What comes of it where several machines are asked as one: what the first one replies, unless they have to do it together.
    ///
    /// # Errors
    /// As [`Request::perform`].
    fn of_several(self, several: &Several, call: &Call<'_>) -> Result<Self::Reply, Error> {
        let (_, reply) = several.first().call(self, call.control)?;
        Ok(reply)
    }
}

/// Lists all requests.
macro_rules! requests {
    ($($name:ident($request:ty),)*) => {
        /// Any request, as it travels.
        #[derive(Debug, Serialize, Deserialize)]
        pub enum Ask {
            $(#[doc = "See its type."] $name($request),)*
        }

        impl Ask {
            /// Does it; returns the reply as it travels.
            pub(crate) fn perform(self, agent: &Agent, call: &Call<'_>) -> Result<Vec<u8>, Error> {
                match self {
                    $(Ask::$name(request) => reply_of(request, agent, call),)*
                }
            }

            pub(crate) fn is_followed(&self) -> bool {
                match self {
                    $(Ask::$name(_) => <$request as Request>::IS_FOLLOWED,)*
                }
            }
        }

        $(impl From<$request> for Ask {
            fn from(request: $request) -> Ask {
                Ask::$name(request)
            }
        })*
    };
}

fn reply_of<R: Request>(request: R, agent: &Agent, call: &Call<'_>) -> Result<Vec<u8>, Error> {
    let reply = request.perform(agent, call)?;
    postcard::to_stdvec(&reply).map_err(|_| Error::OddReply)
}

requests! {
    Clock(Clock),
    Fill(Fill),
    Cores(Cores),
    Cpus(Cpus),
    Facts(Facts),
    AllowOpenFiles(AllowOpenFiles),
    OwnCpu(OwnCpu),
    Interface(Interface),
    FreePort(FreePort),
    PortHolder(PortHolder),
    MachineSample(MachineSample),
    CoreTimes(CoreTimes),
    CoreToCore(CoreToCore),
    MemoryAvailable(MemoryAvailable),
    Tools(Tools),
    Programs(Programs),
    Account(Account),
    Image(Image),
    Hiccups(Hiccups),
    Reference(Reference),
    Wakes(Wakes),
    Lap(Lap),
    EndMeter(EndMeter),
    Start(Start),
    Find(Find),
    Exited(On<Exited>),
    Usage(On<Usage>),
    Glance(On<Glance>),
    ForeignListener(On<ForeignListener>),
    Cpu(On<Cpu>),
    PlaceCompilers(On<PlaceCompilers>),
    Freeze(On<Freeze>),
    HasBareJava(On<HasBareJava>),
    LoadJavaAgent(On<LoadJavaAgent>),
    Sample(On<Sample>),
    Sampled(On<Sampled>),
    Log(On<Log>),
    Stop(On<Stop>),
    Lock(Lock),
    Has(Has),
    Clear(Clear),
    Put(Put),
    Give(Give),
    Temp(Temp),
    Connect(Connect),
    Run(Run),
    Open(Open),
    Flow(Flow),
}
