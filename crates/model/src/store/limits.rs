//! How much a run may consist of. A report compares every two targets at every level, so its work grows with the square of the first.

use std::path::Path;

use super::STUDY;
use super::error::Error;
use crate::StudyRecord;

/// The most targets that are raced: as many as have a letter. A study may have a limit and a second copy of one (A/A) besides.
pub const MOST_TARGETS: usize = 26;
/// The most levels that a run measures, over all workloads.
pub const MOST_LEVELS: usize = 1_000;
/// The most claims of a study.
pub const MOST_CLAIMS: usize = 1_000;

/// Fails for a study that consists of more than can be raced.
///
/// # Errors
/// [`Error::NotResults`] with what there is too much of.
pub(super) fn check(dir: &Path, study: &StudyRecord) -> Result<(), Error> {
    let levels = study.workloads.iter().map(|workload| workload.loads.len());
    let counts = [
        ("targets", study.targets.len(), MOST_TARGETS + 2),
        ("workloads", study.workloads.len(), MOST_LEVELS),
        ("levels", levels.sum(), MOST_LEVELS),
        ("claims", study.claims.len(), MOST_CLAIMS),
    ];
    for (what, count, most) in counts {
        if count > most {
            return Err(Error::NotResults {
                path: dir.to_owned(),
                why: format!(
                    "{STUDY} has {count} {what}, and a run has at most {most}; give a results folder as photofinish wrote it"
                ),
            });
        }
    }
    Ok(())
}
