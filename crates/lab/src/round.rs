//! A round: a fresh server process of every target.

use crate::error::{Error, Halt};
use crate::journal::Journal;
use crate::order::Scheduled;
use crate::prepare;
use crate::scene::Scene;
use crate::trial::{End, Trial};

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
            let mut trial = Trial::new(self.scene, scheduled);
            let ended = live(&mut trial, &self.prepared[scheduled.target], journal);
            if trial.end(ended, journal)? == End::Interrupted {
                return Ok(End::Interrupted);
            }
        }
        Ok(End::Done)
    }
}

/// The whole life of one trial.
fn live(trial: &mut Trial, prepared: &prepare::Outcome, journal: &mut Journal) -> Result<(), Halt> {
    let mut running = trial.start(prepared, journal)?;
    running.verify(journal)?;
    running.warm_up(journal)?;
    running.measure_all(journal)?;
    running.stop()
}
