//! The first part of a warm-up: load in bursts, beside which or between which just-in-time compilers do their work.
//!
//! A virtual machine's compilers share the server's cores with its workers, and where many workers want one core they get little of it: with 16 connections
//! Spring Boot's got 11% of the core and needed more than 45 s. Meanwhile throughput stalls at what the slower code can do, and looks
//! settled. So they are lent the load generator's cores. Where that cannot be, the load, which is the workload's largest level, stops after each
//! burst until they are still. (Over two connections, which leave them a third of the core, they were done after 22 s, but took 7 to 10% of
//! the server's time for 9 s more when the full load came.)
//!
//! Each burst comes on new connections, as a measurement does: what is met for the first time then can throw a warm server back. Code that
//! was compiled on the assumption that connections stay open is dropped when they close, and takes seconds to be compiled again.

use std::time::Duration;

use photofinish_stats::settle::Settling;

use crate::observe::Pulse;

/// Length of a burst, in windows.
pub(super) const BURST_WINDOWS: u32 = 2;
/// Largest share of the server's CPU time that compilers take in a burst, and in the rest after it, once they
/// are done.
const COMPILERS_SHARE: f64 = 0.03;
/// Number of consecutive bursts below [`COMPILERS_SHARE`] after which compilers are done.
const CONSECUTIVE_BURSTS: u32 = 2;

/// How long one workload is warmed up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Bounds {
    /// Not shorter than this.
    pub(super) least: Duration,
    /// Nor longer.
    pub(crate) most: Duration,
    /// Whether an earlier round has shown that this is how long it takes.
    pub(super) found_out: bool,
}

/// The bounds of the next workload: `least` of the study's minimum, `left` of its maximum and `to_go` of `workloads` are left. An equal share for each, but
/// that those after it lend it half of theirs, for much of what it warms up is theirs too; and what it does not need is left to them.
pub(crate) fn bounds(least: Duration, left: Duration, to_go: usize, workloads: usize) -> Bounds {
    Bounds {
        least: least / workloads.max(1) as u32,
        most: left * (to_go as u32 + 1) / (2 * to_go.max(1) as u32),
        found_out: false,
    }
}

impl Bounds {
    /// For a server that is known to be warm after the least.
    pub(super) fn shortest(self) -> Bounds {
        Bounds {
            most: self.least.min(self.most),
            found_out: true,
            ..self
        }
    }

    /// When the bursts end at the latest, with windows of this length: what it takes to see that throughput has settled is left twice. None
    /// where the bound is too short for that.
    pub(super) fn bursts_until(&self, window: Duration) -> Duration {
        let rest = to_settle(window) * 2;
        match self.most >= rest + to_settle(window) {
            true => self.most - rest,
            false => Duration::ZERO,
        }
    }
}

/// The least time that it takes to see that throughput has settled.
pub(super) fn to_settle(window: Duration) -> Duration {
    window * Settling::default().windows as u32
}

/// What is known of a server's compilers.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Compilers {
    /// There are none, by the first burst: they would have been at work since the start.
    absent: bool,
    /// So many bursts in a row gave them little to do.
    calm: u32,
}

impl Compilers {
    /// What is known before any load: those of a server that compiles itself have been at work since it started.
    pub(super) fn of(pulse: Pulse) -> Compilers {
        Compilers {
            absent: pulse.compiling.is_zero(),
            calm: 0,
        }
    }

    /// Notes what the server had used before a burst and after the rest that followed it.
    pub(super) fn note(&mut self, before: Pulse, after: Pulse) {
        self.absent = after.compiling.is_zero();
        self.calm = match took_more(before, after, COMPILERS_SHARE) {
            true => 0,
            false => self.calm + 1,
        };
    }

    /// Whether there are none.
    pub(super) fn are_absent(&self) -> bool {
        self.absent
    }

    /// Whether no further burst is of use.
    pub(super) fn are_done(&self) -> bool {
        self.absent || self.calm >= CONSECUTIVE_BURSTS
    }
}

/// Whether compilers took more than a share of the server's CPU time between two looks.
fn took_more(from: Pulse, to: Pulse, share: f64) -> bool {
    let took = to.compiling.saturating_sub(from.compiling);
    took > to.cpu.saturating_sub(from.cpu).mul_f64(share)
}

/// Whether compilers took more than a steady server's share of its CPU time over the windows that show whether throughput has settled.
pub(super) fn compiling(pulses: &[Pulse]) -> bool {
    let settling = Settling::default();
    let before = pulses.len().saturating_sub(settling.windows + 1);
    let mut seen = pulses[before..].iter().filter(|pulse| !pulse.cpu.is_zero());
    match (seen.next(), seen.next_back()) {
        (Some(from), Some(to)) => took_more(*from, *to, settling.tolerance),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HALF_SECOND: Duration = Duration::from_millis(500);

    const fn s(seconds: u64) -> Duration {
        Duration::from_secs(seconds)
    }

    /// Half a second of CPU time a window, of which compilers take so many milliseconds.
    fn pulses(compiling: &[u64]) -> Vec<Pulse> {
        let mut pulse = Pulse::default();
        let mut next = |ms: &u64| {
            pulse.cpu += HALF_SECOND;
            pulse.compiling += Duration::from_millis(*ms);
            pulse
        };
        compiling.iter().map(&mut next).collect()
    }

    #[test]
    fn a_server_whose_compiler_is_at_work_is_not_warm() {
        // 11% of the server's time, until no more than 2% of 8 windows are left of it.
        assert!(compiling(&pulses(&[55; 12])));
        let mut reported = vec![55; 12];
        reported.extend([0; 6]);
        assert!(compiling(&pulses(&reported)));
        reported.push(0);
        assert!(!compiling(&pulses(&reported)));
        assert!(!compiling(&pulses(&[10; 12])));
        assert!(compiling(&pulses(&[11; 12])));
        // A server without a compiler, one that did nothing, and one that was never looked at.
        assert!(!compiling(&pulses(&[0; 12])));
        assert!(!compiling(&[Pulse::default(); 12]));
        assert!(!compiling(&[]));
    }

    #[test]
    fn what_was_compiled_before_the_first_look_is_not_counted() {
        let looked = Pulse {
            cpu: s(20),
            compiling: s(8),
            ..Pulse::default()
        };
        assert!(!compiling(&[Pulse::default(), looked, looked]));
    }

    #[test]
    fn bursts_end_with_the_compilers_work() {
        let bursts = |compiling: &[u64]| {
            let mut compilers = Compilers::default();
            let mut before = Pulse::default();
            for after in pulses(compiling) {
                compilers.note(before, after);
                before = after;
            }
            compilers.are_done()
        };
        assert!(!bursts(&[]));
        assert!(bursts(&[0]));
        // 3% of half a second is 15 ms.
        assert!(!bursts(&[400, 90, 16, 16, 15]));
        assert!(bursts(&[400, 90, 16, 15, 15]));
        assert!(!bursts(&[400, 15, 16, 15]));
    }

    #[test]
    fn the_time_to_settle_is_left_after_the_bursts() {
        let until = |most| bounds(s(1), most, 1, 1).bursts_until(HALF_SECOND);
        assert_eq!(until(s(50)), s(42));
        assert_eq!(until(s(12)), s(4));
        assert_eq!(until(s(11)), Duration::ZERO);
    }

    #[test]
    fn what_one_workload_does_not_need_is_left_to_the_others() {
        let reported = |left, to_go| {
            let bounds = bounds(s(9), left, to_go, 3);
            (bounds.least, bounds.most)
        };
        assert_eq!(reported(s(60), 3), (s(3), s(40)));
        assert_eq!(reported(s(40), 2), (s(3), s(30)));
        assert_eq!(reported(s(25), 1), (s(3), s(25)));
    }
}
