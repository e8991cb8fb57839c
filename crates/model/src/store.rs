//! A results folder: made, added to as a run goes on, and read back.
//!
//! Every record is appended as soon as it is there, in one write, so a run that is killed keeps
//! all that it had finished. Nothing is synced to the disk: that would disturb the next
//! measurement, and only a crash of the whole machine could lose what the kernel already holds.

mod append;
mod error;
mod hlog;
mod limits;
mod own;
mod read;
mod take_back;

use std::fs;
use std::path::{Path, PathBuf};

use hdrhistogram::Histogram;
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::{Environment, Line, StudyRecord, TimeOver, TrialRecord};

use append::Appended;
pub use error::Error;
pub use hlog::tag;
pub use limits::{MOST_CLAIMS, MOST_LEVELS, MOST_TARGETS};
pub use read::Results;
pub use take_back::take_back;

/// The file with the study as it was written.
pub const STUDY_TEXT: &str = "study.toml";
/// The file with the [`StudyRecord`].
pub const STUDY: &str = "study.json";
/// The file with the [`Environment`].
pub const ENVIRONMENT: &str = "environment.json";
/// The file with a [`Line`] a measurement.
pub const MEASUREMENTS: &str = "measurements.jsonl";
/// The file with a [`TrialRecord`] a trial.
pub const TRIALS: &str = "trials.jsonl";
/// The file with a [`TimeOver`] each time that there was no time for all rounds.
pub const TIME_OVER: &str = "time-over.jsonl";
/// The file with a histogram of response times a measurement.
pub const LATENCY: &str = "latency.hlog";
/// The folder with what builds and servers printed.
pub const LOGS: &str = "logs";
/// The folder with the stacks in which servers were found.
pub const PROFILES: &str = "profiles";

/// The folder of the run's databases while they are up.
pub const SERVICES: &str = "services";
/// The page that a run ends with.
pub const PAGE: &str = "report.html";

/// File systems take names of 255 bytes.
const LONGEST_NAME: usize = 200;

/// The least free space, in bytes, with which a run is begun: several times what the records and
/// logs of a long study take, so that a disk does not fill up after an hour of measuring.
pub const LEAST_FREE: u64 = 64 * 1024 * 1024;

/// A results folder that is being written.
#[derive(Debug)]
pub struct Store {
    dir: PathBuf,
    measurements: Appended,
    trials: Appended,
    latency: Appended,
}

impl Store {
    /// Makes the folder with all that is known before the first trial.
    ///
    /// # Errors
    /// If the folder holds a run already, cannot be written, or lies on a disk with less than
    /// [`LEAST_FREE`] bytes to spare.
    pub fn create(
        dir: &Path,
        study: &StudyRecord,
        environment: &Environment,
        study_text: &str,
    ) -> Result<Store, Error> {
        let exists = || match dir.join(STUDY).exists() {
            true => Err(Error::Exists {
                path: dir.to_owned(),
            }),
            false => Ok(()),
        };
        exists()?;
        let make = |folder: &Path| {
            fs::create_dir_all(folder).map_err(|source| Error::Create {
                path: dir.to_owned(),
                source,
            })
        };
        make(dir)?;
        require_space(dir)?;
        make(&dir.join(LOGS))?;
        // The lock comes before anything is written: of two runs that begin here at once one writes, and the other is
        // refused; or it comes when the one has written, and finds its run.
        let store = Store::open(dir)?;
        exists()?;
        write(&dir.join(STUDY_TEXT), study_text.as_bytes())?;
        write(
            &dir.join(ENVIRONMENT),
            &pretty(&dir.join(ENVIRONMENT), environment)?,
        )?;
        store
            .latency
            .start_with(&hlog::header(&study.started, &study.name))?;
        // Last, because it is what makes a folder a results folder: one without it can be begun again.
        write(&dir.join(STUDY), &pretty(&dir.join(STUDY), study)?)?;
        Ok(store)
    }

    /// Opens a folder to resume its run, and returns what it holds. A last line that was torn
    /// when the run was killed is cut off.
    ///
    /// # Errors
    /// As [`Results::read`] and [`Store::create`]; if another process is writing the folder; and for what is not the folder's own.
    pub fn resume(dir: &Path) -> Result<(Store, Results), Error> {
        // Read first: it says what is wrong with a folder that is none.
        Results::read(dir)?;
        own::require(dir)?;
        require_space(dir)?;
        let store = Store::open(dir)?;
        store
            .measurements
            .mend(|line| serde_json::from_str::<Line>(line).is_ok())?;
        store
            .trials
            .mend(|line| serde_json::from_str::<TrialRecord>(line).is_ok())?;
        store.latency.mend(|_| false)?;
        let results = Results::read(dir)?;
        Ok((store, results))
    }

    fn open(dir: &Path) -> Result<Store, Error> {
        let measurements = Appended::open(dir.join(MEASUREMENTS))?;
        measurements.lock(dir)?;
        Ok(Store {
            measurements,
            trials: Appended::open(dir.join(TRIALS))?,
            latency: Appended::open(dir.join(LATENCY))?,
            dir: dir.to_owned(),
        })
    }

    /// The folder.
    pub fn dir(&self) -> &Path {
        &self.dir
    }

    /// The folder for what builds and servers print.
    pub fn logs(&self) -> PathBuf {
        self.dir.join(LOGS)
    }

    /// Adds a measurement, and its response times in nanoseconds where there are any. The
    /// histogram is written first, so that a line never lacks the one that it was made from.
    ///
    /// # Errors
    /// If the files cannot be written, or the line holds a number that is not finite.
    pub fn add_line(
        &mut self,
        line: &Line,
        latency_ns: Option<&Histogram<u64>>,
    ) -> Result<(), Error> {
        let text = one_line(self.measurements.path(), line)?;
        if let Some(histogram) = latency_ns {
            let entry = hlog::entry(line, histogram).map_err(|why| Error::Histogram {
                path: self.latency.path().to_owned(),
                why: why.to_string(),
            })?;
            self.latency.append(&entry)?;
        }
        self.measurements.append(&text)
    }

    /// Adds the stacks of a measurement, as the file of this name in the folder.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn add_stacks(&mut self, file: &str, folded: &str) -> Result<(), Error> {
        let folder = self.dir.join(PROFILES);
        fs::create_dir_all(&folder).map_err(|source| Error::Create {
            path: folder.clone(),
            source,
        })?;
        write(&self.dir.join(file), folded.as_bytes())
    }

    /// The name of the file for a measurement's stacks, in the folder; no other measurement of the run has it.
    pub fn stacks_of(line: &Line) -> String {
        let fits = |c: char| c.is_ascii_alphanumeric() || "@._-".contains(c);
        let name = tag(line);
        let name = name.chars().map(|c| if fits(c) { c } else { '-' });
        let name: String = name.take(LONGEST_NAME).collect();
        let (trial, order) = (line.trial, line.order);
        format!("{PROFILES}/{trial:03}-{order:02}-{name}.folded")
    }

    /// The same for the stacks in which threads waited.
    pub fn waits_of(line: &Line) -> String {
        let stacks = Store::stacks_of(line);
        let name = stacks.strip_suffix(".folded").unwrap_or(&stacks);
        format!("{name}.waits.folded")
    }

    /// Adds a trial.
    ///
    /// # Errors
    /// If the file cannot be written, or the record holds a number that is not finite.
    pub fn add_trial(&mut self, trial: &TrialRecord) -> Result<(), Error> {
        let text = one_line(self.trials.path(), trial)?;
        self.trials.append(&text)
    }

    /// Adds that there was no time for a further round.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn add_time_over(&mut self, record: &TimeOver) -> Result<(), Error> {
        let path = self.dir.join(TIME_OVER);
        let text = one_line(&path, record)?;
        let file = Appended::open(path)?;
        file.mend(|line| serde_json::from_str::<TimeOver>(line).is_ok())?;
        file.append(&text)
    }
}

/// A record as a line of JSON. It is read back at once: JSON has no word for a number that is not
/// finite, and a record that cannot be read again is better refused now than found in a report.
fn one_line<T: Serialize + DeserializeOwned>(path: &Path, record: &T) -> Result<Vec<u8>, Error> {
    let record_error = |source| Error::Record {
        path: path.to_owned(),
        source,
    };
    let mut text = serde_json::to_vec(record).map_err(record_error)?;
    serde_json::from_slice::<T>(&text).map_err(record_error)?;
    text.push(b'\n');
    Ok(text)
}

fn pretty<T: Serialize>(path: &Path, record: &T) -> Result<Vec<u8>, Error> {
    let mut text = serde_json::to_vec_pretty(record).map_err(|source| Error::Record {
        path: path.to_owned(),
        source,
    })?;
    text.push(b'\n');
    Ok(text)
}

fn write(path: &Path, bytes: &[u8]) -> Result<(), Error> {
    fs::write(path, bytes).map_err(|source| Error::Write {
        path: path.to_owned(),
        source,
    })
}

fn require_space(dir: &Path) -> Result<(), Error> {
    // A file system that does not say does not stop the run: writing will show.
    let Ok(stat) = rustix::fs::statvfs(dir) else {
        return Ok(());
    };
    enough(dir, stat.f_bavail.saturating_mul(stat.f_frsize))
}

fn enough(dir: &Path, free: u64) -> Result<(), Error> {
    if free >= LEAST_FREE {
        return Ok(());
    }
    Err(Error::Full {
        path: dir.to_owned(),
        free_mib: free / (1024 * 1024),
        needed_mib: LEAST_FREE / (1024 * 1024),
    })
}

#[cfg(test)]
mod tests;
