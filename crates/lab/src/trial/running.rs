//! What a trial does while its server is up: it is verified, warmed up and measured.

use std::time::{Duration, Instant};

use photofinish_model::Load;
use photofinish_profile::SampleClock;

use super::Trial;
use crate::error::{Failure, Halt};
use crate::events::Event;
use crate::journal::Journal;
use crate::measure::{self, Measured, Measuring};
use crate::server::{Server, verify};
use crate::turns::profiled;
use crate::{sustain, warmup};

/// Longest wait for the last responses of a measurement that is profiled, in multiples of its duration.
const MAX_AWAITED: u32 = 4;

/// A trial whose server is up. Dropping it ends the server and everything that it started.
pub(crate) struct Running<'s> {
    pub(super) trial: Trial<'s>,
    pub(super) server: Server<'s>,
}

impl<'s> Running<'s> {
    /// Does it do the job? Its response to each workload, whether that is the same each time, and what the others have responded.
    ///
    /// # Errors
    /// If a response is not the one that was stated; halts for an interrupt.
    pub(crate) fn verify(&mut self, journal: &mut Journal) -> Result<(), Halt> {
        let (run, label) = (self.trial.run, &self.trial.target.label);
        for workload in self.trial.scheduled.workloads() {
            run.go_on()?;
            let workload = &run.plan.workloads[workload];
            self.server.prepare_for(workload)?;
            let response = self.server.verify(workload)?;
            self.server.learn(workload, &response)?;
            let compared = verify::compared(workload, &response);
            let led_to = self.server.led_to(workload);
            if let (1, Some(path)) = (self.trial.scheduled.round, led_to) {
                run.report(Event::Redirected {
                    target: label.clone(),
                    path: path.to_owned(),
                });
            }
            let verified = verify::record(workload, &response, &compared, led_to);
            journal.responded(label, &verified, &compared);
            self.trial.record.verified.push(verified);
        }
        let target = label.clone();
        run.report(Event::Verified { target });
        Ok(())
    }

    /// Has a Java server that will be profiled show its frames. Before it is warm: of what it has compiled by then it does not know which
    /// method a sample fell into where one was compiled into another.
    ///
    /// # Errors
    /// None; it is a phase.
    pub(crate) fn show_java(&mut self, journal: &mut Journal) -> Result<(), Halt> {
        let run = self.trial.run;
        let process = &mut self.server.process;
        if !profiled::names_java(run.plan) || journal.unprofiled {
            return Ok(());
        }
        // Where nothing can be sampled at all, that is what is reported.
        let clock = SampleClock::Cpu;
        let may = (process.sample(clock, true)).and_then(|()| process.sample(clock, false));
        let _ = process.sampled(clock);
        if may.is_ok() {
            run.show_java(&self.trial.target.label, process);
        }
        Ok(())
    }

    /// Warms it up, each workload in turn.
    ///
    /// # Errors
    /// As [`Server::observe`].
    pub(crate) fn warm_up(&mut self, journal: &mut Journal) -> Result<(), Halt> {
        let trial = &mut self.trial;
        let warmups = &mut trial.record.warmups;
        warmup::warm_up(&mut self.server, trial.scheduled, warmups, journal)?;
        trial.up = true;
        journal.started(&trial.target.label);
        Ok(())
    }

    /// Measures everything in one continuous run each, in the trial's random order; each is on disk before the next begins.
    ///
    /// # Errors
    /// As [`Measuring::block`].
    pub(crate) fn measure_all(&mut self, journal: &mut Journal) -> Result<(), Halt> {
        while !self.trial.left.is_empty() {
            let began = Instant::now();
            let measured = self.measure_next(journal)?;
            self.profile_and_record(measured, began.elapsed(), journal)?;
        }
        Ok(())
    }

    /// Records what was measured in one continuous run, which took so long, after its stacks were sampled in load of their own. Not where its last
    /// responses were awaited for much longer than it flowed: those of the samples' load would be, too.
    ///
    /// # Errors
    /// As [`Running::record`] and [`Measuring::profile_beside`]; what was measured is recorded all the same.
    pub(crate) fn profile_and_record(
        &mut self,
        mut measured: Measured,
        took: Duration,
        journal: &mut Journal,
    ) -> Result<(), Halt> {
        let run = self.trial.run;
        let flowed = run.plan.settings.lead_in + run.plan.settings.duration;
        let is_soon = took <= flowed * (1 + MAX_AWAITED);
        let profiled = match !journal.unprofiled && is_soon {
            true => self.measuring(journal).profile_beside(&mut measured),
            false => Ok(Ok(())),
        };
        self.record(measured, journal)?;
        if let Err(refused) = profiled? {
            journal.give_up_profiling(refused);
        }
        Ok(())
    }

    /// Measures what comes next in one continuous run. There is something.
    ///
    /// # Errors
    /// As [`Measuring::block`].
    pub(crate) fn measure_next(&mut self, journal: &Journal) -> Result<Measured, Halt> {
        let step = &self.trial.left[0];
        journal.measuring(self.trial.scheduled, step);
        let mut measuring = self.measuring(journal);
        match &measuring.workload.loads[step.load] {
            Load::Closed { .. } | Load::Open { .. } => measuring.block(),
            Load::Capacity(search) => sustain::measure(&mut measuring, search),
        }
    }

    /// Stops its server for a while, or lets it continue.
    ///
    /// # Errors
    /// If some of its processes continue all the same.
    pub(crate) fn freeze(&mut self, frozen: bool) -> Result<(), Failure> {
        self.server.freeze(frozen)
    }

    /// The measurement that comes next. There is one.
    pub(crate) fn measuring(&mut self, journal: &Journal) -> Measuring<'_, 's> {
        let Trial {
            run,
            scheduled,
            target,
            left,
            ..
        } = self.trial;
        let step = &left[0];
        let workload = &run.plan.workloads[step.workload];
        let same_job = journal.responses.same_job(&target.label, &workload.name);
        Measuring::new(&mut self.server, scheduled, step, same_job)
    }

    /// Records what was measured; the next is what comes next then.
    ///
    /// # Errors
    /// If a service of the target has ended, and if nothing can be recorded any more.
    pub(crate) fn record(&mut self, measured: Measured, journal: &mut Journal) -> Result<(), Halt> {
        let Some((step, rest)) = self.trial.left.split_first() else {
            return Ok(());
        };
        let run = self.trial.run;
        // Errors for want of a database are no figures of the server's.
        run.services.require_alive(&self.trial.target.label)?;
        journal.measured(measured, measure::takes(run.plan, step))?;
        self.trial.left = rest;
        Ok(())
    }
}
