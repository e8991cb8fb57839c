//! When an event loop answers.

use std::time::Duration;

use crate::http::{Request, Route};

/// Decides when a request is answered, and may note what was done.
pub trait Policy {
    /// Whether the arrival of requests is to be told by the kernel.
    const STAMPS: bool;
    /// How long after its arrival the request is answered.
    fn delay(&mut self, request: Request) -> Duration;
    /// An answer is about to be written: arrival and writing in nanoseconds of wall-clock time.
    fn written(&mut self, arrival_ns: i64, written_ns: i64);
    /// The body of a route that asks for what was noted.
    fn truth(&self, route: Route) -> Option<String>;
    /// How long the whole server freezes now.
    fn freeze(&mut self) -> Option<Duration>;
}

/// Answers at once, but for `/sleep`.
pub struct Prompt;

impl Policy for Prompt {
    const STAMPS: bool = false;

    fn delay(&mut self, request: Request) -> Duration {
        match request.route {
            Route::Sleep(time) => time,
            _ => Duration::ZERO,
        }
    }

    fn written(&mut self, _: i64, _: i64) {}

    fn truth(&self, _: Route) -> Option<String> {
        None
    }

    fn freeze(&mut self) -> Option<Duration> {
        None
    }
}
