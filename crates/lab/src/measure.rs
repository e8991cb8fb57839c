//! One measurement: a lead-in, then the window, and what is recorded of it.

use std::time::{Duration, SystemTime};

use hdrhistogram::Histogram;
use photofinish_judge::steady;
use photofinish_load::config::{Config, Exchange, Until};
use photofinish_model as model;
use photofinish_model::{Line, Measurement, VERSION, check};
use photofinish_study::plan::{Load, Plan, Workload};

use crate::error::Halt;
use crate::events::Event;
use crate::observe::{self, Next, Seen};
use crate::order::{self, Scheduled, Step};
use crate::scene::Scene;
use crate::server::Server;
use crate::{capacity, checks, convert, exchange, idle, quiet, sustain};

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
pub(crate) fn window(run: Duration) -> Duration {
    (run / 20).clamp(Duration::from_millis(100), Duration::from_millis(500))
}

/// About how long a measurement takes.
pub(crate) fn takes(plan: &Plan, step: &Step) -> Duration {
    match &plan.workloads[step.workload].loads[step.load] {
        Load::Closed { .. } | Load::Open { .. } => plan.lead_in + plan.duration,
        Load::Capacity { search, .. } => capacity::estimate(search),
    }
}

/// Whether a target answers as the others do, as far as that is known, and why.
pub(crate) type SameJob = (Option<bool>, String);

/// Measures, and tells what goes on meanwhile.
///
/// # Errors
/// As [`observe::observe`]; and where the server no longer answers at all.
pub(crate) fn measure(
    scene: &Scene,
    server: &mut Server,
    trial: &Scheduled,
    step: &Step,
    same_job: &SameJob,
    tell: &mut dyn FnMut(Event),
) -> Result<Measured, Halt> {
    let workload = &scene.plan.workloads[step.workload];
    if let Load::Capacity { search, .. } = &workload.loads[step.load] {
        return sustain::measure(scene, server, trial, step, search, same_job, tell);
    }
    let load = convert::load(&workload.loads[step.load]);
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
    let seen = observe::observe(scene, server, &config, &mut |window, _| {
        tell(Event::Window(window.clone()));
        Next::GoOn
    })?;
    let mut line = line(scene, trial, step);
    if let Some(says) = silence(scene, server, trial, step, &load, &seen)? {
        line.at = convert::rfc3339(seen.outcome.started);
        line.failure = Some(says);
        return Ok(Measured {
            line,
            latency: None,
        });
    }
    let exchange = &config.exchange;
    let measurement = judged(scene, workload, &load, exchange, &seen, same_job);
    Ok(filled(line, measurement, seen))
}

/// A line with what was measured, and what was seen meanwhile.
pub(crate) fn filled(mut line: Line, measurement: Measurement, seen: Seen) -> Measured {
    line.at = convert::rfc3339(seen.outcome.started);
    line.measurement = Some(measurement);
    line.server = seen.server;
    line.service = seen.service;
    line.machine = seen.machine;
    Measured {
        line,
        latency: Some(seen.outcome.latency),
    }
}

/// Asks the server for each of the trial's workloads until one is answered, the silent one last: a server that has too much of
/// one, such as a queue that takes minutes, may still be measured by the others.
fn still_answers(
    scene: &Scene,
    server: &mut Server,
    trial: &Scheduled,
    silent: &Step,
) -> Result<(), Halt> {
    let mut others = trial.workloads();
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

/// What a load run told, with its checks.
pub(crate) fn judged(
    scene: &Scene,
    workload: &Workload,
    load: &model::Load,
    exchange: &Exchange,
    seen: &Seen,
    (ok, says): &SameJob,
) -> Measurement {
    let mut measurement = convert::measurement(&seen.outcome, load);
    checks::replace(&mut measurement.checks, check::SAME_JOB, *ok, says.clone());
    let (ok, says) = checks::bytes(&measurement, exchange);
    checks::replace(&mut measurement.checks, check::BYTES, ok, says);
    let share = seen.server.as_ref().and_then(|used| used.compiling_share);
    let (ok, says) = steady::judge(&measurement.windows, share);
    checks::replace(&mut measurement.checks, check::STEADY, ok, says);
    let (ok, says) = quiet::judge(seen.machine.as_ref());
    checks::replace(&mut measurement.checks, check::QUIET, ok, says);
    let rows = scene.services.count_after(workload, &seen.outcome);
    measurement.checks.extend(rows);
    measurement
}

/// What to say where no answer came; `None`: one did.
///
/// # Errors
/// Where the server does not answer a single question either: whoever does is not dead, and may still be measured.
pub(crate) fn silence(
    scene: &Scene,
    server: &mut Server,
    trial: &Scheduled,
    step: &Step,
    load: &model::Load,
    seen: &Seen,
) -> Result<Option<String>, Halt> {
    let outcome = &seen.outcome;
    if outcome.answers_in_window + outcome.drained > 0 {
        return Ok(None);
    }
    let why = match outcome.first_error.as_deref() {
        Some(why) => why,
        // Every request was sent before the window, and answered after it.
        None if outcome.good > 0 && outcome.good == outcome.sent => {
            "answers came only after that; measure for longer than one takes (`duration`)"
        }
        None => "no answer came",
    };
    let says = format!(
        "no good answer in {:.1} s of {} at {}: {why}",
        outcome.duration.as_secs_f64(),
        scene.plan.workloads[step.workload].name,
        load.label()
    );
    match still_answers(scene, server, trial, step) {
        Ok(()) => Ok(Some(says)),
        Err(Halt::Failed(why)) => Err(Halt::Failed(format!("{says}; then {why}"))),
        Err(halt) => Err(halt),
    }
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
        load: convert::load(&workload.loads[step.load]),
        at: convert::rfc3339(SystemTime::now()),
        measurement: None,
        server: None,
        service: None,
        machine: None,
        failure: None,
    }
}
