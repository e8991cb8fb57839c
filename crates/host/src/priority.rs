//! The CPU priority of servers: on their cores other programs wait for them.
//!
//! Linux parts a core among sessions first, each of them as a whole (sched(7), *The autogroup feature*), and then among the
//! processes of one. A server has a session of its own. So its processes have the highest priority, and so has its session.

use std::fs;
use std::io;
use std::thread;
use std::time::Duration;

use super::sys;

/// The nice value of servers with raised priority: 87 times the weight of the usual one (88,761 and 1,024, `sched_prio_to_weight` in the kernel).
pub const SERVER_NICE: i32 = -20;

/// The nice value of a process with normal priority.
pub(super) const NORMAL_NICE: i32 = 0;

/// How often a session's nice value is tried: who is not root may set one in 100 ms.
const MAX_ATTEMPTS: u32 = 10;

/// When that is tried again.
const RETRY_PAUSE: Duration = Duration::from_millis(110);

/// Whether this process may let others come first, and nobody has asked it to stand behind them.
pub(super) fn is_ours_to_give() -> bool {
    // Of a thread that ends at once: photofinish itself stays as it is.
    let tried = thread::spawn(|| {
        Ok::<_, io::Error>(
            sys::nice_value()? <= NORMAL_NICE && sys::set_nice_value(None, SERVER_NICE).is_ok(),
        )
    });
    matches!(tried.join(), Ok(Ok(true)))
}

/// Has this process come first, with its session and all that it starts. Where the kernel refuses that, all is as usual.
pub(super) fn raise() {
    let _ = sys::set_nice_value(None, SERVER_NICE);
    give_session(std::process::id(), SERVER_NICE);
}

/// Gives the session of a process a nice value, where sessions have one.
pub(super) fn give_session(pid: u32, nice: i32) {
    for _ in 0..MAX_ATTEMPTS {
        match fs::write(format!("/proc/{pid}/autogroup"), nice.to_string()) {
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => thread::sleep(RETRY_PAUSE),
            _ => return,
        }
    }
}
