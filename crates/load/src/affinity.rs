//! Putting a thread on a core.

use std::io;

use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};

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

/// Whether the calling thread may run on `cpu` alone, as far as that is known: somebody else may have put it elsewhere.
pub fn is_pinned(cpu: usize) -> bool {
    sched_getaffinity(None).is_ok_and(|set| set.count() == 1 && set.is_set(cpu))
}

#[cfg(test)]
mod tests {
    use std::thread;

    use super::*;

    #[test]
    fn a_thread_that_was_put_elsewhere_is_noticed() {
        let work = || {
            let all = sched_getaffinity(None).expect("the kernel reports it");
            let cpu = (0..CpuSet::MAX_CPU).find(|&cpu| all.is_set(cpu));
            let cpu = cpu.expect("there is one");
            pin(cpu).expect("it may be used");
            assert!(is_pinned(cpu));
            assert!(!is_pinned(cpu + 1));
            sched_setaffinity(None, &all).expect("they may be used");
            assert_eq!(is_pinned(cpu), all.count() == 1);
        };
        thread::spawn(work).join().expect("it holds");
    }
}
