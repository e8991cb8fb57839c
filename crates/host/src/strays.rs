//! Ending what a server started after its keeper was killed.
//!
//! photofinish adopts orphans as keepers do: what a killed keeper has left becomes its own child, whatever it has done with
//! its session and its environment. Nothing else can: a keeper that lives adopts its own orphans.
//!
//! Where orphans could not be adopted, nothing in the process tree shows where they came from. Their session does, which was
//! the keeper's, and their environment, which holds a mark that the keeper was started with. A process can change either
//! (daemons their session, PostgreSQL overwrites its environment to show a title); one that has changed both is not found.

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::process::{Child, Command};
use std::sync::Mutex;
use std::time::{Duration, Instant};

use photofinish_model::finding::failure::FailureFinding;

use super::locked::locked;
use super::processes::{self, Stat};
use super::{Error, sys};

/// The environment variable that marks a server and what it started.
pub(super) const MARK_VARIABLE: &str = "PHOTOFINISH_KEPT";

/// The keepers of this process that were not waited for yet.
static KEEPERS: Mutex<BTreeSet<u32>> = Mutex::new(BTreeSet::new());

/// Starts a keeper, and knows it for one until it is [forgotten](forget).
///
/// # Errors
/// Those of the system.
pub(super) fn start_keeper(command: &mut Command) -> io::Result<Child> {
    // Nobody looks for orphans until it is known that this is none.
    let mut keepers = locked(&KEEPERS);
    let child = command.spawn()?;
    keepers.insert(child.id());
    Ok(child)
}

/// A keeper was waited for: its id may be another process's from now on.
pub(super) fn forget(keeper: u32) {
    locked(&KEEPERS).remove(&keeper);
}

/// Kills every orphan, and every process of this session or with this mark, until none is left.
///
/// # Errors
/// If some are still there after `timeout`.
pub(super) fn end(session: u32, mark: &str, timeout: Duration) -> Result<(), Error> {
    let deadline = Instant::now() + timeout;
    loop {
        let left = find(session, mark);
        if left.is_empty() {
            return Ok(());
        }
        if Instant::now() >= deadline {
            let names: Vec<String> = left.iter().map(|pid| format!("process {pid}")).collect();
            return Err(FailureFinding::Unkillable {
                processes: names.join(", "),
                seconds: timeout.as_secs(),
            }
            .into());
        }
        for pid in left {
            sys::signal(pid, sys::Signal::KILL);
        }
        // Not all are our children, so nothing reports when they are gone.
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// The mark in a process's environment: of the server that it is, or that started it.
pub(super) fn mark_of(pid: u32) -> Option<Vec<u8>> {
    let environ = fs::read(format!("/proc/{pid}/environ")).ok()?;
    let mut variables = environ.split(|&b| b == 0);
    let name = format!("{MARK_VARIABLE}=");
    variables.find_map(|variable| Some(variable.strip_prefix(name.as_bytes())?.to_vec()))
}

/// The processes that run and are orphans or below one, or have this mark or this session. Orphans that have ended are
/// waited for.
fn find(session: u32, mark: &str) -> Vec<u32> {
    let marked = |pid: u32| mark_of(pid).is_some_and(|found| found == mark.as_bytes());
    let keepers = locked(&KEEPERS);
    let all = processes::processes();
    let own = std::process::id();
    // Keepers begin sessions; all else that photofinish starts is in its own session, which nobody can join.
    let own_session = all.iter().find(|p| p.pid == own).map(|p| p.session);
    let is_orphan =
        |p: &&Stat| p.parent == own && Some(p.session) != own_session && !keepers.contains(&p.pid);
    let (ended, orphans): (Vec<&Stat>, Vec<&Stat>) =
        all.iter().filter(is_orphan).partition(|p| p.ended());
    for orphan in ended {
        sys::reap_child(orphan.pid);
    }
    let mut found: BTreeSet<u32> = all
        .iter()
        .filter(|p| p.session == session || marked(p.pid))
        .map(|p| p.pid)
        .collect();
    for orphan in orphans {
        found.insert(orphan.pid);
        found.extend(
            processes::descendants(&all, orphan.pid)
                .iter()
                .map(|p| p.pid),
        );
    }
    let running = all.iter().filter(|p| !p.ended());
    running
        .map(|p| p.pid)
        .filter(|pid| found.contains(pid))
        .collect()
}
