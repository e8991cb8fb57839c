//! What the machine does besides the race: steal and other processes, between two samples.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::Read;
use std::time::Duration;

use photofinish_model::{BusyProcess, MachineUse};
use procfs::{CpuTime, CurrentSI, FromRead, KernelStats, MemoryPressure};
use serde::{Deserialize, Serialize};

use super::facts::count;
use super::found::Known;
use super::{processes, sys, throttle};

/// What the machine has done since it was started, to be compared with a later sample.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct MachineSample {
    /// When it was taken, by the machine's own clock that never goes back.
    pub at: Duration,
    /// The time of all cores together, whatever they did.
    pub total: Duration,
    /// That which the hypervisor took away.
    pub steal: Duration,
    /// That in which processes and the kernel ran, without interrupts.
    pub busy: Duration,
    /// That in which some process waited for memory; `None` if the kernel does not report it.
    pub memory_stall: Option<Duration>,
    /// Pages that were swapped in or out; `None` if the kernel does not report it.
    pub swapped_pages: Option<u64>,
    /// For how long its container was stopped because it had used up its time, as a sum over cores; `None` if that has no bound.
    pub throttled: Option<Duration>,
    /// The CPU time of every process that can be seen.
    pub processes: BTreeMap<u32, ProcessTimes>,
    /// Whether a server of the race runs on the machine whose process is not known.
    pub unseen: bool,
}

/// The CPU time of a process, to separate the race from the rest of the machine.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProcessTimes {
    /// Its name, cut to 15 bytes by the kernel.
    pub name: String,
    /// When it was started, in clock ticks since boot; with the id it names a process for good.
    pub started: u64,
    /// Its parent.
    pub parent: u32,
    /// Its own CPU time, ended threads included.
    pub own: Duration,
    /// That of its ended children that it waited for, and of theirs.
    pub children: Duration,
    /// Whether it is photofinish or was started by it, is a server that it races, or is a thread of the kernel: those work for whoever asked (a database that is
    /// raced and writes its journal, say), and if that is another process it is seen itself.
    pub ours: bool,
}

impl MachineSample {
    /// A sample of this machine; `None` if there is no `/proc`.
    pub fn take() -> Option<MachineSample> {
        MachineSample::beside(&Known::default())
    }

    /// The same, where these servers race that were not started by photofinish.
    pub(super) fn beside(running_servers: &Known) -> Option<MachineSample> {
        let at = sys::uptime();
        let cpu = Cpu::from(KernelStats::current().ok()?.total);
        let all = processes::processes();
        let own = std::process::id();
        let roots = running_servers.pids.iter().copied().chain([own]);
        let ours: BTreeSet<u32> = roots
            .flat_map(|root| {
                let below = processes::descendants(&all, root).into_iter();
                below.map(|p| p.pid).chain([root])
            })
            .collect();
        let processes = all.iter().map(|p| {
            let times = ProcessTimes {
                name: p.name.clone(),
                started: p.started,
                parent: p.parent,
                own: sys::ticks(p.user + p.system),
                children: sys::ticks(p.children_user + p.children_system),
                ours: p.kernel || ours.contains(&p.pid),
            };
            (p.pid, times)
        });
        Some(MachineSample {
            at,
            total: sys::ticks(cpu.total),
            steal: sys::ticks(cpu.steal),
            busy: sys::ticks(cpu.busy),
            memory_stall: fs::File::open("/proc/pressure/memory")
                .ok()
                .and_then(memory_stall),
            swapped_pages: fs::read_to_string("/proc/vmstat")
                .ok()
                .and_then(|text| swapped_pages(&text)),
            throttled: throttle::throttled(),
            processes: processes.collect(),
            unseen: running_servers.unseen,
        })
    }

    /// What the machine did between an earlier sample and this one; `None` if too little time had passed to tell.
    ///
    /// Other processes' CPU is measured in two ways, and the larger one is reported. The first adds up the processes that
    /// can be seen. The second is the machine's busy time less that of photofinish, of what it started and of the kernel's threads, and
    /// holds what runs in other containers too; it leaves out interrupts, which kernels count to processes or not. Neither can
    /// be more than the machine was busy: what a process was given by an orphan that it adopted may be of any age.
    pub fn since(&self, earlier: &MachineSample) -> Option<MachineUse> {
        let wall = self.at.saturating_sub(earlier.at);
        let total = self.total.saturating_sub(earlier.total);
        if wall.is_zero() || total.is_zero() {
            return None;
        }
        let steal = self.steal.saturating_sub(earlier.steal);
        let busy = self.busy.saturating_sub(earlier.busy);
        let unseen = busy.saturating_sub(used(&earlier.processes, &self.processes, true));
        let seen = used(&earlier.processes, &self.processes, false).min(busy);
        let other = seen.max(unseen);
        Some(MachineUse {
            steal_share: steal.as_secs_f64() / total.as_secs_f64(),
            other_cores: (!self.unseen).then(|| other.as_secs_f64() / wall.as_secs_f64()),
            busiest: busiest(&earlier.processes, &self.processes, wall),
            hiccup_us: None,
            cores: Some((total.as_secs_f64() / wall.as_secs_f64()).round() as u32),
            memory_stall_share: self
                .memory_stall
                .zip(earlier.memory_stall)
                .map(|(now, then)| now.saturating_sub(then).as_secs_f64() / wall.as_secs_f64()),
            swapped_pages_per_s: self
                .swapped_pages
                .zip(earlier.swapped_pages)
                .map(|(now, then)| now.saturating_sub(then) as f64 / wall.as_secs_f64()),
            throttled_share: self
                .throttled
                .zip(earlier.throttled)
                .map(|(now, then)| now.saturating_sub(then).as_secs_f64() / wall.as_secs_f64()),
            core_to_core_ns: None,
        })
    }
}

/// The machine's CPU times, in clock ticks over all cores.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Cpu {
    /// Everything.
    total: u64,
    /// Processes in user mode (guests and niced ones included) and in the kernel, without interrupts.
    busy: u64,
    /// Taken away by the hypervisor.
    steal: u64,
}

impl From<CpuTime> for Cpu {
    /// The guests' times are within the user's and are not added again.
    fn from(time: CpuTime) -> Cpu {
        let reported = |time: Option<u64>| time.unwrap_or(0);
        let busy = time.user + time.nice + time.system;
        let idle = time.idle + reported(time.iowait);
        let steal = reported(time.steal);
        Cpu {
            total: busy + idle + reported(time.irq) + reported(time.softirq) + steal,
            busy,
            steal,
        }
    }
}

/// The time in which some process waited for memory, from `/proc/pressure/memory` (its unit is a microsecond).
fn memory_stall(text: impl Read) -> Option<Duration> {
    let pressure = MemoryPressure::from_read(text).ok()?;
    Some(Duration::from_micros(pressure.some.total))
}

/// The pages that went to and from swap, from `/proc/vmstat`: by hand, for the crate makes a map of its some 180 lines (50 µs
/// against 20).
fn swapped_pages(text: &str) -> Option<u64> {
    count(text, "pswpin")?.checked_add(count(text, "pswpout")?)
}

/// The other processes of one name that used most CPU between two samples, by what can be seen; `None` if none used any.
fn busiest(
    before: &BTreeMap<u32, ProcessTimes>,
    after: &BTreeMap<u32, ProcessTimes>,
    wall: Duration,
) -> Option<BusyProcess> {
    let mut names: BTreeMap<&str, Duration> = BTreeMap::new();
    for (process, used) in used_by_each(before, after, false) {
        *names.entry(&process.name).or_default() += used;
    }
    let (name, used) = names.into_iter().max_by_key(|(_, used)| *used)?;
    (!used.is_zero()).then(|| BusyProcess {
        name: name.to_owned(),
        cores: used.as_secs_f64() / wall.as_secs_f64(),
    })
}

/// The CPU time that our own processes used between two samples, or that all others did.
fn used(
    before: &BTreeMap<u32, ProcessTimes>,
    after: &BTreeMap<u32, ProcessTimes>,
    ours: bool,
) -> Duration {
    let each = used_by_each(before, after, ours);
    each.into_iter().map(|(_, used)| used).sum()
}

/// The CPU time that each of our own processes used between two samples, or that each other one did.
///
/// What ends goes into the `children` of whoever waited for it, with all that it had used before the first sample, which is
/// not to be counted again. That is its parent, or, where that ended too, the nearest ancestor that lives: each that ended
/// passed on what it had been given.
fn used_by_each<'p>(
    before: &BTreeMap<u32, ProcessTimes>,
    after: &'p BTreeMap<u32, ProcessTimes>,
    ours: bool,
) -> Vec<(&'p ProcessTimes, Duration)> {
    let earlier = |pid: &u32, p: &ProcessTimes| before.get(pid).filter(|b| b.started == p.started);
    let lives = |pid: &u32| {
        let then = before.get(pid);
        then.is_some_and(|b| after.get(pid).is_some_and(|a| a.started == b.started))
    };
    let mut known: BTreeMap<u32, Duration> = BTreeMap::new();
    for ended in before.iter().filter(|(pid, _)| !lives(pid)).map(|(_, p)| p) {
        *known
            .entry(survivor(ended.parent, before, &lives))
            .or_default() += ended.own + ended.children;
    }
    let chosen = after.iter().filter(|(_, p)| p.ours == ours);
    let used = chosen.map(|(pid, process)| {
        let then = earlier(pid, process);
        let own = process
            .own
            .saturating_sub(then.map_or(Duration::ZERO, |b| b.own));
        let children = process
            .children
            .saturating_sub(then.map_or(Duration::ZERO, |b| b.children));
        let children = children.saturating_sub(known.get(pid).copied().unwrap_or_default());
        (process, own + children)
    });
    used.collect()
}

/// The nearest process from `pid` upwards that lived on; that with id 1 where none is known.
fn survivor(
    mut pid: u32,
    before: &BTreeMap<u32, ProcessTimes>,
    lives: &impl Fn(&u32) -> bool,
) -> u32 {
    // A parent that was replaced while the sample was taken could close a circle; no chain is longer than this.
    for _ in 0..before.len() {
        match before.get(&pid) {
            Some(process) if !lives(&pid) => pid = process.parent,
            Some(_) => return pid,
            None => break,
        }
    }
    1
}

#[cfg(test)]
mod tests;
