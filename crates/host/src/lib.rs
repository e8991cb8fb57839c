//! What the lab needs from the machines that servers and load generators run on.
//!
//! A [`Host`] is a machine: this one, one with an agent, or several. `host/request.rs` lists what it can be asked. It starts a server as a
//! [`Process`], samples it and stops it with everything that it started. As a [`Generator`] it sends load. Nothing else in the lab talks
//! to the operating system about either.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use photofinish_model::Secret;
use photofinish_model::files;
use photofinish_model::finding::failure::PortHolder;
use photofinish_model::secret::mask;
use photofinish_model::text::shortened;
use serde::{Deserialize, Serialize};

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
mod group;
mod guard;
mod hiccup;
mod host;
mod interface;
mod jvm;
pub mod keeper;
pub mod kubernetes;
mod launcher;
pub mod leftovers;
mod local;
mod locked;
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
pub mod slurm;
pub mod ssh;
mod strays;
pub mod sys;
pub mod task;
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
pub use hiccup::hiccups;
pub use host::request;
pub use host::{
    About, AgentLink, Folder, Generator, Host, Lock, Meter, Process, Session, Several, beside,
    each, threads, watched,
};
pub use interface::InterfaceQuery;
pub use keeper::keep;
pub use local::LocalHost;
pub use machine::{MachineSample, ProcessTimes};
pub use meter::MeterKind;
pub use priority::SERVER_NICE;
pub use program::sha256;
pub use programs::{Account, Installed};
pub use rivals::{Rival, rivals};
pub use scheduled::Allocation;
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
    pub raised_priority: bool,
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
    /// For how long its Java virtual machines have stalled, as they count it; `None` if none says so.
    pub stood_still: Option<StoodStill>,
    /// Grows from one look to the next where CPU time and page faults of processes that ended meanwhile may be in no counter, since
    /// their parent ignores SIGCHLD.
    pub uncounted: u64,
}

/// For how long programs have stalled since they began: cumulative, each pause counted at its end.
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

/// The last lines of a log, without their line ends and without the secrets in them; empty where it cannot be read. If a line that
/// reports an error stands shortly before them, the first of such lines takes the place of the first two: databases go on to report how
/// they stop.
pub fn last_lines(log: &Path, n: usize) -> Vec<String> {
    /// More than any 20 lines of a build's log that a person would read.
    const TAIL_BYTES: u64 = 64 * 1024;
    /// Of a line, more than fits on a screen.
    const MAX_LINE: usize = 2_000;
    let text = files::read_tail(log, TAIL_BYTES).unwrap_or_default();
    let text = String::from_utf8_lossy(&text);
    let lines: Vec<&str> = text.lines().collect();
    chosen(&lines, n)
        .into_iter()
        .map(|line| mask(&shortened(line, MAX_LINE)).into_owned())
        .collect()
}

/// The last `n` lines, with the cause in front of them that stands before them.
fn chosen<'l>(lines: &[&'l str], n: usize) -> Vec<&'l str> {
    /// How many lines before the last ones may hold the cause.
    const BEFORE: usize = 100;
    let (before, last) = lines.split_at(lines.len().saturating_sub(n));
    let near = &before[before.len().saturating_sub(BEFORE)..];
    let cause = near.iter().find(|line| reports_an_error(line));
    match (cause, last) {
        (Some(cause), [_, _, rest @ ..]) => [&[*cause, "…"][..], rest].concat(),
        _ => last.to_vec(),
    }
}

/// Whether a log's line reports an error, as PostgreSQL, MariaDB and most logging libraries mark it.
fn reports_an_error(line: &str) -> bool {
    ["FATAL", "PANIC:", "ERROR", "panicked at"]
        .iter()
        .any(|mark| line.contains(mark))
}

#[cfg(test)]
mod tests {
    use super::chosen;

    #[test]
    fn a_cause_before_the_last_lines_of_a_log_is_shown_with_them() {
        let cause = "2026-01-31 [ERROR] InnoDB: Unable to lock ./ibdata1 error: 11";
        let rest = ["InnoDB: starting shutdown"; 20];
        let lines = [&["started", cause][..], &rest].concat();
        let shown = chosen(&lines, 10);
        assert_eq!((shown.len(), &shown[..2]), (10, &[cause, "…"][..]));
        // Without one, or where it is among them, they are the last ones.
        assert_eq!(chosen(&rest, 3), &rest[..3]);
        assert_eq!(chosen(&lines, 21)[0], cause);
        assert_eq!(chosen(&[], 10), [""; 0]);
    }
}
