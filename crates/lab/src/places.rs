//! Where builds and results lie.

use std::env;
use std::fs;
use std::io;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};

use jiff::Timestamp;
use photofinish_model::{files, store};

/// Where builds and downloads are kept: `photofinish` in the user's cache folder (`XDG_CACHE_HOME`,
/// or `.cache` at home), or in the folder for temporary files if there is no home.
pub fn cache_dir() -> PathBuf {
    let folder = user_folder("XDG_CACHE_HOME", ".cache");
    (folder.unwrap_or_else(env::temp_dir)).join("photofinish")
}

/// Where what is the user's on this machine is kept from run to run, such as the key of fingerprints: `photofinish` in the user's state folder
/// (`XDG_STATE_HOME`, or `.local/state` at home), or in the cache if there is no home.
pub fn state_dir() -> PathBuf {
    let folder = user_folder("XDG_STATE_HOME", ".local/state");
    folder.map_or_else(cache_dir, |folder| folder.join("photofinish"))
}

/// The folder that a variable names, or else this one at home.
fn user_folder(variable: &str, at_home: &str) -> Option<PathBuf> {
    let set = |name| env::var_os(name).filter(|value| !value.is_empty());
    let at_home = || Some(PathBuf::from(set("HOME")?).join(at_home));
    set(variable).map(PathBuf::from).or_else(at_home)
}

/// Makes the folder for a run of `study` that begins now: `<results>/<study>/<UTC time>`. Folders sort
/// by time; a second run within the same second gets a suffix. It is this run's alone: whoever makes a folder has it.
///
/// # Errors
/// If the folder cannot be made.
pub fn new_results(results: &Path, study: &str) -> Result<PathBuf, store::Error> {
    let time = Timestamp::now().strftime("%Y%m%dT%H%M%SZ").to_string();
    let folder = results.join(study);
    let failed = |path: &Path| {
        let path = path.to_owned();
        |source| store::Error::Create { path, source }
    };
    let is_new = !results.exists();
    fs::create_dir_all(&folder).map_err(failed(&folder))?;
    if is_new {
        // A folder that photofinish makes in a repository of the user's is nothing to commit by a slip.
        let ignore = results.join(".gitignore");
        files::write_private(&ignore, b"*\n").map_err(failed(&ignore))?;
    }
    let mut suffix = 1_u32;
    loop {
        let name = match suffix {
            1 => time.clone(),
            n => format!("{time}-{n}"),
        };
        let path = folder.join(name);
        match fs::DirBuilder::new().mode(0o700).create(&path) {
            Ok(()) => return Ok(path),
            Err(e) if e.kind() == io::ErrorKind::AlreadyExists => suffix += 1,
            Err(e) => return Err(failed(&path)(e)),
        }
    }
}

/// The newest results folder of `study`, which may hold the runs of several pairs of machines; `None` if there is none.
pub fn last_results(results: &Path, study: &str) -> Option<PathBuf> {
    let folders = folders(&results.join(study)).into_iter();
    let mut runs: Vec<PathBuf> = folders.filter(|path| is_run(path)).collect();
    runs.sort_by_key(|path| age(path));
    runs.pop()
}

/// Whether a folder holds a run, or the runs of several pairs of machines.
pub fn is_run(folder: &Path) -> bool {
    let has_study = |path: &Path| path.join(store::STUDY).is_file();
    has_study(folder) || folders(folder).iter().any(|pair| has_study(pair))
}

fn folders(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    entries.map(|entry| entry.path()).collect()
}

/// The results folders of all studies, the newest last; each may hold the runs of several pairs of machines.
pub fn runs(results: &Path) -> Vec<PathBuf> {
    let studies = folders(results).into_iter();
    let mut runs: Vec<PathBuf> = studies
        .flat_map(|study| folders(&study))
        .filter(|path| is_run(path))
        .collect();
    runs.sort_by_key(|path| age(path));
    runs
}

/// What the names of runs sort by: the time, and of several within a second the number.
fn age(folder: &Path) -> (String, u32) {
    let name = folder.file_name().unwrap_or_default().to_string_lossy();
    let (time, suffix) = name.rsplit_once('-').unwrap_or((&name, ""));
    match suffix.parse() {
        Ok(number) if time.ends_with('Z') => (time.to_owned(), number),
        _ => (name.into_owned(), 1),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_that_begin_at_once_have_a_folder_each() {
        let base = tempfile::tempdir().unwrap();
        let barrier = std::sync::Barrier::new(8);
        let claim = || {
            barrier.wait();
            new_results(base.path(), "x").unwrap()
        };
        let folders: std::collections::BTreeSet<PathBuf> = std::thread::scope(|scope| {
            let threads: Vec<_> = (0..8).map(|_| scope.spawn(claim)).collect();
            threads.into_iter().map(|t| t.join().unwrap()).collect()
        });
        assert_eq!(folders.len(), 8);
        assert!(folders.iter().all(|folder| folder.is_dir()));
    }

    #[test]
    fn new_folders_are_new_and_the_last_one_is_found() {
        let base = tempfile::tempdir().unwrap();
        assert_eq!(last_results(base.path(), "x"), None);
        let mut made = Vec::new();
        // The tenth within a second sorts before the second by its letters.
        for _ in 0..12 {
            let folder = new_results(base.path(), "x").unwrap();
            fs::write(folder.join(store::STUDY), "").unwrap();
            assert!(!made.contains(&folder));
            made.push(folder);
        }
        assert_eq!(runs(base.path()), made);
        assert_eq!(last_results(base.path(), "x"), made.pop());
        // The runs of several pairs of machines are one.
        let pairs = new_results(base.path(), "x").unwrap();
        fs::create_dir(pairs.join("rack-1")).unwrap();
        fs::write(pairs.join("rack-1").join(store::STUDY), "").unwrap();
        assert_eq!(last_results(base.path(), "x"), Some(pairs.clone()));
        assert_eq!(runs(base.path()).pop(), Some(pairs));
        // A folder that is no results folder does not count.
        fs::create_dir_all(base.path().join("x/zzz")).unwrap();
        assert!(last_results(base.path(), "x").is_some_and(|p| !p.ends_with("zzz")));
    }
}
