//! The machines of `--on`, or this one.

use std::env;
use std::path::{Path, PathBuf};

use photofinish_host::agent::Remote;
use photofinish_host::{Error, Generator, Host, LocalHost, Own, Several, ssh};
use photofinish_lab::cache_dir;
use photofinish_study::{Place, load_hosts};

use crate::exit::Failure;

/// Where servers and load generator run.
pub struct Machines {
    pub host: Box<dyn Host>,
    pub generator: Box<dyn Generator>,
    /// Where builds are kept, on the servers' machine.
    pub cache: PathBuf,
    /// Those that are other machines, by what they are for; one that is for both once.
    pub others: Vec<(&'static str, Remote)>,
}

impl Machines {
    /// The load generators, one by one.
    pub fn generators(&self) -> Vec<&dyn Generator> {
        match self.generator.several() {
            [] => vec![&*self.generator],
            several => several.iter().map(|one| &**one).collect(),
        }
    }
}

/// Reaches the machines that a file names; this one where there is none.
///
/// # Errors
/// For mistakes in the file, and machines that cannot be reached.
pub fn machines(on: Option<&Path>) -> Result<Machines, Failure> {
    let program = env::current_exe()
        .map_err(|e| Failure::run(format!("cannot find the photofinish binary: {e}")))?;
    let Some(path) = on else {
        return Ok(Machines {
            host: Box::new(LocalHost::new(program)),
            generator: Box::new(Own),
            cache: cache_dir(),
            others: Vec::new(),
        });
    };
    let hosts = load_hosts(path).map_err(Failure::mistake)?;
    let reach = |place: &Place, address| match place {
        Place::Here => Ok(None),
        Place::Ssh { name, options } => {
            let to = ssh::Destination {
                name: name.clone(),
                options: options.clone(),
            };
            ssh::agent(&to, address, &program).map(Some)
        }
    };
    let failed = |error: Error| Failure::run(format!("failed to {error}"));
    let server = reach(&hosts.server, hosts.address).map_err(failed)?;
    let mut others = Vec::new();
    others.extend(server.clone().map(|remote| ("server", remote)));
    let mut generators: Vec<Box<dyn Generator>> = Vec::new();
    for place in &hosts.generators {
        let same = *place == hosts.server;
        let remote = match same {
            true => server.clone(),
            false => reach(place, None).map_err(failed)?,
        };
        if !same {
            others.extend(remote.clone().map(|remote| ("generator", remote)));
        }
        generators.push(match remote {
            Some(remote) => Box::new(remote),
            None => Box::new(Own),
        });
    }
    let generator = match generators.len() {
        1 => generators.remove(0),
        _ => Box::new(Several::new(generators).map_err(failed)?),
    };
    Ok(Machines {
        cache: server
            .as_ref()
            .map_or_else(cache_dir, |remote| remote.cache().to_owned()),
        host: match server {
            Some(remote) => Box::new(remote),
            None => Box::new(LocalHost::new(program).at(hosts.address)),
        },
        generator,
        others,
    })
}
