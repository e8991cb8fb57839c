//! A timer that an event loop can wait for, exact to microseconds.
//!
//! `epoll_wait` takes whole milliseconds; a timer file descriptor takes nanoseconds and is not
//! subject to the scheduler's timer slack.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::io;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::time::{Duration, Instant};

/// Due times with a payload each, backed by a timer file descriptor that becomes readable when
/// the earliest is due.
pub struct Timers<T> {
    fd: OwnedFd,
    heap: BinaryHeap<Reverse<(Instant, T)>>,
    armed: Option<Instant>,
}

impl<T: Ord> Timers<T> {
    pub fn new() -> io::Result<Self> {
        // SAFETY: timerfd_create has no memory arguments; the descriptor that it gives is ours.
        let fd = unsafe {
            let fd = libc::timerfd_create(
                libc::CLOCK_MONOTONIC,
                libc::TFD_NONBLOCK | libc::TFD_CLOEXEC,
            );
            if fd < 0 {
                return Err(io::Error::last_os_error());
            }
            OwnedFd::from_raw_fd(fd)
        };
        Ok(Timers {
            fd,
            heap: BinaryHeap::new(),
            armed: None,
        })
    }

    pub fn fd(&self) -> i32 {
        self.fd.as_raw_fd()
    }

    pub fn add(&mut self, due: Instant, payload: T) {
        self.heap.push(Reverse((due, payload)));
    }

    /// Takes out what is due.
    pub fn due(&mut self) -> Option<T> {
        let Reverse((due, _)) = self.heap.peek()?;
        if *due > Instant::now() {
            return None;
        }
        self.heap.pop().map(|Reverse((_, payload))| payload)
    }

    /// Sets the descriptor to the earliest due time, if it is not so set already.
    pub fn arm(&mut self) -> io::Result<()> {
        let next = self.heap.peek().map(|Reverse((due, _))| *due);
        if next == self.armed {
            return Ok(());
        }
        self.armed = next;
        // A zero time would switch the timer off.
        let wait = next.map_or(Duration::ZERO, |due| {
            due.saturating_duration_since(Instant::now())
                .max(Duration::from_nanos(1))
        });
        let time = libc::itimerspec {
            it_interval: libc::timespec {
                tv_sec: 0,
                tv_nsec: 0,
            },
            it_value: libc::timespec {
                tv_sec: wait.as_secs() as libc::time_t,
                tv_nsec: wait.subsec_nanos().into(),
            },
        };
        // SAFETY: `time` lives through the call, and no old value is asked for.
        if unsafe { libc::timerfd_settime(self.fd(), 0, &time, std::ptr::null_mut()) } < 0 {
            return Err(io::Error::last_os_error());
        }
        Ok(())
    }
}
