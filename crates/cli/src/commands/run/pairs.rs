//! A race on several pairs of machines at once: each pair is a run of its own that takes rounds until none is left, or until the rounds of all
//! pairs are decided. All of them are judged together.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::thread;

use photofinish_judge::pooled::{PairRuns, measured_rounds};
use photofinish_judge::threshold::{Condition, progress_on_pairs};
use photofinish_lab::{Analyze, Deal, Dealt, Error, Finished, RunOptions, new_results, run};
use photofinish_model::store::{STUDY, take_back};
use photofinish_model::units::plural;
use photofinish_study::plan::Plan;

use super::{changed, different_jobs, interrupted};
use crate::args::{RaceArgs, detail};
use crate::ci::Ci;
use crate::commands::report;
use crate::exit::Failure;
use crate::machines::Machines;
use crate::out;
use crate::progress::{RunProgress, interim_analysis};

/// What becomes of a pair of machines.
type Outcome<'m> = (&'m str, Result<Finished, Error>);

/// Runs the rounds of one race on several pairs of machines, and prints the verdicts; `again` says how to resume the run of a folder.
pub fn race(
    plan: &Plan,
    (args, ci): (&RaceArgs, &Ci),
    resume: Option<PathBuf>,
    again: &dyn Fn(&Path) -> String,
    (interrupt, pairs): (&AtomicBool, &[Machines]),
) -> Result<(), Failure> {
    ci.require_pairs()?;
    let folder = match &resume {
        Some(folder) => folder.clone(),
        None => new_results(&args.results, &plan.name).map_err(Error::from)?,
    };
    let earlier = report::runs_of_pairs(&folder).map_err(Failure::unread)?;
    let measured: u32 = earlier.iter().map(measured_rounds).sum();
    let left = plan.settings.rounds.saturating_sub(measured);
    let deal = Deal::new(left, pairs.len());
    let deal = Arc::new(match plan.settings.until_decided {
        false => deal,
        true => {
            let conditions = ci.conditions().to_vec();
            let analyze = analyze(folder.clone(), conditions, args.detail.all.quiet);
            deal.until_decided(analyze, measured > 0)
        }
    });
    let outcomes: Vec<Outcome> = thread::scope(|scope| {
        let runs: Vec<_> = (pairs.iter())
            .enumerate()
            .map(|(number, pair)| {
                let dealt = Dealt {
                    pair: pair.name.clone(),
                    number,
                    deal: Arc::clone(&deal),
                };
                let folder = &folder;
                let race = move || on_pair(plan, args, folder, pair, dealt, interrupt);
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
    let judged = report::finish_pairs(&folder, args)?;
    if finished.iter().any(|one| one.interrupted) {
        return Err(interrupted(&folder, again));
    }
    let asked = judged.map_or(Ok(()), |pairs| ci.report_on_pairs(&pairs));
    // With a limit of time there are as many rounds as fit, unless all pairs ended early.
    let is_short = match plan.settings.within {
        Some(_) => finished.iter().all(|one| one.lost.is_some()),
        None => !deal.is_decided(),
    };
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
        return asked;
    };
    out::note(&format!(
        "{what}; the reports and logs are in {}",
        folder.display()
    ));
    Err(Failure::Incomplete)
}

/// Analyses the rounds of all pairs that a folder holds, and prints how far they are.
fn analyze(folder: PathBuf, conditions: Vec<Condition>, is_quiet: bool) -> Analyze {
    Box::new(move || {
        let Some(pairs) = PairRuns::judged(report::runs_of_pairs(&folder)?) else {
            return Ok(false);
        };
        let progress = progress_on_pairs(&conditions, &pairs);
        if !is_quiet {
            let rounds = pairs.runs.iter().map(measured_rounds).sum();
            let undecided = pairs.pooled.first_undecided();
            out::note(&interim_analysis(rounds, progress, undecided));
        }
        Ok(progress.open == progress.hopeless)
    })
}

/// Runs rounds on one pair of machines until none is left.
fn on_pair(
    plan: &Plan,
    args: &RaceArgs,
    folder: &Path,
    pair: &Machines,
    dealt: Dealt,
    interrupt: &AtomicBool,
) -> Result<Finished, Error> {
    let results = folder.join(&pair.name);
    let _seat = Seat(Arc::clone(&dealt.deal), dealt.number);
    let options = RunOptions {
        resume: results.join(STUDY).is_file(),
        results,
        seed: args.seed,
        cache: pair.cache.clone(),
        conditions: Vec::new(),
        dealt: Some(dealt),
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
    show.end();
    if finished.is_err() && !options.resume {
        take_back(&options.results);
    }
    finished
}

/// A pair of machines that takes rounds, by its number. Nobody waits for it once it is dropped, whatever became of it.
struct Seat(Arc<Deal>, usize);

impl Drop for Seat {
    fn drop(&mut self) {
        self.0.leave(self.1);
    }
}
