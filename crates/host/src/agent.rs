//! The agent: photofinish on another machine, driven over a stream of bytes.
//!
//! [`serve`] runs there (`photofinish agent`). It performs requests ([`crate::request`]) with [`LocalHost`](crate::LocalHost), and is the
//! parent of all that it starts. Here, a [`Link`] asks it. Either side only sees a stream of bytes.
//!
//! When the stream ends, the agent ends everything. Where a stream stays open though nobody is there any more, as after a cut
//! link, both sides notice by the other's silence.

use std::io::{self, Write};
use std::time::Duration;

pub(crate) mod frame;
mod link;
pub(crate) mod message;
mod serve;

pub use frame::{FrameError, PROTOCOL};
pub use link::Link;
pub use serve::serve;

/// How often each side says that it is still there.
const KEEPALIVE_INTERVAL: Duration = Duration::from_secs(2);
/// After so long a silence the other side is gone. A link that is cut for 10 s is none.
const SILENCE_TIMEOUT: Duration = Duration::from_secs(20);

/// What a line of an agent's standard error begins with that is for the person who runs photofinish, and no complaint.
const NOTICE_PREFIX: &str = "notice: ";

/// Prints a notice of an agent's, for whoever started it.
pub fn print_notice(text: &str) {
    for line in text.lines() {
        // Nobody may be there any more.
        let _ = writeln!(io::stderr(), "{NOTICE_PREFIX}{line}");
    }
}
