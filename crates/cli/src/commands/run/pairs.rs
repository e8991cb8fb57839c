//! A race on several pairs of machines at once: each pair is a run of its own that takes rounds until none is left. All of them are
//! judged together.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::thread;

use photofinish_judge::pooled::measured_rounds;
use photofinish_lab::{Deal, Dealt, Error, Finished, RunOptions, new_results, run};
use photofinish_model::store::{STUDY, take_back};
use photofinish_model::units::plural;
use photofinish_study::plan::Plan;

use super::{changed, different_jobs, interrupted};
use crate::args::{RaceArgs, detail};
use crate::commands::report;
use crate::exit::Failure;
use crate::machines::Machines;
use crate::out;
use crate::progress::RunProgress;

/// What becomes of a pair of machines.
type Outcome<'m> = (&'m str, Result<Finished, Error>);

/// Runs the rounds of one race on several pairs of machines, and prints the verdicts; `again` says how to resume the run of a folder.
pub fn race(
    plan: &Plan,
    args: &RaceArgs,
    resume: Option<PathBuf>,
    again: &dyn Fn(&Path) -> String,
    (interrupt, pairs): (&AtomicBool, &[Machines]),
) -> Result<(), Failure> {
    require(plan, args, pairs.len())?;
    let folder = match &resume {
        Some(folder) => folder.clone(),
        None => new_results(&args.results, &plan.name).map_err(Error::from)?,
    };
    let earlier = report::runs_of_pairs(&folder).map_err(Failure::unread)?;
    let measured = earlier.iter().map(measured_rounds).sum();
    let left = plan.settings.rounds.saturating_sub(measured);
    let deal = Arc::new(Deal::new(left, pairs.len() as u32));
    let outcomes: Vec<Outcome> = thread::scope(|scope| {
        let runs: Vec<_> = (pairs.iter())
            .map(|pair| {
                let deal = Arc::clone(&deal);
                let folder = &folder;
                let race = move || on_pair(plan, args, folder, pair, deal, interrupt);
                (pair.name.as_str(), scope.spawn(race))
            })
            .collect();
        let ended = runs.into_iter().map(|(name, run)| {
            let ended = run.join();
            (
                name,
                ended.unwrap_or_else(|panic| std::panic::resume_unwind(panic)),
            )
        });
        ended.collect()
    });
    for (name, outcome) in &outcomes {
        let why = match outcome {
            Ok(Finished {
                lost: Some(why), ..
            }) => why.clone(),
            Err(error) => format!("failed to {error}"),
            Ok(_) => continue,
        };
        out::note(&format!(
            "{name} ended early, and the other pairs of machines have its rounds: {why}"
        ));
    }
    let (mut finished, mut failed) = (Vec::new(), None);
    for (_, outcome) in outcomes {
        match outcome {
            Ok(one) => finished.push(one),
            Err(error) => failed = failed.or(Some(error)),
        }
    }
    if finished.is_empty() {
        if resume.is_none() {
            take_back(&folder);
        }
        return Err(failed.map_or(Failure::Incomplete, Failure::from));
    }
    report::finish_pairs(&folder, args)?;
    if finished.iter().any(|one| one.interrupted) {
        return Err(interrupted(&folder, again));
    }
    // With a limit of time there are as many rounds as fit, unless all pairs ended early.
    let is_short = plan.settings.within.is_none() || finished.iter().all(|one| one.lost.is_some());
    let missing = if is_short { deal.left() } else { 0 };
    let different = finished.iter().flat_map(|one| &one.different_jobs);
    let different: BTreeSet<&String> = different.collect();
    let spoilt: BTreeSet<&String> = finished.iter().flat_map(|one| &one.changed).collect();
    // What failed on a pair that ended early, others have measured.
    let failed = |one: &Finished| one.failed > 0 && one.lost.is_none();
    let what = if missing > 0 {
        let rounds = plural(missing as usize, "round", "rounds");
        format!("{rounds} not measured (see above)")
    } else if !different.is_empty() {
        different_jobs(&different.into_iter().cloned().collect::<Vec<_>>())
    } else if !spoilt.is_empty() {
        changed(&spoilt.into_iter().cloned().collect::<Vec<_>>())
    } else if finished.iter().any(failed) {
        "measurements are missing (see above)".to_owned()
    } else {
        return Ok(());
    };
    out::note(&format!(
        "{what}; the reports and logs are in {}",
        folder.display()
    ));
    Err(Failure::Incomplete)
}

/// Checks that several pairs of machines can run this.
fn require(plan: &Plan, args: &RaceArgs, pairs: usize) -> Result<(), Failure> {
    let settings = &plan.settings;
    if settings.until_decided || settings.half_width.is_some() {
        return Err(Failure::request(format!(
            "--on names {pairs} pairs of machines, whose rounds are judged once: state their number (--rounds N), or for `run` their time \
             (--within 20m)"
        )));
    }
    if !args.ci.all.is_empty() {
        return Err(Failure::request(format!(
            "--on names {pairs} pairs of machines: --fail-if, --junit and --step-summary judge one pair; leave them out, or name one pair"
        )));
    }
    Ok(())
}

/// Runs rounds on one pair of machines until none is left.
fn on_pair(
    plan: &Plan,
    args: &RaceArgs,
    folder: &Path,
    pair: &Machines,
    deal: Arc<Deal>,
    interrupt: &AtomicBool,
) -> Result<Finished, Error> {
    let results = folder.join(&pair.name);
    let options = RunOptions {
        resume: results.join(STUDY).is_file(),
        results,
        seed: args.seed,
        cache: pair.cache.clone(),
        conditions: Vec::new(),
        dealt: Some(Dealt {
            pair: pair.name.clone(),
            deal: Arc::clone(&deal),
        }),
    };
    let mut show = RunProgress::of_pair(&pair.name, detail(&args.detail.all));
    let finished = run(
        plan,
        &options,
        &pair.host,
        &pair.generator,
        &mut |event| show.event(event),
        interrupt,
    );
    deal.leave();
    show.end();
    if finished.is_err() && !options.resume {
        take_back(&options.results);
    }
    finished
}
