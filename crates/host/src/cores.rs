//! What each core has run so far, to the nanosecond, whoever it ran for.
//!
//! Clock ticks of 10 ms say nothing of a slice of 50 ms. Three places count finer; the first that this kernel has is taken:
//!
//! 1. `/proc/schedstat`: the time that tasks have run on each core;
//! 2. `cpuacct.usage_percpu` of control groups, version 1: the same for the group that is seen as the first one, which is the whole
//!    machine unless this is a container;
//! 3. the CPU clocks of all processes that can be seen, added up: not known by core, and without those that have ended since.
//!
//! A kernel accounts for a running task at its ticks, so that a moment's sum may be some milliseconds old on a busy core.

use std::fs;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::{processes, sys};

const SCHEDSTAT: &str = "/proc/schedstat";
const CPUACCT: [&str; 2] = [
    "/sys/fs/cgroup/cpuacct/cpuacct.usage_percpu",
    "/sys/fs/cgroup/cpu,cpuacct/cpuacct.usage_percpu",
];

/// The CPU time that was used until a moment.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum CoreTimes {
    /// On each core, by its number.
    Cores(Vec<Duration>),
    /// By each process that can be seen.
    Processes(Vec<(u32, Duration)>),
}

impl CoreTimes {
    /// What has been used on this machine until now; `None` if nothing reports it finely enough.
    pub fn take() -> Option<CoreTimes> {
        let read = |path: &str| fs::read_to_string(path).ok();
        let by_core = read(SCHEDSTAT).and_then(|text| schedstat(&text));
        let by_core = by_core.or_else(|| {
            let mut groups = CPUACCT.iter().filter_map(|path| read(path));
            groups.find_map(|text| cpuacct(&text))
        });
        by_core.map(CoreTimes::Cores).or_else(|| {
            let pids = processes::numbers("/proc");
            let times: Vec<(u32, Duration)> = pids
                .into_iter()
                .filter_map(|pid| Some((pid, sys::process_cpu(pid)?)))
                .collect();
            (!times.is_empty()).then_some(CoreTimes::Processes(times))
        })
    }

    /// What was used since `earlier` on these cores (empty: on all); where it is known by process alone, on all of them. `None` if
    /// the two cannot be compared.
    pub fn since(&self, earlier: &CoreTimes, cores: &[usize]) -> Option<Duration> {
        match (earlier, self) {
            (CoreTimes::Cores(then), CoreTimes::Cores(now)) if then.len() == now.len() => {
                let all = then.iter().zip(now).enumerate();
                let meant = all.filter(|(core, _)| cores.is_empty() || cores.contains(core));
                Some(
                    meant
                        .map(|(_, (then, now))| now.saturating_sub(*then))
                        .sum(),
                )
            }
            (CoreTimes::Processes(then), CoreTimes::Processes(now)) => {
                let before = |pid: u32| then.iter().find(|(other, _)| *other == pid);
                let grown = now.iter().map(|(pid, time)| {
                    let before = before(*pid).map_or(Duration::ZERO, |(_, time)| *time);
                    // Less than before: another process with an id that was used before.
                    time.checked_sub(before).unwrap_or(*time)
                });
                Some(grown.sum())
            }
            _ => None,
        }
    }
}

/// The CPU time of this process, of all its threads, ended ones included.
pub fn own() -> Duration {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    Duration::new(time.tv_sec.unsigned_abs(), time.tv_nsec as u32)
}

/// The seventh figure of each core's line, in nanoseconds since version 15 (Linux 2.6.29).
fn schedstat(text: &str) -> Option<Vec<Duration>> {
    let version: u32 = text
        .lines()
        .next()?
        .strip_prefix("version ")?
        .parse()
        .ok()?;
    if version < 15 {
        return None;
    }
    let mut cores: Vec<(usize, Duration)> = Vec::new();
    for line in text.lines() {
        let mut words = line.split_ascii_whitespace();
        let core = words.next().and_then(|name| name.strip_prefix("cpu"));
        if let Some(core) = core.and_then(|core| core.parse().ok()) {
            let ran = words.nth(6)?.parse().ok()?;
            cores.push((core, Duration::from_nanos(ran)));
        }
    }
    // Cores that are offline have no line, and have run nothing.
    let last = cores.iter().map(|(core, _)| *core).max()?;
    let mut all = vec![Duration::ZERO; last + 1];
    for (core, ran) in cores {
        all[core] = ran;
    }
    // Where a kernel has the file but does not count.
    all.iter().any(|ran| !ran.is_zero()).then_some(all)
}

/// Nanoseconds of each core.
fn cpuacct(text: &str) -> Option<Vec<Duration>> {
    let cores = text.split_ascii_whitespace();
    let cores: Option<Vec<Duration>> = cores
        .map(|ran| ran.parse().ok().map(Duration::from_nanos))
        .collect();
    cores.filter(|cores| !cores.is_empty())
}

#[cfg(test)]
mod tests {
    use std::hint::black_box;
    use std::time::Instant;

    use super::*;

    const fn ms(n: u64) -> Duration {
        Duration::from_millis(n)
    }

    #[test]
    fn kernels_count_in_nanoseconds() {
        let text = "version 17\ntimestamp 4300\ncpu0 0 0 9 8 7 6 1500000000 22 33\ndomain0 MC 3 1 2\ncpu2 0 0 9 8 7 6 2500000 22 33\n";
        let expected = [ms(1_500), Duration::ZERO, Duration::from_micros(2_500)];
        assert_eq!(schedstat(text).as_deref(), Some(&expected[..]));
        assert_eq!(schedstat(&text.replace("version 17", "version 14")), None);
        assert_eq!(
            schedstat("version 17\ntimestamp 1\ncpu0 0 0 0 0 0 0 0 0 0\n"),
            None
        );
        assert_eq!(schedstat("version 17\ncpu0 1 2\n"), None);
        assert_eq!(cpuacct("1000000 2000000 \n"), Some(vec![ms(1), ms(2)]));
        assert_eq!(cpuacct(""), None);
        assert_eq!(cpuacct("1000000 much"), None);
    }

    #[test]
    fn only_the_cores_that_are_meant_count() {
        let then = CoreTimes::Cores(vec![ms(10), ms(20), ms(30)]);
        let now = CoreTimes::Cores(vec![ms(11), ms(22), ms(34)]);
        assert_eq!(now.since(&then, &[0, 2]), Some(ms(5)));
        assert_eq!(now.since(&then, &[]), Some(ms(7)));
        assert_eq!(now.since(&CoreTimes::Cores(vec![ms(1)]), &[]), None);
    }

    #[test]
    fn processes_count_from_when_they_were_first_seen() {
        let then = CoreTimes::Processes(vec![(1, ms(100)), (2, ms(50)), (3, ms(9))]);
        // 2 has ended; the id 3 is used again; 4 is new.
        let now = CoreTimes::Processes(vec![(1, ms(140)), (3, ms(2)), (4, ms(5))]);
        assert_eq!(now.since(&then, &[]), Some(ms(47)));
        assert_eq!(now.since(&CoreTimes::Cores(vec![]), &[]), None);
    }

    #[test]
    fn what_this_process_burns_is_seen_on_the_cores() {
        let (Some(then), own_then) = (CoreTimes::take(), own()) else {
            panic!("this kernel counts nothing finely")
        };
        let begun = Instant::now();
        while own() < own_then + ms(60) {
            assert!(begun.elapsed() < Duration::from_secs(20));
            black_box((0..10_000_u64).sum::<u64>());
        }
        let now = CoreTimes::take().expect("as before");
        let used = now.since(&then, &[]).expect("the same kind");
        // Two ticks of the slowest kernels may not be counted yet.
        assert!(used >= ms(40), "{used:?}");
    }
}
