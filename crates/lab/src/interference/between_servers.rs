//! Whether the cores were the same in the slices of a turn.

use std::collections::BTreeMap;

use photofinish_model::interference::{Signal, middle};

use super::grade::Grade;

/// A figure of the server's core and of the load generator's, in nanoseconds; `None` if nobody sampled it.
pub(super) type OnCores = [Option<f64>; 2];

/// How many turns in which all servers met the same cores are assumed at first: a difference is a server's own only if it is observed again and
/// again. Without evidence of its own (`notes/rules.md`).
const ASSUMED_EQUAL_TURNS: usize = 3;

/// A signal that is compared between the servers of a turn.
///
/// A server may slow the cores by itself: if it leaves them idle now and then, their clock speed falls. That is its own, and the same in every turn.
#[derive(Debug)]
pub(super) struct BetweenServers {
    pub(super) signal: Signal,
    /// The logarithms of each server's figure, by its place, over the turn's geometric mean: of the server's core, and of the generator's.
    seen: [BTreeMap<usize, Vec<f64>>; 2],
}

impl BetweenServers {
    pub(super) fn new(signal: Signal) -> BetweenServers {
        BetweenServers {
            signal,
            seen: Default::default(),
        }
    }

    /// Adds a turn. Returns how far it is beyond the limit; `None` if it is not, or that is not known.
    pub(super) fn add(&mut self, turn: &[(usize, OnCores)]) -> Option<Grade> {
        let worst = (0..2).filter_map(|side| {
            let logs = turn.iter().map(|(_, observed)| Some(observed[side]?.ln()));
            let logs: Vec<f64> = logs.collect::<Option<_>>()?;
            let mean = logs.iter().sum::<f64>() / logs.len() as f64;
            let own = turn.iter().zip(&logs).map(|((place, _), log)| {
                let seen = self.seen[side].entry(*place).or_default();
                seen.push(log - mean);
                let usual = seen.iter().copied().chain([0.0; ASSUMED_EQUAL_TURNS]);
                Some(log - mean - middle(usual.collect())?)
            });
            let own: Vec<f64> = own.collect::<Option<_>>()?;
            let most = own.iter().copied().reduce(f64::max)?;
            let least = own.iter().copied().reduce(f64::min)?;
            Some((most - least).exp())
        });
        Grade::of(self.signal.times_between(worst.reduce(f64::max)?))
    }
}

#[cfg(test)]
mod tests {
    use photofinish_model::interference::CORE_SPEED;

    use super::*;

    fn turn<const N: usize>(server: [f64; N]) -> Vec<(usize, OnCores)> {
        let looked = |(place, ns)| (place, [Some(ns), Some(4_000.0)]);
        server.into_iter().enumerate().map(looked).collect()
    }

    #[test]
    fn a_turn_is_even_where_cores_are_equally_fast_however_fast() {
        let mut speeds = BetweenServers::new(CORE_SPEED);
        assert_eq!(speeds.add(&turn([4_000.0, 4_000.0, 4_100.0])), None);
        assert_eq!(speeds.add(&turn([8_000.0, 8_300.0, 8_100.0])), None);
        // 10% begin to be too many, 20% and 40% are a grade more each.
        for (slower, grade) in [(1.12, 0), (1.25, 1), (1.5, 2), (2.0, 3)] {
            let uneven = speeds.add(&turn([4_000.0, 4_000.0 * slower, 4_000.0]));
            assert_eq!(uneven, Some(Grade::at(grade)), "{slower}");
        }
        // The load generator's core counts too.
        let generator = [(0, [Some(4_000.0); 2]), (1, [Some(4_000.0), Some(5_000.0)])];
        assert_eq!(speeds.add(&generator), Some(Grade::at(1)));
    }

    #[test]
    fn what_is_not_known_disturbs_nothing() {
        let mut speeds = BetweenServers::new(CORE_SPEED);
        assert_eq!(speeds.add(&[]), None);
        assert_eq!(speeds.add(&[(0, [None; 2]), (1, [None; 2])]), None);
        let half = [(0, [Some(4_000.0), None]), (1, [None, None])];
        assert_eq!(speeds.add(&half), None);
        // One side may be known.
        let one = [(0, [Some(4_000.0), None]), (1, [Some(8_000.0), None])];
        assert!(speeds.add(&one).is_some());
    }

    #[test]
    fn what_a_target_always_does_to_a_core_is_its_own() {
        let mut speeds = BetweenServers::new(CORE_SPEED);
        let uneven =
            |speeds: &mut BetweenServers, times: [f64; 2]| speeds.add(&turn(times)).is_some();
        let first: Vec<bool> = (0..10)
            .map(|_| uneven(&mut speeds, [4_000.0, 5_200.0]))
            .collect();
        assert_eq!(
            first.iter().filter(|uneven| **uneven).count(),
            ASSUMED_EQUAL_TURNS
        );
        assert!(!first[ASSUMED_EQUAL_TURNS..].contains(&true));
        // Then the neighbour's is what differs from it.
        assert!(uneven(&mut speeds, [8_000.0, 5_200.0]));
        assert!(uneven(&mut speeds, [4_000.0, 4_000.0]));
        assert!(!uneven(&mut speeds, [8_000.0, 10_400.0]));
    }
}
