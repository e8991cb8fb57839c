//! Reading a results folder back.

use std::collections::HashMap;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use serde::de::DeserializeOwned;

use crate::{Environment, Line, Profile, StudyRecord, TimeOver, TrialRecord, VERSION};
use crate::{files, folded};

use super::error::Error;
use super::{ENVIRONMENT, MEASUREMENTS, PROFILES, STUDY, TIME_OVER, TRIALS};

/// The most bytes of a file of stacks: ten times what the largest has.
const MOST_STACKS: u64 = 64 << 20;

/// A run as it lies on disk.
#[derive(Clone, Debug, PartialEq)]
pub struct Results {
    /// The folder.
    pub dir: PathBuf,
    /// The study as it was run.
    pub study: StudyRecord,
    /// The machine and the program.
    pub environment: Environment,
    /// The measurements. Of several with the same target, workload, load and round (a failed one
    /// that was measured again), only the last is here.
    pub lines: Vec<Line>,
    /// The trials, all of them, in the order of the file.
    pub trials: Vec<TrialRecord>,
    /// How often there was no time for a further round, in the order of the file.
    pub time_over: Vec<TimeOver>,
}

impl Results {
    /// Reads a results folder. A torn last line (the run was killed) is left out.
    ///
    /// # Errors
    /// If it is not a results folder, was written by a newer photofinish, or does not hold what
    /// it should.
    pub fn read(dir: &Path) -> Result<Results, Error> {
        if !dir.join(STUDY).is_file() {
            return Err(Error::NotResults {
                path: dir.to_owned(),
                why: not_results(dir),
            });
        }
        Ok(Results {
            study: whole(&dir.join(STUDY))?,
            environment: whole(&dir.join(ENVIRONMENT))?,
            lines: last_of_each(lines(&dir.join(MEASUREMENTS))?),
            trials: lines(&dir.join(TRIALS))?,
            time_over: lines_if_any(&dir.join(TIME_OVER))?,
            dir: dir.to_owned(),
        })
    }
}

impl Results {
    /// The stacks of a profile; `None` where their file is not there, cannot be read or is none of this folder's.
    pub fn stacks(&self, profile: &Profile) -> Option<Vec<folded::Stack>> {
        let name = profile.file.strip_prefix(PROFILES)?.strip_prefix('/')?;
        if name.contains('/') {
            return None;
        }
        let bytes = files::read(&self.dir.join(PROFILES).join(name), MOST_STACKS).ok()?;
        Some(folded::read(&String::from_utf8_lossy(&bytes)))
    }
}

/// Why a folder is no results folder, with the newest run below it where there is one.
fn not_results(dir: &Path) -> String {
    if !dir.exists() {
        return "there is no such folder; give the folder of one run, such as results/quickstart/20260131T120000Z".to_owned();
    }
    if !dir.is_dir() {
        return "this is a file; give the results folder of one run".to_owned();
    }
    let newest = fs::read_dir(dir).ok().and_then(|entries| {
        entries
            .filter_map(|entry| Some(entry.ok()?.path()))
            .filter(|path| path.join(STUDY).is_file())
            .max()
    });
    match newest {
        Some(run) => format!(
            "it holds runs but is not one itself; give one of them, such as {}",
            run.display()
        ),
        None => format!(
            "it is not a results folder: it has no {STUDY}; give the folder of one run, such as results/quickstart/20260131T120000Z"
        ),
    }
}

/// What every record begins with.
#[derive(Deserialize)]
struct Versioned {
    version: u64,
}

fn text(path: &Path) -> Result<Vec<u8>, Error> {
    files::read(path, u64::MAX).map_err(|source| Error::Read {
        path: path.to_owned(),
        source,
    })
}

fn record<T: DeserializeOwned>(path: &Path, bytes: &[u8], line: usize) -> Result<T, Error> {
    let wrong = |source: serde_json::Error| Error::Format {
        path: path.to_owned(),
        // The parser counts lines from 1, within what it was given.
        line: line + source.line().saturating_sub(1),
        source,
    };
    let Versioned { version } = serde_json::from_slice(bytes).map_err(wrong)?;
    // Asked first: a newer record may lack what this program looks for.
    if version > u64::from(VERSION) {
        return Err(Error::Newer {
            path: path.to_owned(),
            found: version,
            known: VERSION,
        });
    }
    serde_json::from_slice(bytes).map_err(wrong)
}

fn whole<T: DeserializeOwned>(path: &Path) -> Result<T, Error> {
    record(path, &text(path)?, 1)
}

/// Those of a file that is made when there is something to write.
fn lines_if_any<T: DeserializeOwned>(path: &Path) -> Result<Vec<T>, Error> {
    match lines(path) {
        Err(Error::Read { source, .. }) if source.kind() == ErrorKind::NotFound => Ok(Vec::new()),
        read => read,
    }
}

fn lines<T: DeserializeOwned>(path: &Path) -> Result<Vec<T>, Error> {
    let bytes = text(path)?;
    let mut records = Vec::new();
    for (index, line) in bytes.split_inclusive(|&b| b == b'\n').enumerate() {
        if line.iter().all(u8::is_ascii_whitespace) {
            continue;
        }
        match record(path, line, index + 1) {
            Ok(record) => records.push(record),
            // Only the last line can lack its end: it was being written when the run was killed.
            Err(Error::Format { .. }) if !line.ends_with(b"\n") => break,
            Err(error) => return Err(error),
        }
    }
    Ok(records)
}

/// Keeps the last line of each target, workload, load and round, in the order of the file.
fn last_of_each(lines: Vec<Line>) -> Vec<Line> {
    let key = |line: &Line| {
        // A load holds a float, which is no key; its debug form is equal where the load is.
        let load = format!("{:?}", line.load);
        (line.round, line.target.clone(), line.workload.clone(), load)
    };
    let last: HashMap<_, usize> = lines.iter().map(key).zip(0..).collect();
    lines
        .into_iter()
        .enumerate()
        .filter(|(index, line)| last.get(&key(line)) == Some(index))
        .map(|(_, line)| line)
        .collect()
}
