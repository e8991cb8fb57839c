//! What the kernel ends when memory runs out, and how often it did.

use std::fs;

use crate::facts::count;

/// How much higher the score of servers is than that of photofinish, in thousandths of all memory: the kernel ends photofinish first only
/// if that itself uses more than half of it.
const SERVER_SCORE_OFFSET: i32 = 500;

/// The highest score that the kernel accepts (proc_pid_oom_score_adj(5)).
const MAX_SCORE: i32 = 1_000;

const OWN_SCORE: &str = "/proc/self/oom_score_adj";

/// The score of servers that this process starts.
pub(super) fn server_score() -> i32 {
    let own = fs::read_to_string(OWN_SCORE).ok();
    let own: i32 = own.and_then(|text| text.trim().parse().ok()).unwrap_or(0);
    own.saturating_add(SERVER_SCORE_OFFSET).min(MAX_SCORE)
}

/// Has the kernel end this process, and all that it starts, before those that it was started by. Anybody may raise a score.
pub(super) fn prefer_as_victim() {
    let _ = fs::write(OWN_SCORE, server_score().to_string());
}

/// How many processes the kernel has killed for want of memory since this machine was started, those of each cgroup included.
pub(super) fn kills() -> Option<u64> {
    let text = fs::read_to_string("/proc/vmstat").ok()?;
    count(&text, "oom_kill")
}

/// How a server ended, with the kernel's kills since it was started, `before` which there were so many, if it may be one of them.
pub(super) fn named(how: String, before: Option<u64>) -> String {
    let kills = kills().zip(before);
    with_kills(how, kills.map(|(now, before)| now.saturating_sub(before)))
}

fn with_kills(how: String, kills: Option<u64>) -> String {
    let is_killed = how == KILLED || how == SHELL_KILLED;
    match kills.filter(|&kills| kills > 0 && is_killed) {
        None => how,
        Some(1) => format!(
            "{how}: memory ran out, and the kernel has killed a process since this one was started"
        ),
        Some(kills) => format!(
            "{how}: memory ran out, and the kernel has killed {kills} processes since this one was started"
        ),
    }
}

/// What a keeper reports of a server that SIGKILL has ended.
const KILLED: &str = "signal 9 (SIGKILL)";

/// Exit status of a shell, or of a container engine, that waited for a process that SIGKILL has ended.
const SHELL_KILLED: &str = "exit status 137";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_kill_is_named_where_there_was_one() {
        let says = |how: &str, kills| with_kills(how.to_owned(), kills);
        assert_eq!(says(KILLED, None), KILLED);
        assert_eq!(says(KILLED, Some(0)), KILLED);
        assert_eq!(says("exit status 1", Some(1)), "exit status 1");
        assert!(says(KILLED, Some(1)).contains("(SIGKILL): memory ran out"));
        assert!(says(SHELL_KILLED, Some(2)).contains("killed 2 processes"));
        let kills = kills().expect("Linux counts them");
        assert_eq!(named("x".to_owned(), Some(kills)), "x");
    }

    #[test]
    fn servers_go_before_photofinish() {
        let own: i32 = fs::read_to_string(OWN_SCORE)
            .expect("a score")
            .trim()
            .parse()
            .expect("a number");
        let server = server_score();
        assert!(server > own || own == MAX_SCORE, "{own} {server}");
    }
}
