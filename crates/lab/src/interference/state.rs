//! The rule that excludes a turn: where the cores lay in it, and what disturbed it how much.

use photofinish_model::Disturbed;

use super::grade::Grade;
use super::placement::Placement;

/// What disturbed a slice, or any slice of a turn, and how much.
pub(crate) type Disturbance = (Disturbed, Grade);

/// What a turn was.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct TurnState {
    /// Where the cores lay from its begin to its end; `None`: they were moved meanwhile, which disturbs it.
    pub(crate) placement: Option<Placement>,
    pub(crate) disturbance: Option<Disturbance>,
}

/// The worse of some disturbances. Of those that are equally bad the first counts, but uneven cores are named only if nothing else was:
/// their speeds are known.
pub(crate) fn worst(all: impl Iterator<Item = Disturbance> + Clone) -> Option<Disturbance> {
    let grade = all.clone().map(|(_, grade)| grade).max()?;
    let named = |(what, grade): Disturbance| (what != Disturbed::UnevenCores, grade);
    let worse = |one: Disturbance, other: Disturbance| match named(other) > named(one) {
        true => other,
        false => one,
    };
    all.reduce(worse).map(|(what, _)| (what, grade))
}

impl TurnState {
    /// That of a turn in which the cores lay there, or were moved so much, and which that disturbed besides.
    pub(crate) fn new(
        placement: Result<Placement, Grade>,
        disturbance: Option<Disturbance>,
    ) -> TurnState {
        let moved = placement.err().map(|grade| (Disturbed::MovedCores, grade));
        TurnState {
            placement: placement.ok(),
            disturbance: worst(disturbance.into_iter().chain(moved)),
        }
    }

    /// That of a turn which a server held up. The longer it took, the more has been seen around it: what disturbed the turn `before` stands for
    /// that.
    pub(crate) fn held_up(self, before: TurnState) -> TurnState {
        TurnState {
            placement: self.placement.or(before.placement),
            disturbance: before.disturbance,
        }
    }

    /// What disturbed it, for a level of which the turns count that were measured with the cores there.
    pub(crate) fn disturbed(self, counted: Placement) -> Option<Disturbed> {
        match self.placement {
            Some(own) if own != counted => Some(Disturbed::MovedCores),
            _ => self.disturbance.map(|(what, _)| what),
        }
    }

    /// What decides whether it counts: where the cores lay, and how much it was disturbed.
    pub(crate) fn kind(self) -> Kind {
        (self.placement, self.disturbance.map(|(_, grade)| grade))
    }
}

/// See [`TurnState::kind`].
pub(crate) type Kind = (Option<Placement>, Option<Grade>);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_worse_of_two_counts() {
        let others = |grade| (Disturbed::OtherProcesses, Grade::at(grade));
        let uneven = |grade| (Disturbed::UnevenCores, Grade::at(grade));
        let stopped = |grade| (Disturbed::StoppedCore, Grade::at(grade));
        let of = |all: &[Disturbance]| worst(all.iter().copied());
        assert_eq!(of(&[]), None);
        assert_eq!(of(&[others(1), stopped(1)]), Some(others(1)));
        assert_eq!(of(&[others(1), stopped(2)]), Some(stopped(2)));
        assert_eq!(of(&[uneven(1), others(0)]), Some(others(1)));
        assert_eq!(of(&[others(2), uneven(1)]), Some(others(2)));
        assert_eq!(of(&[uneven(1)]), Some(uneven(1)));
    }

    #[test]
    fn cores_that_lie_elsewhere_disturb() {
        let (here, there) = (Placement::at(0), Placement::at(1));
        let others = (Disturbed::OtherProcesses, Grade::at(0));
        let state = TurnState::new(Ok(there), None);
        assert_eq!(state.disturbed(here), Some(Disturbed::MovedCores));
        assert_eq!(state.disturbed(there), None);
        let state = TurnState::new(Ok(here), Some(others));
        assert_eq!(state.disturbed(here), Some(Disturbed::OtherProcesses));
        assert_eq!(state.disturbed(there), Some(Disturbed::MovedCores));
        // The worse one, where they were moved meanwhile.
        let moved = |grade| TurnState::new(Err(Grade::at(grade)), Some(others));
        assert_eq!(moved(0).disturbed(here), Some(Disturbed::OtherProcesses));
        assert_eq!(moved(1).disturbed(here), Some(Disturbed::MovedCores));
        assert_eq!(moved(1).kind(), (None, Some(Grade::at(1))));
    }
}
