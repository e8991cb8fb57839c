//! Whether the cores were the same in the slices of a turn.

use std::collections::BTreeMap;

use photofinish_model::middle;

use super::grade::Grade;

/// A server's core and a load generator's, by how long something took on them that is always the same, in nanoseconds; `None` if nobody
/// looked.
pub(super) type Took = [Option<f64>; 2];

/// Number of turns in which all servers are assumed to have met the same cores, in addition to those seen: a
/// difference is a server's own only when it is seen again and again.
const ASSUMED_EQUAL_TURNS: usize = 3;

/// How long it took beside each target's slices, compared with the others' in the same turn.
///
/// A target may slow the cores by itself: one that leaves them idle now and then lets their clock speed fall. That is its own, and is the
/// same in every turn; a neighbour's is not.
#[derive(Debug)]
pub(super) struct Evenness {
    /// Slices that differ by this factor are uneven.
    factor: f64,
    /// Logarithms of the time of each target, by its place, over the turn's geometric mean, side by side.
    seen: [BTreeMap<usize, Vec<f64>>; 2],
}

impl Evenness {
    /// No turn yet.
    pub(super) fn within(factor: f64) -> Evenness {
        Evenness {
            factor,
            seen: Default::default(),
        }
    }

    /// Adds a turn. How uneven it was; `None`: even, or it is not known.
    pub(super) fn add(&mut self, turn: &[(usize, Took)]) -> Option<Grade> {
        let worst = (0..2).filter_map(|side| {
            let logs = turn.iter().map(|(_, looked)| Some(looked[side]?.ln()));
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
        let times = worst.reduce(f64::max)?;
        Grade::of((times - 1.0) / (self.factor - 1.0))
    }
}

#[cfg(test)]
mod tests {
    use photofinish_model::UNEVEN;

    use super::*;

    fn turn<const N: usize>(server: [f64; N]) -> Vec<(usize, Took)> {
        let looked = |(place, ns)| (place, [Some(ns), Some(4_000.0)]);
        server.into_iter().enumerate().map(looked).collect()
    }

    #[test]
    fn a_turn_is_even_where_cores_are_equally_fast_however_fast() {
        let mut evenness = Evenness::within(UNEVEN);
        assert_eq!(evenness.add(&turn([4_000.0, 4_000.0, 4_100.0])), None);
        assert_eq!(evenness.add(&turn([8_000.0, 8_300.0, 8_100.0])), None);
        // 10% begin to be too many, 20% and 40% are a grade more each.
        for (slower, grade) in [(1.12, 0), (1.25, 1), (1.5, 2), (2.0, 3)] {
            let uneven = evenness.add(&turn([4_000.0, 4_000.0 * slower, 4_000.0]));
            assert_eq!(uneven, Some(Grade::at(grade)), "{slower}");
        }
        // The load generator's core counts too.
        let generator = [(0, [Some(4_000.0); 2]), (1, [Some(4_000.0), Some(5_000.0)])];
        assert_eq!(evenness.add(&generator), Some(Grade::at(1)));
    }

    #[test]
    fn what_is_not_known_disturbs_nothing() {
        let mut evenness = Evenness::within(UNEVEN);
        assert_eq!(evenness.add(&[]), None);
        assert_eq!(evenness.add(&[(0, [None; 2]), (1, [None; 2])]), None);
        let half = [(0, [Some(4_000.0), None]), (1, [None, None])];
        assert_eq!(evenness.add(&half), None);
        // One side may be known.
        let one = [(0, [Some(4_000.0), None]), (1, [Some(8_000.0), None])];
        assert!(evenness.add(&one).is_some());
    }

    #[test]
    fn what_a_target_always_does_to_a_core_is_its_own() {
        let mut evenness = Evenness::within(UNEVEN);
        let uneven =
            |evenness: &mut Evenness, times: [f64; 2]| evenness.add(&turn(times)).is_some();
        let first: Vec<bool> = (0..10)
            .map(|_| uneven(&mut evenness, [4_000.0, 5_200.0]))
            .collect();
        assert_eq!(
            first.iter().filter(|uneven| **uneven).count(),
            ASSUMED_EQUAL_TURNS
        );
        assert!(!first[ASSUMED_EQUAL_TURNS..].contains(&true));
        // Then the neighbour's is what differs from it.
        assert!(uneven(&mut evenness, [8_000.0, 5_200.0]));
        assert!(uneven(&mut evenness, [4_000.0, 4_000.0]));
        assert!(!uneven(&mut evenness, [8_000.0, 10_400.0]));
    }
}
