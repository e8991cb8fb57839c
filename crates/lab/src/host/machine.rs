//! What the machine does besides the race: steal and other processes, between two samples.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use photofinish_results::model::MachineUse;

/// What the machine has done since it was started, to be compared with a later sample.
#[derive(Clone, Debug)]
pub struct MachineSample {
    /// When it was taken.
    pub at: Instant,
    /// The time of all cores together, whatever they did.
    pub total: Duration,
    /// That which the hypervisor took away.
    pub steal: Duration,
    /// That in which processes and the kernel ran, without interrupts.
    pub busy: Duration,
    /// The CPU time of every process that can be seen.
    pub processes: BTreeMap<u32, ProcessTimes>,
}

/// The CPU time of a process, for telling the race from the rest of the machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProcessTimes {
    /// When it was started, in clock ticks since boot; with the id it names a process for good.
    pub started: u64,
    /// Its parent.
    pub parent: u32,
    /// Its own CPU time, ended threads included.
    pub own: Duration,
    /// That of its ended children that it waited for, and of theirs.
    pub children: Duration,
    /// Whether it is photofinish or was started by it.
    pub ours: bool,
}

impl MachineSample {
    /// What the machine did between an earlier sample and this one; `None` where no time had passed.
    pub fn since(&self, _earlier: &MachineSample) -> Option<MachineUse> {
        None
    }
}
