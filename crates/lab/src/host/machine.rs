//! What the machine does besides the race: steal and other processes, between two samples.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::time::{Duration, Instant};

use photofinish_results::model::MachineUse;

use super::{procfs, sys};

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
    /// A sample of this machine; `None` where there is no `/proc`.
    pub fn take() -> Option<MachineSample> {
        let at = Instant::now();
        let cpu = procfs::parse_cpu(&fs::read_to_string("/proc/stat").ok()?)?;
        let all = procfs::processes();
        let own = std::process::id();
        let ours: BTreeSet<u32> = procfs::descendants(&all, own)
            .iter()
            .map(|p| p.pid)
            .chain([own])
            .collect();
        let processes = all.iter().map(|p| {
            let times = ProcessTimes {
                started: p.started,
                parent: p.parent,
                own: sys::ticks(p.user + p.system),
                children: sys::ticks(p.children_user + p.children_system),
                ours: ours.contains(&p.pid),
            };
            (p.pid, times)
        });
        Some(MachineSample {
            at,
            total: sys::ticks(cpu.total),
            steal: sys::ticks(cpu.steal),
            busy: sys::ticks(cpu.busy),
            processes: processes.collect(),
        })
    }

    /// What the machine did between an earlier sample and this one; `None` where too little time had passed to tell.
    ///
    /// Other processes' CPU is told in two ways, and the larger one is reported. The first adds up the processes that
    /// can be seen. The second is the machine's busy time less that of photofinish and what it started, and holds
    /// what runs in other containers too; it leaves out interrupts, which kernels count to processes or not.
    pub fn since(&self, earlier: &MachineSample) -> Option<MachineUse> {
        let wall = self.at.saturating_duration_since(earlier.at);
        let total = self.total.saturating_sub(earlier.total);
        if wall.is_zero() || total.is_zero() {
            return None;
        }
        let steal = self.steal.saturating_sub(earlier.steal);
        let busy = self.busy.saturating_sub(earlier.busy);
        let unseen = busy.saturating_sub(used(&earlier.processes, &self.processes, true));
        let other = used(&earlier.processes, &self.processes, false)
            .max(unseen)
            // No more than the machine has.
            .min(total.saturating_sub(steal));
        Some(MachineUse {
            steal_share: steal.as_secs_f64() / total.as_secs_f64(),
            other_cores: other.as_secs_f64() / wall.as_secs_f64(),
            hiccup_us: None,
        })
    }
}

/// The CPU time that our own processes used between two samples, or that all others did.
fn used(
    before: &BTreeMap<u32, ProcessTimes>,
    after: &BTreeMap<u32, ProcessTimes>,
    ours: bool,
) -> Duration {
    let earlier = |pid: &u32, p: &ProcessTimes| before.get(pid).filter(|b| b.started == p.started);
    // What ended meanwhile has gone into its parent's `children` with all that it had used before;
    // where the parent ended too, into the next living one's.
    let gone = |pid: u32| {
        let then = before.get(&pid)?;
        let now = after.get(&pid).is_some_and(|a| a.started == then.started);
        (!now).then_some(then)
    };
    let mut known: BTreeMap<u32, Duration> = BTreeMap::new();
    for (&pid, b) in before {
        if gone(pid).is_some() {
            let ancestors = std::iter::successors(Some(b.parent), |&p| gone(p).map(|p| p.parent));
            // Ids are used again, so a sample may hold a circle; it has no more steps than processes.
            if let Some(heir) = ancestors.take(before.len()).last() {
                *known.entry(heir).or_default() += b.own + b.children;
            }
        }
    }
    let mut sum = Duration::ZERO;
    for (pid, process) in after.iter().filter(|(_, p)| p.ours == ours) {
        let then = earlier(pid, process);
        sum += process
            .own
            .saturating_sub(then.map_or(Duration::ZERO, |b| b.own));
        let children = process
            .children
            .saturating_sub(then.map_or(Duration::ZERO, |b| b.children));
        sum += children.saturating_sub(known.get(pid).copied().unwrap_or_default());
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn ms(n: u64) -> Duration {
        Duration::from_millis(n)
    }

    fn process(started: u64, parent: u32, own: u64, children: u64, ours: bool) -> ProcessTimes {
        ProcessTimes {
            started,
            parent,
            own: ms(own),
            children: ms(children),
            ours,
        }
    }

    fn sample(
        at: Instant,
        [total, steal, busy]: [u64; 3],
        processes: impl IntoIterator<Item = (u32, ProcessTimes)>,
    ) -> MachineSample {
        MachineSample {
            at,
            total: ms(total),
            steal: ms(steal),
            busy: ms(busy),
            processes: processes.into_iter().collect(),
        }
    }

    #[test]
    fn shares_between_two_samples() {
        let at = Instant::now();
        let before = sample(
            at,
            [10_000, 100, 5_000],
            [
                (10, process(1, 1, 700, 0, false)),
                (11, process(2, 10, 400, 0, false)), // ends; had used 400 ms
                (12, process(3, 1, 90, 0, false)),   // ends; its id is used again
                (20, process(4, 1, 1_000, 0, true)),
            ],
        );
        let after = sample(
            at + ms(1_000),
            [12_000, 150, 6_400],
            [
                (10, process(1, 1, 800, 450, false)), // 100 of its own, 50 of its ended child since
                (12, process(9, 1, 30, 0, false)),
                (20, process(4, 1, 1_900, 0, true)),
                (21, process(5, 20, 300, 0, true)),
            ],
        );
        let told = after.since(&before).expect("time has passed");
        assert_eq!(told.steal_share, 0.025); // 50 of 2,000
        // Seen: 100 + 50 + 30 = 180. Busy 1,400 less our own 900 + 300 = 200, which is more.
        assert!(
            (told.other_cores - 0.2).abs() < 1e-12,
            "{}",
            told.other_cores
        );
        assert_eq!(used(&before.processes, &after.processes, false), ms(180));
        assert!(after.since(&after).is_none());
    }

    #[test]
    fn a_whole_branch_that_ends_is_not_counted_anew() {
        let at = Instant::now();
        let before = sample(
            at,
            [10_000, 0, 5_000],
            [
                (10, process(1, 1, 100, 0, false)),
                (11, process(2, 10, 200, 0, false)),
                (12, process(3, 11, 5_000, 0, false)),
            ],
        );
        // Both used 25 ms more before they ended: 200 + 5,000 + 50.
        let after = sample(
            at + ms(1_000),
            [12_000, 0, 5_050],
            [(10, process(1, 1, 100, 5_250, false))],
        );
        assert_eq!(used(&before.processes, &after.processes, false), ms(50));
        let told = after.since(&before).expect("time has passed");
        assert!((told.other_cores - 0.05).abs() < 1e-12);
    }

    #[test]
    fn this_machine_can_be_sampled() {
        let sample = MachineSample::take().expect("Linux has /proc");
        assert!(sample.total > sample.busy);
        assert!(sample.processes[&std::process::id()].ours);
    }
}
