//! The clocks: wall time in nanoseconds (the kernel stamps arrivals with it), and the CPU time of a thread.

use std::time::{Duration, SystemTime};

/// Nanoseconds since 1970 by `CLOCK_REALTIME`, the clock of `SO_TIMESTAMPNS`.
pub type Nanos = u64;

/// A time that never comes.
pub const NEVER: Nanos = u64::MAX;

/// One second.
pub const SECOND: Nanos = 1_000_000_000;

/// One millisecond.
pub const MILLISECOND: Nanos = 1_000_000;

/// The wall clock (no system call: the vDSO answers).
#[inline]
pub fn now() -> Nanos {
    read(libc::CLOCK_REALTIME)
}

/// The CPU time, user and system, that the calling thread has used.
pub fn thread_cpu() -> Duration {
    Duration::from_nanos(read(libc::CLOCK_THREAD_CPUTIME_ID))
}

/// How far the wall clock is ahead of the monotonic one, in ns.
///
/// Slewing moves both clocks alike, so this changes only when the wall clock is stepped.
pub fn wall_minus_monotonic() -> i64 {
    // The narrowest of a few readings, because the thread may lose the CPU between two clocks.
    (0..8)
        .map(|_| {
            let before = read(libc::CLOCK_MONOTONIC);
            let wall = now();
            let after = read(libc::CLOCK_MONOTONIC);
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

/// A duration in ns; as long as can be told when it does not fit.
pub fn nanos(duration: Duration) -> Nanos {
    u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX)
}

#[inline]
fn read(clock: libc::clockid_t) -> Nanos {
    let mut time = libc::timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    // SAFETY: `time` is valid for writing. The call cannot fail for the three clocks used here.
    unsafe { libc::clock_gettime(clock, &mut time) };
    from_timespec(&time)
}

/// A kernel time in ns.
#[inline]
pub fn from_timespec(time: &libc::timespec) -> Nanos {
    (time.tv_sec as u64).wrapping_mul(SECOND) + time.tv_nsec as u64
}
