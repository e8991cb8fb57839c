//! The passes of a warm-up: what flows in each, and when it has done its work.
//!
//! 1. *Gently*, over two connections. A virtual machine's just-in-time compilers share the server's cores with its workers, and where many
//!    workers want one core they get little of it: with 16 connections Spring Boot's needed more than 45 s for what they did in 27 s with
//!    two. Meanwhile throughput stands still at what the slower code can do, and looks settled. This pass ends when compilers have little
//!    left to do, at once where there are none.
//! 2. *In full*, at the workload's largest level, until throughput has settled.
//! 3. *Once more*, on new connections, where it is the trial's only warm-up: of several, each meets them for the one before. A measurement begins with new connections, and what is
//!    met for the first time then can throw a warm server back: code that was compiled on the assumption that connections stay open is
//!    dropped when they close, and takes seconds to be compiled again.

use std::time::Duration;

use photofinish_results::model::{Load, Window};
use photofinish_results::steady;
use photofinish_stats::settle::Settling;
use photofinish_study::plan::WarmupBounds;

use crate::observe::Pulse;

/// The connections of the gentle pass: one waits while the other is served.
const GENTLE: u32 = 2;
/// So many windows tell that a server has no compiler: it would have been at work since the start.
const NO_COMPILER: usize = 2;

/// How long one workload is warmed up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Bounds {
    /// Not shorter than this.
    least: Duration,
    /// Nor longer.
    pub(crate) most: Duration,
    /// Whether it is the trial's only one.
    alone: bool,
}

/// The bounds of the next workload, where `left` of the study's maximum and `to_go` of `workloads` are left. An equal share for each, but
/// that those after it lend it half of theirs, for much of what it warms up is theirs too; and what it does not need is left to them.
pub(crate) fn bounds(
    warmup: &WarmupBounds,
    left: Duration,
    to_go: usize,
    workloads: usize,
) -> Bounds {
    Bounds {
        least: warmup.min / workloads.max(1) as u32,
        most: left * (to_go as u32 + 1) / (2 * to_go.max(1) as u32),
        alone: workloads == 1,
    }
}

/// One pass.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Pass {
    /// What flows.
    pub(super) load: Load,
    /// When it ends at the soonest and at the latest, from the beginning of the warm-up.
    pub(super) least: Duration,
    pub(super) until: Duration,
    /// Whether it is the gentle one.
    gentle: bool,
}

/// The passes for a level, with windows of this length. The last one is left as much time as it takes to see that throughput has settled;
/// where the bound is too short for several, there is one.
pub(super) fn passes(load: &Load, bounds: Bounds, window: Duration) -> Vec<Pass> {
    let pass = |load: &Load, until, gentle| Pass {
        load: load.clone(),
        least: if gentle { Duration::ZERO } else { bounds.least },
        until,
        gentle,
    };
    let again = window * Settling::default().windows as u32;
    // What a full pass takes, and once more as much for what it finds.
    let rest = if bounds.alone { 3 } else { 2 };
    let mut passes = Vec::new();
    if bounds.most >= again * (rest + 1) {
        let connections = match load {
            Load::Closed { connections } => GENTLE.min(*connections),
            _ => GENTLE,
        };
        let gently = Load::Closed { connections };
        passes.push(pass(&gently, bounds.most - again * rest, true));
    }
    if bounds.alone && bounds.most >= again * rest {
        passes.push(pass(load, bounds.most - again, false));
    }
    passes.push(pass(load, bounds.most, false));
    passes
}

impl Pass {
    /// Whether it has done its work by these windows, each with what the server had used by its end.
    pub(super) fn is_done(&self, windows: &[Window], pulses: &[Pulse]) -> bool {
        if !self.gentle {
            return steady::settled(windows).settled && !compiling(pulses);
        }
        match pulses.last() {
            Some(last) if !last.compiling.is_zero() => {
                pulses.len() > Settling::default().windows && !compiling(pulses)
            }
            _ => pulses.len() >= NO_COMPILER,
        }
    }
}

/// Whether compilers took more than a steady server's share of its CPU time over the windows that tell whether throughput has settled.
fn compiling(pulses: &[Pulse]) -> bool {
    let settling = Settling::default();
    let before = pulses.len().saturating_sub(settling.windows + 1);
    let mut seen = pulses[before..].iter().filter(|pulse| !pulse.cpu.is_zero());
    let (Some(from), Some(to)) = (seen.next(), seen.next_back()) else {
        return false;
    };
    let took = to.compiling.saturating_sub(from.compiling);
    let cpu = to.cpu.saturating_sub(from.cpu);
    took > cpu.mul_f64(settling.tolerance)
}

#[cfg(test)]
mod tests {
    use super::*;

    const HALF: Duration = Duration::from_millis(500);

    const fn s(seconds: u64) -> Duration {
        Duration::from_secs(seconds)
    }

    /// Half a second of CPU time a window, of which compilers take so many milliseconds.
    fn pulses(compiling: &[u64]) -> Vec<Pulse> {
        let mut pulse = Pulse::default();
        let mut next = |ms: &u64| {
            pulse.cpu += HALF;
            pulse.compiling += Duration::from_millis(*ms);
            pulse
        };
        compiling.iter().map(&mut next).collect()
    }

    #[test]
    fn a_server_whose_compiler_is_at_work_is_not_warm() {
        // 11% of the server's time, until no more than 2% of 8 windows are left of it.
        assert!(compiling(&pulses(&[55; 12])));
        let mut told = vec![55; 12];
        told.extend([0; 6]);
        assert!(compiling(&pulses(&told)));
        told.push(0);
        assert!(!compiling(&pulses(&told)));
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
        };
        assert!(!compiling(&[Pulse::default(), looked, looked]));
    }

    #[test]
    fn the_gentle_pass_ends_with_the_compilers_work() {
        let level = Load::Closed { connections: 100 };
        let bounds = bounds(
            &WarmupBounds {
                min: s(9),
                max: s(60),
            },
            s(60),
            1,
            1,
        );
        let [gentle, ..] = &passes(&level, bounds, HALF)[..] else {
            panic!("no pass")
        };
        assert!(!gentle.is_done(&[], &pulses(&[0; 1])));
        assert!(gentle.is_done(&[], &pulses(&[0; 2])));
        assert!(!gentle.is_done(&[], &pulses(&[55; 9])));
        assert!(!gentle.is_done(&[], &pulses(&[1; 8])));
        assert!(gentle.is_done(&[], &pulses(&[1; 9])));
    }

    #[test]
    fn the_last_pass_has_the_time_to_settle() {
        let told = |load: &Load, most, workloads| -> Vec<(String, Duration)> {
            let warmup = WarmupBounds {
                min: s(1),
                max: most,
            };
            passes(load, bounds(&warmup, most, 1, workloads), HALF)
                .into_iter()
                .map(|pass| (pass.load.label(), pass.until))
                .collect()
        };
        let level = |connections| Load::Closed { connections };
        let (many, gentle) = (level(100), level(2).label());
        let full = many.label();
        let passes = |told: &[(&String, u64)]| -> Vec<(String, Duration)> {
            let pass = |(label, until): &(&String, u64)| ((*label).clone(), s(*until));
            told.iter().map(pass).collect()
        };
        let three = passes(&[(&gentle, 38), (&full, 46), (&full, 50)]);
        assert_eq!(told(&many, s(50), 1), three);
        let two = passes(&[(&gentle, 42), (&full, 50)]);
        assert_eq!(told(&many, s(50), 2), two);
        let three = passes(&[(&gentle, 4), (&full, 12), (&full, 16)]);
        assert_eq!(told(&many, s(16), 1), three);
        let two = passes(&[(&full, 11), (&full, 15)]);
        assert_eq!(told(&many, s(15), 1), two);
        assert_eq!(told(&many, s(11), 1), passes(&[(&full, 11)]));
        assert_eq!(told(&level(1), s(16), 1)[0].0, level(1).label());
    }

    #[test]
    fn what_one_workload_does_not_need_is_left_to_the_others() {
        let warmup = WarmupBounds {
            min: s(9),
            max: s(60),
        };
        let told = |left, to_go| {
            let bounds = bounds(&warmup, left, to_go, 3);
            (bounds.least, bounds.most, bounds.alone)
        };
        assert_eq!(told(s(60), 3), (s(3), s(40), false));
        assert_eq!(told(s(40), 2), (s(3), s(30), false));
        assert_eq!(told(s(25), 1), (s(3), s(25), false));
    }
}
