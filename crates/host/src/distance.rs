//! How far apart two cores are: the core-to-core latency.
//!
//! Each packet between a server and its load generator moves cache lines from one's core to the other's. A virtual machine's cores are
//! moved among those of its host: next to each other for some seconds, sharing a cache, and apart for the next ones. A request costs
//! both sides a quarter more then, and nothing else shows it: no steal, no other process, no late wake-up.

use std::sync::atomic::{AtomicU32, Ordering};
use std::thread;
use std::time::{Duration, Instant};

/// Number of round trips of a batch.
const BATCH_ROUND_TRIPS: u32 = 50;
/// Number of batches, of which the fastest counts: an interrupt hits only some of them.
const BATCHES: u32 = 8;
/// Longest wait for the other core. After a longer one, another thread occupies it.
const MAX_WAIT: Duration = Duration::from_millis(20);
/// Value of the cache line that stops both threads.
const STOPPED: u32 = u32::MAX;

/// The only thing on its cache lines; processors fetch them in pairs.
#[repr(align(128))]
struct CacheLine(AtomicU32);

impl CacheLine {
    /// Waits until the other thread has written this value; `false` if that thread has stopped.
    fn becomes(&self, expected: u32, until: Instant) -> bool {
        /// Number of reads between two reads of the clock, which cost as much as some round trips.
        const SPINS_PER_CLOCK: u32 = 4_096;
        loop {
            for _ in 0..SPINS_PER_CLOCK {
                match self.0.load(Ordering::Acquire) {
                    value if value == expected => return true,
                    STOPPED => return false,
                    _ => std::hint::spin_loop(),
                }
            }
            if Instant::now() > until {
                self.0.store(STOPPED, Ordering::Release);
                return false;
            }
        }
    }
}

/// The time that a cache line takes from one core to the other: half the round trip of a counter that a thread on each adds one to in turn,
/// the least of some batches. Takes some tenths of a millisecond of both cores. `None` if there are no such two cores, or something else
/// has one of them.
pub fn core_to_core(one: usize, other: usize) -> Option<Duration> {
    if one == other {
        return None;
    }
    let line = CacheLine(AtomicU32::new(0));
    let until = Instant::now() + MAX_WAIT;
    let last = 2 * BATCH_ROUND_TRIPS * BATCHES;
    let stop = || line.0.store(STOPPED, Ordering::Release);
    let returns = || {
        if photofinish_load::pin(other).is_err() {
            return stop();
        }
        for mine in (1..last).step_by(2) {
            if !line.becomes(mine, until) {
                return;
            }
            line.0.store(mine + 1, Ordering::Release);
        }
    };
    let serves = || -> Option<Duration> {
        if photofinish_load::pin(one).is_err() {
            stop();
            return None;
        }
        let mut least = Duration::MAX;
        for batch in 0..BATCHES {
            let began = Instant::now();
            for trip in 0..BATCH_ROUND_TRIPS {
                let mine = 2 * (batch * BATCH_ROUND_TRIPS + trip);
                line.0.store(mine + 1, Ordering::Release);
                if !line.becomes(mine + 2, until) {
                    return None;
                }
            }
            // The first ones wait for the other thread to come.
            if batch > 0 {
                least = least.min(began.elapsed());
            }
        }
        Some(least / (2 * BATCH_ROUND_TRIPS))
    };
    thread::scope(|scope| {
        let threads = || thread::Builder::new().name("core-to-core".to_owned());
        threads().spawn_scoped(scope, returns).ok()?;
        match threads().spawn_scoped(scope, serves) {
            Ok(serving) => serving.join().ok()?,
            Err(_) => {
                stop();
                None
            }
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sys;

    #[test]
    fn two_cores_are_some_nanoseconds_apart() {
        let cores = sys::affinity().expect("cores");
        let [one, other, ..] = cores[..] else {
            return;
        };
        // Another test may have one of them for a moment.
        let found = (0..100).find_map(|_| core_to_core(one, other));
        let found = found.expect("a latency");
        let plausible = Duration::from_nanos(5)..Duration::from_micros(5);
        assert!(plausible.contains(&found), "{found:?}");
    }

    #[test]
    fn a_core_is_not_apart_from_itself_nor_from_one_that_is_not_there() {
        let core = sys::affinity().expect("cores")[0];
        assert_eq!(core_to_core(core, core), None);
        assert_eq!(core_to_core(core, 1_000), None);
        assert_eq!(core_to_core(1_000, core), None);
    }
}
