//! A database's programs: installed ones if any fit, else fetched ones.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};

use photofinish_model::finding::failure::ServiceTrouble;
use photofinish_model::version::VersionReq;
use photofinish_study::plan::{Service, ServiceUrl};

use super::error::{Error, Refused};
use super::kinds::{Kind, Programs};
use super::registry::kind;
use crate::fetch::Fetcher;
use photofinish_host::command::{is_program, words};

/// What a service is to be run with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    /// The database's version.
    pub version: String,
    /// Where it comes from, for the record.
    pub origin: String,
    /// The programs; `None` = a server that is there already.
    pub(super) programs: Option<Programs>,
    /// Whether they lie in the cache, whose folders may be closed to other users.
    pub(super) fetched: bool,
}

/// Finds what a service is to be run with.
///
/// # Errors
/// Nothing of a version that fits, nothing that can be fetched, or a server that cannot be reached.
pub(super) fn find(
    service: &Service,
    fetcher: &Fetcher<'_>,
    fetching: &mut dyn FnMut(&str),
) -> Result<Found, Error> {
    if let Some(url) = &service.url {
        return reach(service, url);
    }
    let kind = kind(service.kind);
    let installed = installed(kind, &search_path());
    if let Some((version, programs)) = newest(&installed, &service.version) {
        return Ok(Found {
            version: version.clone(),
            origin: programs.server.display().to_string(),
            programs: Some(programs.clone()),
            fetched: false,
        });
    }
    let arch = std::env::consts::ARCH;
    let mut here = kind
        .artifacts
        .iter()
        .filter(|artifact| artifact.arch == arch);
    let Some(artifact) = here.find(|artifact| service.version.allows(artifact.version)) else {
        return Err(missing(service, kind, &installed));
    };
    let base =
        (fetcher.fetch(artifact, fetching)).map_err(|error| Error::fetch(&service.name, error))?;
    let servers = kind.server.iter().map(|name| base.join("bin").join(name));
    let programs = servers
        .filter(|server| server.is_file())
        .find_map(|server| (kind.programs)(&server, &base));
    match programs {
        Some(programs) => Ok(Found {
            version: artifact.version.to_owned(),
            origin: artifact.coordinates.to_owned(),
            programs: Some(programs),
            fetched: true,
        }),
        None => Err(ServiceTrouble::Fetch {
            service: service.name.clone(),
            artifact: artifact.coordinates.to_owned(),
            says: format!(
                "{} holds no server; remove that folder and run again",
                base.display()
            ),
        }
        .into()),
    }
}

/// Asks a server that is there already for its version.
fn reach(service: &Service, url: &ServiceUrl) -> Result<Found, Error> {
    let name = || service.name.clone();
    let failed = |refused: Refused| {
        Error::from(ServiceTrouble::Connect {
            service: name(),
            place: url.to_string(),
            says: refused.to_string(),
        })
    };
    let mut database = (kind(service.kind).connect)(url).map_err(failed)?;
    let version = database.version().map_err(failed)?;
    if !service.version.allows(&version) {
        return Err(Error::Version {
            service: name(),
            place: url.to_string(),
            found: version,
            wanted: service.version.text.clone(),
        });
    }
    Ok(Found {
        version,
        origin: url.to_string(),
        programs: None,
        fetched: false,
    })
}

fn missing(service: &Service, kind: &Kind, installed: &[(String, Programs)]) -> Error {
    let here: Vec<String> = installed
        .iter()
        .map(|(version, programs)| format!("{version} ({})", programs.server.display()))
        .collect();
    let known: Vec<&str> = kind
        .artifacts
        .iter()
        .map(|artifact| artifact.version)
        .collect();
    let trouble = ServiceTrouble::Programs {
        service: service.name.clone(),
        title: service.kind.title().to_owned(),
        wanted: service.version.text.clone(),
        found: match here.is_empty() {
            true => "none is installed".to_owned(),
            false => format!("installed: {}", here.join(", ")),
        },
        remedy: format!(
            "for this processor ({}) version {} could be fetched; install one that fits, or name a server by `url`",
            std::env::consts::ARCH,
            known.join(" or ")
        ),
    };
    trouble.into()
}

fn search_path() -> Vec<PathBuf> {
    std::env::split_paths(&std::env::var_os("PATH").unwrap_or_default()).collect()
}

/// Every installation in a search path and in the usual folders: its version and its programs.
fn installed(kind: &Kind, path: &[PathBuf]) -> Vec<(String, Programs)> {
    let usual = kind.folders.iter().flat_map(|folder| expand(folder));
    let folders = path.iter().cloned().chain(usual);
    let mut found: Vec<(String, Programs)> = Vec::new();
    for server in folders.flat_map(|folder| kind.server.iter().map(move |name| folder.join(name))) {
        // What is linked to from a folder for commands has its other programs where it really lies.
        let Ok(server) = server.canonicalize() else {
            continue;
        };
        let known = found.iter().any(|(_, programs)| programs.server == server);
        let Some(base) = server.parent().and_then(Path::parent) else {
            continue;
        };
        if known || !is_program(&server) {
            continue;
        }
        let Some(programs) = (kind.programs)(&server, base) else {
            continue;
        };
        let reported = words(&server, &["--version"], &BTreeMap::new()).unwrap_or_default();
        if let Some(version) = (kind.version)(&reported) {
            found.push((version.to_owned(), programs));
        }
    }
    found
}

/// The newest installation that fits.
fn newest<'f>(
    found: &'f [(String, Programs)],
    wanted: &VersionReq,
) -> Option<&'f (String, Programs)> {
    let numbers =
        |version: &str| -> Vec<u32> { version.split('.').map_while(|n| n.parse().ok()).collect() };
    found
        .iter()
        .filter(|(version, _)| wanted.allows(version))
        .max_by_key(|(version, _)| numbers(version))
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

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use photofinish_study::parse_version_req;
    use photofinish_study::plan::ServiceKind;

    use super::*;

    /// An installation whose server prints a version.
    fn install(root: &Path, name: &str, words: &str) -> PathBuf {
        let bin = root.join(name).join("bin");
        fs::create_dir_all(&bin).expect("a folder");
        for program in ["postgres", "initdb"] {
            let path = bin.join(program);
            fs::write(&path, format!("#!/bin/sh\necho '{words}'\n")).expect("a program");
            fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).expect("permissions");
        }
        bin
    }

    #[test]
    fn the_newest_installation_that_fits_is_taken() {
        let root = tempfile::tempdir().expect("a folder");
        let path = [
            install(root.path(), "nine", "postgres (PostgreSQL) 9.6.24"),
            install(root.path(), "fourteen", "postgres (PostgreSQL) 14.2"),
            install(root.path(), "other", "EnterpriseThing 99"),
        ];
        let bare = Kind {
            folders: &[],
            ..kind(ServiceKind::Postgresql).clone()
        };
        let found = installed(&bare, &path);
        assert_eq!(found.len(), 2);
        let version = |wanted: &str| {
            let wanted = parse_version_req(wanted).expect("a condition");
            newest(&found, &wanted).map(|(version, _)| version.as_str())
        };
        assert_eq!(version("any"), Some("14.2"));
        assert_eq!(version("<10"), Some("9.6.24"));
        assert_eq!(version(">=15"), None);
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
}
