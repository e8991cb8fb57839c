//! Whether the results folder is still there, while a run is under way: else round after round would fail.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::Duration;

use photofinish_model::store::{self, Needed};

/// How often the folder is examined, which takes some microseconds.
const POLL_INTERVAL: Duration = Duration::from_millis(500);

/// Does some work, and interrupts it when the folder is gone.
///
/// # Errors
/// [`store::Error::Gone`], whatever came of the work.
pub(super) fn watched<T>(
    folder: &Needed,
    interrupt: &AtomicBool,
    work: impl FnOnce() -> T,
) -> Result<T, store::Error> {
    thread::scope(|scope| {
        let (ends, ended) = mpsc::channel::<()>();
        scope.spawn(move || {
            while ended.recv_timeout(POLL_INTERVAL) == Err(RecvTimeoutError::Timeout) {
                if folder.require().is_err() {
                    interrupt.store(true, Ordering::Relaxed);
                    return;
                }
            }
        });
        let done = work();
        drop(ends);
        folder.require()?;
        Ok(done)
    })
}
