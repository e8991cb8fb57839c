//! The turns of a level so far, and which of them count.

use std::collections::{BTreeMap, BTreeSet};

use photofinish_model::Disturbed;

use super::grade::Grade;
use super::placement::Placement;
use super::state::{Kind, TurnState};
use crate::turns::cut::Cut;

/// Disturbed turns are kept until so large a share of the planned ones counts. Without evidence of its own (`notes/rules.md`).
pub(super) const ENOUGH_SHARE: f64 = 0.5;
/// Disturbed turns are kept if fewer than this share of the planned turns was undisturbed, and fewer than [`MIN_UNDISTURBED`]: a few turns in the usual
/// placement show more than many in others (`notes/other-processes.md`).
pub(super) const MIN_UNDISTURBED_SHARE: f64 = 0.2;
/// See [`MIN_UNDISTURBED_SHARE`].
const MIN_UNDISTURBED: u32 = 10;

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
    pub(super) fn count(&self, of: impl Fn(TurnState) -> bool) -> u32 {
        let all = self.turns.iter().filter(|(seen, _)| of(**seen));
        all.map(|(_, turns)| turns).sum()
    }

    /// How many turns were made.
    pub(crate) fn made(&self) -> u32 {
        self.count(|_| true)
    }

    /// How many nothing disturbed, if the cores are to lie there.
    pub(super) fn undisturbed(&self, placement: Placement) -> u32 {
        self.count(|seen| seen.disturbed(placement).is_none())
    }

    /// With those that nothing disturbed but uneven cores: how fast the cores were is known.
    pub(super) fn usable(&self, placement: Placement) -> u32 {
        let nothing_but_uneven =
            |what: Option<Disturbed>| what.is_none_or(|what| what == Disturbed::UnevenCores);
        self.count(|seen| nothing_but_uneven(seen.disturbed(placement)))
    }

    /// Where the cores lay in some of the turns.
    pub(super) fn placements(&self) -> BTreeSet<Placement> {
        self.turns
            .keys()
            .filter_map(|seen| seen.placement)
            .collect()
    }

    /// Which of them count, where the cores usually lie there. What was measured has no say in it.
    ///
    /// Where hardly any was as usual, those count in which the cores lay where they lay in most, if there are more of them: turns of several placements
    /// together are of none.
    pub(crate) fn counted(&self, cut: &Cut, usual: Placement) -> Counted {
        let fewest = share(cut, MIN_UNDISTURBED_SHARE).min(MIN_UNDISTURBED);
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
                let enough = grades.find(|spared| counts(*spared) >= share(cut, ENOUGH_SHARE));
                enough.unwrap_or(Grade::ALL)
            }
        };
        Counted { placement, spared }
    }
}

/// So many of the planned turns.
pub(super) fn share(cut: &Cut, share: f64) -> u32 {
    (f64::from(cut.turns) * share).ceil() as u32
}

#[cfg(test)]
pub(super) mod tests {
    use std::time::Duration;

    use super::*;

    pub(crate) const CUT: Cut = Cut {
        counted: Duration::from_millis(50),
        lead_in: Duration::from_millis(20),
        turns: 100,
        stall: Duration::from_millis(2),
    };

    pub(crate) const USUAL: Placement = Placement::at(0);
    pub(crate) const OTHER: Placement = Placement::at(1);

    /// Turns with the cores as usual: so many undisturbed ones, and so many disturbed ones of each grade.
    pub(crate) fn tally(usual: u32, disturbed: [u32; Grade::ALL]) -> Tally {
        let disturbed = disturbed.into_iter().enumerate();
        let disturbed =
            disturbed.map(|(grade, turns)| (at(USUAL, Disturbed::OtherProcesses, grade), turns));
        let tally = Tally::default().and(TurnState::new(Ok(USUAL), None), usual);
        disturbed.fold(tally, |tally, (seen, turns)| tally.and(seen, turns))
    }

    pub(crate) fn at(placement: Placement, what: Disturbed, grade: usize) -> TurnState {
        TurnState::new(Ok(placement), Some((what, Grade::at(grade))))
    }

    impl Tally {
        pub(crate) fn and(mut self, seen: TurnState, turns: u32) -> Tally {
            (0..turns).for_each(|_| self.add(seen));
            self
        }

        /// And so many that nothing disturbed but that the cores lay elsewhere.
        pub(crate) fn and_elsewhere(self, turns: u32) -> Tally {
            self.and(TurnState::new(Ok(OTHER), None), turns)
        }
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
