//! What shells offer as values of arguments: studies, targets and results folders.

use std::env;
use std::path::Path;

use clap_complete::engine::{ArgValueCandidates, CompletionCandidate};
use photofinish_lab::runs;
use photofinish_study::find::Library;

use super::{LATEST, RESULTS};

/// The names of the studies that are here.
pub fn studies() -> ArgValueCandidates {
    ArgValueCandidates::new(|| candidates(library().map(|library| library.study_names())))
}

/// The names of the studies that are here, and results folders.
pub fn studies_or_results() -> ArgValueCandidates {
    let studies = || library().map(|library| library.study_names());
    ArgValueCandidates::new(move || {
        let studies = studies().into_iter().flatten();
        candidates(Some(studies.chain(newest_first()).collect()))
    })
}

/// The names of the targets that are here.
pub fn targets() -> ArgValueCandidates {
    ArgValueCandidates::new(|| candidates(library().map(|library| library.target_names())))
}

/// The results folders of runs, the newest first.
pub fn results() -> ArgValueCandidates {
    ArgValueCandidates::new(|| candidates(Some(newest_first().collect())))
}

/// The same, and the word for the newest of them.
pub fn latest_or_results() -> ArgValueCandidates {
    let latest = || std::iter::once(LATEST.to_owned());
    ArgValueCandidates::new(move || candidates(Some(latest().chain(newest_first()).collect())))
}

fn newest_first() -> impl Iterator<Item = String> {
    let runs = runs(Path::new(RESULTS)).into_iter().rev();
    runs.map(|run| run.display().to_string())
}

fn library() -> Option<Library> {
    let current = env::current_dir().ok()?;
    Some(Library::new(None, &current))
}

fn candidates(names: Option<Vec<String>>) -> Vec<CompletionCandidate> {
    let names = names.unwrap_or_default().into_iter().enumerate();
    let candidates = names.map(|(place, name)| {
        // They stay in this order.
        CompletionCandidate::new(name).display_order(Some(place))
    });
    candidates.collect()
}
