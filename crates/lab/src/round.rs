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
    run: &'s RunContext<'s>,
    /// In their order.
    scheduled: &'s [Scheduled],
    /// What came of preparing each target of the plan.
    prepared: &'s [prepare::Outcome],
}

impl<'s> Round<'s> {
    pub(crate) fn new(
        run: &'s RunContext<'s>,
        scheduled: &'s [Scheduled],
        prepared: &'s [prepare::Outcome],
    ) -> Round<'s> {
        Round {
            run,
            scheduled,
            prepared,
        }
    }

    /// Measures as the plan wishes: in turns, where all servers can be up together, else sequentially.
    ///
    /// # Errors
    /// Only if nothing can be recorded any more, or no server at all can be started.
    pub(crate) fn hold(&self, journal: &mut Journal) -> Result<End, Error> {
        if self.scheduled.len() < 2 || together::sequential(self.run.plan).is_some() {
            return self.sequential(journal);
        }
        match together::obstacle(self.run, self.scheduled, journal) {
            None => self.turns(journal),
            Some(why) => {
                self.run.report(Event::Warning(Warning::Sequential(why)));
                self.sequential(journal)
            }
        }
    }

    /// Measures in turns: all servers are up together, and each level is measured in short slices of one after the other.
    fn turns(&self, journal: &mut Journal) -> Result<End, Error> {
        let mut trials = Vec::new();
        for scheduled in self.scheduled {
            let prepared = &self.prepared[scheduled.target];
            let trial = TrialState::begin(self.run, scheduled, prepared, journal)?;
            trials.push(trial.then(&mut Running::verify, journal)?);
        }
        if let Some(why) = self.no_contest(&trials, journal) {
            journal.has_contest = false;
            let fails = || Err(failed(why.clone()).into());
            return end_all(trials, &fails, journal);
        }
        let warm = |trial: TrialState<'s>| {
            trial
                .then(&mut Running::show_java, journal)?
                .then(&mut Running::warm_up, journal)
        };
        let mut trials: Vec<TrialState> = trials.into_iter().map(warm).collect::<Result<_, _>>()?;
        // All targets of a round have the same order, so what comes next for one of them is behind no other's.
        while let Some(level) = next(self.run, self.scheduled, &trials) {
            let round = self.scheduled[0].round;
            Turns::new(self.run, round, level, &mut trials, journal).measure()?;
        }
        let interrupted = self.run.interrupted();
        let ends = || match interrupted {
            true => Err(Halt::Interrupted),
            false => Ok(()),
        };
        end_all(trials, &ends, journal)
    }

    /// Why a run that is only about a comparison ends now: its first round has no two servers that can be compared.
    fn no_contest(&self, trials: &[TrialState], journal: &Journal) -> Option<FailureFinding> {
        let plan = self.run.plan;
        let is_first = self.scheduled.first().is_some_and(|trial| trial.round == 1);
        let compares = plan.settings.until_decided || plan.settings.ends_without_contest;
        if !compares || !is_first || self.run.interrupted() {
            return None;
        }
        // A resumed round lacks those that were measured before.
        let is_scheduled = |place| self.scheduled.iter().any(|trial| trial.target == place);
        let contenders = plan.targets.iter().enumerate();
        let contenders = contenders.filter(|(_, target)| !target.limit);
        let contenders: Vec<usize> = contenders.map(|(place, _)| place).collect();
        if contenders.len() < 2 || !contenders.into_iter().all(is_scheduled) {
            return None;
        }
        let is_limit = |label: &str| plan.targets.iter().any(|t| t.limit && t.label == label);
        let up: Vec<&str> = trials.iter().filter_map(TrialState::label).collect();
        let up: Vec<&str> = up.into_iter().filter(|label| !is_limit(label)).collect();
        journal.no_contest(&up)
    }

    /// Measures sequentially: one trial after the other, each with no other target's server beside it.
    ///
    /// # Errors
    /// Only if nothing can be recorded any more, or no server at all can be started.
    pub(crate) fn sequential(&self, journal: &mut Journal) -> Result<End, Error> {
        for scheduled in self.scheduled {
            if self.run.interrupted() {
                return Ok(End::Interrupted);
            }
            let prepared = &self.prepared[scheduled.target];
            let end = TrialState::begin(self.run, scheduled, prepared, journal)?
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

/// Ends all trials, each after this phase.
///
/// # Errors
/// Only if nothing can be recorded any more, or no server at all can be started.
fn end_all(
    trials: Vec<TrialState>,
    last: &dyn Fn() -> Result<(), Halt>,
    journal: &mut Journal,
) -> Result<End, Error> {
    let mut all = End::Done;
    for trial in trials {
        let trial = trial.then(&mut |_, _| last(), journal)?;
        if trial.end(journal)? == End::Interrupted {
            all = End::Interrupted;
        }
    }
    Ok(all)
}

/// The level that comes next, in the round's order; `None` if nothing is left to measure, or the user wishes to stop.
fn next(run: &RunContext, scheduled: &[Scheduled], trials: &[TrialState]) -> Option<Level> {
    if run.interrupted() {
        return None;
    }
    let ahead: Vec<Level> = trials.iter().filter_map(TrialState::next_level).collect();
    let mut levels = scheduled
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
        scheduled.iter().any(others)
    };
    levels.find(|level| ahead.contains(level) && !behind(level))
}
