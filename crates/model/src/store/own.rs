//! Whether what a run would write to is its folder's own.
//!
//! A results folder may come from anywhere: a link in it would have a resumed run add to, cut or replace somebody else's file, and
//! what has another name by a hard link (`cp -al`) would change under that name too.

use std::fs::{self, Metadata};
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use super::error::Error;
use super::{LATENCY, LOGS, MEASUREMENTS, PAGE, PROFILES, SERVICES, TIME_OVER, TRIALS};

/// What a resumed run writes to, or makes something in.
const WRITTEN: [&str; 8] = [
    MEASUREMENTS,
    TRIALS,
    TIME_OVER,
    LATENCY,
    PAGE,
    LOGS,
    PROFILES,
    SERVICES,
];

/// The folders of these in which it writes to files that may be there.
const FOLDERS: [&str; 2] = [LOGS, PROFILES];

/// Fails for a file or a folder that a resumed run writes to and that is not the results folder's own.
///
/// # Errors
/// [`Error::NotOwn`] with the first one; [`Error::Read`] where a folder cannot be read.
pub(super) fn require(dir: &Path) -> Result<(), Error> {
    for name in WRITTEN {
        let path = dir.join(name);
        let Ok(meta) = fs::symlink_metadata(&path) else {
            // It will be made.
            continue;
        };
        require_own(&path, &meta)?;
        if FOLDERS.contains(&name) && meta.is_dir() {
            for (path, meta) in entries(&path)? {
                require_own(&path, &meta)?;
            }
        }
    }
    Ok(())
}

fn entries(dir: &Path) -> Result<Vec<(PathBuf, Metadata)>, Error> {
    let read = || -> io::Result<Vec<_>> {
        let all = fs::read_dir(dir)?;
        all.map(|entry| {
            let path = entry?.path();
            let meta = fs::symlink_metadata(&path)?;
            Ok((path, meta))
        })
        .collect()
    };
    read().map_err(|source| Error::Read {
        path: dir.to_owned(),
        source,
    })
}

fn require_own(path: &Path, meta: &Metadata) -> Result<(), Error> {
    let what = match () {
        () if meta.is_symlink() => "is a link, and what it leads to would be changed",
        () if meta.is_dir() => return Ok(()),
        () if !meta.is_file() => "is no regular file",
        () if meta.nlink() > 1 => "has another name too (a hard link), under which it would change",
        () => return Ok(()),
    };
    Err(Error::NotOwn {
        path: path.to_owned(),
        what,
    })
}
