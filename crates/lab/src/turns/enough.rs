//! How many turns a level has, and which of them count, where something disturbs them.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use photofinish_model::Disturbed;

use super::cut::{self, Cut};
use super::grade::Grade;
use super::placement::{Placement, Placements};
use super::state::{Kind, TurnState};
use crate::time_limit::TurnTime;

/// Turns are made until so large a share of the planned ones was undisturbed …
const ENOUGH: f64 = 0.5;
/// … but at most this many times as many as planned …
const MOST: u32 = 3;
/// … and no longer than this (or than planned) where it goes on so that even then there would not be enough: spells of noise are shorter …
const SPELL: Duration = Duration::from_secs(6);
/// … nor than so many times what the plan asked for: who asks for short levels would not wait for that.
const ASKED: u32 = 3;
/// A virtual machine's cores that have been moved stay there for some 10 to 60 s. A level goes on for no longer than this beyond what the
/// plan asked for, nor than so many times that.
const STAY: (Duration, u32) = (Duration::from_secs(30), 2);
/// All levels of a run together go on for this share of what they are planned to take: whoever waits for the run was told how long it takes.
const IN_ALL: f64 = 1.0 / 3.0;
/// Where fewer than this share of the planned turns was undisturbed, it is waited for more …
const FEWEST: f64 = 0.2;
/// … and where so few were not, nor that share, the least disturbed ones count too, or those with the cores elsewhere: a few turns of the usual kind say
/// more than many of others.
const FEW: u32 = 10;

/// The turns of a level so far.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tally {
    /// How many of them were so.
    turns: BTreeMap<TurnState, u32>,
}

/// Which turns of a level count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Counted {
    /// Undisturbed ones in which the cores lay there …
    pub(crate) placement: Placement,
    /// … and so many grades of disturbed ones, from the least on, if the cores lay there too or were moved meanwhile.
    pub(crate) spared: usize,
}

impl Counted {
    /// Whether turns of a kind count.
    pub(crate) fn counts(self, (placement, grade): Kind) -> bool {
        placement.is_none_or(|placement| placement == self.placement)
            && grade.is_none_or(|grade| grade.place() < self.spared)
    }
}

impl Tally {
    /// Adds a turn.
    pub(crate) fn add(&mut self, seen: TurnState) {
        *self.turns.entry(seen).or_default() += 1;
    }

    /// How many turns were made of which that holds.
    fn count(&self, of: impl Fn(TurnState) -> bool) -> u32 {
        let all = self.turns.iter().filter(|(seen, _)| of(**seen));
        all.map(|(_, turns)| turns).sum()
    }

    /// How many turns were made.
    pub(crate) fn made(&self) -> u32 {
        self.count(|_| true)
    }

    /// How many nothing disturbed, if the cores are to lie there.
    fn undisturbed(&self, placement: Placement) -> u32 {
        self.count(|seen| seen.disturbed(placement).is_none())
    }

    /// With those that nothing disturbed but uneven cores: how fast the cores were is known.
    fn usable(&self, placement: Placement) -> u32 {
        let nothing_but_uneven =
            |what: Option<Disturbed>| what.is_none_or(|what| what == Disturbed::UnevenCores);
        self.count(|seen| nothing_but_uneven(seen.disturbed(placement)))
    }

    /// Where the cores lay in some of the turns.
    fn placements(&self) -> BTreeSet<Placement> {
        self.turns
            .keys()
            .filter_map(|seen| seen.placement)
            .collect()
    }

    /// Whether another turn is to be made. `turn`: how long one takes; `asked`: how long all of them, by the plan; `left`: for how much longer
    /// than planned the levels of the run may still go on; `placements`: where the cores lay in the run's turns so far.
    ///
    /// Turns with uneven cores are not waited for. Nor is it waited for cores that lie elsewhere since an earlier level which waited in vain: that is
    /// no spell which soon ends.
    pub(crate) fn goes_on(
        &self,
        cut: &Cut,
        turn: Duration,
        asked: Duration,
        left: Duration,
        placements: &Placements,
    ) -> bool {
        let made = self.made();
        if made < cut.turns {
            return true;
        }
        let most = cut.turns.saturating_mul(MOST);
        let enough = share(cut, ENOUGH);
        let usual = placements.usual();
        let usable = self.usable(usual);
        let have_settled = placements.lately().filter(|lately| *lately != usual);
        let is_enough = usable >= enough
            || have_settled.is_some_and(|lately| self.undisturbed(lately) >= enough);
        if made >= most || is_enough || self.beyond(cut, turn) >= left {
            return false;
        }
        let by_then = f64::from(usable) / f64::from(made) * f64::from(most);
        let moved = self.count(|seen| seen.disturbed(usual) == Some(Disturbed::MovedCores));
        let limit = match moved * 2 > made - usable {
            true => (asked + STAY.0).min(asked * STAY.1),
            false => SPELL.min(asked * ASKED),
        };
        by_then >= f64::from(enough) || turn * made < limit
    }

    /// The same where turns are made for a time, of which so much has passed.
    pub(crate) fn goes_on_for(&self, cut: &Cut, time: TurnTime, passed: Duration) -> bool {
        let all = self.placements().into_iter();
        let most = all.map(|placement| self.usable(placement)).max();
        let until = match most.unwrap_or(0) < share(cut, FEWEST) {
            true => time.most,
            false => time.usual,
        };
        self.made() < cut::FEWEST || passed < until
    }

    /// For how much longer than planned turns were made.
    pub(crate) fn beyond(&self, cut: &Cut, turn: Duration) -> Duration {
        turn * self.made().saturating_sub(cut.turns)
    }

    /// Which of them count, where the cores usually lie there. What was measured has no say in it.
    ///
    /// Where hardly any was as usual, those count in which the cores lay where they lay in most, if there are more of them: turns of several placements
    /// together are of none.
    pub(crate) fn counted(&self, cut: &Cut, usual: Placement) -> Counted {
        let fewest = share(cut, FEWEST).min(FEW);
        // Of turns that are all disturbed, those of one placement.
        let how_many = |placement: &Placement| {
            let all = self.count(|seen| seen.placement == Some(*placement));
            (self.undisturbed(*placement), all)
        };
        // Of equals the last, so the one that was seen first.
        let most = self.placements().into_iter().rev().max_by_key(how_many);
        let has_more = |most: &Placement| {
            self.undisturbed(usual) < fewest && how_many(most) > how_many(&usual)
        };
        let placement = most.filter(has_more).unwrap_or(usual);
        let counts = |spared| {
            let counted = Counted { placement, spared };
            self.count(|seen| counted.counts(seen.kind()))
        };
        let spared = match counts(0) >= fewest {
            true => 0,
            false => {
                let mut grades = 1..Grade::ALL;
                let enough = grades.find(|spared| counts(*spared) >= share(cut, ENOUGH));
                enough.unwrap_or(Grade::ALL)
            }
        };
        Counted { placement, spared }
    }
}

/// For how much longer than planned all levels of a run may go on together, by what they are planned to take.
pub(crate) fn beyond_plan(planned: Duration) -> Duration {
    planned.mul_f64(IN_ALL)
}

/// So many of the planned turns.
fn share(cut: &Cut, share: f64) -> u32 {
    (f64::from(cut.turns) * share).ceil() as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    const CUT: Cut = Cut {
        counted: Duration::from_millis(50),
        lead_in: Duration::from_millis(20),
        turns: 100,
        stall: Duration::from_millis(2),
    };
    const TURN: Duration = Duration::from_millis(150);
    const ASKED_FOR: Duration = Duration::from_secs(10);
    const ALL: Duration = Duration::from_secs(1_000);

    const USUAL: Placement = Placement::at(0);
    const OTHER: Placement = Placement::at(1);

    /// Turns with the cores as usual: so many undisturbed ones, and so many disturbed ones of each grade.
    fn tally(usual: u32, disturbed: [u32; Grade::ALL]) -> Tally {
        let disturbed = disturbed.into_iter().enumerate();
        let disturbed =
            disturbed.map(|(grade, turns)| (at(USUAL, Disturbed::OtherProcesses, grade), turns));
        let tally = Tally::default().and(TurnState::new(Ok(USUAL), None), usual);
        disturbed.fold(tally, |tally, (seen, turns)| tally.and(seen, turns))
    }

    fn at(placement: Placement, what: Disturbed, grade: usize) -> TurnState {
        TurnState::new(Ok(placement), Some((what, Grade::at(grade))))
    }

    impl Tally {
        fn and(mut self, seen: TurnState, turns: u32) -> Tally {
            (0..turns).for_each(|_| self.add(seen));
            self
        }

        /// And so many that nothing disturbed but that the cores lay elsewhere.
        fn and_elsewhere(self, turns: u32) -> Tally {
            self.and(TurnState::new(Ok(OTHER), None), turns)
        }
    }

    /// Of a run whose cores usually lay in one placement, and in the level before it in that one.
    fn lately(placement: Placement) -> Placements {
        let mut placements = Placements::default();
        for (latency, turns) in [(40.0, 2), (200.0, 1)] {
            for _ in 0..turns {
                placements.add([latency].into_iter()).expect("a placement");
            }
        }
        placements.level_ends(placement);
        placements
    }

    #[test]
    fn turns_are_made_until_enough_are_undisturbed() {
        let goes_on = |undisturbed, disturbed| {
            let tally = tally(undisturbed, [disturbed, 0, 0, 0, 0, 0]);
            tally.goes_on(&CUT, TURN, ASKED_FOR, ALL, &lately(USUAL))
        };
        assert!(goes_on(99, 0));
        assert!(!goes_on(100, 0));
        assert!(!goes_on(50, 50));
        assert!(goes_on(49, 51));
        assert!(goes_on(49, 240));
        assert!(!goes_on(49, 251));
        // A sixth would be enough in three times as many; less is not, once 6 s have passed.
        assert!(goes_on(17, 83));
        assert!(!goes_on(16, 84));
        let short = Duration::from_millis(30);
        let all_disturbed = |made, asked| {
            tally(0, [made, 0, 0, 0, 0, 0]).goes_on(&CUT, short, asked, ALL, &lately(USUAL))
        };
        assert!(all_disturbed(100, ASKED_FOR));
        assert!(!all_disturbed(200, ASKED_FOR));
        // What other levels have used up is not there for this one: 10 turns more are 1.5 s.
        let left = |made: u32, left| {
            let left = Duration::from_millis(left);
            let tally = tally(49, [made - 49, 0, 0, 0, 0, 0]);
            tally.goes_on(&CUT, TURN, ASKED_FOR, left, &lately(USUAL))
        };
        assert!(left(99, 0) && left(109, 1_500));
        assert!(!left(100, 0) && !left(110, 1_500));
        // Uneven ones are as good as others here.
        let with_uneven = |uneven| {
            let tally = tally(20, [80 - uneven, 0, 0, 0, 0, 0]);
            let tally = tally.and(at(USUAL, Disturbed::UnevenCores, 0), uneven);
            tally.goes_on(&CUT, TURN, ASKED_FOR, ALL, &lately(USUAL))
        };
        assert!(with_uneven(29) && !with_uneven(30));
        // Cores that were moved stay there for longer.
        let moved = |made, moved| {
            let tally = tally(0, [made - moved, 0, 0, 0, 0, 0]);
            let tally = tally.and(TurnState::new(Err(Grade::at(0)), None), moved);
            tally.goes_on(&CUT, TURN, ASKED_FOR, ALL, &lately(USUAL))
        };
        assert!(moved(133, 67));
        assert!(!moved(133, 66));
        // 20 s of 150 ms each.
        assert!(!moved(134, 134));
        let elsewhere = |elsewhere, have_settled| {
            let lately = lately(if have_settled { OTHER } else { USUAL });
            let tally = Tally::default().and_elsewhere(elsewhere);
            tally.goes_on(&CUT, TURN, ASKED_FOR, ALL, &lately)
        };
        assert!(elsewhere(133, false));
        assert!(!elsewhere(134, false));
        // Where they lie there since an earlier level nobody waits for them.
        assert!(elsewhere(99, true));
        assert!(!elsewhere(100, true));
        // Of a level of 1.1 s, no more than 3.3 s.
        let little = Duration::from_millis(1_100);
        assert!(all_disturbed(109, little));
        assert!(!all_disturbed(110, little));
    }

    #[test]
    fn turns_for_a_time_go_on_for_longer_where_hardly_any_is_undisturbed() {
        let s = Duration::from_secs;
        let time = TurnTime {
            usual: s(10),
            most: s(15),
        };
        let goes_on = |tally: &Tally, passed| tally.goes_on_for(&CUT, time, passed);
        let ms = Duration::from_millis(1);
        // However many there are, and were to be. A fifth of the planned 100 is enough.
        let enough = tally(20, [400, 0, 0, 0, 0, 0]);
        assert!(goes_on(&enough, s(10) - ms) && !goes_on(&enough, s(10)));
        let few = tally(19, [40, 0, 0, 0, 0, 0]);
        assert!(goes_on(&few, s(10)) && goes_on(&few, s(15) - ms) && !goes_on(&few, s(15)));
        let elsewhere = few.clone().and_elsewhere(20);
        assert!(!goes_on(&elsewhere, s(10)));
        let uneven = few.and(at(USUAL, Disturbed::UnevenCores, 0), 1);
        assert!(!goes_on(&uneven, s(10)));
        // No level has fewer turns than the fewest.
        assert!(goes_on(&tally(3, [0; 6]), s(100)) && !goes_on(&tally(4, [0; 6]), s(100)));
    }

    #[test]
    fn where_hardly_any_is_undisturbed_the_least_disturbed_count() {
        let spared = |usual, disturbed| {
            let counted = tally(usual, disturbed).counted(&CUT, USUAL);
            assert_eq!(counted.placement, USUAL);
            counted.spared
        };
        assert_eq!(spared(100, [0; 6]), 0);
        assert_eq!(spared(10, [90, 0, 0, 0, 0, 0]), 0);
        assert_eq!(spared(9, [41, 50, 0, 0, 0, 0]), 1);
        assert_eq!(spared(9, [40, 50, 1, 0, 0, 0]), 2);
        // A fifth of 20.
        let short = Cut { turns: 20, ..CUT };
        let few = |usual| tally(usual, [20, 0, 0, 0, 0, 0]).counted(&short, USUAL);
        let spared_of_few = |usual| few(usual).spared;
        assert_eq!((spared_of_few(4), spared_of_few(3)), (0, 1));
        assert_eq!(spared(0, [0, 0, 0, 0, 0, 100]), 6);
        // Targets that fail end a level before its time.
        assert_eq!(spared(0, [3, 0, 0, 0, 0, 0]), 6);
    }

    #[test]
    fn turns_with_the_cores_here_and_there_do_not_count_together() {
        let counted = |usual, elsewhere, disturbed| {
            let tally = tally(usual, [disturbed, 0, 0, 0, 0, 0]).and_elsewhere(elsewhere);
            let counted = tally.counted(&CUT, USUAL);
            (counted.placement == OTHER, counted.spared)
        };
        assert_eq!(counted(10, 90, 0), (false, 0));
        assert_eq!(counted(9, 91, 0), (true, 0));
        assert_eq!(counted(9, 10, 81), (true, 0));
        assert_eq!(counted(9, 9, 82), (false, 1));
        // Too few, and where they lay nothing else disturbed them.
        assert_eq!(counted(3, 9, 88), (true, Grade::ALL));
        // All are disturbed: those of the placement with more turns count.
        let others = |placement| at(placement, Disturbed::OtherProcesses, 0);
        let disturbed = |usual, elsewhere| {
            let tally = Tally::default().and(others(USUAL), usual);
            tally.and(others(OTHER), elsewhere).counted(&CUT, USUAL)
        };
        let of = |placement, spared| Counted { placement, spared };
        assert_eq!(disturbed(0, 60), of(OTHER, 1));
        assert_eq!(disturbed(50, 60), of(OTHER, 1));
        assert_eq!(disturbed(60, 50), of(USUAL, 1));
        let moved = |grade| TurnState::new(Err(Grade::at(grade)), None);
        let tally = Tally::default().and(moved(2), 3);
        assert_eq!(tally.counted(&CUT, USUAL), of(USUAL, Grade::ALL));
        let counts = |seen: TurnState| of(OTHER, 1).counts(seen.kind());
        assert!(counts(TurnState::new(Ok(OTHER), None)) && counts(others(OTHER)));
        assert!(!counts(TurnState::new(Ok(USUAL), None)) && !counts(others(USUAL)));
        assert!(counts(moved(0)) && !counts(moved(1)));
        assert!(!counts(at(OTHER, Disturbed::StoppedCore, 1)));
    }
}
