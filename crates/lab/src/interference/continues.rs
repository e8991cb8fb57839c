//! The rule that decides how long a level continues.
//!
//! A level continues until enough turns are undisturbed. Turns with unequal core speed are not waited for. Nor are cores that are in another placement
//! since an earlier level that waited for them in vain: that is no phase that soon ends.

use std::time::Duration;

use photofinish_model::Disturbed;

use super::placement::Placements;
use super::tally::{ENOUGH_SHARE, MIN_UNDISTURBED_SHARE, Tally, share};
use crate::time_limit::TurnTime;
use crate::turns::cut::{self, Cut};

/// A level has at most so many times the planned turns. Without evidence of its own, as [`MAX_EXTENSION`] and [`MAX_EXTENSION_ALL`] (`notes/rules.md`).
const MAX_TURNS_FACTOR: u32 = 3;
/// A level that continues so that there would not be enough turns even then ends after this time, or when it has all planned turns: phases of
/// interference are shorter.
const MAX_EXTENSION: Duration = Duration::from_secs(6);
/// Nor does it take longer than so many times what the plan asked for: who asks for short levels would not wait for that.
const MAX_EXTENSION_FACTOR: u32 = 3;
/// Moved cores stay in a placement for 10 to 60 s (`notes/vcpu-migration.md`). A level waits for them for this long beyond what the plan asked for, and
/// takes at most so many times that.
const MAX_EXTENSION_MIGRATED: (Duration, u32) = (Duration::from_secs(30), 2);
/// All levels of a run together continue for this share of what they are planned to take: whoever waits for the run was told how long it takes.
const MAX_EXTENSION_ALL: f64 = 1.0 / 3.0;

impl Tally {
    /// Whether another turn is to be made. `turn`: how long one takes; `asked`: how long all of them, by the plan; `left`: for how much longer
    /// than planned the levels of the run may still continue; `placements`: where the cores lay in the run's turns so far.
    pub(crate) fn continues(
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
    pub(crate) fn continues_for(&self, cut: &Cut, time: TurnTime, passed: Duration) -> bool {
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
}

/// For how much longer than planned all levels of a run may continue together, by what they are planned to take.
pub(crate) fn beyond_plan(planned: Duration) -> Duration {
    planned.mul_f64(MAX_EXTENSION_ALL)
}

#[cfg(test)]
mod tests {
    use super::super::grade::Grade;
    use super::super::placement::Placement;
    use super::super::state::TurnState;
    use super::super::tally::tests::{CUT, OTHER, USUAL, at, tally};
    use super::*;

    const TURN: Duration = Duration::from_millis(150);
    const ASKED_FOR: Duration = Duration::from_secs(10);
    const ALL: Duration = Duration::from_secs(1_000);

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
        let continues = |undisturbed, disturbed| {
            let tally = tally(undisturbed, [disturbed, 0, 0, 0, 0, 0]);
            tally.continues(&CUT, TURN, ASKED_FOR, ALL, &lately(USUAL))
        };
        assert!(continues(99, 0));
        assert!(!continues(100, 0));
        assert!(!continues(50, 50));
        assert!(continues(49, 51));
        assert!(continues(49, 240));
        assert!(!continues(49, 251));
        // A sixth would be enough in three times as many; less is not, once 6 s have passed.
        assert!(continues(17, 83));
        assert!(!continues(16, 84));
        let short = Duration::from_millis(30);
        let all_disturbed = |made, asked| {
            tally(0, [made, 0, 0, 0, 0, 0]).continues(&CUT, short, asked, ALL, &lately(USUAL))
        };
        assert!(all_disturbed(100, ASKED_FOR));
        assert!(!all_disturbed(200, ASKED_FOR));
        // What other levels have used up is not there for this one: 10 turns more are 1.5 s.
        let left = |made: u32, left| {
            let left = Duration::from_millis(left);
            let tally = tally(49, [made - 49, 0, 0, 0, 0, 0]);
            tally.continues(&CUT, TURN, ASKED_FOR, left, &lately(USUAL))
        };
        assert!(left(99, 0) && left(109, 1_500));
        assert!(!left(100, 0) && !left(110, 1_500));
        // Uneven ones are as good as others here.
        let with_uneven = |uneven| {
            let tally = tally(20, [80 - uneven, 0, 0, 0, 0, 0]);
            let tally = tally.and(at(USUAL, Disturbed::UnevenCores, 0), uneven);
            tally.continues(&CUT, TURN, ASKED_FOR, ALL, &lately(USUAL))
        };
        assert!(with_uneven(29) && !with_uneven(30));
        // Cores that were moved stay there for longer.
        let moved = |made, moved| {
            let tally = tally(0, [made - moved, 0, 0, 0, 0, 0]);
            let tally = tally.and(TurnState::new(Err(Grade::at(0)), None), moved);
            tally.continues(&CUT, TURN, ASKED_FOR, ALL, &lately(USUAL))
        };
        assert!(moved(133, 67));
        assert!(!moved(133, 66));
        // 20 s of 150 ms each.
        assert!(!moved(134, 134));
        let elsewhere = |elsewhere, have_settled| {
            let lately = lately(if have_settled { OTHER } else { USUAL });
            let tally = Tally::default().and_elsewhere(elsewhere);
            tally.continues(&CUT, TURN, ASKED_FOR, ALL, &lately)
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
    fn turns_for_a_time_continue_for_longer_where_hardly_any_is_undisturbed() {
        let s = Duration::from_secs;
        let time = TurnTime {
            usual: s(10),
            most: s(15),
        };
        let continues = |tally: &Tally, passed| tally.continues_for(&CUT, time, passed);
        let ms = Duration::from_millis(1);
        // However many there are, and were to be. A fifth of the planned 100 is enough.
        let enough = tally(20, [400, 0, 0, 0, 0, 0]);
        assert!(continues(&enough, s(10) - ms) && !continues(&enough, s(10)));
        let few = tally(19, [40, 0, 0, 0, 0, 0]);
        assert!(continues(&few, s(10)) && continues(&few, s(15) - ms) && !continues(&few, s(15)));
        let elsewhere = few.clone().and_elsewhere(20);
        assert!(!continues(&elsewhere, s(10)));
        let uneven = few.and(at(USUAL, Disturbed::UnevenCores, 0), 1);
        assert!(!continues(&uneven, s(10)));
        // No level has fewer turns than the fewest.
        assert!(continues(&tally(3, [0; 6]), s(100)) && !continues(&tally(4, [0; 6]), s(100)));
    }
}
