//! Putting a thread on a core.

use std::io;

use rustix::thread::{CpuSet, sched_setaffinity};

/// Lets the calling thread run on `cpu` alone.
///
/// # Errors
/// Where there is no such core, or this process may not use it.
pub fn pin(cpu: usize) -> io::Result<()> {
    if cpu >= CpuSet::MAX_CPU {
        return Err(io::Error::from_raw_os_error(libc::EINVAL));
    }
    let mut set = CpuSet::new();
    set.set(cpu);
    Ok(sched_setaffinity(None, &set)?)
}
