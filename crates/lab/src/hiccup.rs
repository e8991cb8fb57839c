//! The hiccup meter: a thread that only sleeps and notes how late it wakes.
//!
//! Whatever keeps it from its core keeps the generator from it as well: other processes, the
//! hypervisor, interrupts. It says nothing of the server. The idea is Tene's jHiccup.

use std::num::NonZeroU64;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use hdrhistogram::Histogram;
use photofinish_model::Lag;

use crate::convert;

/// How long it sleeps: 1,000 times a second, which costs less than 1% of a core.
const SLEEP: Duration = Duration::from_millis(1);
/// The longest hiccup that is distinguished.
const LONGEST_NS: u64 = 60_000_000_000;

/// A meter that runs until it is ended or dropped.
#[derive(Debug)]
pub(crate) struct Hiccups {
    end: Arc<AtomicBool>,
    thread: Option<JoinHandle<Option<Histogram<u64>>>>,
}

impl Hiccups {
    /// Starts to measure, on this core where one is given.
    pub(crate) fn start(cpu: Option<usize>) -> Hiccups {
        let end = Arc::new(AtomicBool::new(false));
        let told = end.clone();
        let thread = thread::Builder::new().name("hiccups".to_owned());
        Hiccups {
            end,
            // Without a thread there is no figure; that is no reason to end the run.
            thread: thread.spawn(move || sleep_and_note(&told, cpu)).ok(),
        }
    }

    /// Ends and reports; `None` where nothing was measured.
    pub(crate) fn end(mut self) -> Option<Lag> {
        self.end.store(true, Ordering::Relaxed);
        let histogram = self.thread.take()?.join().ok()??;
        convert::lag(&histogram)
    }
}

impl Drop for Hiccups {
    fn drop(&mut self) {
        self.end.store(true, Ordering::Relaxed);
    }
}

fn sleep_and_note(end: &AtomicBool, cpu: Option<usize>) -> Option<Histogram<u64>> {
    if let Some(cpu) = cpu {
        photofinish_load::pin(cpu).ok()?;
    }
    // Without this the kernel would wake the thread up to 50 µs late to save power; where it refuses, the figure holds
    // those too.
    let _ = rustix::thread::set_current_timer_slack(NonZeroU64::new(1));
    let mut late = Histogram::new_with_bounds(1, LONGEST_NS, 3).ok()?;
    while !end.load(Ordering::Relaxed) {
        let began = Instant::now();
        thread::sleep(SLEEP);
        let by = began.elapsed().saturating_sub(SLEEP).as_nanos() as u64;
        late.saturating_record(by);
    }
    Some(late)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_sleep_is_noted() {
        let meter = Hiccups::start(None);
        let lag = meter.end();
        // It may have been ended before its first sleep; what it notes is in order.
        assert!(lag.is_none_or(|lag| lag.p50 <= lag.p99 && lag.p99 <= lag.max));
    }

    #[test]
    fn a_core_that_is_not_there_gives_no_figure() {
        assert_eq!(Hiccups::start(Some(1_000)).end(), None);
    }
}
