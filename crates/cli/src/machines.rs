//! The machines of `--on`, or this one.

use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use photofinish_host::{Error, Generator, Host, each, kubernetes, slurm, ssh};
use photofinish_lab::cache_dir;
use photofinish_study::{Hosts, MachinePair, Place, Scheduler, load_hosts};

use crate::exit::Failure;
use crate::{out, process, signals};

/// Where servers and load generator run.
pub struct Machines {
    /// The name of this pair of machines; empty for the only one.
    pub name: String,
    pub host: Host,
    pub generator: Host,
    /// Where builds are kept, on the servers' machine.
    pub cache: PathBuf,
    /// Those that are other machines, by what they are for; one that is for both once.
    pub others: Vec<(&'static str, Host)>,
}

impl Machines {
    /// The load generators, one by one.
    pub fn generators(&self) -> Vec<&dyn Generator> {
        each(&self.generator)
    }
}

/// Reaches the machines of each pair that a file names; this one where there is none.
///
/// # Errors
/// For mistakes in the file, machines that cannot be reached, and an interrupt while pods or a job are waited for.
pub fn machines(on: Option<&Path>, interrupt: &AtomicBool) -> Result<Vec<Machines>, Failure> {
    let program = process::program()?;
    let Some(path) = on else {
        return Ok(vec![Machines {
            name: String::new(),
            host: Host::local(program),
            generator: Host::this_machine().clone(),
            cache: cache_dir(),
            others: Vec::new(),
        }]);
    };
    let pairs = load_hosts(path).map_err(Failure::mistake)?;
    let asked = pairs.len();
    let mut all = Vec::new();
    // One after the other: pods that wait for room must not hold the nodes that another pair lacks.
    for MachinePair { name, hosts } in pairs {
        let reached = reached(name.clone(), &hosts, program.clone(), interrupt);
        match reached {
            Ok(machines) => all.push(machines),
            Err(_) if signals::interrupted(interrupt) => return Err(Failure::Incomplete),
            Err(error) if hosts.scheduler.is_some() && !all.is_empty() => {
                out::note(&format!(
                    "{} of {asked} pairs of machines measure all rounds, because {name} cannot be had: failed to {error}",
                    all.len()
                ));
                break;
            }
            Err(error) => return Err(Failure::run(format!("failed to {error}"))),
        }
    }
    Ok(all)
}

fn reached(
    name: String,
    hosts: &Hosts,
    program: PathBuf,
    interrupt: &AtomicBool,
) -> Result<Machines, Error> {
    let mut reached = remotes(hosts, &program, interrupt)?.into_iter();
    let server = reached.next().flatten();
    let mut others = Vec::new();
    others.extend(server.clone().map(|remote| ("server", remote)));
    let mut generators = Vec::new();
    for (place, remote) in hosts.generators.iter().zip(reached) {
        if !is_server(hosts, place) {
            others.extend(remote.clone().map(|remote| ("generator", remote)));
        }
        generators.push(remote.unwrap_or_else(|| Host::this_machine().clone()));
    }
    let generator = match generators.len() {
        1 => generators.remove(0),
        _ => {
            let generators = generators.into_iter().map(|one| Box::new(one) as _);
            Host::several(generators.collect())?
        }
    };
    Ok(Machines {
        name,
        cache: server
            .as_ref()
            .and_then(Host::cache)
            .map_or_else(cache_dir, Path::to_owned),
        host: server.unwrap_or_else(|| Host::local(program).at(hosts.address)),
        generator,
        others,
    })
}

/// Whether load comes from the servers' machine. What a scheduler is asked for alike is two machines.
fn is_server(hosts: &Hosts, generator: &Place) -> bool {
    *generator == hosts.server && hosts.scheduler.is_none()
}

/// The servers' machine, then each generator's; nothing for this one.
fn remotes(
    hosts: &Hosts,
    program: &Path,
    interrupt: &AtomicBool,
) -> Result<Vec<Option<Host>>, Error> {
    let places = || std::iter::once(&hosts.server).chain(&hosts.generators);
    let given = match &hosts.scheduler {
        None => return reachable(hosts, program, interrupt),
        Some(Scheduler::Kubernetes(cluster)) => {
            let wanted = places().enumerate().filter_map(|(n, place)| match place {
                Place::Pod(pod) => Some(kubernetes::Wanted {
                    role: match (n, hosts.generators.len()) {
                        (0, _) => "server".to_owned(),
                        (_, 1) => "generator".to_owned(),
                        (n, _) => format!("generator-{n}"),
                    },
                    pod,
                }),
                Place::Here | Place::Ssh { .. } | Place::Node(_) => None,
            });
            let wanted: Vec<kubernetes::Wanted<'_>> = wanted.collect();
            kubernetes::agents(cluster, &wanted, program, interrupt)?
        }
        Some(Scheduler::Slurm(job)) => {
            let wanted = places().enumerate().filter_map(|(n, place)| match place {
                Place::Node(node) => Some(slurm::Wanted {
                    node,
                    address: hosts.address.filter(|_| n == 0),
                }),
                Place::Here | Place::Ssh { .. } | Place::Pod(_) => None,
            });
            let wanted: Vec<slurm::Wanted<'_>> = wanted.collect();
            slurm::agents(job, &wanted, program, &out::note, interrupt)?
        }
    };
    Ok(given.into_iter().map(Some).collect())
}

/// Machines that are there already.
fn reachable(
    hosts: &Hosts,
    program: &Path,
    interrupt: &AtomicBool,
) -> Result<Vec<Option<Host>>, Error> {
    let apart = hosts
        .generators
        .iter()
        .filter(|place| !is_server(hosts, place));
    let places =
        std::iter::once((&hosts.server, hosts.address)).chain(apart.map(|place| (place, None)));
    let wanted = places.filter_map(|(place, address)| match place {
        Place::Ssh { name, options } => Some(ssh::Wanted {
            name: name.clone(),
            options: options.clone(),
            address,
        }),
        // Pods and nodes have a scheduler.
        Place::Here | Place::Pod(_) | Place::Node(_) => None,
    });
    let wanted: Vec<ssh::Wanted> = wanted.collect();
    let mut agents = ssh::agents(&wanted, program, interrupt)?.into_iter();
    let mut reached = |place: &Place| match place {
        Place::Ssh { .. } => agents.next(),
        Place::Here | Place::Pod(_) | Place::Node(_) => None,
    };
    let server = reached(&hosts.server);
    let mut remotes = vec![server.clone()];
    remotes.extend(
        hosts
            .generators
            .iter()
            .map(|place| match is_server(hosts, place) {
                true => server.clone(),
                false => reached(place),
            }),
    );
    Ok(remotes)
}
