//! How many turns a level has, and which of them count, where something disturbs them.

use std::time::Duration;

use photofinish_model::Disturbed;

use super::cut::{self, Cut};
use super::state::{Grade, TurnState};
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

/// What disturbed the turns of a level so far.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tally {
    /// Of the undisturbed ones those in which the cores lay as usual, and those in which they lay elsewhere.
    usual: u32,
    elsewhere: u32,
    /// How many were disturbed so much, the least first.
    disturbed: [u32; Grade::ALL],
    /// Of all of these, how many in which the cores had been moved, and how many that nothing disturbed but uneven cores.
    moved: u32,
    uneven: u32,
    /// Whether the cores lie elsewhere since an earlier level that waited in vain: that is no spell which soon ends.
    have_settled: bool,
}

/// Which turns of a level count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Counted {
    /// Those in which the cores lay elsewhere, or those in which they lay as usual: not both.
    pub(crate) are_elsewhere: bool,
    /// And so many grades of disturbed ones, from the least on.
    pub(crate) spared: usize,
}

impl Counted {
    /// Whether a turn of which that was seen counts.
    pub(crate) fn counts(self, seen: TurnState) -> bool {
        match seen {
            TurnState::Usual => !self.are_elsewhere,
            TurnState::Elsewhere(_) => self.are_elsewhere,
            TurnState::Disturbed(_, grade) => grade.place() < self.spared,
        }
    }
}

impl Tally {
    /// That of a level before which the cores may have settled elsewhere.
    pub(crate) fn new(have_settled: bool) -> Tally {
        Tally {
            have_settled,
            ..Tally::default()
        }
    }

    /// Adds a turn.
    pub(crate) fn add(&mut self, seen: TurnState) {
        match seen {
            TurnState::Usual => self.usual += 1,
            TurnState::Elsewhere(_) => self.elsewhere += 1,
            TurnState::Disturbed(what, grade) => {
                self.disturbed[grade.place()] += 1;
                self.moved += u32::from(what == Disturbed::MovedCores);
                self.uneven += u32::from(what == Disturbed::UnevenCores);
            }
        }
    }

    /// How many turns were made.
    pub(crate) fn made(&self) -> u32 {
        self.usual + self.elsewhere + self.disturbed.iter().sum::<u32>()
    }

    /// Whether another turn is to be made. `turn`: how long one takes; `asked`: how long all of them, by the plan; `left`: for how much longer
    /// than planned the levels of the run may still go on.
    ///
    /// Turns with uneven cores are not waited for: how fast the cores were is known.
    pub(crate) fn goes_on(
        &self,
        cut: &Cut,
        turn: Duration,
        asked: Duration,
        left: Duration,
    ) -> bool {
        let made = self.made();
        if made < cut.turns {
            return true;
        }
        let most = cut.turns.saturating_mul(MOST);
        let enough = share(cut, ENOUGH);
        let usable = self.usual + self.uneven;
        let is_enough = usable >= enough || self.have_settled && self.elsewhere >= enough;
        if made >= most || is_enough || self.beyond(cut, turn) >= left {
            return false;
        }
        let by_then = f64::from(usable) / f64::from(made) * f64::from(most);
        let were_moved = (self.elsewhere + self.moved) * 2 > made - usable;
        let limit = match were_moved {
            true => (asked + STAY.0).min(asked * STAY.1),
            false => SPELL.min(asked * ASKED),
        };
        by_then >= f64::from(enough) || turn * made < limit
    }

    /// The same where turns are made for a time, of which so much has passed.
    pub(crate) fn goes_on_for(&self, cut: &Cut, time: TurnTime, passed: Duration) -> bool {
        let most = self.usual.max(self.elsewhere) + self.uneven;
        let until = match most < share(cut, FEWEST) {
            true => time.most,
            false => time.usual,
        };
        self.made() < cut::FEWEST || passed < until
    }

    /// For how much longer than planned turns were made.
    pub(crate) fn beyond(&self, cut: &Cut, turn: Duration) -> Duration {
        turn * self.made().saturating_sub(cut.turns)
    }

    /// Which of them count. What was measured has no say in it.
    ///
    /// Where hardly any was usual, those count in which the cores lay elsewhere, if there are more of them: turns of both kinds together are of none.
    pub(crate) fn counted(&self, cut: &Cut) -> Counted {
        let fewest = share(cut, FEWEST).min(FEW);
        let are_elsewhere = self.usual < fewest && self.elsewhere > self.usual;
        let mut count = match are_elsewhere {
            true => self.elsewhere,
            false => self.usual,
        };
        if count >= fewest {
            return Counted {
                are_elsewhere,
                spared: 0,
            };
        }
        let enough = self.disturbed.iter().position(|more| {
            count += more;
            count >= share(cut, ENOUGH)
        });
        Counted {
            are_elsewhere,
            spared: enough.map_or(Grade::ALL, |place| place + 1),
        }
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
    };
    const TURN: Duration = Duration::from_millis(150);
    const ASKED_FOR: Duration = Duration::from_secs(10);
    const ALL: Duration = Duration::from_secs(1_000);

    fn tally(usual: u32, disturbed: [u32; Grade::ALL]) -> Tally {
        Tally {
            usual,
            disturbed,
            ..Tally::default()
        }
    }

    #[test]
    fn turns_are_made_until_enough_are_undisturbed() {
        let goes_on = |undisturbed, disturbed| {
            tally(undisturbed, [disturbed, 0, 0, 0, 0, 0]).goes_on(&CUT, TURN, ASKED_FOR, ALL)
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
        let all_disturbed =
            |made, asked| tally(0, [made, 0, 0, 0, 0, 0]).goes_on(&CUT, short, asked, ALL);
        assert!(all_disturbed(100, ASKED_FOR));
        assert!(!all_disturbed(200, ASKED_FOR));
        // What other levels have used up is not there for this one: 10 turns more are 1.5 s.
        let left = |made: u32, left| {
            let left = Duration::from_millis(left);
            tally(49, [made - 49, 0, 0, 0, 0, 0]).goes_on(&CUT, TURN, ASKED_FOR, left)
        };
        assert!(left(99, 0) && left(109, 1_500));
        assert!(!left(100, 0) && !left(110, 1_500));
        // Uneven ones are as good as others here.
        let with_uneven = |uneven| {
            let tally = tally(20, [80, 0, 0, 0, 0, 0]);
            Tally { uneven, ..tally }.goes_on(&CUT, TURN, ASKED_FOR, ALL)
        };
        assert!(with_uneven(29) && !with_uneven(30));
        // Cores that were moved stay there for longer.
        let moved = |made, moved| {
            let tally = tally(0, [made, 0, 0, 0, 0, 0]);
            Tally { moved, ..tally }.goes_on(&CUT, TURN, ASKED_FOR, ALL)
        };
        assert!(moved(133, 67));
        assert!(!moved(133, 66));
        // 20 s of 150 ms each.
        assert!(!moved(134, 134));
        let elsewhere = |elsewhere, have_settled| {
            let tally = Tally {
                elsewhere,
                ..Tally::new(have_settled)
            };
            tally.goes_on(&CUT, TURN, ASKED_FOR, ALL)
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
        let elsewhere = Tally {
            elsewhere: 20,
            ..few.clone()
        };
        assert!(!goes_on(&elsewhere, s(10)));
        let uneven = Tally { uneven: 1, ..few };
        assert!(!goes_on(&uneven, s(10)));
        // No level has fewer turns than the fewest.
        assert!(goes_on(&tally(3, [0; 6]), s(100)) && !goes_on(&tally(4, [0; 6]), s(100)));
    }

    #[test]
    fn where_hardly_any_is_undisturbed_the_least_disturbed_count() {
        let spared = |usual, disturbed| {
            let counted = tally(usual, disturbed).counted(&CUT);
            assert!(!counted.are_elsewhere);
            counted.spared
        };
        assert_eq!(spared(100, [0; 6]), 0);
        assert_eq!(spared(10, [90, 0, 0, 0, 0, 0]), 0);
        assert_eq!(spared(9, [41, 50, 0, 0, 0, 0]), 1);
        assert_eq!(spared(9, [40, 50, 1, 0, 0, 0]), 2);
        // A fifth of 20.
        let short = Cut { turns: 20, ..CUT };
        let spared_of_few = |usual| tally(usual, [20, 0, 0, 0, 0, 0]).counted(&short).spared;
        assert_eq!((spared_of_few(4), spared_of_few(3)), (0, 1));
        assert_eq!(spared(0, [0, 0, 0, 0, 0, 100]), 6);
        // Targets that fail end a level before its time.
        assert_eq!(spared(0, [3, 0, 0, 0, 0, 0]), 6);
    }

    #[test]
    fn turns_with_the_cores_here_and_there_do_not_count_together() {
        let counted = |usual, elsewhere, disturbed| {
            let tally = Tally {
                elsewhere,
                ..tally(usual, [disturbed, 0, 0, 0, 0, 0])
            };
            let counted = tally.counted(&CUT);
            (counted.are_elsewhere, counted.spared)
        };
        assert_eq!(counted(10, 90, 0), (false, 0));
        assert_eq!(counted(9, 91, 0), (true, 0));
        assert_eq!(counted(9, 10, 81), (true, 0));
        assert_eq!(counted(9, 9, 82), (false, 1));
        assert_eq!(counted(3, 9, 88), (true, 1));
        let counted = Counted {
            are_elsewhere: true,
            spared: 1,
        };
        let grades = [0, 2].map(|place| {
            let seen = TurnState::Elsewhere(Grade::at(place));
            (counted.counts(seen), Counted::default().counts(seen))
        });
        assert_eq!(grades, [(true, false); 2]);
        assert!(!counted.counts(TurnState::Usual) && Counted::default().counts(TurnState::Usual));
        let stopped = |place| TurnState::Disturbed(Disturbed::StoppedCore, Grade::at(place));
        assert!(counted.counts(stopped(0)) && !counted.counts(stopped(1)));
    }
}
