//! The hiccup meter: a thread that only sleeps and notes how late it wakes.
//!
//! Whatever keeps it from its core keeps the generator from it as well: other processes, the
//! hypervisor, interrupts. It says nothing of the server. The idea is Tene's jHiccup.

use std::mem;
use std::num::NonZeroU64;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use hdrhistogram::Histogram;

use super::Meter;

/// How long it sleeps where it is to notice all that a slice of some 100 ms meets: 1,000 times a second, which costs a core that is
/// busy else 1 to 3% of its time (a timer of the kernel and two context switches each time).
pub(crate) const FINE: Duration = Duration::from_millis(1);
/// The longest hiccup that is distinguished.
const LONGEST_NS: u64 = 60_000_000_000;

/// A meter that runs until it is ended or dropped.
#[derive(Debug)]
pub struct Hiccups {
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
}

/// What the meter and its thread both hold.
#[derive(Debug, Default)]
struct Shared {
    end: AtomicBool,
    /// How late the thread woke, since the last lap; `None` where it has not slept yet.
    late: Mutex<Option<Histogram<u64>>>,
}

impl Shared {
    fn take(&self) -> Option<Histogram<u64>> {
        mem::take(&mut *self.late.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn note(&self, late: u64) {
        let mut histogram = self.late.lock().unwrap_or_else(PoisonError::into_inner);
        if histogram.is_none() {
            *histogram = Histogram::new_with_bounds(1, LONGEST_NS, 3).ok();
        }
        if let Some(histogram) = &mut *histogram {
            histogram.saturating_record(late);
        }
    }
}

impl Hiccups {
    /// Starts to measure by sleeps of `sleep`, on this core where one is given. How late it wakes says how long its core did not run,
    /// to within a sleep.
    pub fn start(cpu: Option<usize>, sleep: Duration) -> Hiccups {
        let shared = Arc::new(Shared::default());
        let noted = Arc::clone(&shared);
        let thread = thread::Builder::new().name("hiccups".to_owned());
        Hiccups {
            shared,
            // Without a thread there is no figure; that is no reason to end the run.
            thread: thread
                .spawn(move || sleep_and_note(&noted, cpu, sleep))
                .ok(),
        }
    }
}

impl Meter for Hiccups {
    fn lap(&self) -> Option<Histogram<u64>> {
        self.shared.take()
    }

    fn end(mut self: Box<Self>) -> Option<Histogram<u64>> {
        self.shared.end.store(true, Ordering::Relaxed);
        self.thread.take()?.join().ok()?;
        self.shared.take()
    }
}

impl Drop for Hiccups {
    fn drop(&mut self) {
        self.shared.end.store(true, Ordering::Relaxed);
    }
}

fn sleep_and_note(shared: &Shared, cpu: Option<usize>, sleep: Duration) {
    if cpu.is_some_and(|cpu| photofinish_load::pin(cpu).is_err()) {
        return;
    }
    // Without this the kernel would wake the thread up to 50 µs late to save power; where it refuses, the figure holds
    // those too.
    let _ = rustix::thread::set_current_timer_slack(NonZeroU64::new(1));
    while !shared.end.load(Ordering::Relaxed) {
        let began = Instant::now();
        thread::sleep(sleep);
        shared.note(began.elapsed().saturating_sub(sleep).as_nanos() as u64);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_sleep_is_noted() {
        let meter = Box::new(Hiccups::start(None, FINE));
        // It may have been ended before its first sleep.
        assert!(meter.end().is_none_or(|late| !late.is_empty()));
    }

    #[test]
    fn a_core_that_is_not_there_gives_no_figure() {
        assert_eq!(Box::new(Hiccups::start(Some(1_000), FINE)).end(), None);
    }
}
