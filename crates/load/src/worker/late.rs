//! Requests of an open loop that are sent late though a connection was idle: the generator's doing, not the server's.

use crate::clock::Nanos;

/// A thread that sends within this time of the due time was not late: it looks ahead for half as long.
pub const LATE: Nanos = 100_000;

/// How far one thread is behind its schedule by its own doing.
///
/// A thread that was kept from its core finds requests that are due, and connections that have been idle. Those requests
/// are late by what they waited beside an idle connection. The ones that fell due after them find no connection any more, for the
/// first have taken them all: they wait because of the same stop, but never for longer than it took. Where a queue
/// formed because the server had every connection busy, nobody waited beside an idle one, and nothing is held against the
/// generator.
#[derive(Debug, Default)]
pub struct Behind {
    /// The longest that a request of the present queue waited beside an idle connection.
    by: Nanos,
}

impl Behind {
    /// How long a request that was due at `due` and is sent at `now` waited by the generator's doing; the connection that it
    /// is sent on has been free since `free`.
    #[inline]
    pub fn sends(&mut self, due: Nanos, now: Nanos, free: Nanos) -> Nanos {
        let waited = now.saturating_sub(due);
        if waited < LATE {
            // The queue is gone.
            self.by = 0;
            return 0;
        }
        let beside_idle = now.saturating_sub(due.max(free));
        self.by = self.by.max(beside_idle);
        let late = waited.min(self.by);
        if late < LATE { 0 } else { late }
    }

    /// Whether the generator alone is why a request that was due at `due` has found no connection by `end`.
    pub fn leaves(&self, due: Nanos, end: Nanos) -> bool {
        (LATE..=self.by).contains(&end.saturating_sub(due))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::MILLISECOND;

    const MS: Nanos = MILLISECOND;

    /// How late each request was by the generator's doing: one is due every millisecond from 0 on, on two connections of a server
    /// that responds within 0.2 ms but not between `frozen`; the thread does not run between `stopped`. In ms.
    fn late(stopped: (Nanos, Nanos), frozen: (Nanos, Nanos), until: Nanos) -> Vec<u64> {
        let after = |(from, to): (Nanos, Nanos), time: Nanos| match (from..to).contains(&time) {
            true => to,
            false => time,
        };
        // When each of the two is free, by the kernel's word.
        let mut free = [0; 2];
        let mut behind = Behind::default();
        let mut reported = Vec::new();
        let mut now = 0;
        for due in (0..until).step_by(MS as usize) {
            free.sort_unstable();
            now = after(stopped, now.max(due).max(free[0]));
            reported.push(behind.sends(due, now, free[0]) / MS);
            free[0] = after(frozen, now) + MS / 5;
        }
        reported
    }

    #[test]
    fn what_waited_while_the_generator_was_stopped_is_its_own() {
        let reported = late((10 * MS, 60 * MS), (0, 0), 200 * MS);
        // From the one that was due when it stopped, which waited for all of the stop.
        assert_eq!(reported[..10], [0; 10]);
        assert_eq!(reported[10], 50);
        // Ten a millisecond are served, so that the queue of 50 is gone after 5 to 6 ms.
        assert!(
            reported[10..65].iter().all(|late| *late > 0),
            "{reported:?}"
        );
        assert!(
            reported[10..66].windows(2).all(|two| two[0] >= two[1]),
            "{reported:?}"
        );
        assert_eq!(reported[66..], [0; 134]);
    }

    #[test]
    fn what_waited_while_the_server_was_frozen_is_not() {
        let reported = late((0, 0), (10 * MS, 60 * MS), 200 * MS);
        assert_eq!(reported, [0; 200]);
    }

    #[test]
    fn a_short_stop_within_a_long_freeze_counts_for_what_it_took() {
        // The thread misses the first 2 ms of the freeze, and nothing later.
        let reported = late((9 * MS, 12 * MS), (10 * MS, 60 * MS), 200 * MS);
        assert_eq!(reported.iter().max(), Some(&3));
    }

    #[test]
    fn what_is_never_sent_waited_for_the_generator_if_it_did_so_no_longer_than_the_stop() {
        let mut behind = Behind::default();
        assert!(!behind.leaves(0, 50 * MS));
        assert_eq!(behind.sends(0, 50 * MS, 0), 50 * MS);
        assert!(behind.leaves(10 * MS, 50 * MS));
        // Another 450 ms passed without a free connection: those are the server's.
        assert!(!behind.leaves(10 * MS, 500 * MS));
        // One in time, and the queue is gone.
        assert_eq!(behind.sends(51 * MS, 51 * MS + LATE / 2, 0), 0);
        assert!(!behind.leaves(60 * MS, 90 * MS));
    }
}
