//! What a run leaves: records on disk, events for whoever watches, and what is known so far.

use std::time::Duration;

use photofinish_model::store::Store;
use photofinish_model::{TrialRecord, Verified};
use photofinish_study::plan::Plan;

use crate::convert;
use crate::error::Error;
use crate::events::{Clock, Event};
use crate::measure::{self, Measured};
use crate::order::{Scheduled, Step};
use crate::same_job::Answers;
use crate::scene::Scene;

/// The one place that a run writes to.
pub(crate) struct Journal<'a> {
    store: Store,
    events: &'a mut dyn FnMut(Event),
    clock: Clock,
    /// What the targets have answered so far.
    pub(crate) answers: Answers,
    /// Measurements and trials that failed in this run.
    pub(crate) failed: usize,
}

impl<'a> Journal<'a> {
    /// A journal that writes to `store`.
    pub(crate) fn new(
        store: Store,
        events: &'a mut dyn FnMut(Event),
        clock: Clock,
        answers: Answers,
    ) -> Journal<'a> {
        Journal {
            store,
            events,
            clock,
            answers,
            failed: 0,
        }
    }

    /// Tells whoever watches.
    pub(crate) fn tell(&mut self, event: Event) {
        (self.events)(event);
    }

    /// Everything is checked.
    pub(crate) fn begins(&mut self, trials: usize, seed: u64) {
        let progress = self.clock.progress();
        self.tell(Event::Begins {
            trials: trials as u32,
            seed,
            progress,
        });
    }

    /// A trial begins.
    pub(crate) fn starting(&mut self, plan: &Plan, trial: &Scheduled) {
        let progress = self.clock.progress();
        self.tell(Event::Starting {
            target: plan.targets[trial.target].label.clone(),
            round: trial.round,
            rounds: plan.rounds,
            trial: trial.number,
            progress,
        });
    }

    /// A server answered when it was verified.
    pub(crate) fn answered(&mut self, target: &str, verified: &Verified, body: &[u8]) {
        self.answers.add(target, verified, Some(body));
        if let (Some(false), says) = self.answers.same_job(target, &verified.workload) {
            self.tell(Event::Differs { says });
        }
    }

    /// A measurement begins.
    pub(crate) fn measuring(&mut self, plan: &Plan, trial: &Scheduled, step: &Step) {
        let workload = &plan.workloads[step.workload];
        let progress = self.clock.progress();
        self.tell(Event::Measuring {
            target: plan.targets[trial.target].label.clone(),
            workload: workload.name.clone(),
            load: convert::load(&workload.loads[step.load]),
            takes: measure::takes(plan, step),
            progress,
        });
    }

    /// A measurement ended, which was expected to take so long.
    pub(crate) fn measured(&mut self, measured: Measured, takes: Duration) -> Result<(), Error> {
        let Measured { line, latency } = measured;
        self.store.add_line(&line, latency.as_ref())?;
        self.clock.measured(1, takes);
        self.failed += usize::from(line.failure.is_some());
        let progress = self.clock.progress();
        self.tell(Event::Measured {
            line: Box::new(line),
            progress,
        });
        Ok(())
    }

    /// A trial ended well, whose measurements were expected to take so long.
    pub(crate) fn trial_ended(
        &mut self,
        record: &TrialRecord,
        took: Option<Duration>,
        measuring: Duration,
    ) -> Result<(), Error> {
        self.clock
            .trial_ended(took.map(|took| took.saturating_sub(measuring)));
        Ok(self.store.add_trial(record)?)
    }

    /// A trial was interrupted after it had measured something.
    pub(crate) fn interrupted(&mut self, record: &TrialRecord) -> Result<(), Error> {
        Ok(self.store.add_trial(record)?)
    }

    /// A trial failed; what it has not measured is recorded with the reason.
    pub(crate) fn failed(
        &mut self,
        scene: &Scene,
        trial: &Scheduled,
        left: &[Step],
        record: &TrialRecord,
    ) -> Result<(), Error> {
        for step in left {
            let mut line = measure::line(scene, trial, step);
            line.failure.clone_from(&record.failure);
            self.store.add_line(&line, None)?;
        }
        let takes = left.iter().map(|step| measure::takes(scene.plan, step));
        self.clock.measured(left.len(), takes.sum());
        self.clock.trial_ended(None);
        self.store.add_trial(record)?;
        // A trial that failed after its last measurement counts as well.
        self.failed += left.len().max(1);
        let progress = self.clock.progress();
        self.tell(Event::Failed {
            target: record.target.clone(),
            round: record.round,
            missing: left.len(),
            reason: record.failure.clone().unwrap_or_default(),
            progress,
        });
        Ok(())
    }
}
