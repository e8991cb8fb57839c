//! A round: a fresh server process of every target.
//!
//! Each [`TrialState`] goes through the same phases; how they are interleaved is what makes a kind of round.

use photofinish_model::finding::failure::FailureFinding;

use crate::error::{Error, Halt, failed};
use crate::events::{Event, Warning};
use crate::journal::Journal;
use crate::order::{Level, Scheduled, Step};
use crate::prepare;
use crate::run_context::RunContext;
use crate::trial::{End, Running, TrialState};
use crate::turns::{Turns, together};

/// A round that is to be measured.
pub(crate) struct Round<'s> {
    scene: &'s RunContext<'s>,
    /// In their order.
    trials: &'s [Scheduled],
    /// What came of preparing each target of the plan.
    prepared: &'s [prepare::Outcome],
}

impl<'s> Round<'s> {
    pub(crate) fn new(
        scene: &'s RunContext<'s>,
        trials: &'s [Scheduled],
        prepared: &'s [prepare::Outcome],
    ) -> Round<'s> {
        Round {
            scene,
            trials,
            prepared,
        }
    }

    /// Measures as the plan wishes: in turns, where all servers can be up together, else sequentially.
    ///
    /// # Errors
    /// Only where nothing can be recorded any more, or no server at all can be started.
    pub(crate) fn hold(&self, journal: &mut Journal) -> Result<End, Error> {
        if self.trials.len() < 2 || together::sequential(self.scene.plan).is_some() {
            return self.sequential(journal);
        }
        match together::obstacle(self.scene, self.trials, journal) {
            None => self.turns(journal),
            Some(why) => {
                self.scene.report(Event::Warning(Warning::Sequential(why)));
                self.sequential(journal)
            }
        }
    }

    /// Measures in turns: all servers are up together, and each level is measured in short slices of one after the other.
    fn turns(&self, journal: &mut Journal) -> Result<End, Error> {
        let mut lives = Vec::new();
        for scheduled in self.trials {
            let prepared = &self.prepared[scheduled.target];
            let life = TrialState::begin(self.scene, scheduled, prepared, journal)?;
            lives.push(life.then(&mut Running::verify, journal)?);
        }
        if let Some(why) = self.no_contest(&lives, journal) {
            journal.has_contest = false;
            let mut all = End::Done;
            for life in lives {
                let mut fails = |_: &mut Running<'s>, _: &mut Journal| -> Result<(), Halt> {
                    Err(failed(why.clone()).into())
                };
                if life.then(&mut fails, journal)?.end(journal)? == End::Interrupted {
                    all = End::Interrupted;
                }
            }
            return Ok(all);
        }
        let warm = |life: TrialState<'s>| {
            life.then(&mut Running::show_java, journal)?
                .then(&mut Running::warm_up, journal)
        };
        let mut lives: Vec<TrialState> = lives.into_iter().map(warm).collect::<Result<_, _>>()?;
        // All targets of a round have the same order, so what comes next for one of them is behind no other's.
        while let Some(level) = next(self.scene, self.trials, &lives) {
            let round = self.trials[0].round;
            Turns::new(self.scene, round, level, &mut lives, journal).measure()?;
        }
        let interrupted = self.scene.interrupted();
        let mut all = End::Done;
        for life in lives {
            let life = match interrupted {
                true => life.then(&mut |_, _| Err(Halt::Interrupted), journal)?,
                false => life,
            };
            if life.end(journal)? == End::Interrupted {
                all = End::Interrupted;
            }
        }
        Ok(all)
    }

    /// Why a run that goes on until it is decided ends now: its first round has no two servers that can be compared.
    fn no_contest(&self, lives: &[TrialState], journal: &Journal) -> Option<FailureFinding> {
        let plan = self.scene.plan;
        let is_first = self.trials.first().is_some_and(|trial| trial.round == 1);
        if !plan.settings.until_decided || !is_first || self.scene.interrupted() {
            return None;
        }
        let is_limit = |label: &str| plan.targets.iter().any(|t| t.limit && t.label == label);
        let up: Vec<&str> = lives.iter().filter_map(TrialState::label).collect();
        let up: Vec<&str> = up.into_iter().filter(|label| !is_limit(label)).collect();
        journal.no_contest(&up)
    }

    /// Measures sequentially: one trial after the other, each with no other target's server beside it.
    ///
    /// # Errors
    /// Only where nothing can be recorded any more, or no server at all can be started.
    pub(crate) fn sequential(&self, journal: &mut Journal) -> Result<End, Error> {
        for scheduled in self.trials {
            if self.scene.interrupted() {
                return Ok(End::Interrupted);
            }
            let prepared = &self.prepared[scheduled.target];
            let end = TrialState::begin(self.scene, scheduled, prepared, journal)?
                .then(&mut Running::verify, journal)?
                .then(&mut Running::show_java, journal)?
                .then(&mut Running::warm_up, journal)?
                .then(&mut Running::measure_all, journal)?
                .end(journal)?;
            if end == End::Interrupted {
                return Ok(End::Interrupted);
            }
        }
        Ok(End::Done)
    }
}

/// The level that comes next, in the round's order; `None` where nothing is left to measure, or the user wishes to stop.
fn next(scene: &RunContext, trials: &[Scheduled], lives: &[TrialState]) -> Option<Level> {
    if scene.interrupted() {
        return None;
    }
    let ahead: Vec<Level> = lives.iter().filter_map(TrialState::next_level).collect();
    let mut levels = trials
        .iter()
        .flat_map(|trial| &trial.steps)
        .map(Step::level);
    let behind = |level: &Level| {
        let others = |trial: &Scheduled| {
            let at = |wanted: &Level| trial.steps.iter().position(|step| step.level() == *wanted);
            ahead
                .iter()
                .any(|other| at(other) < at(level) && at(other).is_some())
        };
        trials.iter().any(others)
    };
    levels.find(|level| ahead.contains(level) && !behind(level))
}
