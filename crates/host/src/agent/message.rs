//! What photofinish asks of an agent, and what it replies.

use std::collections::BTreeMap;
use std::fmt;
use std::net::IpAddr;
use std::path::PathBuf;
use std::time::Duration;

use hdrhistogram::Histogram;
use hdrhistogram::serialization::{Deserializer, Serializer, V2Serializer};
use photofinish_load::{Config, Outcome, Slice};
use photofinish_model::network::Interface;
use photofinish_model::secret::exposing;
use photofinish_model::version::VersionReq;
use photofinish_model::{Address, Window};
use photofinish_profile::{SampleClock, Sampled};
use serde::{Deserialize, Serialize};

use crate::{
    Account, CoreTimes, Cpu, Engine, Facts, Image, Installed, MachineSample, PortHolder,
    ProcessSpec, Tools, Usage, Way,
};

/// What an agent says of itself, first.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Welcome {
    /// Itself as a program.
    pub(super) program: PathBuf,
    /// Where builds are kept.
    pub(super) cache: PathBuf,
    /// The address at which whoever started it from elsewhere reached its machine.
    pub(super) address: Option<IpAddr>,
}

/// To an agent.
#[derive(Debug, Serialize, Deserialize)]
pub(super) enum ToAgent {
    /// A question, by the number that its reply will have.
    Ask(u64, Ask),
    /// The load, or the wait, that was asked for by this number is to end.
    Cancel(u64),
    /// For the connection that was asked for by this number; nothing: no more will come.
    Bytes(u64, Vec<u8>),
    /// What has this number is not needed any more: a process, a session, a meter, a lock, a folder, a connection.
    Drop(u64),
    /// The asker is still there.
    Alive,
}

/// From an agent.
#[derive(Debug, Serialize, Deserialize)]
pub(super) enum FromAgent {
    /// What came of the question with this number.
    Reply(u64, Result<Reply, Refusal>),
    /// Something of it on the way.
    News(u64, News),
    /// The agent is still there.
    Alive,
}

/// A question. What it makes has the question's number.
#[derive(Debug, Serialize, Deserialize)]
pub(super) enum Ask {
    Cores,
    Cpus,
    Facts,
    OpenFiles(u64),
    OwnCpu,
    /// The wall clock.
    Clock,
    /// So many bytes, to see how fast they come.
    Fill(u32),
    Hiccups(Option<usize>),
    Reference(usize),
    Wakes(usize),
    Lap(u64),
    /// The last lap.
    End(u64),
    Connect(Address, Duration),
    Interface(Way),
    FreePort,
    Holder(Address),
    MachineSample,
    CoreTimes,
    MemoryAvailable,
    Tools(BTreeMap<String, VersionReq>),
    Image(Engine, String),
    /// Programs' names, and folders beside the search path.
    Programs(Vec<String>, Vec<String>),
    /// Users' names.
    Account(Vec<String>),
    Start(Box<ProcessSpec>),
    Process(u64, ProcessAsk),
    Lock(PathBuf),
    Has(PathBuf),
    /// An empty folder.
    Clear(PathBuf),
    Put(PathBuf, Put),
    /// To a user and a group.
    Give(PathBuf, (u32, u32)),
    Temp,
    /// JSON: what a load is made of is tagged for people, which postcard cannot read.
    Run(Json<Config>),
    Open(Json<Config>),
    Slice(u64, Slice),
}

/// A question about a process that was started.
#[derive(Debug, Serialize, Deserialize)]
pub(super) enum ProcessAsk {
    Exited,
    Usage,
    Glance,
    ForeignListener(Address),
    Cpu,
    /// The cores that its compilers may use.
    PlaceCompilers(Vec<usize>),
    Freeze(bool),
    HasBareJava,
    JavaAgent(PathBuf),
    Sample(SampleClock, bool),
    Sampled(SampleClock),
    Log,
    Stop(Duration),
}

/// What is put.
#[derive(Debug, Serialize, Deserialize)]
pub(super) enum Put {
    /// The first bytes of a file, and its mode.
    File(u32, Vec<u8>),
    /// Further ones.
    More(Vec<u8>),
    /// A link to somewhere.
    Link(PathBuf),
}

/// What came of a question.
#[derive(Debug, Serialize, Deserialize)]
pub(super) enum Reply {
    Done,
    Count(u64),
    Cpus(Vec<Cpu>),
    Facts(Facts),
    /// The most open files that may be had, where that is too few.
    OpenFiles(Option<u64>),
    Time(Option<Duration>),
    Late(Option<Times>),
    Interface(Option<Interface>),
    Holder(Option<PortHolder>),
    Sample(Option<MachineSample>),
    CoreTimes(Option<CoreTimes>),
    Memory(Option<u64>),
    Tools(Tools),
    Image(Option<Image>),
    Programs(Vec<Installed>),
    Account(Account),
    Pid(Option<u32>),
    Exited(Option<String>),
    Usage(Usage),
    Sampled(Sampled),
    Bytes(Vec<u8>),
    Has(bool),
    Path(PathBuf),
    Outcome(Box<Outcome>),
}

/// What happened on the way to an reply.
#[derive(Debug, Serialize, Deserialize)]
pub(super) enum News {
    Window(Window),
    Opened,
    Closed,
    /// What came over a connection; nothing: no more will come.
    Bytes(Vec<u8>),
}

/// Why there is no reply.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Refusal {
    /// In words that fit 'failed to'.
    pub(super) says: String,
    /// The system's number for it, where it has one.
    pub(super) number: Option<i32>,
}

/// Something whose form is made for people, as text.
#[derive(Serialize, Deserialize)]
pub(super) struct Json<T> {
    text: String,
    #[serde(skip)]
    of: std::marker::PhantomData<T>,
}

/// Without the text, in which secrets are.
impl<T> fmt::Debug for Json<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Json({} bytes)", self.text.len())
    }
}

impl<T: Serialize + for<'d> Deserialize<'d>> Json<T> {
    pub(super) fn of(value: &T) -> Json<T> {
        Json {
            // What cannot be written is empty, which cannot be read: the other side says so.
            text: exposing(|| serde_json::to_string(value)).unwrap_or_default(),
            of: std::marker::PhantomData,
        }
    }

    pub(super) fn read(&self) -> Result<T, serde_json::Error> {
        serde_json::from_str(&self.text)
    }
}

/// Times in nanoseconds, in HdrHistogram's own format.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Times(Vec<u8>);

impl Times {
    pub(super) fn of(histogram: &Histogram<u64>) -> Option<Times> {
        let mut bytes = Vec::new();
        let written = V2Serializer::new().serialize(histogram, &mut bytes);
        written.is_ok().then_some(Times(bytes))
    }

    pub(super) fn read(&self) -> Option<Histogram<u64>> {
        Deserializer::new().deserialize(&mut &self.0[..]).ok()
    }
}

#[cfg(test)]
mod tests;
