//! Reading a results folder back.

use std::collections::HashMap;
use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use serde::Deserialize;
use serde::de::DeserializeOwned;

use crate::files::{self, Lines};
use crate::folded;
use crate::{Environment, Line, Profile, StudyRecord, TimeOver, TrialRecord, VERSION};

use super::error::Error;
use super::limits;
use super::{ENVIRONMENT, MEASUREMENTS, PROFILES, STUDY, TIME_OVER, TRIALS};

/// The most bytes of a file of stacks: ten times what the largest has.
const MOST_STACKS: u64 = 64 << 20;
/// The most bytes of `study.json` and `environment.json`: hundreds of times what they have.
const MOST_RECORD: u64 = 16 << 20;
/// The most bytes of a line of records: a hundred times what the longest has.
pub(super) const LONGEST_LINE: usize = 1 << 20;
/// The most bytes of a file of records. What is read of it stays in memory.
const MOST_RECORDS: u64 = 1 << 30;

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
    /// If it is not a results folder, has another format version, or does not hold what it
    /// should.
    pub fn read(dir: &Path) -> Result<Results, Error> {
        Ok(Results {
            study: Results::read_study(dir)?,
            environment: whole(&dir.join(ENVIRONMENT))?,
            lines: measurements(&dir.join(MEASUREMENTS))?,
            trials: lines(&dir.join(TRIALS))?,
            time_over: lines_if_any(&dir.join(TIME_OVER))?,
            dir: dir.to_owned(),
        })
    }

    /// Reads the study of a results folder alone, which is small.
    ///
    /// # Errors
    /// As [`Results::read`].
    pub fn read_study(dir: &Path) -> Result<StudyRecord, Error> {
        if !dir.join(STUDY).is_file() {
            return Err(Error::NotResults {
                path: dir.to_owned(),
                why: not_results(dir),
            });
        }
        let study: StudyRecord = whole(&dir.join(STUDY))?;
        limits::check(dir, &study)?;
        Ok(study)
    }

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

fn unreadable(path: &Path) -> impl Fn(io::Error) -> Error + '_ {
    |source| match source.kind() {
        // Its size, or what it is.
        ErrorKind::Other => Error::NotResults {
            path: path.to_owned(),
            why: format!("{source}; restore the file as photofinish wrote it"),
        },
        _ => Error::Read {
            path: path.to_owned(),
            source,
        },
    }
}

fn record<T: DeserializeOwned>(
    path: &Path,
    bytes: &[u8],
    wrong: impl Fn(serde_json::Error) -> Error,
) -> Result<T, Error> {
    let Versioned { version } = serde_json::from_slice(bytes).map_err(&wrong)?;
    // Checked first: a record of another version may lack fields.
    if version != u64::from(VERSION) {
        return Err(Error::Version {
            path: path.to_owned(),
            found: version,
        });
    }
    serde_json::from_slice(bytes).map_err(wrong)
}

fn whole<T: DeserializeOwned>(path: &Path) -> Result<T, Error> {
    let bytes = files::read(path, MOST_RECORD).map_err(unreadable(path))?;
    record(path, &bytes, |source| Error::Whole {
        path: path.to_owned(),
        source,
    })
}

/// Those of a file that is made when there is something to write.
fn lines_if_any<T: DeserializeOwned>(path: &Path) -> Result<Vec<T>, Error> {
    match lines(path) {
        Err(Error::Read { source, .. }) if source.kind() == ErrorKind::NotFound => Ok(Vec::new()),
        read => read,
    }
}

fn lines<T: DeserializeOwned>(path: &Path) -> Result<Vec<T>, Error> {
    let mut records = Vec::new();
    each_line(path, |record| records.push(record))?;
    Ok(records)
}

/// Takes the records of a file one by one.
fn each_line<T: DeserializeOwned>(path: &Path, mut take: impl FnMut(T)) -> Result<(), Error> {
    let unreadable = unreadable(path);
    let mut lines = Lines::open(path, LONGEST_LINE).map_err(&unreadable)?;
    let mut bytes = 0;
    while let Some((number, line)) = lines.next_line().map_err(&unreadable)? {
        bytes += line.len() as u64;
        if bytes > MOST_RECORDS {
            return Err(unreadable(io::Error::other(format!(
                "it is larger than {MOST_RECORDS} bytes"
            ))));
        }
        if line.iter().all(u8::is_ascii_whitespace) {
            continue;
        }
        let wrong = |source| Error::Format {
            path: path.to_owned(),
            line: number,
            source,
        };
        match record(path, line, wrong) {
            Ok(record) => take(record),
            // Only the last line can lack its end: it was being written when the run was killed.
            Err(Error::Format { .. }) if !line.ends_with(b"\n") => break,
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

/// The last measurement of each target, workload, load and round, in the order of the file. No other is kept in memory.
fn measurements(path: &Path) -> Result<Vec<Line>, Error> {
    let mut kept: Vec<Option<Line>> = Vec::new();
    let mut places: HashMap<(u32, String, String, String), usize> = HashMap::new();
    each_line(path, |line: Line| {
        // A load holds a float, which is no key; its debug form is equal where the load is.
        let load = format!("{:?}", line.load);
        let key = (line.round, line.target.clone(), line.workload.clone(), load);
        if let Some(before) = places.insert(key, kept.len()) {
            kept[before] = None;
        }
        kept.push(Some(line));
    })?;
    Ok(kept.into_iter().flatten().collect())
}
