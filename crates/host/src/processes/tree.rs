//! The processes below one of them, looked at again and again: of all others only the numbers are read each time.
//!
//! Between two slices a server is looked at twice, and a machine runs hundreds of processes: to read them all took 1.6 ms a look of 200,
//! as long as a tenth of a slice.

use std::collections::{BTreeMap, HashSet};
use std::time::{Duration, Instant};

use super::{Stat, descendants, numbers, stat};

/// How long a process id is assumed to belong to the same process. The kernel assigns ids in order, and
/// reuses one only after tens of thousands of others.
const PID_LIFETIME: Duration = Duration::from_secs(1);

/// The processes below one.
pub(crate) struct Tree {
    root: u32,
    /// Those that are known not to be below it.
    others: HashSet<u32>,
    /// When that was begun to be noted.
    since: Instant,
}

/// What one look found.
#[derive(Debug)]
pub(crate) struct Found {
    /// The root itself, unless it is gone.
    pub(crate) root: Option<Stat>,
    /// All below it.
    pub(crate) below: Vec<Stat>,
}

impl Tree {
    pub(crate) fn below(root: u32) -> Tree {
        Tree {
            root,
            others: HashSet::new(),
            since: Instant::now(),
        }
    }

    /// Those that are there now.
    pub(crate) fn scan(&mut self) -> Found {
        if self.since.elapsed() >= PID_LIFETIME {
            self.others.clear();
            self.since = Instant::now();
        }
        let unknown = numbers("/proc")
            .into_iter()
            .filter(|pid| !self.others.contains(pid));
        let read: Vec<Stat> = unknown.filter_map(stat).collect();
        self.sort(&read)
    }

    /// Notes those that are not below the root, and returns those that are.
    fn sort(&mut self, read: &[Stat]) -> Found {
        let below = descendants(read, self.root).into_iter().cloned().collect();
        let mut children: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
        for process in read {
            children
                .entry(process.parent)
                .or_default()
                .push(process.pid);
        }
        // From the kernel's own down, and from those that are known. Who is not reached, because its parent had begun or ended
        // during the look, is looked at again.
        let mut open: Vec<u32> = self.others.iter().copied().chain([0]).collect();
        while let Some(parent) = open.pop() {
            for child in children.remove(&parent).unwrap_or_default() {
                if child != self.root {
                    self.others.insert(child);
                    open.push(child);
                }
            }
        }
        Found {
            root: read.iter().find(|p| p.pid == self.root).cloned(),
            below,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::process::{Command, Stdio};

    use super::*;

    fn process(pid: u32, parent: u32) -> Stat {
        Stat {
            pid,
            parent,
            ..Stat::default()
        }
    }

    fn pids(found: &Found) -> Vec<u32> {
        let mut pids: Vec<u32> = found.below.iter().map(|process| process.pid).collect();
        pids.sort_unstable();
        pids
    }

    #[test]
    fn others_are_known_by_their_parents_alone() {
        let mut tree = Tree::below(20);
        let of = |all: &[(u32, u32)]| -> Vec<Stat> {
            all.iter()
                .map(|&(pid, parent)| process(pid, parent))
                .collect()
        };
        let found = tree.sort(&of(&[
            (1, 0),
            (2, 0),
            (9, 2),
            (10, 1),
            (20, 10),
            (21, 20),
            (22, 21),
            (31, 30),
            (32, 31),
        ]));
        assert_eq!(found.root.as_ref().map(|root| root.pid), Some(20));
        assert_eq!(pids(&found), [21, 22]);
        // The parent of 31 was not seen: it may be one of ours.
        assert_eq!(tree.others, HashSet::from([1, 2, 9, 10]));
        let found = tree.sort(&of(&[
            (20, 10),
            (21, 20),
            (30, 21),
            (31, 30),
            (32, 31),
            (40, 10),
        ]));
        assert_eq!(pids(&found), [21, 30, 31, 32]);
        assert_eq!(tree.others, HashSet::from([1, 2, 9, 10, 40]));
    }

    #[test]
    fn what_begins_between_two_looks_is_found() {
        let own = std::process::id();
        let mut tree = Tree::below(own);
        let before = pids(&tree.scan());
        // `cat` ends with its input.
        let mut child = Command::new("cat")
            .stdin(Stdio::piped())
            .spawn()
            .expect("it runs");
        let found = tree.scan();
        assert!(!before.contains(&child.id()));
        assert!(pids(&found).contains(&child.id()));
        assert_eq!(found.root.map(|root| root.pid), Some(own));
        assert!(tree.others.contains(&1) && !tree.others.contains(&own));
        drop(child.stdin.take());
        child.wait().expect("it ends");
        assert!(!pids(&tree.scan()).contains(&child.id()));
    }
}
