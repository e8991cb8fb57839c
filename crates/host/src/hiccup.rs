//! The hiccup meter: a thread that only sleeps and notes how late it wakes.
//!
//! Whatever keeps it from its core keeps the generator from it as well: other processes, the
//! hypervisor, interrupts. It says nothing of the server. The idea is Tene's jHiccup.

use std::num::NonZeroU64;
use std::thread;
use std::time::{Duration, Instant};

use crate::meter::Noting;

/// How long it sleeps where it is to notice all that a slice of some 100 ms meets: 1,000 times a second, which costs a core that is
/// busy else 1 to 3% of its time (a timer of the kernel and two context switches each time).
pub(crate) const FINE: Duration = Duration::from_millis(1);

/// Starts to measure by sleeps of `sleep`, on this core where one is given. How late it wakes says how long its core did not run,
/// to within a sleep.
pub fn hiccups(cpu: Option<usize>, sleep: Duration) -> Noting {
    let mut is_exact = false;
    Noting::start("hiccups", cpu, move || {
        if !is_exact {
            // Without this the kernel would wake the thread up to 50 µs late to save power; where it refuses, the figure holds
            // those too.
            let _ = rustix::thread::set_current_timer_slack(NonZeroU64::new(1));
            is_exact = true;
        }
        let began = Instant::now();
        thread::sleep(sleep);
        began.elapsed().saturating_sub(sleep).as_nanos() as u64
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Meter;

    #[test]
    fn every_sleep_is_noted() {
        let meter = Box::new(hiccups(None, FINE));
        // It may have been ended before its first sleep.
        assert!(meter.end().is_none_or(|late| !late.is_empty()));
    }

    #[test]
    fn a_core_that_is_not_there_gives_no_figure() {
        assert_eq!(Box::new(hiccups(Some(1_000), FINE)).end(), None);
    }
}
