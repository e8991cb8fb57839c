//! Waking a thread that waits for its sockets.

use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use rustix::event::{EventfdFlags, eventfd};

/// Wakes a thread whose poll watches it. It is never read: a poll by edges reports every write.
#[derive(Debug)]
pub struct Waker(OwnedFd);

impl Waker {
    /// Makes a waker that no poll watches yet.
    ///
    /// # Errors
    /// If this process may open no further file.
    pub fn new() -> io::Result<Self> {
        let flags = EventfdFlags::CLOEXEC | EventfdFlags::NONBLOCK;
        Ok(Waker(eventfd(0, flags)?))
    }

    /// Wakes the thread, if it still runs.
    pub fn wake(&self) {
        let _ = rustix::io::write(&self.0, &1u64.to_ne_bytes());
    }
}

impl AsFd for Waker {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }
}
