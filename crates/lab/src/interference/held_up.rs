//! What held a slice up: the server, or the machine.

use std::time::Duration;

use photofinish_load::{Outcome, SliceStalls};

use super::around::Around;
use crate::usage::Span;

/// How long a slice took by a server's own doing beyond what it was to take: for a stall, or for single responses after its end.
pub(crate) fn held_up(outcome: &Outcome, stalls: &SliceStalls) -> Duration {
    (stalls.loaded_stalled + stalls.under_way).max(outcome.draining)
}

/// Whether the machine, and not the server, is why nothing came for `waited` in a slice in which load flowed for `flowed`: its cores stalled
/// meanwhile, or other processes had them while the server's threads were ready to run. `cores`: how many the server may use.
pub(crate) fn is_the_machines(
    waited: Duration,
    flowed: Duration,
    around: &Around,
    server: Option<&Span>,
    cores: usize,
) -> bool {
    let most = waited / 2;
    if waited.is_zero() {
        return false;
    }
    if around.stood >= most {
        return true;
    }
    let Some((earlier, later)) = server else {
        return false;
    };
    let queued = later.run_queue.saturating_sub(earlier.run_queue);
    let used = (later.cpu_user + later.cpu_system)
        .saturating_sub(earlier.cpu_user + earlier.cpu_system)
        .saturating_sub(flowed * cores as u32);
    // A server whose own threads use the core, such as a collector's, keeps its other threads waiting itself.
    let others = around.others.unwrap_or_default();
    queued >= most && others >= most && used < most
}

#[cfg(test)]
mod tests;
