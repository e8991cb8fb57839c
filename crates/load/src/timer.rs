//! Waking at an instant: `epoll_wait` counts whole milliseconds, a timer of the kernel nanoseconds.

use std::io;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};

use mio::unix::SourceFd;
use mio::{Interest, Registry, Token};

use crate::clock::{Nanos, SECOND};

/// A timer that wakes a poll.
#[derive(Debug)]
pub struct Timer {
    file: OwnedFd,
    /// When it will ring; 0 = not set.
    armed: Nanos,
}

impl Timer {
    /// A timer whose ringing comes as an event with `token`.
    pub fn new(registry: &Registry, token: Token) -> io::Result<Timer> {
        // SAFETY: no pointers.
        let fd = unsafe {
            libc::timerfd_create(libc::CLOCK_REALTIME, libc::TFD_NONBLOCK | libc::TFD_CLOEXEC)
        };
        if fd < 0 {
            return Err(io::Error::last_os_error());
        }
        // SAFETY: the kernel gave this descriptor just now, and nobody else has it.
        let file = unsafe { OwnedFd::from_raw_fd(fd) };
        registry.register(&mut SourceFd(&file.as_raw_fd()), token, Interest::READABLE)?;
        Ok(Timer { file, armed: 0 })
    }

    /// Rings at `at` (once); an earlier order is forgotten.
    pub fn arm(&mut self, at: Nanos) -> io::Result<()> {
        if self.armed == at {
            return Ok(());
        }
        let order = libc::itimerspec {
            it_interval: libc::timespec {
                tv_sec: 0,
                tv_nsec: 0,
            },
            it_value: libc::timespec {
                tv_sec: (at / SECOND) as libc::time_t,
                tv_nsec: (at % SECOND) as libc::c_long,
            },
        };
        // SAFETY: `order` is valid for reading; the old value is not asked for.
        let result = unsafe {
            libc::timerfd_settime(
                self.file.as_raw_fd(),
                libc::TFD_TIMER_ABSTIME,
                &order,
                std::ptr::null_mut(),
            )
        };
        if result != 0 {
            return Err(io::Error::last_os_error());
        }
        self.armed = at;
        Ok(())
    }

    /// It has rung, and rings again only when it is set again, be it to the same instant: the clock may have been set back.
    pub fn rang(&mut self) {
        self.armed = 0;
    }
}
