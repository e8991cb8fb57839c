//! Ending what a server started after its keeper was killed.
//!
//! Without a keeper the descendants of a server that survive it are init's children, and nothing in the process tree
//! tells where they came from. Their session does, which was the keeper's, and their environment, which holds a mark that
//! the keeper was started with. A process can change either (daemons their session, PostgreSQL overwrites its
//! environment to show a title); one that has changed both is not found.

use std::fs;
use std::time::{Duration, Instant};

use super::{Error, processes, sys};

/// The environment variable that marks a server and what it started.
pub(super) const MARK: &str = "PHOTOFINISH_KEPT";

/// Kills every process of this session or with this mark until none is left.
pub(super) fn end(session: u32, mark: &str, timeout: Duration) -> Result<(), Error> {
    let deadline = Instant::now() + timeout;
    loop {
        let left = find(session, mark);
        if left.is_empty() {
            return Ok(());
        }
        if Instant::now() >= deadline {
            let names: Vec<String> = left.iter().map(|pid| format!("process {pid}")).collect();
            return Err(Error::Unkillable {
                processes: names.join(", "),
                seconds: timeout.as_secs(),
            });
        }
        for pid in left {
            sys::signal(pid, sys::Signal::KILL);
        }
        // They are not our children, so nothing tells when they are gone.
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// The processes that run with this mark or in this session.
fn find(session: u32, mark: &str) -> Vec<u32> {
    let entry = format!("{MARK}={mark}");
    let marked = |pid: u32| {
        fs::read(format!("/proc/{pid}/environ"))
            .is_ok_and(|environ| environ.split(|&b| b == 0).any(|e| e == entry.as_bytes()))
    };
    let all = processes::processes();
    let running = all.iter().filter(|p| !p.ended());
    running
        .filter(|p| p.session == session || marked(p.pid))
        .map(|p| p.pid)
        .collect()
}
