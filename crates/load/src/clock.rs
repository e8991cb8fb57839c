//! The clocks: wall time in nanoseconds (the kernel stamps arrivals with it), and the CPU time of a thread.

use std::time::{Duration, SystemTime};

use rustix::time::{ClockId, clock_gettime};

/// Nanoseconds since 1970 by `CLOCK_REALTIME`, the clock of `SO_TIMESTAMPNS`.
pub type Nanos = u64;

/// A time that never comes.
pub const NEVER: Nanos = u64::MAX;

/// One second.
pub const SECOND: Nanos = 1_000_000_000;

/// One millisecond.
pub const MILLISECOND: Nanos = 1_000_000;

/// The wall clock (no system call: the vDSO reads it).
#[inline]
pub fn now() -> Nanos {
    read(ClockId::Realtime)
}

/// The CPU time, user and system, that the calling thread has used.
pub fn thread_cpu() -> Duration {
    Duration::from_nanos(read(ClockId::ThreadCPUTime))
}

/// Lets the calling thread's sleeps end when they should: by default the kernel may end each up to 50 µs later
/// (`timerslack` in proc(5)).
pub fn sleep_precisely() {
    let one_ns: libc::c_ulong = 1;
    // SAFETY: this changes an attribute of the calling thread and takes no pointer. It cannot fail.
    unsafe { libc::prctl(libc::PR_SET_TIMERSLACK, one_ns) };
}

/// How far the wall clock is ahead of the monotonic one, in ns.
///
/// Slewing moves both clocks alike, so this changes only when the wall clock is stepped.
pub fn wall_minus_monotonic() -> i64 {
    // The narrowest of a few readings, because the thread may lose the CPU between two clocks.
    (0..8)
        .map(|_| {
            let before = read(ClockId::Monotonic);
            let wall = now();
            let after = read(ClockId::Monotonic);
            (
                after - before,
                wall as i64 - (before + (after - before) / 2) as i64,
            )
        })
        .min_by_key(|(width, _)| *width)
        .map_or(0, |(_, difference)| difference)
}

/// The same instant for the standard library.
pub fn system_time(at: Nanos) -> SystemTime {
    SystemTime::UNIX_EPOCH + Duration::from_nanos(at)
}

/// A duration in ns; the longest there is when it does not fit.
pub fn nanos(duration: Duration) -> Nanos {
    u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX)
}

#[inline]
fn read(clock: ClockId) -> Nanos {
    let time = clock_gettime(clock);
    (time.tv_sec as u64).wrapping_mul(SECOND) + time.tv_nsec as u64
}

/// A kernel time in ns.
#[inline]
pub fn from_timespec(time: &libc::timespec) -> Nanos {
    (time.tv_sec as u64).wrapping_mul(SECOND) + time.tv_nsec as u64
}
