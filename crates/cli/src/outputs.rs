//! Files that are asked for: found to be writable before anything is measured. `-` is standard output, for each of them.

use std::ffi::OsStr;
use std::fs::{self, OpenOptions};
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use photofinish_model::settings::CiSettings;
use photofinish_model::{files, store};
use photofinish_report::export::Format;

use crate::args::ExportArgs;
use crate::exit::Failure;
use crate::out;

/// The files that flags name, each with its flag.
fn asked<'a>(exports: &'a ExportArgs, junit: Option<&'a Path>) -> Vec<(&'static str, &'a Path)> {
    let exports = (exports.0.iter()).map(|(format, file)| (format.row.name, file.as_path()));
    exports.chain(junit.map(|file| ("junit", file))).collect()
}

/// Whether what is asked for takes standard output, where else the verdict would be printed.
pub fn take_output(exports: &ExportArgs, ci: &CiSettings) -> bool {
    (asked(exports, ci.junit.as_deref()).iter()).any(|(_, file)| is_output(file))
}

/// Checks that each of these files can be written, is one of its own, and is neither a part of a run's results nor an input: one that was
/// read before this, or one of `inputs`.
///
/// # Errors
/// For the first that cannot, or is also another's, by its flag.
pub fn check(
    exports: &ExportArgs,
    ci: Option<&CiSettings>,
    inputs: &[PathBuf],
) -> Result<(), Failure> {
    let files = asked(exports, ci.and_then(|ci| ci.junit.as_deref()));
    for (index, (flag, file)) in files.iter().enumerate() {
        if let Some((other, _)) = (files[..index].iter()).find(|(_, before)| is_same(before, file))
        {
            let (what, instead) = match is_output(file) {
                true => ("standard output", "write all but one to files"),
                false => ("one file", "give each its own"),
            };
            return Err(Failure::request(format!(
                "--{other} {0} and --{flag} {0}: both are written to {what}; {instead}",
                file.display()
            )));
        }
        let wrong = |why: String| Failure::request(format!("--{flag} {}: {why}", file.display()));
        if inputs.iter().any(|input| is_same(input, file)) {
            return Err(wrong(format!("it is an input; {ANOTHER}")));
        }
        writable(file).map_err(wrong)?;
    }
    Ok(())
}

/// Writes the text of each format that was asked for to its file.
pub fn write_each(
    exports: &ExportArgs,
    text: impl Fn(&Format) -> Result<String, photofinish_report::Error>,
) -> Result<(), Failure> {
    for (format, file) in &exports.0 {
        write(file, &text(format).map_err(Failure::run)?)?;
    }
    Ok(())
}

/// What to do about a file that must stay.
const ANOTHER: &str = "give another file";

/// Whether two names are of one file, by links too.
fn is_same(one: &Path, other: &Path) -> bool {
    let id = |path: &Path| Some(fs::metadata(path).ok()?).map(|about| (about.dev(), about.ino()));
    one == other || !is_output(other) && place(one) == place(other) || {
        let one = id(one);
        one.is_some() && one == id(other)
    }
}

/// Where a file is or would be, with no link in it.
fn place(file: &Path) -> PathBuf {
    let folder = match file.parent() {
        Some(folder) if folder != OsStr::new("") => folder,
        _ => Path::new("."),
    };
    let made = || Some(folder.canonicalize().ok()?.join(file.file_name()?));
    // A link to a file that is not there yet leads to where that will be.
    let linked = || Some(folder.join(fs::read_link(file).ok()?));
    (file.canonicalize().ok())
        .or_else(|| linked().map(|to| place(&to)))
        .or_else(made)
        .unwrap_or_else(|| file.to_owned())
}

/// Whether a file can be written, without changing it; why not.
///
/// # Errors
/// What is wrong and what to do, in words.
pub fn writable(file: &Path) -> Result<(), String> {
    if is_output(file) {
        return Ok(());
    }
    let folder = match file.parent() {
        Some(folder) if folder != OsStr::new("") => folder,
        _ => Path::new("."),
    };
    match fs::metadata(file) {
        Ok(meta) if meta.is_dir() => {
            return Err("this is a folder; give the name of a file in it".to_owned());
        }
        // A pipe or a device: opening it may wait for who reads it.
        Ok(meta) if !meta.is_file() => return Ok(()),
        Ok(_) => {}
        Err(_) if !folder.exists() => {
            let folder = folder.display();
            return Err(format!("there is no folder {folder}; make it first"));
        }
        Err(_) if !folder.is_dir() => {
            return Err(format!("{} is not a folder", folder.display()));
        }
        Err(_) => {}
    }
    require_free(file)?;
    opened(file).map_err(|error| format!("cannot write it: {error}"))
}

/// Fails for a file whose content must stay: a part of a run's results, what this process has read, and what may be either by another name.
fn require_free(file: &Path) -> Result<(), String> {
    if let Some(folder) = store::folder_of(&place(file)) {
        let folder = folder.display();
        return Err(format!(
            "it is a part of the results in {folder}; {ANOTHER}"
        ));
    }
    if files::was_read(file) {
        return Err(format!("it is an input; {ANOTHER}"));
    }
    let is_linked = |about: fs::Metadata| about.is_file() && about.nlink() > 1;
    match fs::metadata(file).is_ok_and(is_linked) {
        true => Err(format!(
            "it has another name too (a hard link), under which it would change; remove it first, or {ANOTHER}"
        )),
        false => Ok(()),
    }
}

/// Opens a file to write, and removes it where it was not there before.
fn opened(file: &Path) -> io::Result<()> {
    let is_new = !file.exists();
    OpenOptions::new().append(true).create(true).open(file)?;
    match is_new {
        // A link may lead to it.
        true => fs::remove_file(fs::canonicalize(file)?),
        false => Ok(()),
    }
}

/// `-`: standard output.
fn is_output(file: &Path) -> bool {
    file.as_os_str() == "-"
}

/// Writes a text to a file that was asked for, or to standard output.
pub fn write(file: &Path, text: &str) -> Result<(), Failure> {
    if is_output(file) {
        return Ok(out::result(text)?);
    }
    // It may have become another file since it was checked.
    require_free(file)
        .map_err(|why| Failure::run(format!("cannot write {}: {why}", file.display())))?;
    fs::write(file, text).map_err(|e| Failure::run(format!("cannot write {}: {e}", file.display())))
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    /// What is said of a file that would be written.
    fn says(file: &Path) -> String {
        writable(file).expect_err("it must stay")
    }

    #[test]
    fn results_are_never_written_over_by_any_name() {
        let dir = tempfile::tempdir().expect("a folder");
        let path = |name: &str| dir.path().join(name);
        for folder in ["run/logs", "run/profiles", "other"] {
            fs::create_dir_all(path(folder)).expect("a folder");
        }
        for name in [
            "study.json",
            "measurements.jsonl",
            "logs/a.log",
            "mine.json",
        ] {
            fs::write(path("run").join(name), "kept").expect("written");
        }
        symlink(path("run"), path("other/run")).expect("a link");
        symlink(path("run/study.json"), path("other/study")).expect("a link");
        symlink("../run/time-over.jsonl", path("other/dangling")).expect("a link");
        fs::hard_link(path("run/measurements.jsonl"), path("other/hard")).expect("a link");
        for name in [
            "run/study.json",
            "run/logs/a.log",
            "run/logs/new",
            "run/time-over.jsonl",
            "other/run/measurements.jsonl",
            "other/../run/report.html",
            "other/study",
            "other/dangling",
        ] {
            assert!(
                says(&path(name)).starts_with("it is a part of the results in "),
                "{name}"
            );
        }
        assert!(says(&path("other/hard")).contains("a hard link"));
        // What is only near is free.
        for name in [
            "run/mine.json",
            "run/new.csv",
            "other/study.json",
            "run/profiles.csv",
        ] {
            assert_eq!(writable(&path(name)), Ok(()), "{name}");
        }
        let error = write(&path("run/study.json"), "lost").expect_err("it must stay");
        assert!(matches!(error, Failure::Run(_)));
        assert_eq!(
            fs::read_to_string(path("run/study.json")).expect("text"),
            "kept"
        );
    }

    #[test]
    fn an_input_is_never_written_over() {
        let dir = tempfile::tempdir().expect("a folder");
        let path = |name: &str| dir.path().join(name);
        fs::write(path("study.toml"), "kept").expect("written");
        symlink("study.toml", path("link")).expect("a link");
        files::read(&path("study.toml"), 9).expect("it is read");
        for name in ["study.toml", "link"] {
            assert_eq!(says(&path(name)), "it is an input; give another file");
        }
        fs::write(path("server"), "#!/bin/sh").expect("written");
        symlink("server", path("script")).expect("a link");
        for (one, other) in [("server", "script"), ("new", "./new")] {
            assert!(is_same(&path(one), &path(other)), "{one} {other}");
        }
        assert!(!is_same(&path("server"), &path("new")));
    }

    #[test]
    fn looking_changes_nothing() {
        let dir = tempfile::tempdir().expect("a folder");
        let path = |name: &str| dir.path().join(name);
        fs::write(path("there"), "text").expect("written");
        symlink(path("target"), path("link")).expect("a link");
        symlink(dir.path(), path("folder")).expect("a link");
        for name in ["there", "new", "link", "folder/new"] {
            assert_eq!(writable(&path(name)), Ok(()), "{name}");
        }
        assert_eq!(fs::read_to_string(path("there")).expect("text"), "text");
        assert!(!path("new").exists() && !path("target").exists());
        assert!(path("link").is_symlink());
        for (name, why) in [
            ("", "this is a folder"),
            ("folder", "this is a folder"),
            ("none/new", "there is no folder"),
            ("there/new", "is not a folder"),
        ] {
            let says = writable(&path(name)).expect_err(name);
            assert!(says.contains(why), "{name}: {says}");
        }
        assert_eq!(writable(Path::new("-")), Ok(()));
        assert_eq!(writable(Path::new("/dev/null")), Ok(()));
        // Nobody can make a file there, not even root.
        let says = writable(Path::new("/proc/r.csv")).expect_err("a file");
        assert!(says.starts_with("cannot write it: "), "{says}");
    }
}
