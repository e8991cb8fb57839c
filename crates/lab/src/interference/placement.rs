//! Where a virtual machine's host has placed the cores of server and generator, as their core-to-core latency tells: in the same cache, apart, and so on.
//!
//! A request costs another time in each of them, and not for all targets by the same factor. So a level's turns count in one of them alone,
//! and that should be the same in all rounds, and one in which there are many turns.

use std::collections::BTreeMap;

use photofinish_model::Line;
use photofinish_model::interference::{VCPU_MIGRATION, is_one_placement, latency_ratio};

use super::grade::Grade;

/// One of those that were seen in a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Placement(usize);

impl Placement {
    /// That with a number.
    #[cfg(test)]
    pub(crate) const fn at(number: usize) -> Placement {
        Placement(number)
    }
}

/// How many times as many turns as the usual placement another one needs to become the usual placement, which
/// costs the rounds until then. Twice as many turns in a round make its interval 30% narrower.
const MIN_TURNS_RATIO: f64 = 1.5;

/// Those that were seen in a run so far.
#[derive(Clone, Debug, Default)]
pub(crate) struct Placements {
    seen: Vec<Seen>,
    /// Which is usual, as long as no other has far more turns; `None` before any level has been measured.
    usual: Option<Placement>,
    /// That of the level before.
    lately: Option<Placement>,
}

/// What was seen of one.
#[derive(Clone, Copy, Debug)]
struct Seen {
    turns: u32,
    /// The logarithms of their core-to-core latencies, added up.
    logs: f64,
}

impl Seen {
    /// The core-to-core latency, in nanoseconds: the geometric mean.
    fn latency(&self) -> f64 {
        (self.logs / f64::from(self.turns)).exp()
    }
}

impl Placements {
    /// Adds a turn (or the pieces beside turns) with the core-to-core latencies that were seen around its slices, in nanoseconds. The cores lay there from its begin to its end, or
    /// were moved meanwhile, so much.
    ///
    /// Where nothing is known of it the cores lie as usual.
    pub(crate) fn add(&mut self, latencies: impl Iterator<Item = f64>) -> Result<Placement, Grade> {
        let ends = |ends: Option<(f64, f64)>, one: f64| match ends {
            None => Some((one, one)),
            Some((least, most)) => Some((least.min(one), most.max(one))),
        };
        let known = latencies.filter(|latency| latency.is_finite() && *latency > 0.0);
        let Some((least, most)) = known.fold(None, ends) else {
            return Ok(self.usual());
        };
        let middle = (least * most).sqrt();
        let is_near = |usual| is_one_placement(least, usual) && is_one_placement(most, usual);
        let placement = match (
            self.nearest(middle, is_near),
            Grade::of(most / least / VCPU_MIGRATION.limit),
        ) {
            (Some(placement), _) => placement,
            (None, Some(grade)) => return Err(grade),
            (None, None) => {
                self.seen.push(Seen {
                    turns: 0,
                    logs: 0.0,
                });
                Placement(self.seen.len() - 1)
            }
        };
        let seen = &mut self.seen[placement.0];
        seen.turns += 1;
        seen.logs += middle.ln();
        Ok(placement)
    }

    /// That in which turns count, if there are enough of them.
    pub(crate) fn usual(&self) -> Placement {
        self.usual.unwrap_or_else(|| self.most())
    }

    /// In which the turns of the level before counted.
    pub(crate) fn lately(&self) -> Option<Placement> {
        self.lately
    }

    /// A level has been measured, of which the turns with this one count.
    pub(crate) fn level_ends(&mut self, counted: Placement) {
        self.lately = Some(counted);
        let (usual, most) = (self.usual(), self.most());
        let has_far_more =
            f64::from(self.turns(most)) > f64::from(self.turns(usual)) * MIN_TURNS_RATIO;
        self.usual = Some(if has_far_more { most } else { usual });
    }

    /// Those that a run had seen when it was interrupted.
    pub(crate) fn of<'l>(lines: impl IntoIterator<Item = &'l Line>) -> Placements {
        let mut levels: BTreeMap<(u32, u32), Vec<&Line>> = BTreeMap::new();
        for line in lines.into_iter().filter(|line| line.turns.is_some()) {
            levels
                .entry((line.round, line.order))
                .or_default()
                .push(line);
        }
        let mut all = Placements::default();
        for lines in levels.values() {
            let turns = || lines.iter().filter_map(|line| line.turns.as_ref());
            for number in 0..turns().map(|turns| turns.made()).max().unwrap_or(0) {
                let of_turn = turns().filter_map(|turns| turns.turns.get(number)?.core_to_core_ns);
                // Moved ones are of none.
                let _ = all.add(of_turn);
            }
            let counted = turns().find_map(|turns| turns.core_to_core_ns());
            let counted = counted.and_then(|latency| all.nearest(latency, |_| true));
            all.level_ends(counted.unwrap_or(all.usual()));
        }
        all
    }

    /// That whose latency is nearest to this one, of those for whose latency that holds.
    fn nearest(&self, latency: f64, holds: impl Fn(f64) -> bool) -> Option<Placement> {
        let all = self.seen.iter().map(Seen::latency).enumerate();
        let away = |usual: f64| latency_ratio(latency, usual);
        let nearest = all.filter(|(_, usual)| holds(*usual));
        let nearest = nearest.min_by(|(_, one), (_, other)| away(*one).total_cmp(&away(*other)));
        nearest.map(|(number, _)| Placement(number))
    }

    /// That with the most turns, of equals the one that was seen first.
    fn most(&self) -> Placement {
        let all = (0..self.seen.len()).rev().map(Placement);
        all.max_by_key(|one| self.turns(*one)).unwrap_or_default()
    }

    fn turns(&self, of: Placement) -> u32 {
        self.seen.get(of.0).map_or(0, |seen| seen.turns)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn add(all: &mut Placements, turns: u32, latencies: [f64; 2]) -> Result<Placement, Grade> {
        let added = (0..turns).map(|_| all.add(latencies.into_iter()));
        added.last().expect("a turn")
    }

    #[test]
    fn cores_lie_where_their_latency_says_or_were_moved() {
        let mut all = Placements::default();
        assert_eq!(all.add([f64::NAN, 0.0].into_iter()), Ok(Placement(0)));
        assert_eq!(add(&mut all, 1, [40.0, 44.0]), Ok(Placement(0)));
        assert_eq!(add(&mut all, 1, [30.0, 70.0]), Ok(Placement(0)));
        assert_eq!(add(&mut all, 1, [190.0, 230.0]), Ok(Placement(1)));
        assert_eq!(add(&mut all, 1, [15.0, 16.0]), Ok(Placement(2)));
        assert_eq!(add(&mut all, 1, [220.0, 180.0]), Ok(Placement(1)));
        // 5 and 16 times as far.
        assert_eq!(add(&mut all, 1, [40.0, 200.0]), Err(Grade::at(1)));
        assert_eq!(add(&mut all, 1, [240.0, 15.0]), Err(Grade::at(3)));
        // What is between two is of the nearer one.
        assert_eq!(add(&mut all, 1, [28.0, 28.0]), Ok(Placement(0)));
        assert_eq!(add(&mut all, 1, [22.0, 22.0]), Ok(Placement(2)));
    }

    #[test]
    fn the_usual_one_stays_until_another_has_far_more_turns() {
        let mut all = Placements::default();
        let near = add(&mut all, 9, [40.0; 2]).expect("a placement");
        let far = add(&mut all, 10, [200.0; 2]).expect("a placement");
        // Until the end of the first level the one with more turns, however the level began.
        assert_eq!((all.usual(), all.lately()), (far, None));
        add(&mut all, 2, [40.0; 2]).expect("a placement");
        assert_eq!(all.usual(), near);
        all.level_ends(near);
        assert_eq!((all.usual(), all.lately()), (near, Some(near)));
        // 16 for 11 are not far more; 17 are, from the end of the level on.
        add(&mut all, 6, [200.0; 2]).expect("a placement");
        all.level_ends(far);
        assert_eq!((all.usual(), all.lately()), (near, Some(far)));
        add(&mut all, 1, [200.0; 2]).expect("a placement");
        assert_eq!(all.usual(), near);
        all.level_ends(near);
        assert_eq!(all.usual(), far);
    }
}
