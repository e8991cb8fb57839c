//! The life of a trial, top to bottom: one target in a fresh server process.
//!
//! It was prepared before: its tools were found and it was built. Here it is
//! started in its lane, waited for, verified, warmed up, measured once at each workload and load
//! level in random order, and stopped with everything that it started. Each measurement is on disk
//! before the next begins. Whatever goes wrong with the server ends this trial alone: what it could
//! not measure is recorded as failed, with the reason.
//!
//! A [`TrialState`] goes from phase to phase while nothing goes wrong, and is over as soon as something does, recorded. When which
//! of a round's trials enters which phase is the [round](crate::round)'s to say.

use std::time::{Duration, Instant, SystemTime};

use photofinish_model::finding::failure::FailureFinding;
use photofinish_model::secret::mask_words;
use photofinish_model::{Address, Load, TrialRecord, VERSION};
use photofinish_profile::SampleClock;
use photofinish_study::plan::Target;

use crate::error::{Error, Failure, Halt, failed};
use crate::events::Event;
use crate::journal::Journal;
use crate::measure::{self, Measured, Measuring};
use crate::order::{Level, Scheduled, Step};
use crate::prepare;
use crate::run_context::RunContext;
use crate::server::verify;
use crate::server::{Launch, Server};
use crate::turns::profiled;
use crate::{convert, sustain, warmup};

/// A measurement whose last responses are awaited for longer than so many times the load flowed is not profiled.
const AWAITED: u32 = 4;

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
    /// Only where nothing can be recorded any more, or no server at all can be started.
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
    /// Only where nothing can be recorded any more.
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
    /// Where something is left that not even SIGKILL ends, or nothing can be recorded any more. Where cleaning up fails the trial has.
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

    /// What it measures next; `None` where it is over, or has measured all.
    pub(crate) fn next_level(&self) -> Option<Level> {
        match self {
            TrialState::Running(running) => running.trial.left.first().map(Step::level),
            TrialState::Ended(_) => None,
        }
    }

    /// The process of its server; `None` where it is over, or that is not known.
    pub(crate) fn pid(&self) -> Option<u32> {
        match self {
            TrialState::Running(running) => running.server.process.pid(),
            TrialState::Ended(_) => None,
        }
    }

    /// The CPU time of its server, to the nanosecond: no more of one that is over; `None` where it cannot be known.
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

/// A trial whose server is up. Dropping it ends the server and everything that it started.
pub(crate) struct Running<'s> {
    trial: Trial<'s>,
    server: Server<'s>,
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

    /// Starts the server, in its lane, on a port of its own, and waits until it is ready.
    ///
    /// # Errors
    /// Where the target could not be prepared, failed to start twice before, or fails now; halts where the user wishes so.
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
    /// Only where nothing can be recorded any more, or no server at all can be started.
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

impl<'s> Running<'s> {
    /// Does it do the job? Its response to each workload, whether that is the same each time, and what the others have responded.
    ///
    /// # Errors
    /// Where a response is not the one that was stated; halts where the user wishes so.
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

    /// Measures everything in one piece each, in the trial's random order; each is on disk before the next begins.
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

    /// Records what was measured in one piece, which took so long, after its stacks were sampled in load of their own. Not where its last
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
        let is_soon = took <= flowed * (1 + AWAITED);
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

    /// Measures what comes next in one piece. There is something.
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

    /// Stops its server for a while, or lets it go on.
    ///
    /// # Errors
    /// Where some of its processes go on all the same.
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
    /// Where a service of the target has ended, and where nothing can be recorded any more.
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
