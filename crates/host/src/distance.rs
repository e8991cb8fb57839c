//! How far apart two cores are: the core-to-core latency.
//!
//! Each packet between a server and its load generator moves cache lines from one's core to the other's. A virtual machine's cores are
//! moved among those of its host: next to each other for some seconds, sharing a cache, and apart for the next ones. A request costs
//! both sides a quarter more then, and nothing else shows it: no steal, no other process, no late wake-up.

use std::sync::atomic::{AtomicU32, Ordering};
use std::thread;
use std::time::{Duration, Instant};

/// A batch has so many round trips …
const TRIPS: u32 = 50;
/// … and there are so many of them, of which the fastest counts: an interrupt meets some alone.
const BATCHES: u32 = 8;
/// What takes longer than this is given up: something else has one of the cores.
const PATIENCE: Duration = Duration::from_millis(20);
/// The ball of a game that is over.
const OVER: u32 = u32::MAX;

/// The only thing on its cache lines; processors fetch them in pairs.
#[repr(align(128))]
struct Ball(AtomicU32);

impl Ball {
    /// Waits until it is so; `false`: the game is over.
    fn becomes(&self, expected: u32, until: Instant) -> bool {
        /// A clock costs as much as some round trips.
        const LOOKS: u32 = 4_096;
        loop {
            for _ in 0..LOOKS {
                match self.0.load(Ordering::Acquire) {
                    ball if ball == expected => return true,
                    OVER => return false,
                    _ => std::hint::spin_loop(),
                }
            }
            if Instant::now() > until {
                self.0.store(OVER, Ordering::Release);
                return false;
            }
        }
    }
}

/// The time that a cache line takes from one core to the other: half the round trip of a counter that a thread on each adds one to in turn,
/// the least of some batches. Takes some tenths of a millisecond of both cores. `None` where there are no such two cores, or something else
/// has one of them.
pub fn core_to_core(one: usize, other: usize) -> Option<Duration> {
    if one == other {
        return None;
    }
    let ball = Ball(AtomicU32::new(0));
    let until = Instant::now() + PATIENCE;
    let last = 2 * TRIPS * BATCHES;
    let over = || ball.0.store(OVER, Ordering::Release);
    let returns = || {
        if photofinish_load::pin(other).is_err() {
            return over();
        }
        for mine in (1..last).step_by(2) {
            if !ball.becomes(mine, until) {
                return;
            }
            ball.0.store(mine + 1, Ordering::Release);
        }
    };
    let serves = || -> Option<Duration> {
        if photofinish_load::pin(one).is_err() {
            over();
            return None;
        }
        let mut least = Duration::MAX;
        for batch in 0..BATCHES {
            let began = Instant::now();
            for trip in 0..TRIPS {
                let mine = 2 * (batch * TRIPS + trip);
                ball.0.store(mine + 1, Ordering::Release);
                if !ball.becomes(mine + 2, until) {
                    return None;
                }
            }
            // The first ones wait for the other thread to come.
            if batch > 0 {
                least = least.min(began.elapsed());
            }
        }
        Some(least / (2 * TRIPS))
    };
    thread::scope(|scope| {
        let threads = || thread::Builder::new().name("core-to-core".to_owned());
        threads().spawn_scoped(scope, returns).ok()?;
        match threads().spawn_scoped(scope, serves) {
            Ok(serving) => serving.join().ok()?,
            Err(_) => {
                over();
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
