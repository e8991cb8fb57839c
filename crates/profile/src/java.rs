//! Stacks of a Java virtual machine, by an agent in it (async-profiler): with the names of Java methods, which nobody else knows.
//!
//! The agent looks at each thread by the thread's own clock, as often as the [`Sampler`](crate::Sampler) looks at a core. It writes folded
//! stacks, whose frames are given the names here that those of other servers have.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use photofinish_model::files;
use photofinish_model::files::temp::{PREFIX, TempFolder};
use photofinish_model::folded::frame as plain;

use crate::fold::Stacks;
use crate::symbols::{JAVA, JVM, JVM_STUB, KERNEL, Maps, UNKNOWN};
use crate::{HERTZ, SampleClock, WALL_HERTZ, kind_of_thread};

mod attach;

/// The oldest Java whose machines the agent is loaded into.
pub const MIN_VERSION: u32 = 11;
/// A machine looks for its sockets here, whatever its folder for temporary files is; what the agent writes lies here too.
const TMP: &str = "/tmp";
/// Of what an agent has written so much is read: some ten thousand deep stacks.
const MAX_OUTPUT_BYTES: u64 = 64 << 20;
/// The most bytes that are read of its log, of which the last line counts.
const MAX_LOG_BYTES: u64 = 64 << 10;

/// Why there are no Java frames of a process.
#[derive(Debug, thiserror::Error)]
pub enum NoJava {
    /// It was started so that nobody may load anything into it.
    #[error(
        "load an agent into the Java virtual machine {pid}: its options forbid it (-XX:+DisableAttachMechanism); leave that out to see them"
    )]
    Forbidden {
        /// The process.
        pid: u32,
    },
    /// It is too old.
    #[error(
        "load an agent into the Java virtual machine {pid}: it is Java {version}, and this works from Java {MIN_VERSION} on"
    )]
    TooOld {
        /// The process.
        pid: u32,
        /// Its version.
        version: u32,
    },
    /// It does not do what it is asked for.
    #[error("load an agent into the Java virtual machine {pid}: {says}")]
    Refused {
        /// The process.
        pid: u32,
        /// Why.
        says: String,
    },
    /// A file or a socket could not be used.
    #[error("load an agent into the Java virtual machine {pid}: {verb} {}: {source}", path.display())]
    File {
        /// The process.
        pid: u32,
        /// What was tried: `read`, `connect to`, …
        verb: &'static str,
        /// The file.
        path: PathBuf,
        /// Why it failed.
        source: io::Error,
    },
}

/// Whether a process is a Java virtual machine, one of OpenJDK's kind.
pub fn is_machine(pid: u32) -> bool {
    Maps::of(pid).java
}

/// The agent in one machine.
#[derive(Debug)]
pub struct Agent {
    pid: u32,
    library: PathBuf,
    /// What it writes.
    folder: TempFolder,
    /// By which clock it has taken samples that were not asked for yet.
    begun: Option<SampleClock>,
}

impl Agent {
    /// Loads it into a machine, where it does nothing yet but show that it could.
    ///
    /// # Errors
    /// If the machine does not let it.
    pub fn load(pid: u32, library: &Path) -> Result<Agent, NoJava> {
        attach::allowed(pid)?;
        let says = attach::ask(pid, ["jcmd", "VM.version", "", ""])?;
        match version(&says) {
            Some(version) if version < MIN_VERSION => return Err(NoJava::TooOld { pid, version }),
            Some(_) => {}
            None => {
                let says = "it does not say its version".to_owned();
                return Err(NoJava::Refused { pid, says });
            }
        }
        let folder = TempFolder::below(Path::new(TMP), PREFIX);
        let folder = folder.map_err(file(pid, "write to", Path::new(TMP)))?;
        let mut agent = Agent {
            pid,
            library: library.to_owned(),
            folder,
            begun: None,
        };
        agent.begin(SampleClock::Cpu)?;
        agent.end()?;
        agent.begun = None;
        Ok(agent)
    }

    /// The process.
    pub fn pid(&self) -> u32 {
        self.pid
    }

    /// Begins to sample, or continues. What it has seen by another clock is given up.
    ///
    /// # Errors
    /// If the machine does not do it.
    pub fn begin(&mut self, clock: SampleClock) -> Result<(), NoJava> {
        let goes_on = self.begun == Some(clock);
        let verb = if goes_on { "resume" } else { "start" };
        let (event, hertz) = match clock {
            // A timer of each thread's CPU time, which the kernel looks at in its tick. Its event `cpu-clock` shows kernel frames too, but is
            // set up anew with each switch between threads: that took 60% of the throughput of a server that switches often, and threads
            // that always run for less than 10 µs were not seen.
            SampleClock::Cpu => ("ctimer,threads", HERTZ),
            // Each thread each time: else one that has used next to no CPU time since counts as where it was found before.
            SampleClock::Wall => ("wall,nobatch", WALL_HERTZ),
        };
        let interval = 1_000_000_000 / hertz;
        self.run(&format!("{verb},event={event},interval={interval}"))?;
        self.begun = Some(clock);
        Ok(())
    }

    /// Ends for now.
    ///
    /// # Errors
    /// If the machine does not do it.
    pub fn end(&mut self) -> Result<(), NoJava> {
        self.run("stop")
    }

    /// The stacks since the last time.
    ///
    /// # Errors
    /// If the machine does not write them, or they cannot be read.
    pub fn stacks(&mut self) -> Result<Stacks, NoJava> {
        Ok(folded(&self.dump("")?))
    }

    /// The same, by kind of thread ([`kind_of_thread`]).
    ///
    /// # Errors
    /// As there.
    pub fn stacks_of_kinds(&mut self) -> Result<BTreeMap<String, Stacks>, NoJava> {
        let text = self.dump(",threads")?;
        let mut all: BTreeMap<String, Stacks> = BTreeMap::new();
        for (tid, stacks) in of_threads(&text) {
            let kind = tid.map_or_else(String::new, |tid| kind_of_thread(self.pid, tid));
            all.entry(kind).or_default().add(stacks);
        }
        Ok(all)
    }

    /// What it writes of the stacks since the last time.
    fn dump(&mut self, more: &str) -> Result<String, NoJava> {
        if self.begun.take().is_none() {
            return Ok(String::new());
        }
        let path = self.folder.path().join("stacks");
        self.run(&format!(
            "dump,collapsed,ann,lib,dot{more},file={}",
            path.display()
        ))?;
        let mut bytes = Vec::new();
        let read =
            File::open(&path).and_then(|file| file.take(MAX_OUTPUT_BYTES).read_to_end(&mut bytes));
        read.map_err(file(self.pid, "read", &path))?;
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }

    /// Has the agent do something.
    fn run(&self, options: &str) -> Result<(), NoJava> {
        let log = self.folder.path().join("log");
        let options = format!("{options},log={}", log.display());
        let library = self.library.display().to_string();
        let says = attach::ask(self.pid, ["load", &library, "true", &options])?;
        // Each version of Java says it in its own words: the code alone, or behind these words.
        let code = says.trim().rsplit(' ').next().unwrap_or_default();
        if code == "0" {
            return Ok(());
        }
        let log = files::read_tail(&log, MAX_LOG_BYTES).unwrap_or_default();
        let log = String::from_utf8_lossy(&log);
        let why = log.lines().last().unwrap_or(says.trim());
        Err(NoJava::Refused {
            pid: self.pid,
            says: plain(why),
        })
    }
}

/// An error about a file or a socket.
fn file<'a>(pid: u32, verb: &'static str, path: &'a Path) -> impl Fn(io::Error) -> NoJava + 'a {
    move |source| NoJava::File {
        pid,
        verb,
        path: path.to_owned(),
        source,
    }
}

/// The version in what a machine says of itself: `JDK 17.0.15.0`, and 8 where it is `JDK 8.0_412`.
fn version(says: &str) -> Option<u32> {
    let number = says.lines().find_map(|line| line.strip_prefix("JDK "))?;
    let digits = number.split(|c: char| !c.is_ascii_digit()).next()?;
    digits.parse().ok()
}

/// What the agent has written, a stack a line: `a;b;c N`.
fn folded(text: &str) -> Stacks {
    let mut seen: BTreeMap<Vec<String>, u64> = BTreeMap::new();
    for line in text.lines() {
        // One that was cut off has no count.
        let Some((stack, count)) = line.rsplit_once(' ') else {
            continue;
        };
        if let Ok(count) = count.parse::<u64>() {
            let frames = stack.split(';').map(frame).collect();
            *seen.entry(frames).or_default() += count;
        }
    }
    Stacks {
        seen: seen.into_iter().collect(),
        lost: 0,
    }
}

/// The same, where the first frame is the thread: `[name tid=N]`; `None` for what has no number.
fn of_threads(text: &str) -> BTreeMap<Option<u32>, Stacks> {
    let mut lines: BTreeMap<Option<u32>, String> = BTreeMap::new();
    // A name may hold whatever its program wants, ends of lines too.
    let mut begun = String::new();
    for line in text.lines() {
        let thread = thread(line);
        if thread.is_none() && (line.starts_with('[') || !begun.is_empty()) {
            begun.push_str(line);
            continue;
        }
        begun.clear();
        let (tid, stack) = thread.map_or((None, line), |(tid, stack)| (Some(tid), stack));
        let lines = lines.entry(tid).or_default();
        lines.push_str(stack);
        lines.push('\n');
    }
    let all = lines.into_iter();
    all.map(|(tid, lines)| (tid, folded(&lines))).collect()
}

/// The number of a stack's thread, and the stack, of a line that has the end of the thread's name.
fn thread(line: &str) -> Option<(u32, &str)> {
    const NUMBER: &str = " tid=";
    // No frame has one, so the last is the thread's own, whatever its name.
    line.rmatch_indices(NUMBER).find_map(|(at, _)| {
        let (number, stack) = line[at + NUMBER.len()..].split_once("];")?;
        Some((number.parse().ok()?, stack))
    })
}

/// A frame's name as those of other servers are written.
///
/// The agent marks the kernel's by `_[k]`, and Java's by how they run: compiled, inlined, interpreted, or compiled by the first of the two compilers.
fn frame(name: &str) -> String {
    let java = ["_[j]", "_[i]", "_[0]", "_[1]"];
    let method = java.iter().find_map(|mark| name.strip_suffix(mark));
    if let Some(function) = name.strip_suffix("_[k]") {
        return format!("{KERNEL}`{}", plain(function));
    }
    if let Some(method) = method {
        return format!("{JAVA}`{}", plain(method));
    }
    match name {
        _ if name.contains('`') => plain(name),
        // A method that has no name at this moment, such as one whose class is being unloaded.
        "[unknown_Java]" | "[not_walkable_Java]" => JVM.to_owned(),
        _ if name.starts_with('[') && name.contains(".so") => {
            let module = name.trim_matches(['[', ']']);
            format!("{}`{UNKNOWN}", plain(module))
        }
        _ if name.starts_with('[') => UNKNOWN.to_owned(),
        _ => format!("{JVM_STUB}`{}", plain(name)),
    }
}

#[cfg(test)]
mod tests {
    use photofinish_model::Layer;

    use super::*;
    use crate::layers;

    #[test]
    fn versions_are_read() {
        let says = "OpenJDK 64-Bit Server VM version 17.0.15+6-Debian-1\nJDK 17.0.15.0\n";
        assert_eq!(version(says), Some(17));
        assert_eq!(
            version("Java HotSpot(TM) VM version 25.412\nJDK 8.0_412\n"),
            Some(8)
        );
        assert_eq!(version("JDK 25-ea\n"), Some(25));
        assert_eq!(version("something else\n"), None);
        assert_eq!(version("JDK \n"), None);
    }

    #[test]
    fn stacks_belong_to_threads() {
        let text = "[HTTP-Dispatcher tid=12];a.B.c_[j] 3\n[a]; [b tid=x tid=7];a.B.c_[j] 2\n[HTTP-Dispatcher tid=12];a.B.d_[j] 1\na.B.c_[j] 5\n";
        let of = of_threads(text);
        let samples = |tid| of.get(&tid).map_or(0, Stacks::samples);
        assert_eq!(samples(Some(12)), 4);
        assert_eq!(samples(Some(7)), 2);
        assert_eq!(samples(None), 5);
        // A frame may end as a thread does.
        let nameless = of_threads("[a tid=3];b.C.d_[j];[unknown_Java];[libnet.so] 6\n");
        assert_eq!(nameless[&Some(3)].samples(), 6);
        // What a name breaks into is no stack, and no count.
        let hostile = "[fake;frame 99999999\nx];y tid=9];a.B.c_[j] 4\n[z\n\nz tid=8];a.B.c_[j] 1\n";
        let hostile = of_threads(hostile);
        let samples_of = |tid| hostile.get(&tid).map_or(0, Stacks::samples);
        assert_eq!(
            [samples_of(Some(9)), samples_of(Some(8)), samples_of(None)],
            [4, 1, 0]
        );
        let first = &of[&Some(12)].seen;
        assert_eq!(first[0], (vec!["java`a.B.c".to_owned()], 3));
    }

    #[test]
    fn frames_have_the_names_that_those_of_other_servers_have() {
        let text = "java.lang.Thread.run_[0];a.Hot.planted_[j] 7\n\
            java.lang.Thread.run_[0];sun.nio.ch.IOUtil.write_[1];libnio.so`write0;libc.so.6`__write;do_syscall_64_[k];tcp_sendmsg_[k] 3\n\
            libjvm.so`GangWorker::loop;libjvm.so`G1ParScanThreadState::copy 2\n\
            a.Hot.run_[i];counter_overflow Runtime1 stub;[unknown] 1\n\
            [libnet.so] 1\n[unknown_Java] 1\ncut off\na;b";
        let stacks = folded(text);
        assert_eq!(stacks.samples(), 15);
        let (text, _) = stacks.text();
        assert!(
            text.starts_with("java`java.lang.Thread.run;java`a.Hot.planted 7\n"),
            "{text}"
        );
        for frame in [
            "kernel`do_syscall_64;kernel`tcp_sendmsg 3",
            "java`a.Hot.run;jvm`counter_overflow Runtime1 stub;[unknown] 1",
            "libnet.so`[unknown] 1",
            "[JVM, no symbols] 1",
        ] {
            assert!(text.contains(frame), "{frame} in {text}");
        }
        let layers = layers::count(&stacks);
        let expected = [
            (Layer::KernelSend, 3),
            (Layer::Runtime, 3),
            (Layer::Application, 7),
            (Layer::Compiled, 1),
            (Layer::Unknown, 1),
        ];
        assert_eq!(layers, expected.into());
        assert_eq!(folded(""), Stacks::default());
    }
}
