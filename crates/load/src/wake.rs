//! Waking a thread that waits for its sockets.

use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use rustix::event::{EventfdFlags, eventfd};

/// What wakes a thread: its poll watches it. It is never read, for by edges every ringing is an event.
#[derive(Debug)]
pub struct Bell(OwnedFd);

impl Bell {
    /// One that nobody hears yet.
    ///
    /// # Errors
    /// Where this process may open no further file.
    pub fn new() -> io::Result<Self> {
        let flags = EventfdFlags::CLOEXEC | EventfdFlags::NONBLOCK;
        Ok(Bell(eventfd(0, flags)?))
    }

    /// Wakes the thread that hears it. One that is gone needs not hear it.
    pub fn ring(&self) {
        let _ = rustix::io::write(&self.0, &1u64.to_ne_bytes());
    }
}

impl AsFd for Bell {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }
}
