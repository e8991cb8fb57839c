//! `photofinish history`.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use photofinish_judge::history::History;
use photofinish_model::store::{Results, STUDY};

use crate::args::HistoryArgs;
use crate::exit::Failure;
use crate::out;
use crate::outputs::{self, write_each};
use crate::pager;
use crate::screen::screen;

pub fn history(args: &HistoryArgs) -> Result<(), Failure> {
    let mut runs: Vec<PathBuf> = Vec::new();
    for folder in &args.results {
        runs.extend(all_runs_in(folder));
    }
    // A run that was given by itself and with its study's folder is one run.
    let mut seen = BTreeSet::new();
    runs.retain(|run| seen.insert(fs::canonicalize(run).unwrap_or_else(|_| run.clone())));
    let results = readable(&runs)?;
    outputs::check(&args.exports, None, &[])?;
    let history = History::from(results, args.baseline.as_deref()).map_err(Failure::request)?;
    write_each(&args.exports, |format| (format.history)(&history))?;
    if args.exports.0.is_empty() {
        pager::result(&photofinish_report::history(&history, screen()))?;
    }
    Ok(())
}

/// Reads runs, without those that cannot be read: these are reported.
///
/// # Errors
/// For a folder that is not there, and where no run can be read.
fn readable(runs: &[PathBuf]) -> Result<Vec<Results>, Failure> {
    let (mut results, mut unread) = (Vec::new(), Vec::new());
    for run in runs {
        match Results::read(run) {
            Ok(read) => results.push(read),
            Err(error) if run.is_dir() => unread.push((run, error)),
            Err(error) => return Err(Failure::unread(error)),
        }
    }
    if results.is_empty()
        && let Some((_, error)) = unread.pop()
    {
        return Err(Failure::unread(error));
    }
    for (run, error) in unread {
        let run = run.display();
        out::note(&format!(
            "warning: the history is without {run}: failed to {error}"
        ));
    }
    Ok(results)
}

/// The runs in a study's results folder; a folder that holds none stands for itself, and reading it says what it is.
pub fn runs_in(folder: &Path) -> Vec<PathBuf> {
    let is_run = |folder: &Path| folder.join(STUDY).is_file();
    let itself = || vec![folder.to_owned()];
    if is_run(folder) {
        return itself();
    }
    let Ok(entries) = fs::read_dir(folder) else {
        return itself();
    };
    let entries = entries.filter_map(|entry| Some(entry.ok()?.path()));
    let mut runs: Vec<PathBuf> = entries.filter(|path| is_run(path)).collect();
    runs.sort();
    match runs.is_empty() {
        true => itself(),
        false => runs,
    }
}

/// The runs of several pairs of machines that a folder holds, if these shared their rounds.
pub fn pair_runs_in(folder: &Path) -> Vec<PathBuf> {
    let is_of_pair = |run: &PathBuf| {
        let study = Results::read_study(run);
        run != folder && study.is_ok_and(|study| study.pair.is_some())
    };
    match folder.join(STUDY).is_file() {
        true => Vec::new(),
        false => runs_in(folder).into_iter().filter(is_of_pair).collect(),
    }
}

/// The runs in a study's results folder, and each pair's run of those on several pairs of machines.
fn all_runs_in(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let pairs = entries.flat_map(|entry| pair_runs_in(&entry.path()));
    let mut pairs: Vec<PathBuf> = pairs.collect();
    pairs.sort();
    let mut runs = runs_in(folder);
    // A folder that holds no run by itself stands for itself.
    runs.retain(|run| run != folder || pairs.is_empty());
    runs.extend(pairs);
    runs
}
