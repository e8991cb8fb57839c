//! The life of a trial, top to bottom: one target in a fresh server process.
//!
//! It was prepared before: its tools were found and it was built. Here it is
//! started in its lane, waited for, verified, warmed up, measured once at each workload and load
//! level in random order, and stopped with everything that it started. Each measurement is on disk
//! before the next begins. Whatever goes wrong with the server ends this trial alone: what it could
//! not measure is recorded as failed, with the reason.

use std::time::{Duration, Instant, SystemTime};

use photofinish_load::outcome::Window;
use photofinish_model::{TrialRecord, VERSION};
use photofinish_study::plan::Target;

use crate::error::{Error, Halt};
use crate::events::Event;
use crate::journal::Journal;
use crate::order::{Scheduled, Step};
use crate::prepare::{self, Prepared};
use crate::scene::Scene;
use crate::server::{self, Server};
use crate::{convert, idle, measure, verify, warmup};

/// How a trial ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum End {
    /// With every measurement recorded, well or badly.
    Held,
    /// By the person's wish; what was measured until then is kept.
    Interrupted,
}

/// Holds a trial and records it.
///
/// # Errors
/// Only where nothing can be recorded any more, or no server at all can be started.
pub(crate) fn hold(
    scene: &Scene,
    trial: &Scheduled,
    prepared: &prepare::Outcome,
    journal: &mut Journal,
) -> Result<End, Error> {
    let target = &scene.plan.targets[trial.target];
    let mut record = TrialRecord {
        version: VERSION,
        round: trial.round,
        trial: trial.number,
        target: target.label.clone(),
        at: convert::rfc3339(SystemTime::now()),
        pid: None,
        port: None,
        command: target.start.command.clone(),
        ready_s: None,
        warmups: Vec::new(),
        verified: Vec::new(),
        failure: None,
    };
    let mut left = trial.steps.as_slice();
    let began = Instant::now();
    let end = match prepared {
        Ok(prepared) => {
            journal.starting(scene.plan, trial);
            live(
                scene,
                trial,
                target,
                prepared,
                &mut record,
                &mut left,
                journal,
            )
        }
        Err(reason) => Err(Halt::Failed(reason.clone())),
    };
    match end {
        Ok(()) => {
            let measuring = (trial.steps.iter())
                .map(|step| measure::takes(scene.plan, step))
                .sum();
            journal.trial_ended(&record, Some(began.elapsed()), measuring)?;
            Ok(End::Held)
        }
        Err(Halt::Failed(reason)) => {
            record.failure = Some(reason);
            journal.failed(scene, trial, left, &record)?;
            Ok(End::Held)
        }
        Err(Halt::Interrupted) => {
            // What was measured is judged with the answers that the server was verified by.
            if left.len() < trial.steps.len() {
                journal.interrupted(&record)?;
            }
            Ok(End::Interrupted)
        }
        Err(Halt::Broken(error)) => Err(error),
    }
}

/// The life itself. `left` is what is still to be measured.
fn live(
    scene: &Scene,
    trial: &Scheduled,
    target: &Target,
    prepared: &Prepared,
    record: &mut TrialRecord,
    left: &mut &[Step],
    journal: &mut Journal,
) -> Result<(), Halt> {
    scene.go_on()?;

    // Start, in its lane, on a port of its own.
    let port = server::port(scene, target)?;
    let temp = tempfile::Builder::new()
        .prefix("photofinish-")
        .tempdir()
        .map_err(|e| Halt::Failed(format!("failed to make a folder for temporary files: {e}")))?;
    let spec = server::spec(scene, target, prepared, trial.round, port, temp.path());
    record.port = Some(port);
    record.command.clone_from(&spec.command);
    let services_live = || {
        scene
            .services
            .require_alive(&target.label)
            .map_err(Halt::Failed)
    };
    services_live()?;
    let mut server = Server::start(scene, target, &spec, port)?;
    record.pid = Some(server.process.pid());

    // Ready?
    let after = server.wait_ready(scene, &target.ready)?;
    record.ready_s = Some(after.as_secs_f64());
    journal.tell(Event::Ready {
        target: target.label.clone(),
        after,
    });

    // Does it do the job? One question a workload, and what the others have answered.
    let stations = warmup::stations(scene, trial);
    for station in &stations {
        scene.go_on()?;
        let workload = &scene.plan.workloads[station.workload];
        idle::prepare(scene, &mut server, workload)?;
        let answer = server.verify(scene, workload)?;
        let verified = verify::record(workload, &answer);
        journal.answered(&target.label, &verified, &answer.body);
        record.verified.push(verified);
    }
    journal.tell(Event::Verified {
        target: target.label.clone(),
    });

    // Warm up, each workload in turn.
    let stations = warmup::warmed_up(&scene.plan.workloads, &stations);
    if scene.plan.warmup.max > Duration::ZERO {
        let mut time_left = scene.plan.warmup.max;
        for (i, station) in stations.iter().enumerate() {
            let workload = &scene.plan.workloads[station.workload];
            let to_go = stations.len() - i;
            let bounds = warmup::bounds(&scene.plan.warmup, time_left, to_go, stations.len());
            journal.tell(Event::Warming {
                target: target.label.clone(),
                workload: workload.name.clone(),
                load: warmup::load(&workload.loads[station.load]),
                bound: bounds.most,
            });
            let on_window = &mut |window: &Window| journal.tell(Event::Window(window.clone()));
            idle::prepare(scene, &mut server, workload)?;
            let warmed = warmup::warm_up(scene, &mut server, trial, station, bounds, on_window)?;
            // What it took to answer what was asked last is not taken from the others.
            time_left = time_left.saturating_sub(warmed.flowed());
            journal.tell(Event::Warmed {
                target: target.label.clone(),
                took: Duration::from_secs_f64(warmed.duration_s),
                settled: warmed.settled,
            });
            record.warmups.push(warmed);
        }
    }

    // Measure, in the trial's random order; each is on disk before the next begins.
    while let Some((step, rest)) = left.split_first() {
        journal.measuring(scene.plan, trial, step);
        let same_job = journal
            .answers
            .same_job(&target.label, &scene.plan.workloads[step.workload].name);
        let tell = &mut |event| journal.tell(event);
        let measured = measure::measure(scene, &mut server, trial, step, &same_job, tell)?;
        // Errors for want of a database are no figures of the server's.
        services_live()?;
        journal.measured(measured, measure::takes(scene.plan, step))?;
        *left = rest;
    }

    // Stop it and everything that it started.
    let stopped = server.process.stop(target.stop.grace);
    stopped.map_err(|error| Halt::Broken(error.into()))
}
