//! What the lab needs from the machines that servers and load generators run on, and this machine as one of them.
//!
//! A [`Host`] starts a server as a [`Process`], samples it and stops it with everything that it
//! started; a [`Generator`] sends load. Each has a [`Machine`]. Nothing else in the lab talks to the operating system about
//! either, so that another kind of host needs no change anywhere else.

use std::collections::BTreeMap;
use std::io;
use std::net::IpAddr;
use std::path::{Path, PathBuf};
use std::time::Duration;

use hdrhistogram::Histogram;
use photofinish_model::files;
use photofinish_model::finding::failure::PortHolder;
use photofinish_model::network::Interface;
use photofinish_model::secret::mask;
use photofinish_model::text::shortened;
use photofinish_model::version::VersionReq;
use photofinish_model::{Address, Secret};
use photofinish_profile::{SampleClock, Sampled};
use serde::{Deserialize, Serialize};
use socket2::Socket;

pub mod agent;
mod at_once;
pub mod bounds;
pub mod clocks;
pub mod command;
pub mod container;
mod cores;
mod cpus;
mod distance;
mod error;
pub mod facts;
mod found;
mod generator;
mod group;
mod guard;
mod hiccup;
mod interface;
mod jvm;
pub mod keeper;
pub mod kubernetes;
mod launcher;
pub mod leftovers;
mod local;
mod logs;
mod machine;
mod meter;
mod oom;
pub mod ports;
mod priority;
mod processes;
mod program;
mod programs;
mod reference;
mod rivals;
mod scheduled;
mod several;
pub mod slurm;
pub mod ssh;
mod strays;
pub mod sys;
pub mod task;
mod this_machine;
mod throttle;
pub mod tools;
mod unwaited;
mod usage;

pub use container::{Container, Engine, Image};
pub use cores::CoreTimes;
pub use cpus::Cpu;
pub use distance::core_to_core;
pub use error::Error;
pub use facts::Facts;
pub use found::UnknownServer;
pub use generator::{Generator, LocalGenerator, NoLoad, Session, beside, threads};
pub use hiccup::hiccups;
pub use interface::InterfaceQuery;
pub use keeper::keep;
pub use local::LocalHost;
pub use machine::{MachineSample, ProcessTimes};
pub use priority::SERVER_NICE;
pub use programs::{Account, Installed};
pub use rivals::{Rival, rivals};
pub use scheduled::Allocation;
pub use several::Several;
pub use this_machine::ThisMachine;
pub use throttle::throttled;

/// What [`Process::exited`] says of a process that ended well.
pub const SUCCESS: &str = "exit status 0";

/// A server to start.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProcessSpec {
    /// The program and its arguments; the program is looked up in the server's own `PATH`.
    pub command: Vec<String>,
    /// Environment, over the one that photofinish has.
    pub env: BTreeMap<String, Secret<String>>,
    /// The working directory; `None` = photofinish's.
    pub dir: Option<PathBuf>,
    /// The cores that it may use; empty = not pinned.
    pub cpus: Vec<usize>,
    /// Whether other programs wait for it on its cores, where photofinish may say so: it and its session have the nice value [`SERVER_NICE`].
    #[serde(default)]
    pub first: bool,
    /// Where standard output and standard error are appended.
    pub log: PathBuf,
    /// The user and the group that it runs as; `None` = those of photofinish. Only root may choose.
    pub user: Option<(u32, u32)>,
    /// A folder that was made for it: it goes when all that the server started has ended, also where photofinish is gone.
    #[serde(default)]
    pub scratch: Option<PathBuf>,
    /// What it runs from, where it runs in a container: the command is then what stands behind the image, and the environment
    /// is over the image's.
    #[serde(default)]
    pub container: Option<Container>,
}

/// What a server and everything that it started have used: sums over its process tree.
///
/// CPU time and page faults are cumulative and hold ended threads and ended descendants (those that
/// their parent waited for). What is counted for each thread alone (context switches, the time in run queues, compilers' CPU
/// time) holds ended threads as they were last seen. The other
/// figures are levels at this moment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Usage {
    /// CPU time in user mode.
    pub cpu_user: Duration,
    /// CPU time in the kernel.
    pub cpu_system: Duration,
    /// Of both, the CPU time of threads that compile the program while it runs (a virtual machine's just-in-time compilers).
    pub cpu_compiling: Duration,
    /// Context switches where a thread gave the core up, to wait.
    pub switches_voluntary: u64,
    /// Context switches where a thread was taken off its core.
    pub switches_forced: u64,
    /// How long threads were ready to run and waited for a core; zero where the kernel does not say.
    pub run_queue: Duration,
    /// Page faults served without I/O.
    pub faults_minor: u64,
    /// Page faults that needed I/O.
    pub faults_major: u64,
    /// Resident memory; pages that several processes share count once for each.
    pub rss_bytes: u64,
    /// Threads.
    pub threads: u32,
    /// Processes.
    pub processes: u32,
    /// For how long its Java virtual machines have stood still, as they count it; `None` where none says so.
    pub stood_still: Option<StoodStill>,
    /// Grows from one look to the next where CPU time and page faults of processes that ended meanwhile may be in no counter, since
    /// their parent ignores SIGCHLD.
    pub uncounted: u64,
}

/// For how long programs have stood still since they began: cumulative, each pause counted at its end.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct StoodStill {
    /// In pauses of a garbage collector.
    pub collecting: Duration,
    /// At safepoints, where all threads of the program are stopped, for whatever reason: mostly collections too.
    pub safepoints: Duration,
}

impl StoodStill {
    pub(crate) fn plus(self, other: StoodStill) -> StoodStill {
        StoodStill {
            collecting: self.collecting + other.collecting,
            safepoints: self.safepoints + other.safepoints,
        }
    }
}

impl Usage {
    /// The sums of two process trees.
    pub fn plus(self, other: Usage) -> Usage {
        Usage {
            cpu_user: self.cpu_user + other.cpu_user,
            cpu_system: self.cpu_system + other.cpu_system,
            cpu_compiling: self.cpu_compiling + other.cpu_compiling,
            switches_voluntary: self.switches_voluntary + other.switches_voluntary,
            switches_forced: self.switches_forced + other.switches_forced,
            run_queue: self.run_queue + other.run_queue,
            faults_minor: self.faults_minor + other.faults_minor,
            faults_major: self.faults_major + other.faults_major,
            rss_bytes: self.rss_bytes + other.rss_bytes,
            threads: self.threads + other.threads,
            processes: self.processes + other.processes,
            stood_still: match (self.stood_still, other.stood_still) {
                (Some(one), Some(another)) => Some(one.plus(another)),
                (one, another) => one.or(another),
            },
            uncounted: self.uncounted + other.uncounted,
        }
    }
}

/// The tools that a target needs, found.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tools {
    /// The chosen JDK's folder.
    pub java_home: Option<PathBuf>,
    /// The chosen JDK's `java`.
    pub java: Option<PathBuf>,
    /// Name → `version (path)`, for the record.
    pub found: BTreeMap<String, String>,
    /// What runs containers, where the target runs in one.
    #[serde(default)]
    pub engine: Option<Engine>,
    /// What to add to the environment of builds and servers: `JAVA_HOME`, and a `PATH` that begins
    /// with the chosen JDK.
    pub env: BTreeMap<String, String>,
}

impl Tools {
    /// Returns `env` as the environment of a process.
    pub fn process_env(&self) -> BTreeMap<String, Secret<String>> {
        let env = self.env.iter();
        env.map(|(name, value)| (name.clone(), value.clone().into()))
            .collect()
    }
}

/// A machine that servers or load generators run on.
pub trait Machine: Send + Sync {
    /// What the user calls it.
    fn name(&self) -> String;
    /// Nothing, as long as nobody has noticed that it is gone. Asks it nothing.
    ///
    /// # Errors
    /// Why it cannot be reached any more.
    fn still_there(&self) -> Result<(), Error> {
        Ok(())
    }
    /// How many cores may be used.
    fn cores(&self) -> usize;
    /// Which those are.
    fn cpus(&self) -> Result<Vec<Cpu>, Error>;
    /// What it is, for the record.
    fn facts(&self) -> Result<Facts, Error>;
    /// What a scheduler has given out, where it is that.
    ///
    /// # Errors
    /// Where it cannot be asked.
    fn allocation(&self) -> Result<Option<Allocation>, Error> {
        Ok(None)
    }
    /// Raises the limit of open files as far as this user may, where it is below `needed`; servers inherit it.
    ///
    /// # Errors
    /// The most that this user may have, where that is less.
    fn allow_open_files(&self, needed: u64) -> Result<(), u64>;
    /// The CPU time that photofinish itself has used on it so far; `None` where it is not known.
    fn own_cpu(&self) -> Option<Duration>;
    /// Starts to measure how late a thread wakes that only sleeps, on this core where one is given.
    fn hiccups(&self, cpu: Option<usize>) -> Box<dyn Meter>;
    /// Starts to measure how long a fixed piece of arithmetic takes on this core.
    fn reference(&self, cpu: usize) -> Box<dyn Meter>;
    /// Starts to measure how late this core lets a thread run that no other thread keeps from it; no figure where that priority is not to be
    /// had.
    fn wakes(&self, cpu: usize) -> Box<dyn Meter>;
    /// A network interface that load passes; `None` where it is not known.
    fn interface(&self, _: InterfaceQuery) -> Option<Interface> {
        None
    }
    /// A connection from it to a server.
    fn connect(&self, address: &Address, within: Duration) -> io::Result<Socket>;
}

/// What was noted of how late something was or how long it took, in nanoseconds. Dropping it ends it.
pub trait Meter: Send {
    /// What was noted since the last lap; `None` where nothing was.
    fn lap(&self) -> Option<Histogram<u64>>;
    /// Ends, and returns the rest.
    fn end(self: Box<Self>) -> Option<Histogram<u64>>;
}

/// The files of a machine that servers run on.
pub trait Files: Send + Sync {
    /// Whether a path means the same there as here.
    fn are_here(&self) -> bool;
    /// Keeps others that ask for the same path waiting until it is dropped. Makes the folder that the path is in.
    fn lock(&self, path: &Path, interrupted: &dyn Fn() -> bool) -> Result<Lock, Error>;
    /// Whether there is a file or a folder.
    fn has(&self, path: &Path) -> Result<bool, Error>;
    /// Makes a folder that holds these files of a folder of this machine, with their modes, links as they are, and nothing else.
    fn put(&self, from: &Path, files: &[PathBuf], to: &Path) -> Result<(), Error>;
    /// Writes a file, which has these permissions where it is new.
    fn write(&self, path: &Path, bytes: &[u8], mode: u32) -> Result<(), Error>;
    /// Makes a file or a folder a user's and a group's own. Only root may.
    fn give(&self, path: &Path, to: (u32, u32)) -> Result<(), Error>;
    /// A folder for temporary files.
    fn temp(&self) -> Result<Folder, Error>;
}

/// What is held until it is dropped.
pub struct Lock {
    _held: Box<dyn Send>,
}

impl Lock {
    fn new(held: impl Send + 'static) -> Lock {
        let _held = Box::new(held);
        Lock { _held }
    }
}

/// A folder that goes when it is dropped.
pub struct Folder {
    path: PathBuf,
    _held: Box<dyn Send>,
}

impl Folder {
    fn new(path: PathBuf, held: impl Send + 'static) -> Folder {
        let _held = Box::new(held);
        Folder { path, _held }
    }

    /// Where it is, on its machine.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

/// A machine that servers run on, and what is done there about servers.
pub trait Host: Send + Sync {
    /// The machine.
    fn machine(&self) -> &dyn Machine;
    /// Its files.
    fn files(&self) -> &dyn Files;
    /// photofinish itself as a program there, for the servers that are built into it.
    fn photofinish(&self) -> &Path;
    /// The address at which its servers are reached.
    fn address(&self) -> IpAddr;
    /// A TCP port that nobody uses at this moment, on any address.
    fn free_port(&self) -> Result<u16, Error>;
    /// Who listens at this address, or of a port at any; `None` when a server could.
    fn holder(&self, address: &Address) -> Option<PortHolder>;
    /// Starts a server, whose words go to a log of this machine ([`Process::fetch_log`]). It and everything that it starts ends when the [`Process`] is dropped, and
    /// when photofinish ends, however that happens.
    fn start(&self, spec: &ProcessSpec) -> Result<Box<dyn Process>, Error>;
    /// A server that runs already and listens at this address: its process where that is on this machine and can be found, else one of
    /// which nothing is known. It is only looked at, and goes on when the [`Process`] is dropped.
    fn find(&self, _address: &Address) -> Box<dyn Process> {
        Box::new(UnknownServer)
    }
    /// What the machine has done so far; `None` where it is not known.
    fn machine_sample(&self) -> Option<MachineSample>;
    /// What its cores have run so far, to the nanosecond; `None` where nothing reports it so finely.
    fn core_times(&self) -> Option<CoreTimes>;
    /// The core-to-core latency: the time that a cache line takes from one of its cores to another. Keeps both busy for some tenths of a
    /// millisecond. `None` where that cannot be measured.
    fn core_to_core(&self, _one: usize, _other: usize) -> Option<Duration> {
        None
    }
    /// Memory that programs may take without anything being swapped out or a limit of their control group being reached, in bytes; `None` where it is not known.
    fn memory_available(&self) -> Option<u64>;
    /// Finds tools in versions that fit, by name: `jdk`, `maven`, `cargo`, `go`, `node`, or any command.
    fn tools(&self, needs: &BTreeMap<String, VersionReq>) -> Result<Tools, Error>;
    /// Every program of these names, in the search path and in these folders, of whose path one part may be or hold a `*`.
    ///
    /// # Errors
    /// Where its machine cannot be reached.
    fn programs(&self, _names: &[String], _folders: &[String]) -> Result<Vec<Installed>, Error> {
        Ok(Vec::new())
    }
    /// Who a program that needs no rights is to run as: the first of these users that there is, where photofinish is root.
    ///
    /// # Errors
    /// Where its machine cannot be reached.
    fn account(&self, _names: &[String]) -> Result<Account, Error> {
        Ok(Account::Own)
    }
    /// The image of a name, where the engine has it already; removes the containers that killed photofinishes have left there.
    ///
    /// # Errors
    /// Where its machine cannot be reached.
    fn image(&self, _engine: &Engine, _name: &str) -> Result<Option<Image>, Error> {
        Ok(None)
    }
}

/// A server that was started, or runs already.
pub trait Process: Send {
    /// The server's own process id; `None` where it is not known.
    fn pid(&self) -> Option<u32>;
    /// How it ended, such as `exit status 1` or `signal 9 (SIGKILL)`; `None` while it runs.
    fn exited(&mut self) -> Result<Option<String>, Error>;
    /// What it and its descendants have used. Looks at every thread, which takes some 10 µs each.
    ///
    /// # Errors
    /// [`Error::NotOurs`] where its process is not known.
    fn usage(&mut self) -> Result<Usage, Error>;
    /// The same at a bounded cost, for sampling while a measurement runs: where there are very many
    /// threads, the context switches may be those of an earlier look.
    fn glance(&mut self) -> Result<Usage, Error> {
        self.usage()
    }
    /// Who listens where it was to listen in its place or beside it: a process that was there before it. `None` where
    /// there is none, or that cannot be known.
    fn foreign_listener(&mut self, address: &Address) -> Option<PortHolder>;
    /// The CPU time that those of its processes have used which the last look at its usage found, to the nanosecond and at the cost
    /// of a clock each; `None` where one of them has ended since, or nothing reports it so finely.
    fn cpu(&mut self) -> Option<Duration>;
    /// Lets those of its threads that compile just in time, as many as the last look at its usage found, use these cores of its machine alone;
    /// the others stay where they are. `false` where the kernel refuses that: a container may not have these cores.
    ///
    /// # Errors
    /// Where its machine cannot be reached.
    fn place_compilers(&mut self, _cores: &[usize]) -> Result<bool, Error> {
        Ok(false)
    }
    /// Stops it and everything that it started until it is to go on (by its cgroup's freezer where it has one, else by
    /// SIGSTOP and SIGCONT); doing the same again does nothing, nor does either to one that has ended.
    ///
    /// # Errors
    /// Where some of its processes go on all the same.
    fn freeze(&mut self, frozen: bool) -> Result<(), Error>;
    /// Whether there is a Java virtual machine among it and what it has started that has no agent.
    ///
    /// # Errors
    /// Where its machine cannot be reached.
    fn has_bare_java(&mut self) -> Result<bool, Error>;
    /// Loads an agent, a file of its machine, into each of its Java virtual machines, unless it has one: they are sampled by it from now on.
    ///
    /// # Errors
    /// [`Error::Java`] where one of them does not let it; none of them has an agent then.
    fn load_java_agent(&mut self, library: &Path) -> Result<(), Error>;
    /// Begins, or ends for now, to sample what the cores that it may use run of it, or, by the wall clock, the threads of its Java virtual
    /// machines that have an agent.
    ///
    /// # Errors
    /// Where the kernel does not let this user. [`Error::Java`] where an agent does not do it: it is sampled without one from now on.
    fn sample(&mut self, clock: SampleClock, on: bool) -> Result<(), Error>;
    /// The stacks in which it and everything that it started were found, and what ran in them, by this clock since they were last asked for, before another clock
    /// is begun; none where nothing was sampled.
    ///
    /// # Errors
    /// Where its machine cannot be reached.
    fn sampled(&mut self, clock: SampleClock) -> Result<Sampled, Error>;
    /// Brings what it has printed so far to the log that its spec names.
    fn fetch_log(&mut self) -> Result<(), Error>;
    /// SIGTERM to it and everything that it started, SIGKILL to what is left after `grace`; returns
    /// when all are gone. Stopping again does nothing. Dropping does the same.
    fn stop(&mut self, grace: Duration) -> Result<(), Error>;
}

/// The last lines of a log, without their line ends and without the secrets in them; empty where it cannot be read.
pub fn last_lines(log: &Path, n: usize) -> Vec<String> {
    /// More than any 20 lines of a build's log that a person would read.
    const TAIL: u64 = 64 * 1024;
    /// Of a line, more than fits on a screen.
    const LONGEST: usize = 2_000;
    let text = files::read_tail(log, TAIL).unwrap_or_default();
    let text = String::from_utf8_lossy(&text);
    let lines: Vec<&str> = text.lines().collect();
    let skipped = lines.len().saturating_sub(n);
    lines[skipped..]
        .iter()
        .map(|line| mask(&shortened(line, LONGEST)).into_owned())
        .collect()
}
