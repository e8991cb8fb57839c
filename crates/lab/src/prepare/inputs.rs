//! The files that a build is made from: their fingerprint, and a copy of them.

use std::fs;
use std::io::{self, Read};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

use photofinish_host::Error;

/// What build tools leave behind. It is no input.
const OUTPUTS: [&str; 3] = ["target", "build", "node_modules"];

/// Hidden folders that build tools read. All others are an editor's or a tool's own.
const HIDDEN_INPUTS: [&str; 2] = [".mvn", ".cargo"];

/// Says how to start a target, and how to build it; the latter is in the key by itself. So a change of a title or a
/// start flag does not build anew.
const DESCRIPTION: &str = "target.toml";

/// Every input below a folder, as sorted paths relative to it.
pub(super) fn list(root: &Path) -> Result<Vec<PathBuf>, Error> {
    below(root, is_input)
}

/// Every file below a folder, in those folders in it that count, as sorted paths relative to it.
pub(crate) fn below(root: &Path, counts: fn(&Path) -> bool) -> Result<Vec<PathBuf>, Error> {
    let mut files = Vec::new();
    walk(root, Path::new(""), counts, &mut files)?;
    files.sort();
    Ok(files)
}

fn walk(
    root: &Path,
    folder: &Path,
    counts: fn(&Path) -> bool,
    files: &mut Vec<PathBuf>,
) -> Result<(), Error> {
    let path = root.join(folder);
    let failed = Error::file("read", &path);
    for entry in fs::read_dir(&path).map_err(&failed)? {
        let entry = entry.map_err(&failed)?;
        let inner = folder.join(entry.file_name());
        let kind = entry.file_type().map_err(&failed)?;
        if kind.is_dir() {
            if counts(&inner) {
                walk(root, &inner, counts, files)?;
            }
        } else if kind.is_file() || kind.is_symlink() {
            // A link is an input as it is, not what it leads to. A pipe or a socket, which somebody who is at work here has made,
            // has no content, and to read it may take for ever.
            files.push(inner);
        }
    }
    Ok(())
}

/// Whether a folder holds inputs. Below `src` a package may be called `build` or `target`.
fn is_input(folder: &Path) -> bool {
    let Some(name) = folder.file_name().and_then(|n| n.to_str()) else {
        return true;
    };
    let in_sources = folder.iter().any(|part| part == "src");
    let output = OUTPUTS.contains(&name) && !in_sources;
    let hidden = name.starts_with('.') && !HIDDEN_INPUTS.contains(&name);
    !output && !hidden
}

/// Adds names, modes and contents of the inputs to a fingerprint.
pub(super) fn digest(root: &Path, files: &[PathBuf], into: &mut Sha256) -> Result<(), Error> {
    for file in files.iter().filter(|f| f.as_os_str() != DESCRIPTION) {
        let path = root.join(file);
        let failed = Error::file("read", &path);
        let meta = path.symlink_metadata().map_err(&failed)?;
        part(into, file.as_os_str().as_bytes());
        if meta.is_symlink() {
            part(into, b"link");
            part(
                into,
                path.read_link().map_err(&failed)?.as_os_str().as_bytes(),
            );
        } else {
            part(
                into,
                if meta.permissions().mode() & 0o111 == 0 {
                    b"file"
                } else {
                    b"program"
                },
            );
            contents(&path, meta.len(), into).map_err(failed)?;
        }
    }
    Ok(())
}

/// Adds a file's bytes as a part, without having them all in memory: among the files may be a dump of it.
fn contents(path: &Path, length: u64, into: &mut Sha256) -> io::Result<()> {
    let mut file = fs::File::open(path)?.take(length);
    into.update(length.to_le_bytes());
    let mut bytes = vec![0; 1 << 16];
    loop {
        match file.read(&mut bytes)? {
            0 => return Ok(()),
            read => into.update(&bytes[..read]),
        }
    }
}

/// Adds one part, with its length before it, so that no two lists of parts make the same bytes.
pub(super) fn part(into: &mut Sha256, bytes: &[u8]) {
    into.update((bytes.len() as u64).to_le_bytes());
    into.update(bytes);
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use photofinish_host::Host;

    use super::*;

    fn write(root: &Path, file: &str, text: &str) {
        let path = root.join(file);
        fs::create_dir_all(path.parent().expect("it has one")).expect("there is room");
        fs::write(path, text).expect("there is room");
    }

    fn fingerprint(root: &Path) -> Vec<u8> {
        let mut sha = Sha256::new();
        digest(root, &list(root).expect("it is there"), &mut sha).expect("they are there");
        sha.finalize().to_vec()
    }

    #[test]
    fn outputs_and_hidden_folders_are_no_inputs() {
        let dir = tempfile::tempdir().expect("there is room");
        let inputs = [
            ".gitignore",
            ".mvn/jvm.config",
            "a/pom.xml",
            "pom.xml",
            "src/build/target/A.java",
        ];
        for file in inputs {
            write(dir.path(), file, "x");
        }
        for file in [
            ".git/HEAD",
            "target/a.jar",
            "a/build/b.jar",
            "node_modules/c/d.js",
            ".idea/x",
        ] {
            write(dir.path(), file, "x");
        }
        // Nobody writes to it: whoever read it would wait for ever.
        let pipe = std::process::Command::new("mkfifo")
            .arg(dir.path().join("pipe"))
            .status();
        assert!(pipe.expect("mkfifo").success());
        let _socket =
            std::os::unix::net::UnixListener::bind(dir.path().join("socket")).expect("a socket");
        let expected: Vec<PathBuf> = inputs.iter().map(PathBuf::from).collect();
        assert_eq!(list(dir.path()).expect("it is there"), expected);

        let copied = tempfile::tempdir().expect("there is room");
        let copied = copied.path().join("copy");
        Host::this_machine()
            .put(dir.path(), &expected, &copied)
            .expect("there is room");
        assert_eq!(list(&copied).expect("it is there"), expected);
        assert_eq!(fingerprint(dir.path()), fingerprint(&copied));
    }

    #[test]
    fn every_change_of_an_input_changes_the_fingerprint() {
        let dir = tempfile::tempdir().expect("there is room");
        let root = dir.path();
        write(root, "ab", "c");
        let mut seen = vec![fingerprint(root)];
        let mut changed = |what: &str| {
            let now = fingerprint(root);
            assert!(!seen.contains(&now), "{what}");
            seen.push(now);
        };
        write(root, "ab", "d");
        changed("content");
        fs::set_permissions(root.join("ab"), fs::Permissions::from_mode(0o755))
            .expect("it is ours");
        changed("mode");
        write(root, "x", "");
        changed("a new file");
        fs::remove_file(root.join("x")).expect("it is there");
        symlink("ab", root.join("x")).expect("there is room");
        changed("a link in its place");

        let before = fingerprint(root);
        write(root, DESCRIPTION, "title = 'other'");
        write(root, "target/out", "x");
        assert_eq!(fingerprint(root), before);
    }
}
