//! Ended processes whose CPU time is in nobody's counters.
//!
//! What a process has used is added to its parent's counters when that waits for it. Where the parent ignores SIGCHLD, or has asked for no
//! zombies (`SA_NOCLDWAIT`), the kernel lets the process vanish, and its counters with it. The first is shown in `/proc`, the second is not:
//! but a process that was seen and has vanished had page faults, which are exact, and its parent has not got them.

use std::collections::HashMap;

use super::processes::Stat;

/// Looks for such processes.
#[derive(Default)]
pub(crate) struct Unwaited {
    /// The processes of the last look.
    last: HashMap<u32, Seen>,
    times: u64,
}

#[derive(Clone, Copy)]
struct Seen {
    parent: u32,
    started: u64,
    /// Its own page faults and those of its children.
    faults: u64,
    faults_of_children: u64,
}

impl From<&Stat> for Seen {
    fn from(process: &Stat) -> Seen {
        Seen {
            parent: process.parent,
            started: process.started,
            faults: process.faults_minor + process.children_faults_minor,
            faults_of_children: process.children_faults_minor,
        }
    }
}

impl Unwaited {
    /// How often such processes were found, or had to be assumed.
    pub(crate) fn times(&self) -> u64 {
        self.times
    }

    /// There may have been some that nobody saw.
    pub(crate) fn assume(&mut self) {
        self.times += 1;
    }

    /// Takes what was found in a look; `read` looks at one process once more.
    pub(crate) fn scan<'a>(
        &mut self,
        found: impl Iterator<Item = &'a Stat>,
        read: impl Fn(u32) -> Option<Stat>,
    ) {
        let now: HashMap<u32, Seen> = found.map(|process| (process.pid, process.into())).collect();
        let last = std::mem::replace(&mut self.last, now);
        let mut vanished: HashMap<u32, u64> = HashMap::new();
        for (pid, before) in &last {
            let is_same = |started: u64| started == before.started;
            // One that moved to another parent during the look may have been missed by it.
            let is_there = self.last.get(pid).is_some_and(|now| is_same(now.started))
                || read(*pid).is_some_and(|now| is_same(now.started));
            if !is_there {
                *vanished.entry(before.parent).or_default() += before.faults;
            }
        }
        let is_forgotten = |(parent, faults): (u32, u64)| {
            let Some(before) = last.get(&parent) else {
                return false;
            };
            // Once more: it may have waited for its children since the look came by. One that has ended has given them to others.
            let after = read(parent).filter(|now| now.started == before.started && !now.ended());
            after.is_some_and(|now| now.children_faults_minor < before.faults_of_children + faults)
        };
        if vanished.into_iter().any(is_forgotten) {
            self.times += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A process with its own page faults and those of its children.
    fn process(pid: u32, parent: u32, faults: u64, of_children: u64) -> Stat {
        Stat {
            pid,
            parent,
            state: 'S',
            started: 1,
            faults_minor: faults,
            children_faults_minor: of_children,
            ..Stat::default()
        }
    }

    /// How often one was found, look by look.
    fn times(looks: &[&[Stat]]) -> Vec<u64> {
        let mut unwaited = Unwaited::default();
        let mut look = |all: &&[Stat]| {
            let read = |pid| all.iter().find(|process| process.pid == pid).cloned();
            unwaited.scan(all.iter(), read);
            unwaited.times()
        };
        looks.iter().map(&mut look).collect()
    }

    #[test]
    fn children_that_were_waited_for_are_in_their_parents_counters() {
        let before = [
            process(1, 0, 9, 0),
            process(2, 1, 50, 7),
            process(3, 2, 4, 3),
        ];
        // 3 had 7 with those of its own children, and more by its end.
        let waited = [process(1, 0, 9, 0), process(2, 1, 50, 16)];
        assert_eq!(times(&[&before, &waited, &waited]), [0, 0, 0]);
        let forgotten = [process(1, 0, 9, 0), process(2, 1, 50, 7)];
        assert_eq!(times(&[&before, &forgotten, &forgotten]), [0, 1, 1]);
    }

    #[test]
    fn what_is_not_known_to_be_lost_is_not() {
        let before = [
            process(1, 0, 9, 0),
            process(2, 1, 50, 7),
            process(3, 2, 4, 3),
        ];
        // Its parent has vanished too, and the root got both; or it has ended, and left it to another.
        let both = [process(1, 0, 9, 64)];
        assert_eq!(times(&[&before, &both]), [0, 0]);
        let mut parent = process(2, 1, 50, 7);
        parent.state = 'Z';
        assert_eq!(times(&[&before, &[process(1, 0, 9, 7), parent]]), [0, 0]);
        // It is there, but the look has missed it.
        let mut unwaited = Unwaited::default();
        unwaited.scan(before.iter(), |_| None);
        let read = |pid| before.iter().find(|process| process.pid == pid).cloned();
        unwaited.scan(before[..2].iter(), read);
        assert_eq!(unwaited.times(), 0);
    }
}
