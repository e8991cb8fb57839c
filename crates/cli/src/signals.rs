//! Signals: Ctrl-C, SIGTERM and SIGHUP end a run in good order; a file that may not grow further is an error like any other.

use std::io;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM, SIGXFSZ};
use signal_hook::flag;

/// A flag that Ctrl-C, SIGTERM and SIGHUP (the terminal is gone) set. The second one ends the program at once (servers that it
/// started end with it: their keepers see to that).
///
/// # Errors
/// Where the system refuses a handler.
pub fn interrupt() -> io::Result<Arc<AtomicBool>> {
    let interrupted = Arc::new(AtomicBool::new(false));
    for signal in [SIGINT, SIGTERM, SIGHUP] {
        // Whoever started this with `nohup` means it to outlive the terminal.
        if signal == SIGHUP && is_ignored(SIGHUP) {
            continue;
        }
        // In this order: the first signal finds the flag not yet set.
        flag::register_conditional_shutdown(signal, 130, Arc::clone(&interrupted))?;
        flag::register(signal, Arc::clone(&interrupted))?;
    }
    Ok(interrupted)
}

/// Lets a write beyond the largest file that is allowed (`ulimit -f`) fail with an error, instead of ending the program
/// without a word. Programs that are started have the signal as usual again.
pub fn report_full_files() {
    // Where it cannot be had, the program ends as it would.
    let _ = flag::register(SIGXFSZ, Arc::default());
}

/// Whether a signal was ignored when the program was started.
fn is_ignored(signal: i32) -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let mask = mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
    mask.is_some_and(|mask| mask & (1 << (signal - 1)) != 0)
}

/// Whether a signal came.
pub fn interrupted(flag: &AtomicBool) -> bool {
    flag.load(std::sync::atomic::Ordering::Relaxed)
}
