//! One measurement: a lead-in, then the window, and what is recorded of it.

use std::time::{Duration, SystemTime};

use hdrhistogram::Histogram;
use photofinish_load::config::{Config, Until};
use photofinish_load::outcome::Window;
use photofinish_results::model::{self, Line, VERSION, check};
use photofinish_study::plan::Workload;

use crate::error::Halt;
use crate::observe::{self, Next, Seen};
use crate::order::{self, Scheduled, Step};
use crate::scene::Scene;
use crate::server::Server;
use crate::{checks, convert, exchange, idle, quiet};

/// A measurement that was made, or a line that says why there is none.
pub(crate) struct Measured {
    pub(crate) line: Line,
    pub(crate) latency: Option<Histogram<u64>>,
}

/// The load run for one workload at one level against one server.
pub(crate) fn config(
    scene: &Scene,
    server: &Server,
    workload: &Workload,
    load: &model::Load,
    duration: Duration,
    lead_in: Duration,
    seed: u64,
) -> Config {
    let (connections, pacing) = convert::pacing(load, duration);
    Config {
        address: server.address,
        exchange: exchange::exchange(workload, server.address),
        connections,
        pacing,
        until: Until::Elapsed(duration),
        lead_in,
        window: window(duration),
        timeout: workload.timeout,
        cpus: scene.lanes.generator.clone(),
        threads: crate::quick::threads(true, connections),
        seed,
    }
}

/// How long each window of so long a run is: enough of them to see where it shifts, none so short that what a scheduler or a
/// collector does every few milliseconds would count, and none longer than what a person who watches can wait for.
fn window(run: Duration) -> Duration {
    (run / 20).clamp(Duration::from_millis(100), Duration::from_millis(500))
}

/// Measures; `same_job` is what is known of whether this target answers as the others do.
///
/// # Errors
/// As [`observe::observe`]; and where the server no longer answers at all.
pub(crate) fn measure(
    scene: &Scene,
    server: &mut Server,
    trial: &Scheduled,
    step: &Step,
    same_job: (Option<bool>, String),
    on_window: &mut dyn FnMut(&Window),
) -> Result<Measured, Halt> {
    let workload = &scene.plan.workloads[step.workload];
    let load = convert::load(workload.loads[step.load]);
    let seed = order::arrivals_seed(scene.seed, trial.round, step);
    let plan = scene.plan;
    idle::prepare(scene, server, workload)?;
    let config = config(
        scene,
        server,
        workload,
        &load,
        plan.duration,
        plan.lead_in,
        seed,
    );
    let seen = observe::observe(scene, server, &config, &mut |window| {
        on_window(window);
        Next::GoOn
    })?;
    let mut line = line(scene, trial, step);
    line.at = convert::rfc3339(seen.outcome.started);
    if seen.outcome.answers_in_window + seen.outcome.drained == 0 {
        let says = silence(workload, &load, &seen);
        // Whoever answers a single question is not dead: the other levels may still be measured.
        still_answers(scene, server, trial, step).map_err(|halt| match halt {
            Halt::Failed(why) => Halt::Failed(format!("{says}; then {why}")),
            halt => halt,
        })?;
        line.failure = Some(says);
        return Ok(Measured {
            line,
            latency: None,
        });
    }
    let mut measurement = convert::measurement(&seen.outcome, &load);
    let (ok, says) = same_job;
    checks::replace(&mut measurement.checks, check::SAME_JOB, ok, says);
    let (ok, says) = checks::bytes(&measurement, &config.exchange);
    checks::replace(&mut measurement.checks, check::BYTES, ok, says);
    let (ok, says) = quiet::judge(seen.machine.as_ref());
    checks::replace(&mut measurement.checks, check::QUIET, ok, says);
    let rows = scene.services.count_after(workload, &seen.outcome);
    measurement.checks.extend(rows);
    line.measurement = Some(measurement);
    line.server = seen.server;
    line.service = seen.service;
    line.machine = seen.machine;
    Ok(Measured {
        line,
        latency: Some(seen.outcome.latency),
    })
}

/// Asks the server for each of the trial's workloads until one is answered, the silent one last: a server that has too much of
/// one, such as a queue that takes minutes, may still be measured by the others.
fn still_answers(
    scene: &Scene,
    server: &mut Server,
    trial: &Scheduled,
    silent: &Step,
) -> Result<(), Halt> {
    let mut others: Vec<usize> = trial.steps.iter().map(|step| step.workload).collect();
    others.sort_unstable();
    others.dedup();
    others.retain(|workload| *workload != silent.workload);
    for other in others {
        match server.verify(scene, &scene.plan.workloads[other]) {
            Ok(_) => return Ok(()),
            Err(Halt::Failed(_)) => {}
            Err(halt) => return Err(halt),
        }
    }
    let workload = &scene.plan.workloads[silent.workload];
    server.verify(scene, workload).map(drop)
}

fn silence(workload: &Workload, load: &model::Load, seen: &Seen) -> String {
    let why = seen
        .outcome
        .first_error
        .as_deref()
        .unwrap_or("no answer came");
    format!(
        "no good answer in {:.1} s of {} at {}: {why}",
        seen.outcome.duration.as_secs_f64(),
        workload.name,
        load.label()
    )
}

/// A line with nothing measured yet.
pub(crate) fn line(scene: &Scene, trial: &Scheduled, step: &Step) -> Line {
    let workload = &scene.plan.workloads[step.workload];
    Line {
        version: VERSION,
        round: trial.round,
        trial: trial.number,
        order: step.order,
        target: scene.plan.targets[trial.target].label.clone(),
        workload: workload.name.clone(),
        load: convert::load(workload.loads[step.load]),
        at: convert::rfc3339(SystemTime::now()),
        measurement: None,
        server: None,
        service: None,
        machine: None,
        failure: None,
    }
}
