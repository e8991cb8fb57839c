//! A round: a fresh server process of every target.
//!
//! Each [`Life`] goes through the same phases; how they are interleaved is what makes a kind of round.

use crate::error::Error;
use crate::journal::Journal;
use crate::order::Scheduled;
use crate::prepare;
use crate::scene::Scene;
use crate::trial::{End, Life, Running};

/// A round that is to be measured.
pub(crate) struct Round<'s> {
    scene: &'s Scene<'s>,
    /// In their order.
    trials: &'s [Scheduled],
    /// What came of preparing each target of the plan.
    prepared: &'s [prepare::Outcome],
}

impl<'s> Round<'s> {
    pub(crate) fn new(
        scene: &'s Scene<'s>,
        trials: &'s [Scheduled],
        prepared: &'s [prepare::Outcome],
    ) -> Round<'s> {
        Round {
            scene,
            trials,
            prepared,
        }
    }

    /// Measures solo: one trial after the other, each with no other target's server beside it.
    ///
    /// # Errors
    /// Only where nothing can be recorded any more, or no server at all can be started.
    pub(crate) fn solo(&self, journal: &mut Journal) -> Result<End, Error> {
        for scheduled in self.trials {
            if self.scene.interrupted() {
                return Ok(End::Interrupted);
            }
            let prepared = &self.prepared[scheduled.target];
            let end = Life::begin(self.scene, scheduled, prepared, journal)?
                .then(Running::verify, journal)?
                .then(Running::warm_up, journal)?
                .then(Running::measure_all, journal)?
                .end(journal)?;
            if end == End::Interrupted {
                return Ok(End::Interrupted);
            }
        }
        Ok(End::Done)
    }
}
