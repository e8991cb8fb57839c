//! Files that are asked for: found to be writable before anything is measured. `-` is standard output, for each of them.

use std::ffi::OsStr;
use std::fs::{self, OpenOptions};
use std::io;
use std::path::Path;

use crate::args::CiArgs;
use crate::exit::Failure;
use crate::exports::ExportArgs;
use crate::out;

/// The files that flags name, each with its flag.
fn files<'a>(exports: &'a ExportArgs, junit: Option<&'a Path>) -> Vec<(&'static str, &'a Path)> {
    let exports = (exports.0.iter()).map(|(format, file)| (format.name(), file.as_path()));
    exports.chain(junit.map(|file| ("junit", file))).collect()
}

/// Whether what is asked for takes standard output, where else the verdict would be printed.
pub fn take_output(exports: &ExportArgs, ci: &CiArgs) -> bool {
    (files(exports, ci.junit.as_deref()).iter()).any(|(_, file)| is_output(file))
}

/// Checks that each of these files can be written, and is one of its own.
///
/// # Errors
/// For the first that cannot, or is also another's, by its flag.
pub fn check(exports: &ExportArgs, ci: Option<&CiArgs>) -> Result<(), Failure> {
    let files = files(exports, ci.and_then(|ci| ci.junit.as_deref()));
    for (index, (flag, file)) in files.iter().enumerate() {
        if let Some((other, _)) = files[..index].iter().find(|(_, before)| before == file) {
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
        writable(file).map_err(wrong)?;
    }
    Ok(())
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
    opened(file).map_err(|error| format!("cannot write it: {error}"))
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
    fs::write(file, text).map_err(|e| Failure::run(format!("cannot write {}: {e}", file.display())))
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

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
