//! What a process tree has used, read from `/proc`.
//!
//! - CPU time of a living process is its CPU clock, which the kernel keeps to the nanosecond and which holds ended
//!   threads. User and system are distinguished by `/proc/PID/stat` (in clock ticks of mostly 10 ms, and on most kernels
//!   by what the tick found running), scaled to the clock's total. Ended children that were waited for are in their
//!   parent's `stat`; as orphans come to the keeper, which waits for all, none is lost but those whose parent
//!   ignores SIGCHLD, which is [noted](super::unwaited).
//! - Page faults are `stat`'s: exact, ended threads and children included.
//! - Context switches are counted for each thread alone, and those of a thread end with it. Each thread's are remembered
//!   as they were last seen, so what is lost is what an ended thread did after the last look at it.
//! - Compilers are threads of a virtual machine, known by their names; their CPU time is `schedstat`'s, exact, and that of ended ones as it
//!   was last seen. So is the time that threads were ready to run and waited for a core.
//! - For how long Java virtual machines stalled is what they count themselves (`jvm`).
//! - Resident memory is `stat`'s, which the kernel keeps to within some pages a core.

use std::collections::{BTreeSet, HashMap};
use std::time::{Duration, Instant};

use super::jvm::Machines;
use super::processes::tree::{Found, Tree};
use super::processes::{self, Stat};
use super::unwaited::Unwaited;
use super::{Usage, sys};

/// A bounded look at the threads takes at most this share of one core.
const GLANCE_SHARE: u32 = 50; // 1/50 = 2%

/// Reads the usage of the tree below one process, again and again.
pub(super) struct Meter {
    /// Below the root, whose ended children count.
    tree: Tree,
    /// Whether the root counts too; a keeper does not.
    with_root: bool,
    page: u64,
    last: Usage,
    /// The living processes that were seen last.
    living: Vec<u32>,
    threads: Threads,
    machines: Machines,
    unwaited: Unwaited,
    looked_at: Option<Instant>,
    look_took: Duration,
}

impl Meter {
    /// For everything below `root`.
    pub(super) fn new(root: u32) -> Meter {
        Meter {
            tree: Tree::below(root),
            with_root: false,
            page: sys::page_size(),
            last: Usage::default(),
            living: Vec::new(),
            threads: Threads::default(),
            machines: Machines::default(),
            unwaited: Unwaited::default(),
            looked_at: None,
            look_took: Duration::ZERO,
        }
    }

    /// For `root` and everything below it.
    pub(super) fn of(root: u32) -> Meter {
        Meter {
            with_root: true,
            ..Meter::new(root)
        }
    }

    /// A look at every process and every thread.
    pub(super) fn usage(&mut self) -> Usage {
        self.read(true)
    }

    /// A look at every process, and at the threads when that does not cost too much.
    pub(super) fn glance(&mut self) -> Usage {
        let due = self
            .looked_at
            .is_none_or(|at| at.elapsed() >= self.look_took.saturating_mul(GLANCE_SHARE));
        self.read(due)
    }

    /// The CPU clocks of the processes that the last look found, added up; `None` if there was none, or one has ended since.
    pub(super) fn clocks(&self) -> Option<Duration> {
        let clocks: Option<Vec<Duration>> = (self.living.iter())
            .map(|&pid| sys::process_cpu(pid))
            .collect();
        let clocks = clocks.filter(|clocks| !clocks.is_empty())?;
        Some(clocks.iter().sum())
    }

    /// Lets compilers use these cores alone, in the processes in which the last look found some, with this nice value where one is given;
    /// `false` if the kernel refuses the cores.
    pub(super) fn place_compilers(&self, cores: &[usize], nice: Option<i32>) -> bool {
        let threads = self.threads.compiling.iter().flat_map(|&pid| {
            let all = processes::numbers(&format!("/proc/{pid}/task"));
            all.into_iter().map(move |tid| (pid, tid))
        });
        let compiles =
            |&(pid, tid): &(u32, u32)| processes::thread(pid, tid).is_some_and(|t| t.compiles);
        let placed = threads.filter(compiles).map(|(_, tid)| {
            if let Some(nice) = nice {
                let _ = sys::set_nice_value(Some(tid), nice);
            }
            sys::place(tid, cores)
        });
        placed.fold(true, |all, placed| all & placed)
    }

    fn read(&mut self, threads: bool) -> Usage {
        let Found {
            mut root,
            below: mut tree,
        } = self.tree.scan();
        if self.with_root {
            tree.extend(root.take());
        }
        let living = tree.iter().filter(|p| !p.ended());
        self.living = living.map(|p| p.pid).collect();
        let mut sum = Usage::default();
        if let Some(root) = &root {
            add_children(&mut sum, root);
        }
        for process in &tree {
            add_children(&mut sum, process);
            let (user, system) = split(
                sys::ticks(process.user),
                sys::ticks(process.system),
                if process.ended() {
                    None
                } else {
                    sys::process_cpu(process.pid)
                },
            );
            sum.cpu_user += user;
            sum.cpu_system += system;
            sum.faults_minor += process.faults_minor;
            sum.faults_major += process.faults_major;
            if !process.ended() {
                sum.rss_bytes += process.resident_pages * self.page;
                sum.threads += process.threads;
                sum.processes += 1;
            }
        }
        // Last, because it takes longest, and the CPU time should be that of the moment that was asked for.
        if threads {
            let begun = Instant::now();
            self.threads
                .scan(tree.iter().filter(|p| !p.ended()).map(|p| p.pid));
            self.looked_at = Some(begun);
            self.machines.meet(&self.threads.compiling);
            self.look_took = begun.elapsed();
        }
        self.unwaited
            .scan(tree.iter().chain(&root), processes::stat);
        if self.threads.forgets_children {
            self.unwaited.assume();
        }
        sum.uncounted = self.unwaited.times();
        sum.stood_still = self.machines.stood(&self.living);
        let threads = self.threads.total();
        sum.switches_voluntary = threads.voluntary;
        sum.switches_forced = threads.forced;
        sum.cpu_compiling = threads.compiling;
        sum.run_queue = threads.ready;
        // A process that moved to another parent during the look may have been missed: what is cumulative never falls.
        sum.cpu_user = sum.cpu_user.max(self.last.cpu_user);
        sum.cpu_system = sum.cpu_system.max(self.last.cpu_system);
        sum.faults_minor = sum.faults_minor.max(self.last.faults_minor);
        sum.faults_major = sum.faults_major.max(self.last.faults_major);
        self.last = sum;
        sum
    }
}

/// Adds what a process's ended children have used.
fn add_children(sum: &mut Usage, process: &Stat) {
    sum.cpu_user += sys::ticks(process.children_user);
    sum.cpu_system += sys::ticks(process.children_system);
    sum.faults_minor += process.children_faults_minor;
    sum.faults_major += process.children_faults_major;
}

/// User and system time as shares of the exact total; as they are where there is none.
fn split(user: Duration, system: Duration, total: Option<Duration>) -> (Duration, Duration) {
    let Some(total) = total else {
        return (user, system);
    };
    let reported = user + system;
    if reported.is_zero() {
        // Less than a tick of either: nothing tells them apart.
        return (total, Duration::ZERO);
    }
    let user = total.mul_f64(user.as_secs_f64() / reported.as_secs_f64());
    (user, total.saturating_sub(user))
}

/// What all threads have done that were ever seen.
#[derive(Default)]
struct Threads {
    look: u64,
    seen: HashMap<(u32, u32), Seen>,
    /// What threads have done that have ended, as last seen.
    ended: Done,
    /// Processes in which the last look found a compiler.
    compiling: BTreeSet<u32>,
    /// Whether the last look found a process that ignores SIGCHLD.
    forgets_children: bool,
}

/// A thread as it was last seen.
struct Seen {
    look: u64,
    done: Done,
}

/// What one or several threads have done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Done {
    voluntary: u64,
    forced: u64,
    /// CPU time of compilers.
    compiling: Duration,
    /// How long they were ready to run and waited for a core.
    ready: Duration,
}

impl Done {
    fn plus(self, other: Done) -> Done {
        Done {
            voluntary: self.voluntary + other.voluntary,
            forced: self.forced + other.forced,
            compiling: self.compiling + other.compiling,
            ready: self.ready + other.ready,
        }
    }
}

impl Threads {
    fn scan(&mut self, processes: impl Iterator<Item = u32>) {
        self.look += 1;
        self.compiling.clear();
        self.forgets_children = false;
        for pid in processes {
            for tid in processes::numbers(&format!("/proc/{pid}/task")) {
                if let Some(thread) = processes::thread(pid, tid) {
                    if thread.compiles {
                        self.compiling.insert(pid);
                    }
                    self.forgets_children |= thread.forgets_children;
                    let scheduled = processes::scheduled(pid, tid).unwrap_or_default();
                    let done = Done {
                        voluntary: thread.voluntary,
                        forced: thread.forced,
                        compiling: match thread.compiles {
                            true => scheduled.on_core,
                            false => Duration::ZERO,
                        },
                        ready: scheduled.ready,
                    };
                    self.see((pid, tid), done);
                }
            }
        }
        self.forget_ended();
    }

    fn see(&mut self, thread: (u32, u32), done: Done) {
        let look = self.look;
        if let Some(Seen { done: before, .. }) = self.seen.insert(thread, Seen { look, done })
            && (before.voluntary > done.voluntary || before.forced > done.forced)
        {
            // Counters never fall: this is another thread with the id of one that ended.
            self.ended = self.ended.plus(before);
        }
    }

    /// Moves the threads that this look did not find to the ended ones.
    fn forget_ended(&mut self) {
        let (look, ended) = (self.look, &mut self.ended);
        self.seen.retain(|_, seen| {
            if seen.look != look {
                *ended = ended.plus(seen.done);
            }
            seen.look == look
        });
    }

    fn total(&self) -> Done {
        let seen = self.seen.values().map(|seen| seen.done);
        seen.fold(self.ended, Done::plus)
    }
}

#[cfg(test)]
mod tests;
