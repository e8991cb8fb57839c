//! One core's clock as the kernel samples it. All of this crate's `unsafe` is here.

use std::fs;
use std::io;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::ptr::{self, NonNull};
use std::sync::atomic::{AtomicU64, Ordering};

use perf_event_open_sys::bindings::{
    PERF_COUNT_SW_CPU_CLOCK, PERF_SAMPLE_CALLCHAIN, PERF_SAMPLE_TID, PERF_SAMPLE_TIME,
    PERF_TYPE_SOFTWARE, perf_event_attr, perf_event_mmap_page,
};
use perf_event_open_sys::{ioctls, perf_event_open};

use crate::HERTZ;

/// Pages of a core's buffer, beside the first: with that what an ordinary user may lock for each core (`kernel.perf_event_mlock_kb`
/// is 516). It holds more than half a second of the deepest stacks, and beside those of a slice 10,000 forks a second.
const RING_PAGES: usize = 128;
/// The most frames of a stack: the kernel's own default (`kernel.perf_event_max_stack`).
const MAX_DEPTH: u16 = 127;
/// Closed when a program is executed.
const CLOEXEC: libc::c_ulong = perf_event_open_sys::bindings::PERF_FLAG_FD_CLOEXEC as libc::c_ulong;

/// Why nothing can be sampled.
#[derive(Debug, thiserror::Error)]
pub enum Refused {
    /// The kernel forbids it to this user.
    #[error(
        "the kernel lets only root see what a core runs (kernel.perf_event_paranoid is {paranoid}); to allow it to all: sysctl kernel.perf_event_paranoid=0 kernel.kptr_restrict=0"
    )]
    Forbidden {
        /// `kernel.perf_event_paranoid`, or `unknown`.
        paranoid: String,
    },
    /// The kernel cannot, or has no room.
    #[error("cannot sample core {cpu}: {source}")]
    Failed {
        /// The core.
        cpu: usize,
        /// What the system says.
        source: io::Error,
    },
}

/// A core's clock and the buffer that the kernel writes its samples to.
pub(crate) struct Core {
    cpu: usize,
    event: OwnedFd,
    map: NonNull<u8>,
    page: usize,
}

// SAFETY: the mapping belongs to this value alone, and is the same from each thread.
unsafe impl Send for Core {}

impl Core {
    /// Opens a core's clock, which stalls.
    pub(crate) fn open(cpu: usize) -> Result<Core, Refused> {
        let failed = |source: io::Error| refused(cpu, source);
        let mut attr = perf_event_attr::default();
        attr.type_ = PERF_TYPE_SOFTWARE;
        attr.config = u64::from(PERF_COUNT_SW_CPU_CLOCK);
        attr.size = size_of::<perf_event_attr>() as u32;
        attr.sample_type = u64::from(PERF_SAMPLE_TID)
            | u64::from(PERF_SAMPLE_TIME)
            | u64::from(PERF_SAMPLE_CALLCHAIN);
        attr.sample_max_stack = MAX_DEPTH;
        // A period, not a frequency: the kernel then has nothing to adapt, and each sample stands for the same time.
        attr.__bindgen_anon_1.sample_period = 1_000_000_000 / u64::from(HERTZ);
        // Who forks whom and who runs another program, each with its time: samples of processes that end say nothing of theirs.
        attr.set_task(1);
        attr.set_comm(1);
        attr.set_comm_exec(1);
        attr.set_sample_id_all(1);
        attr.set_disabled(1);
        attr.set_exclude_idle(1);
        attr.set_exclude_hv(1);
        // SAFETY: the attributes are valid for the call, which only reads them (or writes their size).
        let fd = unsafe { perf_event_open(&mut attr, -1, cpu as libc::c_int, -1, CLOEXEC) };
        if fd < 0 {
            return Err(failed(io::Error::last_os_error()));
        }
        // SAFETY: the kernel has just given this descriptor, and nobody else has it.
        let event = unsafe { OwnedFd::from_raw_fd(fd) };
        // SAFETY: a question about a constant.
        let page = unsafe { libc::sysconf(libc::_SC_PAGESIZE) } as usize;
        // SAFETY: a new shared mapping of the event at an address that the kernel chooses.
        let map = unsafe {
            libc::mmap(
                ptr::null_mut(),
                (RING_PAGES + 1) * page,
                libc::PROT_READ | libc::PROT_WRITE,
                libc::MAP_SHARED,
                event.as_raw_fd(),
                0,
            )
        };
        match NonNull::new(map.cast::<u8>()) {
            Some(map) if map.as_ptr().cast() != libc::MAP_FAILED => Ok(Core {
                cpu,
                event,
                map,
                page,
            }),
            _ => Err(failed(io::Error::last_os_error())),
        }
    }

    /// Lets the clock run.
    pub(crate) fn begin(&self) -> Result<(), Refused> {
        // SAFETY: the descriptor is open, and the call takes no memory.
        match unsafe { ioctls::ENABLE(self.event.as_raw_fd(), 0) } {
            0.. => Ok(()),
            _ => Err(refused(self.cpu, io::Error::last_os_error())),
        }
    }

    /// Lets it stall.
    pub(crate) fn end(&self) {
        // One that could not be stopped ends when it is dropped, and what it sees beyond its slice is what it sees within it.
        // SAFETY: the descriptor is open, and the call takes no memory.
        unsafe { ioctls::DISABLE(self.event.as_raw_fd(), 0) };
    }

    /// Takes what the kernel has written since the last time.
    pub(crate) fn take(&mut self) -> Vec<u8> {
        let head = self.map.as_ptr().cast::<perf_event_mmap_page>();
        // SAFETY: both are aligned words of the mapping's first page, which the kernel and this value share by such accesses.
        let (head, tail) = unsafe {
            (
                AtomicU64::from_ptr(&raw mut (*head).data_head),
                AtomicU64::from_ptr(&raw mut (*head).data_tail),
            )
        };
        let (from, to) = (tail.load(Ordering::Relaxed), head.load(Ordering::Acquire));
        let size = RING_PAGES * self.page;
        let length = (to.wrapping_sub(from) as usize).min(size);
        let at = from as usize % size;
        let first = length.min(size - at);
        let mut bytes = Vec::with_capacity(length);
        // SAFETY: both ranges lie within the mapping's data pages; the kernel writes none of it before `tail` has moved on.
        unsafe {
            let data = self.map.as_ptr().add(self.page);
            bytes.extend_from_slice(std::slice::from_raw_parts(data.add(at), first));
            bytes.extend_from_slice(std::slice::from_raw_parts(data, length - first));
        }
        tail.store(to, Ordering::Release);
        bytes
    }
}

impl Drop for Core {
    fn drop(&mut self) {
        // SAFETY: the mapping was made with this length, and nothing borrows from it.
        unsafe { libc::munmap(self.map.as_ptr().cast(), (RING_PAGES + 1) * self.page) };
    }
}

fn refused(cpu: usize, source: io::Error) -> Refused {
    match source.raw_os_error() {
        Some(libc::EACCES | libc::EPERM) => {
            let paranoid = fs::read_to_string("/proc/sys/kernel/perf_event_paranoid");
            let paranoid =
                paranoid.map_or_else(|_| "unknown".to_owned(), |text| text.trim().to_owned());
            Refused::Forbidden { paranoid }
        }
        _ => Refused::Failed { cpu, source },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_kernel_forbids_is_said_with_what_to_set() {
        let refused = refused(3, io::Error::from_raw_os_error(libc::EACCES)).to_string();
        assert!(
            refused.contains("sysctl kernel.perf_event_paranoid=0"),
            "{refused}"
        );
        let no_room = super::refused(3, io::Error::from_raw_os_error(libc::EMFILE)).to_string();
        assert!(no_room.starts_with("cannot sample core 3: "), "{no_room}");
    }
}
