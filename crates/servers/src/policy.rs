//! When an event loop responds.

use std::time::Duration;

use crate::http::{Request, Route};

/// Decides when a request is served, and may note what was done.
pub trait Policy {
    /// Whether requests are to be stamped by the kernel when they arrive.
    const STAMPS: bool = false;
    /// How long after its arrival the request is served.
    fn delay(&mut self, request: Request) -> Duration;
    /// A response is about to be written: arrival and writing in nanoseconds of wall-clock time.
    fn written(&mut self, _arrival_ns: i64, _written_ns: i64) {}
    /// The body of a route that asks for what was noted.
    fn truth(&self, _route: Route) -> Option<String> {
        None
    }
    /// How long the whole server freezes now.
    fn freeze(&mut self) -> Option<Duration> {
        None
    }
}

/// Responds at once, but for `/sleep`.
pub struct Prompt;

impl Policy for Prompt {
    fn delay(&mut self, request: Request) -> Duration {
        match request.route {
            Route::Sleep(time) => time,
            _ => Duration::ZERO,
        }
    }
}

/// The time by the wall clock, in nanoseconds.
pub fn now_ns() -> i64 {
    let mut time = libc::timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    // SAFETY: `time` lives through the call.
    unsafe { libc::clock_gettime(libc::CLOCK_REALTIME, &mut time) };
    time.tv_sec * 1_000_000_000 + time.tv_nsec
}
