//! A run: everything that can fail is checked, then each round's trials are held in random order.

use std::collections::hash_map::RandomState;
use std::hash::BuildHasher;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, SystemTime};

use photofinish_judge::comparison::Comparison;
use photofinish_model::store::{Results, Store};
use photofinish_model::{Line, Load};
use photofinish_study::plan::{self, Plan};

use crate::error::{Error, Halt};
use crate::events::{Clock, Event};
use crate::journal::Journal;
use crate::order::{self, Step};
use crate::same_job::Answers;
use crate::scene::{LoadGenerator, Own, Scene};
use crate::service::{self, Found, Instance, Services, Stage};
use crate::trial::End;
use crate::{convert, environment, lanes, measure, prepare, record, trial};
use photofinish_host as host;
use photofinish_host::{Host, Tools};

/// How a plan is run.
#[derive(Clone, Debug)]
pub struct RunOptions {
    /// The folder for this run.
    pub results: PathBuf,
    /// Whether to go on with the run that the folder holds.
    pub resume: bool,
    /// The seed of the order; `None` = a new one, or that of the run that is gone on with.
    pub seed: Option<u64>,
    /// Where builds are kept.
    pub cache: PathBuf,
    /// This program, for targets that are built into it.
    pub photofinish: PathBuf,
}

/// What came of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finished {
    /// The folder with its results.
    pub dir: PathBuf,
    /// Measurements and trials that failed.
    pub failed: usize,
    /// Whether the person ended it.
    pub interrupted: bool,
}

/// Runs a plan: a trial of each target in each round.
///
/// What goes wrong with one target is recorded, told as an event and counted; the others go on.
/// `interrupt` may be set at any moment, from any thread: the load and the server are stopped, and
/// what was measured until then is kept.
///
/// # Errors
/// Before the first trial: lanes that cannot be had, too few open files, a results folder that
/// cannot be written, or that holds another study than the one to go on with. Later only where
/// results cannot be written any more.
pub fn run(
    plan: &Plan,
    options: &RunOptions,
    host: &dyn Host,
    events: &mut dyn FnMut(Event),
    interrupt: &AtomicBool,
) -> Result<Finished, Error> {
    run_with(plan, options, host, &Own, events, interrupt)
}

/// The same with another load generator.
pub(crate) fn run_with(
    plan: &Plan,
    options: &RunOptions,
    host: &dyn Host,
    generator: &dyn LoadGenerator,
    events: &mut dyn FnMut(Event),
    interrupt: &AtomicBool,
) -> Result<Finished, Error> {
    // Everything that can fail, before anything takes time.
    let lanes = lanes::lanes(&plan.lanes)?;
    if let Some(note) = &lanes.note {
        events(Event::Warning(note.clone()));
    }
    prepare::open_files(largest(plan))?;
    let tools: Vec<Result<Tools, String>> = plan
        .targets
        .iter()
        .map(|target| prepare::tools(host, target))
        .collect();
    // Whoever interrupts this has nothing to keep: there is no folder yet.
    let found = find_services(plan, options, host, events, interrupt)?;
    let Begun {
        store,
        seed,
        earlier,
    } = begin(plan, options, &lanes, &tools, &found)?;
    let trials = order::schedule(plan, seed);
    if trials.is_empty() {
        let study = plan.name.clone();
        return Err(Error::Nothing { study });
    }

    let mut scene = Scene {
        plan,
        host,
        generator,
        lanes,
        services: Services::default(),
        seed,
        logs: store.logs(),
        photofinish: options.photofinish.clone(),
        interrupt,
    };
    let mut finished = Finished {
        dir: store.dir().to_owned(),
        failed: 0,
        interrupted: false,
    };
    let prepared = prepare_all(&scene, tools, options, events)
        .and_then(|prepared| start_services(&mut scene, found, prepared, events));
    let prepared = match prepared {
        Ok(prepared) => prepared,
        Err(Halt::Broken(error)) => return Err(error),
        Err(Halt::Interrupted | Halt::Failed(_)) => {
            finished.interrupted = true;
            return Ok(finished);
        }
    };

    // What an earlier run has measured is kept; the rest is held in the same order.
    let done = earlier
        .as_ref()
        .map(|results| results.lines.as_slice())
        .unwrap_or_default();
    let mut clock = Clock::new(guess(plan));
    let mut ahead = Vec::new();
    for mut trial in trials {
        let all = trial.steps.len();
        let (round, label) = (trial.round, &plan.targets[trial.target].label);
        trial
            .steps
            .retain(|step| !is_done(plan, round, label, step, done));
        clock.add_done(all - trial.steps.len());
        if !trial.steps.is_empty() {
            let takes = trial.steps.iter().map(|step| measure::takes(plan, step));
            clock.add_trial(trial.steps.len(), takes.sum());
            ahead.push(trial);
        }
    }

    let answers = known_answers(plan, earlier.as_ref());
    let mut journal = Journal::new(store, events, clock, answers);
    journal.begins(ahead.len(), seed);
    let mut round = 1;
    for trial in &ahead {
        if trial.round > round {
            round = trial.round;
            if plan.until_decided && decided(&finished.dir, round - 1, &mut journal)? {
                break;
            }
        }
        if scene.interrupted()
            || trial::hold(&scene, trial, &prepared[trial.target], &mut journal)?
                == End::Interrupted
        {
            finished.interrupted = true;
            break;
        }
    }
    finished.failed = journal.failed;
    for says in scene.services.stop() {
        journal.tell(Event::Warning(says));
    }
    Ok(finished)
}

/// Whether the rounds up to this one have decided everything.
fn decided(dir: &Path, round: u32, journal: &mut Journal) -> Result<bool, Error> {
    let progress = Comparison::from(&Results::read(dir)?).progress();
    journal.tell(Event::Looked {
        round,
        open: progress.open,
        of: progress.of,
    });
    Ok(progress.open == 0)
}

/// A run that has a folder.
struct Begun {
    store: Store,
    seed: u64,
    /// What the folder held already.
    earlier: Option<Results>,
}

/// Makes the folder, or opens the one to go on with.
fn begin(
    plan: &Plan,
    options: &RunOptions,
    lanes: &lanes::Lanes,
    tools: &[Result<Tools, String>],
    services: &[Result<Found, String>],
) -> Result<Begun, Error> {
    let services = (plan.services.iter().zip(services))
        .map(|(service, found)| record::service(service, found.as_ref().ok(), &lanes.server))
        .collect();
    let found = tools
        .iter()
        .flatten()
        .flat_map(|tools| tools.found.clone())
        .collect();
    let environment = environment::environment(lanes, found);
    let started = convert::rfc3339(SystemTime::now());
    if options.resume {
        let (store, results) = Store::resume(&options.results)?;
        let seed = options.seed.unwrap_or(results.study.seed);
        let study = record::study(plan, seed, started, tools, services);
        let there = (&results.study, &results.environment);
        let differences = record::differences(there, (&study, &environment));
        if !differences.is_empty() {
            let dir = options.results.clone();
            return Err(Error::OtherStudy { dir, differences });
        }
        return Ok(Begun {
            store,
            seed,
            earlier: Some(results),
        });
    }
    let seed = options.seed.unwrap_or_else(new_seed);
    let study = record::study(plan, seed, started, tools, services);
    let store = Store::create(&options.results, &study, &environment, &plan.text)?;
    Ok(Begun {
        store,
        seed,
        earlier: None,
    })
}

/// Finds, or fetches, what the services are run with; why not is told of each that cannot be had.
///
/// # Errors
/// Only for an interruption.
fn find_services(
    plan: &Plan,
    options: &RunOptions,
    host: &dyn Host,
    events: &mut dyn FnMut(Event),
    interrupt: &AtomicBool,
) -> Result<Vec<Result<Found, String>>, Error> {
    let interrupted = || interrupt.load(Ordering::Relaxed);
    let mut all = Vec::new();
    for service in &plan.services {
        let mut tell = |says| {
            let service = service.name.clone();
            events(Event::Service { service, says });
        };
        let found = service::find(host, service, &options.cache, &interrupted, &mut tell);
        all.push(match found {
            Err(service::Error::Interrupted) => return Err(host::Error::Interrupted.into()),
            found => found.map_err(|error| format!("failed to {error}")),
        });
    }
    Ok(all)
}

/// Starts and fills the services that a target which can run needs; a target whose service is not
/// up cannot run either.
///
/// After all builds: a database would else lie idle, or be disturbed, while others are made.
fn start_services(
    scene: &mut Scene,
    found: Vec<Result<Found, String>>,
    mut prepared: Vec<prepare::Outcome>,
    events: &mut dyn FnMut(Event),
) -> Result<Vec<prepare::Outcome>, Halt> {
    // Beside the logs; each service's folder goes with it, and the last one takes this one along.
    let dir = scene.logs.with_file_name("services");
    // What a run that was killed has left there, if this one goes on with it.
    service::clear(&dir);
    for (service, found) in scene.plan.services.iter().zip(found) {
        let mut targets = scene.plan.targets.iter().zip(&prepared);
        if !targets.any(|(target, prepared)| service.is_for(&target.label) && prepared.is_ok()) {
            continue;
        }
        let mut tell = |says: String| {
            let service = service.name.clone();
            events(Event::Service { service, says });
        };
        let interrupted = || scene.interrupted();
        let stage = Stage {
            host: scene.host,
            dir: &dir,
            logs: &scene.logs,
            cpus: &scene.lanes.server,
            interrupted: &interrupted,
        };
        let up = found.and_then(|found| {
            let title = service.kind.title();
            tell(format!(
                "starting {title} {} ({})",
                found.version, found.origin
            ));
            Instance::start(&stage, service, &found).map_err(|error| format!("failed to {error}"))
        });
        scene.go_on()?;
        if up.is_ok() {
            tell("up and filled".to_owned());
        }
        scene.services.add(service.clone(), up);
    }
    for (target, outcome) in scene.plan.targets.iter().zip(&mut prepared) {
        let Some(reason) = scene.services.why_not(&target.label) else {
            continue;
        };
        if outcome.is_ok() {
            let (target, reason) = (target.label.clone(), reason.to_owned());
            *outcome = Err(reason.clone());
            events(Event::Unusable { target, reason });
        }
    }
    Ok(prepared)
}

/// Builds every target whose tools are here.
fn prepare_all(
    scene: &Scene,
    tools: Vec<Result<Tools, String>>,
    options: &RunOptions,
    events: &mut dyn FnMut(Event),
) -> Result<Vec<prepare::Outcome>, Halt> {
    let mut prepared = Vec::new();
    for (target, tools) in scene.plan.targets.iter().zip(tools) {
        let outcome = match tools {
            Ok(tools) => prepare::build(scene, target, tools, &options.cache, events)?,
            Err(reason) => Err(reason),
        };
        if let Err(reason) = &outcome {
            events(Event::Unusable {
                target: target.label.clone(),
                reason: reason.clone(),
            });
        }
        prepared.push(outcome);
    }
    Ok(prepared)
}

/// The most connections that any level opens.
fn largest(plan: &Plan) -> u32 {
    let loads = plan.workloads.iter().flat_map(|workload| &workload.loads);
    loads.map(plan::Load::connections).max().unwrap_or(0)
}

/// What a trial takes beside its measurements until some have shown it: a warm-up of half its
/// bound, and a start and a stop of a second each.
fn guess(plan: &Plan) -> Duration {
    plan.warmup.min.max(plan.warmup.max / 2) + Duration::from_secs(2)
}

/// A seed that is new for each run, and short enough to be typed and to be exact in JavaScript.
fn new_seed() -> u64 {
    RandomState::new().hash_one(SystemTime::now()) & u64::from(u32::MAX)
}

fn is_done(plan: &Plan, round: u32, label: &str, step: &Step, done: &[Line]) -> bool {
    let workload = &plan.workloads[step.workload];
    let load: Load = convert::load(&workload.loads[step.load]);
    done.iter().any(|line| {
        line.measurement.is_some()
            && line.round == round
            && line.target == label
            && line.workload == workload.name
            && line.load == load
    })
}

/// What the targets answered in the run that is gone on with.
fn known_answers(plan: &Plan, earlier: Option<&Results>) -> Answers {
    let mut answers = Answers::to(&plan.workloads);
    for trial in earlier.iter().flat_map(|results| &results.trials) {
        for verified in &trial.verified {
            answers.add(&trial.target, verified, None);
        }
    }
    answers
}
