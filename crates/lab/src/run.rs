//! A run: everything that can fail is checked, then round after round is measured.

use std::cell::RefCell;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use photofinish_host::{Generator, Host};
use photofinish_judge::comparison::{BestTurns, Comparison};
use photofinish_judge::threshold::{self, Condition};
use photofinish_model::store::Results;
use photofinish_study::plan::Plan;

use crate::error::{Error, Halt};
use crate::events::{Event, Warning};
use crate::interference::placement::Placements;
use crate::journal::Journal;
use crate::order::{self, Scheduled};
use crate::prepare;
use crate::prepare::cache;
use crate::prepare::java::Java;
use crate::record::environment;
use crate::round::Round;
use crate::run_context::RunContext;
use crate::service::Services;
use crate::trial::End;

mod ahead;
mod deal;
mod setup;
mod watch;

use ahead::Ahead;
pub use deal::{Analyze, Deal};
use setup::{Begun, Checked, Setup};

/// How a plan is run.
#[derive(Clone, Debug)]
pub struct RunOptions {
    /// The folder for this run.
    pub results: PathBuf,
    /// Whether to resume the run that the folder holds.
    pub resume: bool,
    /// The seed of the order; `None` = a new one, or that of the run that is resumed.
    pub seed: Option<u64>,
    /// Where builds are kept, on the servers' machine.
    pub cache: PathBuf,
    /// What a plan that adds rounds until it is decided waits for; empty = its verdicts and claims.
    pub conditions: Vec<Condition>,
    /// The pair of machines, if the plan's rounds are dealt out over several pairs; each of them has a run of its own.
    pub dealt: Option<Dealt>,
}

/// A pair of machines that takes rounds of a plan.
#[derive(Clone, Debug)]
pub struct Dealt {
    /// The name of the pair.
    pub pair: String,
    /// Its number among the pairs.
    pub number: usize,
    /// The rounds that all pairs share.
    pub deal: Arc<Deal>,
}

/// What came of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finished {
    /// The folder with its results.
    pub dir: PathBuf,
    /// Measurements that failed, and trials that did after their last one.
    pub failed: usize,
    /// Measurements that are missing.
    pub missing: usize,
    /// Whether the user ended it.
    pub interrupted: bool,
    /// The workloads for which not all targets do the same job: their figures are of different work.
    pub different_jobs: Vec<String>,
    /// The targets whose responses changed after verification: their figures are of another job.
    pub changed: Vec<String>,
    /// Why this pair of machines ended before the rounds did, of several pairs.
    pub lost: Option<String>,
}

/// Runs a plan: each target in a fresh process of `host` in each round, loaded by `generator`.
///
/// What goes wrong with one target is recorded, reported as an event and counted; the others continue.
/// `interrupt` may be set at any moment, from any thread: the load and the server are stopped, and
/// what was measured until then is kept.
///
/// # Errors
/// Before the first round: cores that cannot be had, too few open files, a results folder that
/// cannot be written, or that holds another study than the one to resume. Later only if
/// results cannot be written any more.
pub fn run(
    plan: &Plan,
    options: &RunOptions,
    host: &Host,
    generator: &dyn Generator,
    events: &mut dyn FnMut(Event),
    interrupt: &AtomicBool,
) -> Result<Finished, Error> {
    let events = RefCell::new(events);
    let events = |event| (events.borrow_mut())(event);
    let setup = Setup {
        plan,
        options,
        host,
        generator,
        events: &events,
        interrupt,
    };
    // Everything that can fail, before anything takes time.
    let checked = setup.check()?;
    let begun = setup.begin(&checked)?;
    let folder = begun.store.needed();
    let measured = || measure(&setup, checked, begun);
    watch::watched(&folder, interrupt, measured)?
}

/// Measures a run that has a folder.
fn measure(setup: &Setup, checked: Checked, begun: Begun) -> Result<Finished, Error> {
    let Setup {
        plan,
        options,
        host,
        generator,
        events,
        interrupt,
    } = *setup;
    let Begun {
        store,
        seed,
        earlier,
    } = begun;
    let trials = order::schedule(plan, seed);
    if trials.is_empty() {
        let study = plan.name.clone();
        return Err(Error::Nothing { study });
    }
    let mut finished = Finished {
        dir: store.dir().to_owned(),
        failed: 0,
        missing: 0,
        interrupted: false,
        different_jobs: Vec::new(),
        changed: Vec::new(),
        lost: None,
    };
    let mut run = RunContext {
        plan,
        host,
        generator,
        sharing: sharing(host, generator)?,
        pairs: checked.cpu_sets.pairs([host, generator.machine()])?,
        cpu_sets: checked.cpu_sets,
        raised_priority: checked.raised_priority,
        java: Java::new(&options.cache),
        forgetful: RefCell::default(),
        services: Services::default(),
        seed,
        logs: store.logs(),
        events,
        interrupt,
    };
    let _kept = (host.is_here()).then(|| cache::use_it(&options.cache));
    let prepared = setup::prepare_all(&run, checked.tools, &options.cache)
        .and_then(|prepared| setup::start_services(&mut run, checked.services, prepared));
    let prepared = match prepared {
        Ok(prepared) => {
            require_revisions(plan, &prepared)?;
            prepared
        }
        Err(Halt::Broken(error)) => return Err(error),
        Err(Halt::Interrupted | Halt::Failed(_)) => {
            finished.interrupted = true;
            return Ok(finished);
        }
    };
    run.expect_java(plan);
    let Ahead {
        trials,
        clock,
        responses,
    } = Ahead::of(plan, trials, earlier.as_ref());
    let mut journal = Journal::new(&run, store, clock, responses);
    let done = earlier.iter().flat_map(|results| &results.lines);
    journal.placements = Placements::of(done.clone());
    done.for_each(|line| journal.note_change(line));
    journal.begins(trials.len());
    match rounds(&run, &trials, &prepared, options, &mut journal)? {
        Ended::Done => {}
        Ended::Interrupted => finished.interrupted = true,
        Ended::Lost(why) => finished.lost = Some(why),
    }
    finished.failed = journal.missing + journal.failed_late;
    finished.missing = journal.missing;
    finished.different_jobs = journal.different_jobs();
    finished.changed = journal.changed();
    for error in run.services.stop() {
        run.report(Event::Warning(Warning::Service(Arc::new(error))));
    }
    Ok(finished)
}

/// A revision alone has nothing to be compared with.
fn require_revisions(plan: &Plan, prepared: &[prepare::Outcome]) -> Result<(), Error> {
    let mut each = plan.targets.iter().zip(prepared);
    let missing = each.find_map(|(target, outcome)| {
        target.revision.as_ref()?;
        Some((target, outcome.as_ref().err()?))
    });
    match missing {
        None => Ok(()),
        Some((target, _)) => Err(Error::NoRevision {
            target: target.label.clone(),
        }),
    }
}

/// How the rounds ended.
enum Ended {
    Done,
    Interrupted,
    /// Nothing can be compared on this pair of machines any more, for this reason; others have its rounds.
    Lost(String),
}

/// Measures round after round, until all are or, where the plan wishes so, until everything is decided or no further one ends in time.
fn rounds(
    run: &RunContext,
    trials: &[Scheduled],
    prepared: &[prepare::Outcome],
    options: &RunOptions,
    journal: &mut Journal,
) -> Result<Ended, Error> {
    let dealt = options.dealt.as_ref();
    if let (Some(limit), Some(dealt)) = (&mut journal.time_limit, dealt) {
        limit.is_shared_by(dealt.deal.pairs());
    }
    let rounds: Vec<&[Scheduled]> = trials.chunk_by(|a, b| a.round == b.round).collect();
    for (done, trials) in rounds.iter().enumerate() {
        let earlier = trials[0].round - 1;
        // The rounds of several pairs of machines are analysed together.
        if earlier > 0 && run.plan.settings.until_decided && dealt.is_none() {
            let analysis = analyze(run, options, earlier)?;
            if analysis.decided {
                break;
            }
            journal.best_turns = analysis.best_turns;
        }
        let (mut ahead, mut taken) = (rounds.len() - done, None);
        if let Some(Dealt { number, deal, .. }) = dealt {
            ahead = ahead.min(deal.share().max(1));
            taken = deal.take(*number, &|| run.interrupted())?;
            if run.interrupted() {
                return Ok(Ended::Interrupted);
            }
            if taken.is_none() {
                if !deal.is_decided() {
                    journal.rounds_are_over(earlier)?;
                }
                break;
            }
        }
        let limit = journal.time_limit.as_mut();
        if limit.is_some_and(|limit| !limit.begin_round(earlier as usize, ahead)) {
            journal.time_is_over(earlier)?;
            break;
        }
        journal.reports_lifted_limit();
        journal.begin_round();
        if Round::new(run, trials, prepared).hold(journal)? == End::Interrupted {
            return Ok(Ended::Interrupted);
        }
        if let Some(taken) = taken {
            if let Some(why) = lost(run, trials, journal) {
                journal.rounds_are_over(trials[0].round)?;
                return Ok(Ended::Lost(why));
            }
            taken.keep();
        }
        if !journal.has_contest {
            break;
        }
        if is_over(run, journal) {
            journal.rounds_are_over(trials[0].round)?;
            break;
        }
        if let Some(limit) = &mut journal.time_limit {
            limit.round_ended();
        }
    }
    Ok(Ended::Done)
}

/// Whether a run that is only about a comparison has no two servers left that can be compared.
fn is_over(run: &RunContext, journal: &Journal) -> bool {
    let plan = run.plan;
    let contenders = plan.targets.iter().filter(|target| !target.limit);
    let contenders: Vec<&str> = contenders.map(|target| target.label.as_str()).collect();
    let compares = plan.settings.until_decided || plan.settings.ends_without_contest;
    compares && contenders.len() > 1 && journal.no_contest(&contenders).is_some()
}

/// Why a round that ended shows that nothing can be compared on these machines any more; `None`: something can.
fn lost(run: &RunContext, trials: &[Scheduled], journal: &Journal) -> Option<String> {
    let machines = [run.host, run.generator.machine()];
    let gone = machines.iter().find_map(|host| host.still_there().err());
    if let Some(error) = gone {
        return Some(error.to_string());
    }
    let targets = trials.iter().map(|trial| &run.plan.targets[trial.target]);
    let contenders: Vec<_> = targets.filter(|target| !target.limit).collect();
    let measured = contenders
        .iter()
        .filter(|target| journal.has_measured(&target.label));
    (measured.count() < contenders.len().min(2)).then(|| journal.last_failure())
}

/// What the rounds so far show of those to come.
struct InterimAnalysis {
    /// Whether they have decided everything, or further ones would hardly decide what is open.
    decided: bool,
    best_turns: Vec<BestTurns>,
}

/// Analyses the rounds up to this one.
fn analyze(run: &RunContext, options: &RunOptions, round: u32) -> Result<InterimAnalysis, Error> {
    let results = Results::read(&options.results)?;
    let comparison = Comparison::from(&results);
    let progress = threshold::progress(&options.conditions, &results, &comparison);
    run.report(Event::InterimAnalysis {
        round,
        open: progress.open,
        of: progress.of,
        undecided: comparison.first_undecided(),
    });
    // Conditions may be about anything, which turns may not be what it takes to decide.
    let best_turns = match options.conditions.is_empty() {
        true => comparison.best_turns(&results),
        false => Vec::new(),
    };
    Ok(InterimAnalysis {
        decided: progress.open == progress.hopeless,
        best_turns,
    })
}

/// Those of several generators that run on the servers' machine.
fn sharing(host: &Host, generator: &dyn Generator) -> Result<Vec<String>, Error> {
    if generator.several().is_empty() {
        return Ok(Vec::new());
    }
    let boot = host.facts()?.boot;
    let all = environment::several(&boot, generator)?.into_iter();
    Ok(all.filter(|one| one.same).map(|one| one.name).collect())
}
