//! The agent: photofinish on another machine, driven over a stream of bytes.
//!
//! [`serve`] runs there (`photofinish agent`). It uses [`LocalHost`](crate::LocalHost), [`ThisMachine`](crate::ThisMachine) and the load
//! generator, and is the parent of all that it starts. `serve/request.rs` lists what it can be asked for. For the lab, [`Remote`] is a host and
//! a generator like any other. Either side only sees a stream of bytes.
//!
//! When the stream ends, the agent ends everything. Where a stream stays open though nobody is there any more, as after a cut
//! link, both sides notice by the other's silence.

use std::io::{self, Write};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

mod frame;
mod link;
mod message;
mod remote;
mod serve;

pub use frame::{FrameError, PROTOCOL};
pub use link::Link;
pub use remote::Remote;
pub use serve::serve;

/// How often each side says that it is still there.
const ALIVE: Duration = Duration::from_secs(2);
/// After so long a silence the other side is gone. A link that is cut for 10 s is none.
const SILENCE: Duration = Duration::from_secs(20);

/// What a line of an agent's standard error begins with that is for the person who runs photofinish, and no complaint.
const NOTICE: &str = "notice: ";

/// Prints a notice of an agent's, for whoever started it.
pub fn print_notice(text: &str) {
    for line in text.lines() {
        // Nobody may be there any more.
        let _ = writeln!(io::stderr(), "{NOTICE}{line}");
    }
}

/// What a thread that panicked has left is good enough for the others.
fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
