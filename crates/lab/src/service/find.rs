//! A database's programs: installed ones if any fit, else fetched ones.

use std::path::Path;

use photofinish_model::finding::failure::ServiceTrouble;
use photofinish_model::version::VersionReq;
use photofinish_study::plan::{Service, ServiceUrl};

use super::error::{Error, Refused};
use super::kinds::{Kind, Programs};
use super::registry::kind;
use crate::prepare::fetch::Fetcher;
use photofinish_host::{Host, Installed};

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
    let installed = installed(kind, fetcher.host)?;
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
        .filter(|server| has(fetcher.host, server))
        .find_map(|server| (kind.programs)(&server, &base, &|path| has(fetcher.host, path)));
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

/// Every installation on a machine, in its search path and in the usual folders: its version and its programs.
fn installed(kind: &Kind, host: &Host) -> Result<Vec<(String, Programs)>, Error> {
    let found = servers(kind, host)?.into_iter().filter_map(|server| {
        let base = server.path.parent().and_then(Path::parent)?;
        let programs = (kind.programs)(&server.path, base, &|path| has(host, path))?;
        let version = (kind.version)(&server.version)?;
        Some((version.to_owned(), programs))
    });
    Ok(found.collect())
}

/// The programs of a kind's servers on a machine.
pub(super) fn servers(kind: &Kind, host: &Host) -> Result<Vec<Installed>, Error> {
    let owned = |words: &[&str]| words.iter().map(|&word| word.to_owned()).collect();
    Ok(host.programs(owned(kind.server), owned(kind.folders))?)
}

/// Whether a machine has a file; one that cannot be asked says so when more is asked of it.
fn has(host: &Host, path: &Path) -> bool {
    host.has(path.to_owned()).unwrap_or(false)
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

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use photofinish_study::parse_version_req;

    use super::*;

    #[test]
    fn the_newest_installation_that_fits_is_taken() {
        let programs = |version: &str| {
            let base = PathBuf::from(version);
            let (server, init) = (base.join("bin/postgres"), base.join("bin/initdb"));
            let programs = Programs { server, init, base };
            (version.to_owned(), programs)
        };
        let found = ["9.6.24", "14.2", "10.1"].map(programs);
        let version = |wanted: &str| {
            let wanted = parse_version_req(wanted).expect("a condition");
            newest(&found, &wanted).map(|(version, _)| version.as_str())
        };
        assert_eq!(version("any"), Some("14.2"));
        assert_eq!(version("<10"), Some("9.6.24"));
        assert_eq!(version(">=15"), None);
    }
}
