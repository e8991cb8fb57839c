//! What a slice or a turn was: undisturbed, measured with its cores elsewhere, or disturbed, and how much.

use photofinish_model::Disturbed;

/// Whether something disturbed a slice, or any slice of a turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TurnState {
    /// Nothing disturbed it, and the cores lay as usual.
    Usual,
    /// Nothing disturbed it but that the cores lay elsewhere from its begin to its end: so much farther from one another, or nearer.
    Elsewhere(Grade),
    /// Something disturbed it.
    Disturbed(Disturbed, Grade),
}

impl TurnState {
    /// Both, one after the other. Of two disturbances that are equally bad the first counts, but uneven cores are named only
    /// where nothing else was: their speeds are known. Cores that lay elsewhere in the one and not in the other have been moved.
    pub(crate) fn with(self, other: TurnState) -> TurnState {
        let disturbed = |seen: TurnState| match seen {
            TurnState::Usual => None,
            TurnState::Elsewhere(grade) => Some((Disturbed::MovedCores, grade)),
            TurnState::Disturbed(what, grade) => Some((what, grade)),
        };
        match (self, other) {
            (TurnState::Usual, TurnState::Usual) => TurnState::Usual,
            (TurnState::Elsewhere(one), TurnState::Elsewhere(other)) => {
                TurnState::Elsewhere(one.max(other))
            }
            _ => {
                let both = [disturbed(self), disturbed(other)].into_iter().flatten();
                let grade = both.clone().map(|(_, grade)| grade).max();
                let named =
                    |(what, grade): &(Disturbed, Grade)| (*what != Disturbed::UnevenCores, *grade);
                // Of equals the last, so the first of both.
                let what = both.rev().max_by_key(named).map(|(what, _)| what);
                let disturbed = what.zip(grade);
                disturbed.map_or(TurnState::Usual, |(what, grade)| {
                    TurnState::Disturbed(what, grade)
                })
            }
        }
    }

    /// What disturbed it, for a level that was measured with its cores elsewhere, or as usual.
    pub(crate) fn disturbed(self, is_elsewhere: bool) -> Option<Disturbed> {
        match self {
            TurnState::Usual => is_elsewhere.then_some(Disturbed::MovedCores),
            TurnState::Elsewhere(_) => (!is_elsewhere).then_some(Disturbed::MovedCores),
            TurnState::Disturbed(what, _) => Some(what),
        }
    }
}

/// How much something was disturbed: from the limit to twice the limit, to four times, and so on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Grade(usize);

impl Grade {
    /// How many there are; the last has no upper end.
    pub(crate) const ALL: usize = 6;

    /// That of so many times a limit; `None` below it.
    pub(super) fn of(times: f64) -> Option<Grade> {
        (times >= 1.0).then(|| Grade((times.log2() as usize).min(Grade::ALL - 1)))
    }

    /// That of a place.
    #[cfg(test)]
    pub(crate) fn at(place: usize) -> Grade {
        Grade(place)
    }

    /// Its place, the least first.
    pub(crate) fn place(self) -> usize {
        self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_worse_of_two_counts_and_moving_to_and_fro_disturbs() {
        let elsewhere = TurnState::Elsewhere(Grade(1));
        let moved = |grade| TurnState::Disturbed(Disturbed::MovedCores, Grade(grade));
        assert_eq!(elsewhere.with(elsewhere), elsewhere);
        assert_eq!(elsewhere.with(TurnState::Usual), moved(1));
        assert_eq!(TurnState::Usual.with(TurnState::Usual), TurnState::Usual);
        let others = |grade| TurnState::Disturbed(Disturbed::OtherProcesses, Grade(grade));
        assert_eq!(elsewhere.with(others(2)), others(2));
        assert_eq!(elsewhere.with(others(0)), moved(1));
        let uneven = |grade| TurnState::Disturbed(Disturbed::UnevenCores, Grade(grade));
        assert_eq!(uneven(1).with(others(0)), others(1));
        assert_eq!(others(2).with(uneven(1)), others(2));
        assert_eq!(TurnState::Usual.with(uneven(1)), uneven(1));
        assert_eq!(elsewhere.disturbed(true), None);
        assert_eq!(elsewhere.disturbed(false), Some(Disturbed::MovedCores));
        assert_eq!(
            TurnState::Usual.disturbed(true),
            Some(Disturbed::MovedCores)
        );
        assert_eq!(others(0).disturbed(true), Some(Disturbed::OtherProcesses));
    }
}
