//! Waking at an instant: `epoll_wait` counts whole milliseconds, a timer of the kernel nanoseconds.

use std::io;
use std::os::fd::OwnedFd;

use rustix::time::{
    Itimerspec, TimerfdClockId, TimerfdFlags, TimerfdTimerFlags, Timespec, timerfd_create,
    timerfd_settime,
};

use crate::clock::{Nanos, SECOND};
use crate::poll::Poll;

/// A timer that wakes a poll.
#[derive(Debug)]
pub struct Timer {
    file: OwnedFd,
    /// When it will ring; 0 = not set.
    armed: Nanos,
}

impl Timer {
    /// A timer whose ringing comes as an event with `token`.
    pub fn new(poll: &Poll, token: u64) -> io::Result<Timer> {
        let flags = TimerfdFlags::NONBLOCK | TimerfdFlags::CLOEXEC;
        let file = timerfd_create(TimerfdClockId::Realtime, flags)?;
        poll.watch(&file, token)?;
        Ok(Timer { file, armed: 0 })
    }

    /// Rings at `at` (once); an earlier order is forgotten.
    pub fn arm(&mut self, at: Nanos) -> io::Result<()> {
        if self.armed == at {
            return Ok(());
        }
        let order = Itimerspec {
            it_interval: Timespec {
                tv_sec: 0,
                tv_nsec: 0,
            },
            it_value: Timespec {
                tv_sec: (at / SECOND) as i64,
                tv_nsec: (at % SECOND) as _,
            },
        };
        timerfd_settime(&self.file, TimerfdTimerFlags::ABSTIME, &order)?;
        self.armed = at;
        Ok(())
    }

    /// It has rung, and rings again only when it is set again, be it to the same instant: the clock may have been set back.
    pub fn rang(&mut self) {
        self.armed = 0;
    }
}
