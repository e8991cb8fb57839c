//! Whether a results folder is still where it was while its run is under way.

use std::fs::{self, Metadata};
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use super::error::Error;
use super::{ENVIRONMENT, LOGS, STUDY};

/// The files and folders of a results folder that a run needs until its end.
#[derive(Clone, Debug)]
pub struct Needed {
    dir: PathBuf,
    /// Those that are written, by what no other file has.
    written: Vec<(PathBuf, Option<(u64, u64)>)>,
}

impl Needed {
    pub(super) fn new<'f>(
        dir: &Path,
        written: impl Iterator<Item = (&'f Path, io::Result<Metadata>)>,
    ) -> Needed {
        let written = written.map(|(path, about)| (path.to_owned(), about.ok().map(|a| id(&a))));
        Needed {
            dir: dir.to_owned(),
            written: written.collect(),
        }
    }

    /// Fails if something of it was moved, removed or replaced.
    ///
    /// # Errors
    /// [`Error::Gone`].
    pub fn require(&self) -> Result<(), Error> {
        let there = |path: &Path| fs::metadata(path).ok();
        let is_same = |(path, known): &(PathBuf, Option<(u64, u64)>)| {
            there(path).is_some_and(|about| known.is_none_or(|known| known == id(&about)))
        };
        let others = [STUDY, ENVIRONMENT].map(|name| self.dir.join(name));
        let is_whole = self.written.iter().all(is_same)
            && others.iter().all(|path| there(path).is_some())
            && there(&self.dir.join(LOGS)).is_some_and(|about| about.is_dir());
        match is_whole {
            true => Ok(()),
            false => Err(Error::Gone {
                path: self.dir.clone(),
            }),
        }
    }
}

fn id(about: &Metadata) -> (u64, u64) {
    (about.dev(), about.ino())
}
