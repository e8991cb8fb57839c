//! Interference while a level is measured in turns: what is observed around slices, which turns it excludes, and how long a level continues for it.
//!
//! | file | question |
//! |---|---|
//! | `evidence` | What is observed around a slice? |
//! | `around` | Which signals does that show, and which are beyond their limit? The table of signals is `model/src/interference.rs`. |
//! | `between_servers` | Does one server's slice differ from the others' of the turn? |
//! | `placement` | Where did the cores lie? |
//! | `state` | What disturbed the turn, and how much? The rule that excludes a turn. |
//! | `tally` | Which turns of a level count? |
//! | `continues` | Does a level continue? |
//! | `held_up` | Did the server or the machine hold up a slice? |

pub(crate) mod around;
mod between_servers;
pub(crate) mod continues;
pub(crate) mod evidence;
mod grade;
pub(crate) mod held_up;
pub(crate) mod placement;
pub(crate) mod state;
pub(crate) mod tally;
