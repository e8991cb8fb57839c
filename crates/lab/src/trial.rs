//! The life of a trial, top to bottom: one target in a fresh server process.
//!
//! It was prepared before: its tools were found and it was built. Here it is
//! started in its lane, waited for, verified, warmed up, measured once at each workload and load
//! level in random order, and stopped with everything that it started. Each measurement is on disk
//! before the next begins. Whatever goes wrong with the server ends this trial alone: what it could
//! not measure is recorded as failed, with the reason.
//!
//! A [`Life`] goes from phase to phase while nothing goes wrong, and is over as soon as something does, recorded. When which
//! of a round's trials enters which phase is the [round](crate::round)'s to say.

use std::sync::Arc;
use std::time::{Instant, SystemTime};

use photofinish_model::{Load, TrialRecord, VERSION};
use photofinish_study::plan::Target;

use crate::error::{Error, Halt, Trouble};
use crate::events::Event;
use crate::journal::Journal;
use crate::measure::{self, Measuring};
use crate::order::{Scheduled, Step};
use crate::prepare;
use crate::scene::Scene;
use crate::server::{Launch, Server};
use crate::{convert, sustain, verify, warmup};

/// How a trial, or a round, ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum End {
    /// With every measurement recorded, well or badly.
    Done,
    /// By the user's wish; what was measured until then is kept.
    Interrupted,
}

/// A trial at some point of its life.
pub(crate) enum Life<'s> {
    /// Its server is up.
    Up(Box<Running<'s>>),
    /// It ended, as is recorded.
    Over(End),
}

/// What a trial does while its server is up.
pub(crate) type Phase<'s> = fn(&mut Running<'s>, &mut Journal) -> Result<(), Halt>;

impl<'s> Life<'s> {
    /// Starts the trial's server.
    ///
    /// # Errors
    /// Only where nothing can be recorded any more, or no server at all can be started.
    pub(crate) fn begin(
        scene: &'s Scene<'s>,
        scheduled: &'s Scheduled,
        prepared: &prepare::Outcome,
        journal: &mut Journal,
    ) -> Result<Life<'s>, Error> {
        let mut trial = Trial::new(scene, scheduled);
        Ok(match trial.start(prepared, journal) {
            Ok(server) => Life::Up(Box::new(Running { trial, server })),
            Err(halt) => Life::Over(trial.end(Err(halt), journal)?),
        })
    }

    /// Goes through a phase, unless it is over.
    ///
    /// # Errors
    /// Only where nothing can be recorded any more.
    pub(crate) fn then(self, phase: Phase<'s>, journal: &mut Journal) -> Result<Life<'s>, Error> {
        let Life::Up(mut running) = self else {
            return Ok(self);
        };
        match phase(&mut running, journal) {
            Ok(()) => Ok(Life::Up(running)),
            Err(halt) => {
                // Its server ends before that is recorded.
                let Running { trial, server } = *running;
                drop(server);
                Ok(Life::Over(trial.end(Err(halt), journal)?))
            }
        }
    }

    /// Stops the server and everything that it started, unless it is over.
    ///
    /// # Errors
    /// Where something is left that not even SIGKILL ends, or nothing can be recorded any more.
    pub(crate) fn end(self, journal: &mut Journal) -> Result<End, Error> {
        match self {
            Life::Over(end) => Ok(end),
            Life::Up(running) => {
                let Running { trial, mut server } = *running;
                server.process.stop(trial.target.stop.grace)?;
                trial.end(Ok(()), journal)
            }
        }
    }
}

/// A target's part of a round, and what is recorded of it.
struct Trial<'s> {
    scene: &'s Scene<'s>,
    scheduled: &'s Scheduled,
    target: &'s Target,
    record: TrialRecord,
    /// What is still to be measured.
    left: &'s [Step],
    began: Instant,
    /// Whether its server got so far that it can be measured.
    up: bool,
}

/// A trial whose server is up. Dropping it ends the server and everything that it started.
pub(crate) struct Running<'s> {
    trial: Trial<'s>,
    server: Server<'s>,
}

impl<'s> Trial<'s> {
    /// A trial that begins now.
    fn new(scene: &'s Scene<'s>, scheduled: &'s Scheduled) -> Trial<'s> {
        let target = &scene.plan.targets[scheduled.target];
        Trial {
            scene,
            scheduled,
            target,
            record: TrialRecord {
                version: VERSION,
                round: scheduled.round,
                trial: scheduled.number,
                target: target.label.clone(),
                at: convert::rfc3339(SystemTime::now()),
                pid: None,
                port: None,
                command: target.start.command.clone(),
                ready_s: None,
                warmups: Vec::new(),
                verified: Vec::new(),
                failure: None,
            },
            left: &scheduled.steps,
            began: Instant::now(),
            up: false,
        }
    }

    /// Starts the server, in its lane, on a port of its own, and waits until it is ready.
    ///
    /// # Errors
    /// Where the target could not be prepared, failed to start twice before, or fails now; halts where the user wishes so.
    fn start(
        &mut self,
        prepared: &prepare::Outcome,
        journal: &Journal,
    ) -> Result<Server<'s>, Halt> {
        let Trial { scene, target, .. } = *self;
        let prepared = match prepared {
            Ok(prepared) => prepared,
            Err(trouble) => return Err(Trouble::Unusable(Arc::clone(trouble)).into()),
        };
        if let Some(rounds) = journal.given_up(&target.label) {
            return Err(Trouble::GivenUp { rounds }.into());
        }
        journal.starting(self.scheduled);
        scene.go_on()?;
        let launch = Launch::new(scene, target, prepared, self.scheduled.round)?;
        self.record.port = Some(launch.port);
        self.record.command.clone_from(&launch.spec.command);
        scene.services.require_alive(&target.label)?;
        let mut server = launch.start()?;
        self.record.pid = Some(server.process.pid());
        let after = server.wait_ready()?;
        self.record.ready_s = Some(after.as_secs_f64());
        scene.report(Event::Ready {
            target: target.label.clone(),
            after,
        });
        Ok(server)
    }

    /// Records how the trial ended.
    ///
    /// # Errors
    /// Only where nothing can be recorded any more, or no server at all can be started.
    fn end(mut self, ended: Result<(), Halt>, journal: &mut Journal) -> Result<End, Error> {
        let steps = self.scheduled.steps.as_slice();
        match ended {
            Ok(()) => {
                let measuring = steps
                    .iter()
                    .map(|step| measure::takes(self.scene.plan, step))
                    .sum();
                journal.trial_ended(&self.record, self.began.elapsed(), measuring)?;
                Ok(End::Done)
            }
            Err(Halt::Failed(trouble)) => {
                if !self.up {
                    journal.failed_to_start(self.scheduled, &trouble);
                }
                self.record.failure = Some(trouble.to_string());
                journal.failed(self.scheduled, self.left, &self.record, &trouble)?;
                Ok(End::Done)
            }
            Err(Halt::Interrupted) => {
                // What was measured is judged with the responses that the server was verified by.
                if self.left.len() < steps.len() {
                    journal.interrupted(&self.record)?;
                }
                Ok(End::Interrupted)
            }
            Err(Halt::Broken(error)) => Err(error),
        }
    }
}

impl<'s> Running<'s> {
    /// Does it do the job? One request a workload, and what the others have responded.
    ///
    /// # Errors
    /// Where a response is not the one that was stated; halts where the user wishes so.
    pub(crate) fn verify(&mut self, journal: &mut Journal) -> Result<(), Halt> {
        let (scene, label) = (self.trial.scene, &self.trial.target.label);
        for workload in self.trial.scheduled.workloads() {
            scene.go_on()?;
            let workload = &scene.plan.workloads[workload];
            self.server.prepare_for(workload)?;
            let response = self.server.verify(workload)?;
            let verified = verify::record(workload, &response);
            journal.responded(label, &verified, &response.body);
            self.trial.record.verified.push(verified);
        }
        let target = label.clone();
        scene.report(Event::Verified { target });
        Ok(())
    }

    /// Warms it up, each workload in turn.
    ///
    /// # Errors
    /// As [`Server::observe`].
    pub(crate) fn warm_up(&mut self, journal: &mut Journal) -> Result<(), Halt> {
        let trial = &mut self.trial;
        warmup::warm_up(&mut self.server, trial.scheduled, &mut trial.record.warmups)?;
        trial.up = true;
        journal.started(&trial.target.label);
        Ok(())
    }

    /// Measures everything in one piece each, in the trial's random order; each is on disk before the next begins.
    ///
    /// # Errors
    /// As [`Measuring::block`].
    pub(crate) fn measure_all(&mut self, journal: &mut Journal) -> Result<(), Halt> {
        while let Some((step, rest)) = self.trial.left.split_first() {
            self.measure(step, journal)?;
            self.trial.left = rest;
        }
        Ok(())
    }

    fn measure(&mut self, step: &'s Step, journal: &mut Journal) -> Result<(), Halt> {
        let Trial {
            scene,
            scheduled,
            target,
            ..
        } = self.trial;
        journal.measuring(scheduled, step);
        let workload = &scene.plan.workloads[step.workload];
        let same_job = journal.responses.same_job(&target.label, &workload.name);
        let mut measuring = Measuring::new(&mut self.server, scheduled, step, same_job);
        let measured = match &workload.loads[step.load] {
            Load::Closed { .. } | Load::Open { .. } => measuring.block()?,
            Load::Capacity(search) => sustain::measure(&mut measuring, search)?,
        };
        // Errors for want of a database are no figures of the server's.
        scene.services.require_alive(&target.label)?;
        Ok(journal.measured(measured, measure::takes(scene.plan, step))?)
    }
}
