//! The life of a trial, top to bottom: one target in a fresh server process.
//!
//! It was prepared before: its tools were found and it was built. Here it is
//! started on its cores, waited for, verified, warmed up, measured once at each workload and load
//! level in random order, and stopped with everything that it started. Each measurement is on disk
//! before the next begins. Whatever goes wrong with the server ends this trial alone: what it could
//! not measure is recorded as failed, with the reason.
//!
//! A [`TrialState`] goes from phase to phase while nothing goes wrong, and is over as soon as something does, recorded. When which
//! of a round's trials enters which phase is the [round](crate::round)'s to say.

use std::time::{Duration, Instant, SystemTime};

use photofinish_model::finding::failure::FailureFinding;
use photofinish_model::secret::mask_words;
use photofinish_model::{Address, TrialRecord, VERSION};
use photofinish_study::plan::Target;

use crate::error::{Error, Halt, failed};
use crate::events::Event;
use crate::journal::Journal;
use crate::order::{Level, Scheduled, Step};
use crate::run_context::RunContext;
use crate::server::{Launch, Server};
use crate::{convert, measure, prepare};

mod running;

pub(crate) use running::Running;

/// How a trial, or a round, ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum End {
    /// With every measurement recorded, well or badly.
    Done,
    /// By the user's wish; what was measured until then is kept.
    Interrupted,
}

/// How far a trial has come.
pub(crate) enum TrialState<'s> {
    /// Its server is up.
    Running(Box<Running<'s>>),
    /// It has ended, and is recorded.
    Ended(End),
}

/// What a trial does while its server is up.
pub(crate) type Phase<'p, 's> = dyn FnMut(&mut Running<'s>, &mut Journal) -> Result<(), Halt> + 'p;

impl<'s> TrialState<'s> {
    /// Starts the trial's server.
    ///
    /// # Errors
    /// Only if nothing can be recorded any more, or no server at all can be started.
    pub(crate) fn begin(
        run: &'s RunContext<'s>,
        scheduled: &'s Scheduled,
        prepared: &prepare::Outcome,
        journal: &mut Journal,
    ) -> Result<TrialState<'s>, Error> {
        let began = Instant::now();
        let mut trial = Trial::new(run, scheduled);
        let started = trial.start(prepared, journal);
        trial.took += began.elapsed();
        Ok(match started {
            Ok(server) => TrialState::Running(Box::new(Running { trial, server })),
            Err(halt) => TrialState::Ended(trial.end(Err(halt), journal)?),
        })
    }

    /// Goes through a phase, unless it is over.
    ///
    /// # Errors
    /// Only if nothing can be recorded any more.
    pub(crate) fn then(
        self,
        phase: &mut Phase<'_, 's>,
        journal: &mut Journal,
    ) -> Result<TrialState<'s>, Error> {
        let TrialState::Running(mut running) = self else {
            return Ok(self);
        };
        let began = Instant::now();
        let went = phase(&mut running, journal);
        running.trial.took += began.elapsed();
        match went {
            Ok(()) => Ok(TrialState::Running(running)),
            Err(halt) => {
                // Its server ends before that is recorded.
                let Running { trial, server } = *running;
                let halt = server.end(halt);
                Ok(TrialState::Ended(trial.end(Err(halt), journal)?))
            }
        }
    }

    /// Stops the server and everything that it started, unless it is over.
    ///
    /// # Errors
    /// If something is left that not even SIGKILL ends, or nothing can be recorded any more. If cleaning up fails the trial has.
    pub(crate) fn end(self, journal: &mut Journal) -> Result<End, Error> {
        match self {
            TrialState::Ended(end) => Ok(end),
            TrialState::Running(running) => {
                let Running { mut trial, server } = *running;
                let began = Instant::now();
                let stopped = server.stop();
                trial.took += began.elapsed();
                trial.end(stopped, journal)
            }
        }
    }

    /// The target's label, while its server is up.
    pub(crate) fn label(&self) -> Option<&'s str> {
        match self {
            TrialState::Running(running) => Some(&running.trial.target.label),
            TrialState::Ended(_) => None,
        }
    }

    /// What it measures next; `None` if it is over, or has measured all.
    pub(crate) fn next_level(&self) -> Option<Level> {
        match self {
            TrialState::Running(running) => running.trial.left.first().map(Step::level),
            TrialState::Ended(_) => None,
        }
    }

    /// The process of its server; `None` if it is over, or that is not known.
    pub(crate) fn pid(&self) -> Option<u32> {
        match self {
            TrialState::Running(running) => running.server.process.pid(),
            TrialState::Ended(_) => None,
        }
    }

    /// The CPU time of its server, to the nanosecond: no more of one that is over; `None` if it cannot be known.
    pub(crate) fn cpu(&mut self) -> Option<Duration> {
        match self {
            TrialState::Running(running) => running.server.process.cpu(),
            TrialState::Ended(_) => Some(Duration::ZERO),
        }
    }
}

/// A target's part of a round, and what is recorded of it.
struct Trial<'s> {
    run: &'s RunContext<'s>,
    scheduled: &'s Scheduled,
    target: &'s Target,
    record: TrialRecord,
    /// What is still to be measured.
    left: &'s [Step],
    /// How long its own phases have taken so far.
    took: Duration,
    /// Whether its server got so far that it can be measured.
    up: bool,
    /// Whether that it cannot run was reported before the first round.
    known: bool,
}

impl<'s> Trial<'s> {
    /// A trial that begins now.
    fn new(run: &'s RunContext<'s>, scheduled: &'s Scheduled) -> Trial<'s> {
        let target = &run.plan.targets[scheduled.target];
        Trial {
            run,
            scheduled,
            target,
            record: TrialRecord {
                version: VERSION,
                round: scheduled.round,
                trial: scheduled.number,
                target: target.label.clone(),
                at: convert::rfc3339(SystemTime::now()),
                ended: None,
                pid: None,
                port: None,
                command: mask_words(&target.start.command),
                image: None,
                ready_s: None,
                warmups: Vec::new(),
                verified: Vec::new(),
                failure: None,
            },
            left: &scheduled.steps,
            took: Duration::ZERO,
            up: false,
            known: false,
        }
    }

    /// Starts the server, on its cores, on a port of its own, and waits until it is ready.
    ///
    /// # Errors
    /// If the target could not be prepared, failed to start twice before, or fails now; halts for an interrupt.
    fn start(
        &mut self,
        prepared: &prepare::Outcome,
        journal: &Journal,
    ) -> Result<Server<'s>, Halt> {
        let Trial { run, target, .. } = *self;
        let prepared = match prepared {
            Ok(prepared) => prepared,
            Err(why) => {
                self.known = true;
                return Err(why.clone().into());
            }
        };
        if let Some(rounds) = journal.given_up(&target.label) {
            return Err(failed(FailureFinding::GivenUp { rounds }).into());
        }
        journal.starting(self.scheduled);
        run.go_on()?;
        let launch = Launch::new(run, target, prepared, self.scheduled.round)?;
        self.record.port = match launch.address {
            Address::Tcp(address) => Some(address.port()),
            Address::Unix(_) => None,
        };
        self.record.command = mask_words(&launch.spec.command);
        let container = launch.spec.container.as_ref();
        self.record.image = container.map(|container| container.image.identity());
        run.services.require_alive(&target.label)?;
        let mut server = launch.start()?;
        self.record.pid = server.process.pid();
        let after = match server.wait_ready() {
            Ok(after) => after,
            Err(halt) => return Err(server.end(halt)),
        };
        // Nothing was waited for where it ran already.
        let started = target.already().is_none();
        self.record.ready_s = started.then_some(after.as_secs_f64());
        run.report(Event::Ready {
            target: target.label.clone(),
            after,
        });
        Ok(server)
    }

    /// Records how the trial ended.
    ///
    /// # Errors
    /// Only if nothing can be recorded any more, or no server at all can be started.
    fn end(mut self, ended: Result<(), Halt>, journal: &mut Journal) -> Result<End, Error> {
        self.record.ended = Some(convert::rfc3339(SystemTime::now()));
        let steps = self.scheduled.steps.as_slice();
        match ended {
            Ok(()) => {
                let measuring = steps
                    .iter()
                    .map(|step| measure::takes(self.run.plan, step))
                    .sum();
                journal.trial_ended(&self.record, self.took, measuring)?;
                Ok(End::Done)
            }
            Err(Halt::Failed(why)) => {
                // Those that were not started have not tried.
                let tried = !self.known && !matches!(*why, FailureFinding::GivenUp { .. });
                if tried && !self.up {
                    journal.failed_to_start(self.scheduled);
                }
                self.record.failure = Some(why.as_ref().clone());
                let why = (&why, self.known, self.up);
                journal.failed(self.scheduled, self.left, &self.record, why)?;
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
