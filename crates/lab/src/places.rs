//! Where builds and results lie.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};

use jiff::Timestamp;

/// Where builds and downloads are kept: `photofinish` in the user's cache folder (`XDG_CACHE_HOME`,
/// or `.cache` at home), or in the folder for temporary files where there is no home.
pub fn cache_dir() -> PathBuf {
    let set = |name| env::var_os(name).filter(|value| !value.is_empty());
    set("XDG_CACHE_HOME")
        .map(PathBuf::from)
        .or_else(|| Some(PathBuf::from(set("HOME")?).join(".cache")))
        .unwrap_or_else(env::temp_dir)
        .join("photofinish")
}

/// The folder for a run of `study` that begins now: `<results>/<study>/<UTC time>`. Folders sort
/// by time; a second run within the same second gets a suffix.
pub fn new_results(results: &Path, study: &str) -> PathBuf {
    let time = Timestamp::now().strftime("%Y%m%dT%H%M%SZ").to_string();
    let folder = results.join(study);
    let mut names = std::iter::once(time.clone()).chain((2..).map(|n| format!("{time}-{n}")));
    // The iterator does not end before a name is free.
    names
        .find(|name| !folder.join(name).exists())
        .map_or(folder.clone(), |name| folder.join(name))
}

/// The newest results folder of `study`; `None` where there is none.
pub fn last_results(results: &Path, study: &str) -> Option<PathBuf> {
    let entries = fs::read_dir(results.join(study)).ok()?;
    let folders = entries.flatten().map(|entry| entry.path());
    folders
        .filter(|path| path.join(photofinish_model::store::STUDY).is_file())
        .max()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn new_folders_are_new_and_the_last_one_is_found() {
        let base = tempfile::tempdir().unwrap();
        assert_eq!(last_results(base.path(), "x"), None);
        let mut made = Vec::new();
        for _ in 0..3 {
            let folder = new_results(base.path(), "x");
            fs::create_dir_all(&folder).unwrap();
            fs::write(folder.join(photofinish_model::store::STUDY), "").unwrap();
            assert!(!made.contains(&folder));
            made.push(folder);
        }
        assert_eq!(last_results(base.path(), "x"), made.pop());
        // A folder that is no results folder does not count.
        fs::create_dir_all(base.path().join("x/zzz")).unwrap();
        assert!(last_results(base.path(), "x").is_some_and(|p| !p.ends_with("zzz")));
    }
}
