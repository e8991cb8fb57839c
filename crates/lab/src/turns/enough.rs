//! How many turns a level has, and which of them count, where something disturbs them.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use photofinish_model::Disturbed;

use super::cut::{self, Cut};
use super::grade::Grade;
use super::placement::{Placement, Placements};
use super::state::{Kind, TurnState};
use crate::time_limit::TurnTime;

/// Share of the planned turns that have to be undisturbed for a level to end.
const ENOUGH_SHARE: f64 = 0.5;
/// Most turns of a level, in multiples of those that are planned.
const MAX_TURNS_FACTOR: u32 = 3;
/// How long a level continues beyond the plan if, at the rate so far, it would not have enough undisturbed
/// turns even then: phases of noise are shorter.
const MAX_EXTENSION: Duration = Duration::from_secs(6);
/// Longest extension, in multiples of the planned time: whoever asks for short levels would not wait longer.
const MAX_EXTENSION_FACTOR: u32 = 3;
/// Longest extension after a vCPU migration, as a time and in multiples of the planned time. Migrated cores
/// of a virtual machine keep their placement for some 10 to 60 s.
const MAX_EXTENSION_MIGRATED: (Duration, u32) = (Duration::from_secs(30), 2);
/// Longest extension of all levels of a run together, as a share of the planned time, which was announced.
const MAX_EXTENSION_ALL: f64 = 1.0 / 3.0;
/// Share of the planned turns below which undisturbed ones are waited for.
const MIN_UNDISTURBED_SHARE: f64 = 0.2;
/// Number of undisturbed turns below which, if they are less than [`MIN_UNDISTURBED_SHARE`] too, the least
/// disturbed turns count as well, or those with another placement. A few usual turns show more than many
/// others.
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
    pub(crate) kept_grades: usize,
}

impl Counted {
    /// Whether turns of a kind count.
    pub(crate) fn counts(self, (placement, grade): Kind) -> bool {
        placement.is_none_or(|placement| placement == self.placement)
            && grade.is_none_or(|grade| grade.place() < self.kept_grades)
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
    /// than planned the levels of the run may still continue; `placements`: where the cores lay in the run's turns so far.
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
        let most = cut.turns.saturating_mul(MAX_TURNS_FACTOR);
        let enough = share(cut, ENOUGH_SHARE);
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
            true => (asked + MAX_EXTENSION_MIGRATED.0).min(asked * MAX_EXTENSION_MIGRATED.1),
            false => MAX_EXTENSION.min(asked * MAX_EXTENSION_FACTOR),
        };
        by_then >= f64::from(enough) || turn * made < limit
    }

    /// The same where turns are made for a time, of which so much has passed.
    pub(crate) fn goes_on_for(&self, cut: &Cut, time: TurnTime, passed: Duration) -> bool {
        let all = self.placements().into_iter();
        let most = all.map(|placement| self.usable(placement)).max();
        let until = match most.unwrap_or(0) < share(cut, MIN_UNDISTURBED_SHARE) {
            true => time.most,
            false => time.usual,
        };
        self.made() < cut::MIN_TURNS || passed < until
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
        let counts = |kept_grades| {
            let counted = Counted {
                placement,
                kept_grades,
            };
            self.count(|seen| counted.counts(seen.kind()))
        };
        let kept_grades = match counts(0) >= fewest {
            true => 0,
            false => {
                let mut grades = 1..Grade::ALL;
                let enough =
                    grades.find(|kept_grades| counts(*kept_grades) >= share(cut, ENOUGH_SHARE));
                enough.unwrap_or(Grade::ALL)
            }
        };
        Counted {
            placement,
            kept_grades,
        }
    }
}

/// For how much longer than planned all levels of a run may continue together, by what they are planned to take.
pub(crate) fn beyond_plan(planned: Duration) -> Duration {
    planned.mul_f64(MAX_EXTENSION_ALL)
}

/// So many of the planned turns.
fn share(cut: &Cut, share: f64) -> u32 {
    (f64::from(cut.turns) * share).ceil() as u32
}

#[cfg(test)]
mod tests;
