//! Programs that are installed, and the users that there are to run them.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::command::{is_program, words};
use super::sys;

/// A program that is installed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Installed {
    /// Where it really lies, whatever leads there.
    pub path: PathBuf,
    /// What it prints for `--version`.
    pub version: String,
}

/// Who a program is to run as that needs no rights.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Account {
    /// Whoever runs photofinish, which is not root.
    Own,
    /// This user and group: photofinish is root.
    Other(u32, u32),
    /// Nobody: photofinish is root, and there is no such user.
    Missing,
}

/// Every program of these names, in the search path and in these folders, of whose path one part may be or hold a `*`.
pub(super) fn installed(names: &[String], folders: &[String]) -> Vec<Installed> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let usual = folders.iter().flat_map(|folder| expand(folder));
    installed_in(std::env::split_paths(&path).chain(usual), names)
}

fn installed_in(folders: impl Iterator<Item = PathBuf>, names: &[String]) -> Vec<Installed> {
    let mut found: Vec<Installed> = Vec::new();
    for program in folders.flat_map(|folder| names.iter().map(move |name| folder.join(name))) {
        // What is linked to from a folder for commands has its other programs where it really lies.
        let Ok(path) = program.canonicalize() else {
            continue;
        };
        if found.iter().any(|known| known.path == path) || !is_program(&path) {
            continue;
        }
        let version = words(&path, &["--version"], &BTreeMap::new()).unwrap_or_default();
        found.push(Installed { path, version });
    }
    found
}

/// The folders that a path with at most one `*` in one of its parts stands for.
fn expand(pattern: &str) -> Vec<PathBuf> {
    let Some((before, after)) = pattern.split_once('*') else {
        return vec![PathBuf::from(pattern)];
    };
    let (folder, prefix) = before.rsplit_once('/').unwrap_or(("", before));
    let Ok(entries) = fs::read_dir(folder) else {
        return Vec::new();
    };
    let begins = |name: &OsStr| name.to_string_lossy().starts_with(prefix);
    entries
        .flatten()
        .filter(|entry| begins(&entry.file_name()))
        .map(|entry| entry.path().join(after.trim_start_matches('/')))
        .collect()
}

/// Who a program that needs no rights runs as: the first of these users that there is, where photofinish is root.
pub(super) fn account(names: &[String]) -> Account {
    if !sys::is_root() {
        return Account::Own;
    }
    // Programs look their own user up, so it must be one that the machine knows.
    let text = fs::read_to_string("/etc/passwd").unwrap_or_default();
    let found = names.iter().find_map(|name| parse_account(&text, name));
    found.map_or(Account::Missing, |(uid, gid)| Account::Other(uid, gid))
}

fn parse_account(passwd: &str, name: &str) -> Option<(u32, u32)> {
    let line = passwd
        .lines()
        .find_map(|line| line.strip_prefix(name)?.strip_prefix(':'))?;
    let mut fields = line.split(':').skip(1);
    let uid = fields.next()?.parse().ok()?;
    let gid = fields.next()?.parse().ok()?;
    (uid != 0).then_some((uid, gid))
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::{PermissionsExt, symlink};

    use super::*;

    #[test]
    fn programs_are_found_where_they_really_lie_each_once() {
        let root = tempfile::tempdir().expect("a folder");
        let bin = root.path().join("fourteen/bin");
        fs::create_dir_all(&bin).expect("a folder");
        let program = bin.join("postgres");
        fs::write(&program, "#!/bin/sh\necho 'postgres (PostgreSQL) 14.2'\n").expect("a program");
        // One that nobody may execute is none.
        fs::write(bin.join("initdb"), "").expect("a file");
        fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).expect("permissions");
        let link = root.path().join("postgres");
        symlink(&program, &link).expect("a link");
        let folders = [root.path().to_owned(), bin, root.path().join("nowhere")];
        let names = ["postgres", "initdb"].map(str::to_owned);
        let found = installed_in(folders.into_iter(), &names);
        assert_eq!(found.len(), 1, "{found:?}");
        assert_eq!(found[0].path, program.canonicalize().expect("it is there"));
        assert_eq!(found[0].version, "postgres (PostgreSQL) 14.2\n");
    }

    #[test]
    fn patterns_stand_for_folders() {
        let root = tempfile::tempdir().expect("a folder");
        for name in ["pg-14/bin", "pg-15/bin", "my-1/bin"] {
            fs::create_dir_all(root.path().join(name)).expect("a folder");
        }
        let mut found = expand(&format!("{}/pg-*/bin", root.path().display()));
        found.sort();
        assert_eq!(
            found,
            ["pg-14/bin", "pg-15/bin"].map(|name| root.path().join(name))
        );
        assert_eq!(expand("/nowhere/*/bin"), [""; 0].map(PathBuf::from));
    }

    #[test]
    fn accounts_are_those_of_the_machine_and_never_root() {
        let passwd =
            "root:x:0:0:root:/root:/bin/bash\nnobody2:x:5:5::/:/x\nnobody:x:65534:65533:n:/:/x\n";
        assert_eq!(parse_account(passwd, "nobody"), Some((65534, 65533)));
        assert_eq!(parse_account(passwd, "root"), None);
        assert_eq!(parse_account(passwd, "postgres"), None);
    }
}
