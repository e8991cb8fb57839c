//! A thread that notes times until it is ended.

use std::io;
use std::mem;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::{self, JoinHandle};

use hdrhistogram::Histogram;
use serde::{Deserialize, Serialize};

use super::locked::locked;

/// The longest time that is distinguished.
const LONGEST_NS: u64 = 60_000_000_000;

/// What a meter notes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum MeterKind {
    /// How late a thread wakes that only sleeps.
    Hiccups,
    /// How long a fixed piece of arithmetic takes.
    Reference,
    /// How late the core lets a thread run that no other thread keeps from it; no figure without the right to that priority.
    Wakes,
}

/// Runs until it is ended or dropped.
#[derive(Debug)]
pub struct MeterThread {
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
}

/// What the meter and its thread both hold.
#[derive(Debug, Default)]
struct Shared {
    end: AtomicBool,
    /// In nanoseconds, since the last lap; `None` if nothing was noted yet.
    noted: Mutex<Option<Histogram<u64>>>,
}

impl Shared {
    fn take(&self) -> Option<Histogram<u64>> {
        mem::take(&mut *locked(&self.noted))
    }

    fn note(&self, nanos: u64) {
        let mut noted = locked(&self.noted);
        if noted.is_none() {
            *noted = Histogram::new_with_bounds(1, LONGEST_NS, 3).ok();
        }
        if let Some(histogram) = &mut *noted {
            histogram.saturating_record(nanos);
        }
    }
}

impl MeterThread {
    /// Starts a thread of this name, on this core where one is given. It notes what `next` returns, in nanoseconds, again and again. A core
    /// that is not there gives no figure, nor does a thread that `prepare` does not make ready.
    pub(crate) fn start(
        name: &str,
        cpu: Option<usize>,
        prepare: fn() -> io::Result<()>,
        mut next: impl FnMut() -> u64 + Send + 'static,
    ) -> MeterThread {
        let shared = Arc::new(Shared::default());
        let noted = Arc::clone(&shared);
        let note_all = move || {
            if cpu.is_some_and(|cpu| photofinish_load::pin(cpu).is_err()) || prepare().is_err() {
                return;
            }
            while !noted.end.load(Ordering::Relaxed) {
                noted.note(next());
            }
        };
        let thread = thread::Builder::new().name(name.to_owned());
        MeterThread {
            shared,
            // Without a thread there is no figure; that is no reason to end the run.
            thread: thread.spawn(note_all).ok(),
        }
    }

    /// What was noted since the last lap; `None` if nothing was.
    pub fn lap(&self) -> Option<Histogram<u64>> {
        self.shared.take()
    }

    /// Ends, and returns the rest.
    pub fn end(mut self) -> Option<Histogram<u64>> {
        self.shared.end.store(true, Ordering::Relaxed);
        self.thread.take()?.join().ok()?;
        self.shared.take()
    }
}

#[cfg(test)]
impl MeterThread {
    /// The first lap of which this is so.
    pub(crate) fn wait_for(&self, is_so: impl Fn(&Histogram<u64>) -> bool) -> Histogram<u64> {
        let until = std::time::Instant::now() + std::time::Duration::from_secs(60);
        loop {
            if let Some(lap) = self.lap().filter(&is_so) {
                return lap;
            }
            assert!(std::time::Instant::now() < until, "no such lap");
            thread::yield_now();
        }
    }
}

impl Drop for MeterThread {
    fn drop(&mut self) {
        self.shared.end.store(true, Ordering::Relaxed);
    }
}
