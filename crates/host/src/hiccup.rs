//! The hiccup meter: a thread that only sleeps and notes how late it wakes.
//!
//! Whatever keeps it from its core keeps the generator from it as well: other processes, the
//! hypervisor, interrupts. It says nothing of the server. The idea is Tene's jHiccup.

use std::num::NonZeroU64;
use std::thread;
use std::time::{Duration, Instant};

use crate::meter::MeterThread;
use crate::sys;

/// How long it sleeps where it is to notice all that a slice of some 100 ms meets: 1,000 times a second, which costs a core that is
/// busy else 1 to 3% of its time (a timer of the kernel and two context switches each time).
pub(crate) const FINE_SLEEP: Duration = Duration::from_millis(1);

/// How long it sleeps where it is to show how the core fares on average: a slice of 20 ms has ten, which cost half a hundredth of a core.
const COARSE_SLEEP: Duration = Duration::from_millis(2);

/// Starts to measure by sleeps of `sleep`, on this core where one is given. How late it wakes says how long its core did not run,
/// to within a sleep.
pub fn hiccups(cpu: Option<usize>, sleep: Duration) -> MeterThread {
    let exactly = || {
        // Without this the kernel would wake the thread up to 50 µs late to save power; where it refuses, the figure holds
        // those too.
        let _ = rustix::thread::set_current_timer_slack(NonZeroU64::new(1));
        Ok(())
    };
    MeterThread::start("hiccups", cpu, exactly, move || late(sleep))
}

/// Starts to measure how late this core lets a thread run that no other thread keeps from it: its priority is that of the kernel for real-time
/// work. A user without the right to that priority gets no figure.
pub fn wakes(cpu: Option<usize>) -> MeterThread {
    MeterThread::start("wakes", cpu, sys::take_precedence, || late(COARSE_SLEEP))
}

/// How late a sleep of this length ends, in nanoseconds.
fn late(sleep: Duration) -> u64 {
    let began = Instant::now();
    thread::sleep(sleep);
    began.elapsed().saturating_sub(sleep).as_nanos() as u64
}

#[cfg(test)]
mod tests {
    use std::hint;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicBool, Ordering};

    use super::*;

    #[test]
    fn every_sleep_is_noted() {
        let meter = hiccups(None, FINE_SLEEP);
        // It may have been ended before its first sleep.
        assert!(meter.end().is_none_or(|late| !late.is_empty()));
    }

    #[test]
    fn a_core_that_is_not_there_gives_no_figure() {
        assert_eq!(Box::new(hiccups(Some(1_000), FINE_SLEEP)).end(), None);
        assert_eq!(wakes(Some(1_000)).end(), None);
    }

    #[test]
    fn a_core_that_something_holds_up_lets_the_thread_run_late() {
        let core = sys::affinity().expect("cores")[0];
        let may = thread::spawn(sys::take_precedence)
            .join()
            .expect("no panic");
        let meter = wakes(Some(core));
        if may.is_err() {
            assert_eq!(meter.end(), None);
            return;
        }
        meter.wait_for(|_| true);
        // Nobody comes before this thread either, and it does not let go for 30 ms, in which fifteen looks would have been.
        let holds = move || {
            photofinish_load::pin(core).expect("a core");
            sys::take_precedence().expect("as before");
            let until = Instant::now() + Duration::from_millis(30);
            while Instant::now() < until {
                hint::spin_loop();
            }
        };
        thread::spawn(holds).join().expect("no panic");
        meter.wait_for(|late| late.max() > 20_000_000);
        // Threads like any others do not keep it from anything, though they use the core all the time.
        let (runs, end) = (
            Arc::new(AtomicBool::new(false)),
            Arc::new(AtomicBool::new(false)),
        );
        let busy = thread::spawn({
            let (runs, end) = (Arc::clone(&runs), Arc::clone(&end));
            move || {
                photofinish_load::pin(core).expect("a core");
                while !end.load(Ordering::Relaxed) {
                    runs.store(true, Ordering::Relaxed);
                    hint::spin_loop();
                }
            }
        });
        while !runs.load(Ordering::Relaxed) {
            thread::yield_now();
        }
        let mut late = meter.wait_for(|_| true);
        while late.len() < 50 {
            late.add(meter.wait_for(|_| true)).expect("the same bounds");
        }
        end.store(true, Ordering::Relaxed);
        busy.join().expect("no panic");
        assert!(late.value_at_quantile(0.5) < 1_000_000, "{late:?}");
    }
}
