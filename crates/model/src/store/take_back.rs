//! A run that was begun and came to nothing.

use std::fs;
use std::path::Path;

use super::{ENVIRONMENT, LATENCY, LOGS, MEASUREMENTS, SERVICES, STUDY, STUDY_TEXT, TRIALS};

/// Takes back a run that failed before anything was measured: there is nothing to report on or to resume. Logs that hold something stay,
/// for what is said of the failure may point to them; where there is none, no folder is left.
pub fn take_back(dir: &Path) {
    let is_empty = |path: &Path| fs::metadata(path).map_or(true, |meta| meta.len() == 0);
    if [MEASUREMENTS, TRIALS]
        .iter()
        .any(|name| !is_empty(&dir.join(name)))
    {
        return;
    }
    // What cannot be removed is only disk space.
    for name in [
        STUDY,
        STUDY_TEXT,
        ENVIRONMENT,
        MEASUREMENTS,
        TRIALS,
        LATENCY,
    ] {
        let _ = fs::remove_file(dir.join(name));
    }
    let logs = dir.join(LOGS);
    for log in fs::read_dir(&logs).into_iter().flatten().flatten() {
        if is_empty(&log.path()) {
            let _ = fs::remove_file(log.path());
        }
    }
    // Only those in which nothing is left, that of all the study's runs included.
    for folder in [&logs, &dir.join(SERVICES), dir] {
        let _ = fs::remove_dir(folder);
    }
    if let Some(runs) = dir.parent() {
        let _ = fs::remove_dir(runs);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_begun_is_taken_back_but_for_logs_that_hold_something() {
        let base = tempfile::tempdir().expect("a folder");
        let dir = base.path().join("study/run");
        let begin = || {
            fs::create_dir_all(dir.join(LOGS)).expect("a folder");
            for name in [STUDY, ENVIRONMENT] {
                fs::write(dir.join(name), "{}").expect("a file");
            }
            for name in [MEASUREMENTS, TRIALS, "logs/empty.log"] {
                fs::write(dir.join(name), "").expect("a file");
            }
        };
        begin();
        take_back(&dir);
        assert!(!base.path().join("study").exists());
        begin();
        fs::write(dir.join("logs/build.log"), "no such file").expect("a file");
        take_back(&dir);
        let left = |folder: &Path| fs::read_dir(folder).expect("a folder").count();
        assert_eq!((left(&dir), left(&dir.join(LOGS))), (1, 1));
        // What was measured stays, and all that belongs to it.
        begin();
        fs::write(dir.join(TRIALS), "{}\n").expect("a file");
        take_back(&dir);
        assert!(dir.join(STUDY).is_file());
    }
}
