//! Which of the processes that cores ran belong to a server, those included that it made and that have ended.
//!
//! A server that makes a process for each connection has hundreds of them in a slice, and few are there at its end. Their forks, which the kernel
//! records beside the samples, lead from each to the server; and what it ran is what it was forked with, so its functions have the names that
//! they have in its parent, unless it has run another program since.

use std::collections::{BTreeSet, HashMap};

use crate::ring::{Exec, Fork};

/// So much the clocks of two cores may differ, in nanoseconds, where the machine's clock is not the same on all: a tick.
const MAX_SKEW_NS: u64 = 10_000_000;
/// No chain of parents within a slice is longer.
const MAX_PROCESSES: usize = 1_000;

/// Who descends from whom.
pub(crate) struct Family<'a> {
    /// Of each process's number, in their order: a number may be another's later.
    forks: HashMap<u32, Vec<Fork>>,
    /// When each ran another program.
    execs: HashMap<u32, Vec<u64>>,
    /// The server's processes that were there at first, and those that are there at last.
    first: &'a BTreeSet<u32>,
    last: &'a BTreeSet<u32>,
}

/// One of a server's processes, at one moment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Member {
    /// Whether it is there at last.
    pub(crate) lives: bool,
    /// Those that are there at last and whose mappings are what it ran: itself, or those that it was forked from, the nearest first.
    pub(crate) named_by: Vec<u32>,
}

impl<'a> Family<'a> {
    pub(crate) fn new(
        forks: &[Fork],
        execs: &[Exec],
        first: &'a BTreeSet<u32>,
        last: &'a BTreeSet<u32>,
    ) -> Family<'a> {
        let mut by_pid: HashMap<u32, Vec<Fork>> = HashMap::new();
        for fork in forks {
            by_pid.entry(fork.pid).or_default().push(*fork);
        }
        // Each core has recorded its own.
        by_pid
            .values_mut()
            .for_each(|forks| forks.sort_by_key(|fork| fork.at));
        let mut times: HashMap<u32, Vec<u64>> = HashMap::new();
        for exec in execs {
            times.entry(exec.pid).or_default().push(exec.at);
        }
        Family {
            forks: by_pid,
            execs: times,
            first,
            last,
        }
    }

    /// What is known of the process that had this number at a moment; `None`: it is not the server's.
    pub(crate) fn member(&self, pid: u32, at: u64) -> Option<Member> {
        let mut belongs = false;
        let mut member = None;
        let mut named_by = Vec::new();
        let mut is_same_program = true;
        let (mut pid, mut at) = (pid, at);
        for _ in 0..MAX_PROCESSES {
            let (birth, is_latest) = self.birth(pid, at);
            let lives = is_latest && self.last.contains(&pid);
            belongs |= lives || birth.is_none() && self.first.contains(&pid);
            let lives_first = *member.get_or_insert(lives);
            let ran = |from: u64, to: u64| {
                let execs = self.execs.get(&pid).into_iter().flatten();
                execs.into_iter().any(|exec| (from..to).contains(exec))
            };
            if lives && is_same_program && !ran(at, u64::MAX) {
                named_by.push(pid);
            }
            let Some(fork) = birth else {
                let lives = lives_first;
                return belongs.then_some(Member { lives, named_by });
            };
            is_same_program &= !ran(fork.at, at);
            (pid, at) = (fork.parent, fork.at);
        }
        None
    }

    /// The fork that made the process which had this number at a moment, where it was recorded, and whether nobody had that number later.
    fn birth(&self, pid: u32, at: u64) -> (Option<Fork>, bool) {
        let forks = self.forks.get(&pid).map_or(&[][..], Vec::as_slice);
        let later = forks.partition_point(|fork| fork.at <= at);
        let is_by_skew = later == 0
            && !self.first.contains(&pid)
            && forks
                .first()
                .is_some_and(|fork| fork.at - at <= MAX_SKEW_NS);
        let later = later + usize::from(is_by_skew);
        let birth = later.checked_sub(1).map(|place| forks[place]);
        (birth, later == forks.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `(at, pid, parent)`.
    fn forks(all: &[(u64, u32, u32)]) -> Vec<Fork> {
        let fork = |&(at, pid, parent)| Fork { at, pid, parent };
        all.iter().map(fork).collect()
    }

    fn member(lives: bool, named_by: &[u32]) -> Option<Member> {
        let named_by = named_by.to_vec();
        Some(Member { lives, named_by })
    }

    const MS: u64 = 1_000_000;

    #[test]
    fn ended_children_belong_to_whom_they_descend_from() {
        // Read from another core after what they explain.
        let forks = forks(&[(300 * MS, 12, 11), (200 * MS, 11, 10), (250 * MS, 31, 30)]);
        let (first, last) = (BTreeSet::from([10, 20]), BTreeSet::from([10, 12]));
        let family = Family::new(&forks, &[], &first, &last);
        assert_eq!(family.member(10, 0), member(true, &[10]));
        assert_eq!(family.member(11, 210 * MS), member(false, &[10]));
        assert_eq!(family.member(12, 310 * MS), member(true, &[12, 10]));
        // One that was there before and has ended has left no mappings.
        assert_eq!(family.member(20, 100 * MS), member(false, &[]));
        // Strangers, and whom they made.
        assert_eq!(family.member(30, 100 * MS), None);
        assert_eq!(family.member(31, 300 * MS), None);
    }

    #[test]
    fn who_runs_another_program_is_not_named_by_its_parent() {
        let forks = forks(&[(100 * MS, 11, 10), (200 * MS, 12, 11)]);
        let execs = [Exec {
            at: 150 * MS,
            pid: 11,
        }];
        let last = BTreeSet::from([10]);
        let first = BTreeSet::new();
        let family = Family::new(&forks, &execs, &first, &last);
        // Before it did, after it did, and one that it made then.
        assert_eq!(family.member(11, 120 * MS), member(false, &[10]));
        assert_eq!(family.member(11, 160 * MS), member(false, &[]));
        assert_eq!(family.member(12, 210 * MS), member(false, &[]));
        // Where it lives what it ran before has no names of its own.
        let last = BTreeSet::from([10, 11]);
        let family = Family::new(&forks, &execs, &first, &last);
        assert_eq!(family.member(11, 120 * MS), member(true, &[10]));
        assert_eq!(family.member(11, 160 * MS), member(true, &[11]));
    }

    #[test]
    fn a_number_that_was_another_s_is_told_by_its_time() {
        // 11 is the server's, ends, and becomes a stranger's; 12 the other way round.
        let forks = forks(&[
            (100 * MS, 11, 10),
            (200 * MS, 11, 30),
            (100 * MS, 12, 30),
            (200 * MS, 12, 10),
        ]);
        let (first, last) = (BTreeSet::from([10]), BTreeSet::from([10, 12]));
        let family = Family::new(&forks, &[], &first, &last);
        assert_eq!(family.member(11, 150 * MS), member(false, &[10]));
        assert_eq!(family.member(11, 250 * MS), None);
        assert_eq!(family.member(12, 150 * MS), None);
        assert_eq!(family.member(12, 250 * MS), member(true, &[12, 10]));
        // Long before its fork the number was somebody else's; just before it the clocks differ.
        assert_eq!(family.member(12, 50 * MS), None);
        assert_eq!(family.member(11, 99 * MS), member(false, &[10]));
    }

    #[test]
    fn a_circle_ends() {
        let forks = forks(&[(100, 11, 12), (100, 12, 11)]);
        let all = BTreeSet::from([11, 12]);
        let family = Family::new(&forks, &[], &all, &all);
        assert_eq!(family.member(11, 100), None);
    }
}
