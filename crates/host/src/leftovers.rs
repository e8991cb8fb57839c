//! What an earlier photofinish has left on this machine that was killed together with its keepers and guards: processes, cgroups and
//! temporary folders. It is found by the record that each photofinish keeps ([`made`]), ended, removed and named.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::thread;
use std::time::{Duration, Instant};

use photofinish_model::files::made::{self, Orphan};
use photofinish_model::files::remove::{self, NotRemoved};

use super::group::Group;
use super::{processes, strays, sys};

/// How long processes may take to vanish after SIGKILL.
const KILL_TIMEOUT: Duration = Duration::from_secs(10);

/// How often they are looked for meanwhile.
const POLL_INTERVAL: Duration = Duration::from_millis(5);

/// Ends and removes what killed photofinishes of this user have left. Returns a sentence for each of them that had left something.
pub fn end() -> Vec<String> {
    made::orphans().into_iter().filter_map(end_one).collect()
}

fn end_one(orphan: Orphan) -> Option<String> {
    let processes = end_processes(&orphan.name);
    let (mut removed, mut stay): (Vec<PathBuf>, Vec<NotRemoved>) = Default::default();
    for folder in orphan.folders() {
        match remove::remove(&folder) {
            Ok(()) => removed.push(folder),
            Err(left) => stay.push(left),
        }
    }
    let pid = orphan.name.split('-').next().unwrap_or_default();
    let begin = format!("photofinish: process {pid}, an earlier photofinish, was killed");
    let mut parts = Vec::new();
    if !processes.ended.is_empty() {
        let ended = processes.ended.join(", ");
        parts.push(format!("what it left is ended: {ended}"));
    }
    if !processes.left.is_empty() {
        let left = processes.left.join(", ");
        parts.push(format!(
            "what it left does not end, though it was killed: {left}; end it before you measure"
        ));
    }
    if !removed.is_empty() {
        let removed: Vec<String> = removed.iter().map(|f| f.display().to_string()).collect();
        parts.push(format!("its folders are removed: {}", removed.join(", ")));
    }
    parts.extend(stay.iter().map(NotRemoved::to_string));
    if stay.is_empty() && processes.left.is_empty() {
        orphan.forget();
    }
    (!parts.is_empty()).then(|| format!("{begin}; {}", parts.join("; ")))
}

/// What came of ending processes, each as its name and id.
struct Ended {
    ended: Vec<String>,
    left: Vec<String>,
}

/// Kills the processes that the photofinish of this name has started, and waits until they are gone.
fn end_processes(name: &str) -> Ended {
    let deadline = Instant::now() + KILL_TIMEOUT;
    let groups = Group::left_by(name);
    let mut all: BTreeMap<u32, String> = BTreeMap::new();
    loop {
        let left = find(name, &groups);
        let over = left.is_empty() || Instant::now() >= deadline;
        all.extend(left.clone());
        if over {
            let say = |(pid, name): (u32, String)| format!("{name} ({pid})");
            all.retain(|pid, _| !left.contains_key(pid));
            return Ended {
                ended: all.into_iter().map(say).collect(),
                left: left.into_iter().map(say).collect(),
            };
        }
        groups.iter().for_each(Group::kill);
        for &pid in left.keys() {
            sys::signal(pid, sys::Signal::KILL);
        }
        thread::sleep(POLL_INTERVAL);
    }
}

/// The processes that run and have one of its marks, or are in one of its groups, with their names.
fn find(name: &str, groups: &[Group]) -> BTreeMap<u32, String> {
    let in_groups: Vec<u32> = groups.iter().flat_map(Group::processes).collect();
    let own = std::process::id();
    let all = processes::processes().into_iter();
    let left = all.filter(|process| {
        process.pid != own
            && !process.ended()
            && (in_groups.contains(&process.pid) || is_marked(process.pid, name))
    });
    left.map(|process| (process.pid, process.name)).collect()
}

/// Whether a process has a mark that the photofinish of this name has given.
fn is_marked(pid: u32, name: &str) -> bool {
    let mark = strays::mark_of(pid).unwrap_or_default();
    let number = mark.strip_prefix(name.as_bytes());
    number.is_some_and(|number| number.starts_with(b"-"))
}
