//! Processes and threads, read from `/proc` by hand; whatever else is read there, the `procfs` crate reads.
//!
//! These are the files that are read by the hundred while a measurement runs, of every process and of every thread of a
//! server. Side by side on one machine, medians of three: 3.5 µs a process here and 4.8 µs by the crate, 5 µs a thread here
//! and 21 µs by the crate, which parses all of a file's lines and asks for the folder first. The formats are those of proc(5).

pub(crate) mod tree;

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::Read;
use std::time::Duration;

/// What `/proc/PID/stat` says of a process. Times are in clock ticks.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Stat {
    /// The process.
    pub pid: u32,
    /// Its name, cut to 15 bytes by the kernel.
    pub name: String,
    /// `R`, `S`, `D`, `Z`, …
    pub state: char,
    /// Its parent.
    pub parent: u32,
    /// Its session, named by the process that began it.
    pub session: u32,
    /// Whether it is a thread of the kernel.
    pub kernel: bool,
    /// Page faults without I/O, ended threads included.
    pub faults_minor: u64,
    /// Those of ended children that were waited for.
    pub children_faults_minor: u64,
    /// Page faults with I/O, ended threads included.
    pub faults_major: u64,
    /// Those of ended children that were waited for.
    pub children_faults_major: u64,
    /// CPU time in user mode, ended threads included.
    pub user: u64,
    /// CPU time in the kernel, ended threads included.
    pub system: u64,
    /// User time of ended children that were waited for.
    pub children_user: u64,
    /// Kernel time of ended children that were waited for.
    pub children_system: u64,
    /// Threads.
    pub threads: u32,
    /// When it was started, in ticks since boot.
    pub started: u64,
    /// Resident pages.
    pub resident_pages: u64,
}

impl Stat {
    /// Whether a signal or a debugger has stopped it.
    pub fn stopped(&self) -> bool {
        matches!(self.state, 'T' | 't')
    }

    /// Whether it has ended and only waits to be waited for.
    pub fn ended(&self) -> bool {
        matches!(self.state, 'Z' | 'X' | 'x')
    }
}

/// The flag of the kernel's threads, from the kernel's `linux/sched.h`.
const PF_KTHREAD: u64 = 0x0020_0000;

/// Parses `/proc/PID/stat`. The name is between the first `(` and the last `)`: it may hold both, and spaces.
pub fn parse_stat(text: &str) -> Option<Stat> {
    let open = text.find('(')?;
    let close = text.rfind(')')?;
    let fields: Vec<&str> = text.get(close + 1..)?.split_ascii_whitespace().collect();
    // proc(5) counts from 1 and the fields here begin with the third.
    let number = |field: usize| fields.get(field - 3)?.parse::<u64>().ok();
    Some(Stat {
        pid: text[..open].trim().parse().ok()?,
        name: text.get(open + 1..close)?.to_owned(),
        state: fields.first()?.chars().next()?,
        parent: number(4)? as u32,
        session: number(6)? as u32,
        kernel: number(9)? & PF_KTHREAD != 0,
        faults_minor: number(10)?,
        children_faults_minor: number(11)?,
        faults_major: number(12)?,
        children_faults_major: number(13)?,
        user: number(14)?,
        system: number(15)?,
        children_user: number(16)?,
        children_system: number(17)?,
        threads: number(20)? as u32,
        started: number(22)?,
        resident_pages: number(24)?,
    })
}

/// What `/proc/PID/task/TID/status` says of a thread.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Thread {
    /// Context switches where it gave the core up, to wait.
    pub voluntary: u64,
    /// Context switches where it was taken off its core.
    pub forced: u64,
    /// Whether it is a just-in-time compiler, by its name.
    pub compiles: bool,
    /// Whether its process ignores SIGCHLD: the kernel then forgets at once what its children have used that end.
    pub forgets_children: bool,
}

/// How the names begin that virtual machines give the threads of their compilers (the kernel keeps 15 characters): HotSpot's and
/// Graal's, OpenJ9's, .NET's.
const COMPILERS: [&str; 5] = [
    "C1 Compiler",
    "C2 Compiler",
    "JVMCI ",
    "JIT Compilation",
    ".NET Tiered",
];

const SIGCHLD: u32 = 17;

/// Parses `/proc/PID/task/TID/status`.
pub fn parse_thread(text: &str) -> Option<Thread> {
    // The last lines: looked for from the end, for there may be thousands of threads.
    let value = |name: &str| {
        let at = text.rfind(name)?;
        text[at + name.len()..].lines().next()?.trim().parse().ok()
    };
    let name = text.lines().next()?.strip_prefix("Name:")?.trim();
    let ignored = text.rfind("\nSigIgn:").and_then(|at| {
        let mask = text[at + "\nSigIgn:".len()..].lines().next()?;
        u64::from_str_radix(mask.trim(), 16).ok()
    });
    Some(Thread {
        forgets_children: ignored.is_some_and(|mask| mask & (1 << (SIGCHLD - 1)) != 0),
        voluntary: value("\nvoluntary_ctxt_switches:")?,
        forced: value("\nnonvoluntary_ctxt_switches:")?,
        compiles: COMPILERS.iter().any(|begins| name.starts_with(begins)),
    })
}

/// What `/proc/PID/task/TID/schedstat` says of a thread.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Scheduled {
    /// How long it was on a core.
    pub on_core: Duration,
    /// How long it was ready to run and waited for one.
    pub ready: Duration,
}

/// Parses `/proc/PID/task/TID/schedstat`, whose first two numbers are in ns.
pub fn parse_scheduled(text: &str) -> Option<Scheduled> {
    let mut nanos = text.split_ascii_whitespace().map(|n| n.parse().ok());
    let mut next = || Some(Duration::from_nanos(nanos.next()??));
    Some(Scheduled {
        on_core: next()?,
        ready: next()?,
    })
}

/// A small file of a process, in one read. The kernel writes these whole into a buffer of a page; asking for the
/// length first and for more at the end, as `fs::read` does, would double the cost of a look at thousands of threads.
fn small<T>(path: &str, parse: impl FnOnce(&str) -> Option<T>) -> Option<T> {
    let mut bytes = [0; 8192];
    let length = File::open(path).ok()?.read(&mut bytes).ok()?;
    // Names are bytes and need not be UTF-8.
    parse(&String::from_utf8_lossy(&bytes[..length]))
}

/// One process, unless it is gone.
pub fn stat(pid: u32) -> Option<Stat> {
    small(&format!("/proc/{pid}/stat"), parse_stat)
}

/// One thread, unless it is gone.
pub fn thread(pid: u32, tid: u32) -> Option<Thread> {
    small(&format!("/proc/{pid}/task/{tid}/status"), parse_thread)
}

/// How long a thread was on a core and waited for one, unless it is gone or the kernel does not report it.
pub fn scheduled(pid: u32, tid: u32) -> Option<Scheduled> {
    small(
        &format!("/proc/{pid}/task/{tid}/schedstat"),
        parse_scheduled,
    )
}

/// The numbers that a folder's entries are named by.
pub fn numbers(folder: &str) -> Vec<u32> {
    let Ok(entries) = fs::read_dir(folder) else {
        return Vec::new();
    };
    entries
        .filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok())
        .collect()
}

/// Whether SIGTERM reaches a process that is the first of a container (of a PID namespace): where it has no handler, and does not
/// wait for the signal while it is blocked, the kernel drops it.
pub fn heeds_sigterm(pid: u32) -> bool {
    // Where that cannot be read, it may.
    small(&format!("/proc/{pid}/status"), parse_heeds_sigterm).unwrap_or(true)
}

/// Parses `/proc/PID/status` for that.
fn parse_heeds_sigterm(text: &str) -> Option<bool> {
    const SIGTERM: u32 = 15;
    let mask = |name: &str| {
        let line = text.lines().find_map(|line| line.strip_prefix(name))?;
        u64::from_str_radix(line.trim(), 16).ok()
    };
    let either = mask("SigCgt:")? | mask("SigBlk:")?;
    Some(either & (1 << (SIGTERM - 1)) != 0)
}

/// Every process that can be seen.
pub fn processes() -> Vec<Stat> {
    numbers("/proc").into_iter().filter_map(stat).collect()
}

/// Those of `all` that descend from `root`, without `root` itself.
pub fn descendants(all: &[Stat], root: u32) -> Vec<&Stat> {
    let mut children: BTreeMap<u32, Vec<&Stat>> = BTreeMap::new();
    for process in all {
        children.entry(process.parent).or_default().push(process);
    }
    let mut found = Vec::new();
    let mut open = vec![root];
    while let Some(parent) = open.pop() {
        // Taken out, so that a parent's id that was used again cannot make a circle.
        for child in children.remove(&parent).unwrap_or_default() {
            open.push(child.pid);
            found.push(child);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_may_hold_spaces_and_brackets() {
        let text = "42 (a) (b c) S 7 42 43 0 -1 4194304 11 12 13 14 100 200 300 400 20 0 9 0 555 1000000 77 184467";
        let stat = parse_stat(text).expect("it is whole");
        assert_eq!(
            stat,
            Stat {
                pid: 42,
                name: "a) (b c".to_owned(),
                state: 'S',
                parent: 7,
                session: 43,
                kernel: false,
                faults_minor: 11,
                children_faults_minor: 12,
                faults_major: 13,
                children_faults_major: 14,
                user: 100,
                system: 200,
                children_user: 300,
                children_system: 400,
                threads: 9,
                started: 555,
                resident_pages: 77,
            }
        );
        assert!(!stat.ended());
        let journal = text.replace(" 4194304 ", " 2129984 ");
        assert!(parse_stat(&journal).expect("it is whole").kernel);
    }

    #[test]
    fn a_cut_stat_is_none() {
        for text in ["", "42", "42 (a", "42 (a) S 7", "42 )a( S"] {
            assert_eq!(parse_stat(text), None, "{text}");
        }
    }

    #[test]
    fn a_thread_is_reported_by_its_status() {
        let status = |name: &str| {
            parse_thread(&format!(
                "Name:\t{name}\nvoluntary_ctxt_switches:\t12\nnonvoluntary_ctxt_switches:\t3\n"
            ))
        };
        let plain = Thread {
            voluntary: 12,
            forced: 3,
            compiles: false,
            forgets_children: false,
        };
        for name in ["x", "http-nio-8080-e", "GC Thread#0", "xC2 CompilerThr"] {
            assert_eq!(status(name), Some(plain), "{name}");
        }
        for name in ["C2 CompilerThre", "C1 CompilerThre", "JVMCI CompilerT"] {
            assert!(status(name).is_some_and(|thread| thread.compiles), "{name}");
        }
        assert_eq!(parse_thread("Name:\tx\n"), None);
        let expected = Scheduled {
            on_core: Duration::from_millis(1_500),
            ready: Duration::from_nanos(77),
        };
        assert_eq!(parse_scheduled("1500000000 77 12\n"), Some(expected));
        assert_eq!(parse_scheduled("1500000000\n"), None);
        assert_eq!(parse_scheduled(""), None);
    }

    #[test]
    fn who_heeds_a_signal_catches_it_or_waits_for_it() {
        let status = |blocked: &str, caught: &str| {
            let text = format!(
                "Name:\tx\nSigBlk:\t{blocked}\nSigIgn:\t0000000000004000\nSigCgt:\t{caught}\n"
            );
            parse_heeds_sigterm(&text)
        };
        let (none, term, others) = ("0000000000000000", "0000000000004000", "ffffffffffffbfff");
        assert_eq!(status(none, none), Some(false));
        assert_eq!(status(none, others), Some(false));
        assert_eq!(status(none, term), Some(true));
        assert_eq!(status(term, none), Some(true));
        assert_eq!(parse_heeds_sigterm("Name:\tx\n"), None);
    }

    #[test]
    fn who_ignores_sigchld_forgets_its_children() {
        let forgets = |ignored: &str| {
            let status = format!(
                "Name:\tx\nSigIgn:\t{ignored}\nSigCgt:\t0000000000010000\nvoluntary_ctxt_switches:\t1\nnonvoluntary_ctxt_switches:\t0\n"
            );
            parse_thread(&status).expect("it is whole").forgets_children
        };
        assert!(forgets("0000000000011000"));
        // SIGPIPE alone, which many ignore.
        assert!(!forgets("0000000000001000"));
    }

    #[test]
    fn descendants_are_found_at_any_depth() {
        let process = |pid, parent| Stat {
            pid,
            parent,
            ..Stat::default()
        };
        let all = [
            process(1, 0),
            process(5, 1),
            process(6, 5),
            process(7, 6),
            process(8, 1),
            process(0, 0),
        ];
        let mut found: Vec<u32> = descendants(&all, 5).iter().map(|p| p.pid).collect();
        found.sort_unstable();
        assert_eq!(found, [6, 7]);
        assert_eq!(descendants(&all, 8), Vec::<&Stat>::new());
    }
}
