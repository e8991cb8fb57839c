//! What comes before the first round: what can fail at once is checked, the results folder is begun, targets are built and
//! services started.

use std::collections::hash_map::RandomState;
use std::hash::BuildHasher;
use std::io;
use std::net::SocketAddr;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, SystemTime};

use photofinish_host::{self as host, Generator, Host, Tools};
use photofinish_model::Load;
use photofinish_model::secret::mask;
use photofinish_model::store::{self, Results, Store};
use photofinish_study::plan::{Plan, Target};

use super::RunOptions;
use crate::cpu_sets::{self, AssignedCpus};
use crate::error::{Error, Failure, Halt, failed};
use crate::events::{Event, ServicePhase, Warning};
use crate::record::fingerprint::Key;
use crate::record::{environment, network};
use crate::run_context::RunContext;
use crate::service::{self, Found, Instance, Stage};
use crate::{convert, prepare, record};

/// How long a running server may take to accept a connection.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);

/// A port on which hardly any program listens (`tcpmux`).
const UNUSED_PORT: u16 = 1;

/// What a run is set up from.
pub(super) struct Setup<'a> {
    pub(super) plan: &'a Plan,
    pub(super) options: &'a RunOptions,
    pub(super) host: &'a Host,
    pub(super) generator: &'a dyn Generator,
    pub(super) events: &'a dyn Fn(Event),
    pub(super) interrupt: &'a AtomicBool,
}

/// What was found before anything took time.
pub(super) struct Checked {
    pub(super) cpu_sets: AssignedCpus,
    /// Whether servers come before other programs on their cores.
    pub(super) raised_priority: bool,
    /// Of each target of the plan.
    pub(super) tools: Vec<Result<Tools, host::Error>>,
    /// What each service of the plan is run with.
    pub(super) services: Vec<Result<Found, service::Error>>,
}

/// A run that has a folder.
pub(super) struct Begun {
    pub(super) store: Store,
    pub(super) seed: u64,
    /// What the folder held already.
    pub(super) earlier: Option<Results>,
}

impl Setup<'_> {
    /// Assigns the CPU sets, allows as many open files as are needed, and finds tools and services.
    ///
    /// # Errors
    /// For cores and files that cannot be had, and an interruption; whoever interrupts has nothing to keep: there is no folder
    /// yet.
    pub(super) fn check(&self) -> Result<Checked, Error> {
        let machines = [self.host, self.generator.machine()];
        self.require_sockets_in_reach()?;
        self.require_running_servers()?;
        self.require_loopback()?;
        let cpu_sets = cpu_sets::assign(&self.plan.settings.lanes, machines)?;
        if let Some(shared) = &cpu_sets.shared {
            (self.events)(Event::Warning(Warning::CpuSets(shared.clone())));
        }
        prepare::open_files(machines, largest(self.plan))?;
        let targets = self.plan.targets.iter();
        let tools = targets.map(|target| self.host.tools(target.needs.clone()));
        Ok(Checked {
            raised_priority: self.raises_priority(&cpu_sets)?,
            cpu_sets,
            tools: tools.collect(),
            services: self.find_services()?,
        })
    }

    /// Whether servers may come before other programs on their cores.
    fn raises_priority(&self, cpu_sets: &AssignedCpus) -> Result<bool, Error> {
        let Setup { plan, host, .. } = *self;
        let may = !plan.settings.usual_priority && are_alone(plan) && cpu_sets.server_is_apart();
        Ok(may && host.facts()?.gives_priority)
    }

    /// Fails if load would have to reach a Unix socket from another machine.
    fn require_sockets_in_reach(&self) -> Result<(), Error> {
        let [server, generator] = [self.host, self.generator.machine()].map(Host::name);
        let mut targets = self.plan.targets.iter();
        match targets.find(|target| target.start.listen.is_socket()) {
            Some(target) if server != generator => Err(Error::SocketElsewhere {
                target: target.label.clone(),
                server,
                generator,
            }),
            _ => Ok(()),
        }
    }

    /// Fails if nobody listens at a URL that is said to have a server.
    fn require_running_servers(&self) -> Result<(), Error> {
        let mut endpoints = self.plan.targets.iter().filter_map(Target::already);
        let missing = endpoints.find_map(|endpoint| {
            let machine = self.generator.machine();
            let connected = machine.connect(&endpoint.address, CONNECT_TIMEOUT);
            Some((endpoint, connected.err()?))
        });
        match missing {
            None => Ok(()),
            Some((endpoint, error)) if error.kind() == io::ErrorKind::AddrNotAvailable => {
                Err(Error::NoLocalPort {
                    url: mask(&endpoint.url).into_owned(),
                    says: photofinish_load::no_local_port().to_string(),
                })
            }
            Some((endpoint, error)) => Err(Error::NotRunning {
                url: mask(&endpoint.url).into_owned(),
                says: error.to_string(),
            }),
        }
    }

    /// Fails if servers are to listen at a loopback address that cannot be reached: each would be waited for in vain.
    fn require_loopback(&self) -> Result<(), Error> {
        let ip = self.host.address();
        let mut targets = self.plan.targets.iter();
        let is_tcp = |target: &Target| {
            let listen = &target.start.listen;
            target.already().is_none() && !listen.is_socket()
        };
        if !ip.is_loopback() || !targets.any(is_tcp) {
            return Ok(());
        }
        // Nobody listens on a port that is free: it is refused at once by a machine that can be reached.
        let port = self.host.free_port().unwrap_or(UNUSED_PORT);
        let address = SocketAddr::new(ip, port).into();
        let machine = self.generator.machine();
        match machine.connect(&address, CONNECT_TIMEOUT) {
            Ok(_) => Ok(()),
            Err(error) if error.kind() == io::ErrorKind::ConnectionRefused => Ok(()),
            Err(error) => Err(Error::NoLoopback {
                address: ip,
                says: error.to_string(),
            }),
        }
    }

    /// Finds, or fetches, what the services are run with.
    fn find_services(&self) -> Result<Vec<Result<Found, service::Error>>, Error> {
        let interrupted = || self.interrupt.load(Ordering::Relaxed);
        let mut all = Vec::new();
        for service in &self.plan.services {
            let mut fetching = |artifact: &str| {
                let artifact = artifact.to_owned();
                let phase = ServicePhase::Fetching { artifact };
                let service = service.name.clone();
                (self.events)(Event::Service { service, phase });
            };
            let cache = &self.options.cache;
            let found = service::find(self.host, service, cache, &interrupted, &mut fetching);
            if let Err(service::Error::Host(host::Error::Interrupted)) = found {
                return Err(host::Error::Interrupted.into());
            }
            all.push(found);
        }
        Ok(all)
    }

    /// Makes the folder, or opens the one to resume.
    pub(super) fn begin(&self, checked: &Checked) -> Result<Begun, Error> {
        let Setup { plan, options, .. } = *self;
        let tools = checked.tools.iter().flatten();
        let tools = tools.flat_map(|tools| tools.found.clone()).collect();
        let mut environment =
            environment::environment(self.host, self.generator, &checked.cpu_sets, tools)?;
        environment.server_nice = checked.raised_priority.then_some(host::SERVER_NICE);
        let started = convert::rfc3339(SystemTime::now());
        // Without one, such as without a home that can be written, nothing can be compared with another run.
        let key = Key::of_user().ok();
        let study = |seed| {
            let services = (plan.services.iter().zip(&checked.services))
                .map(|(service, found)| {
                    record::service(service, found.as_ref().ok(), &checked.cpu_sets.server)
                })
                .collect();
            let pair = options.dealt.as_ref().map(|dealt| dealt.pair.clone());
            let tools = &checked.tools;
            record::study(plan, seed, started, tools, services, key.as_ref(), pair)
        };
        if !options.resume {
            let seed = options.seed.unwrap_or_else(new_seed);
            if let Some(machines) = &mut environment.machines {
                machines.networks = network::networks(self.host, self.generator, self.interrupt);
            }
            let store = Store::create(&options.results, &study(seed), &environment, &plan.text)?;
            let earlier = None;
            return Ok(Begun {
                store,
                seed,
                earlier,
            });
        }
        let (store, results) = Store::resume(&options.results)?;
        let seed = options.seed.unwrap_or(results.study.seed);
        let there = (&results.study, &results.environment);
        let differences = record::differences(there, (&study(seed), &environment));
        if !differences.is_empty() {
            let dir = options.results.clone();
            return Err(Error::OtherStudy { dir, differences });
        }
        let earlier = Some(results);
        Ok(Begun {
            store,
            seed,
            earlier,
        })
    }
}

/// Whether photofinish itself starts all that works in a run, and each of it stays in the session in which it is started. What an engine of
/// containers starts, or runs already, would have to wait for the others; so would PostgreSQL's processes, each of which makes a session.
fn are_alone(plan: &Plan) -> bool {
    let mut targets = plan.targets.iter();
    targets.all(|target| target.already().is_none() && target.start.image.is_none())
        && plan.services.is_empty()
}

/// The most connections that any level opens.
fn largest(plan: &Plan) -> u32 {
    let loads = plan.workloads.iter().flat_map(|workload| &workload.loads);
    loads.map(Load::connections).max().unwrap_or(0)
}

/// A seed that is new for each run, and short enough to be typed and to be exact in JavaScript.
fn new_seed() -> u64 {
    RandomState::new().hash_one(SystemTime::now()) & u64::from(u32::MAX)
}

/// Builds every target whose tools are here.
///
/// # Errors
/// Halts if the user wishes so; what is wrong with a target is its outcome.
pub(super) fn prepare_all(
    run: &RunContext,
    tools: Vec<Result<Tools, host::Error>>,
    cache: &Path,
) -> Result<Vec<prepare::Outcome>, Halt> {
    let mut prepared = Vec::new();
    for (target, tools) in run.plan.targets.iter().zip(tools) {
        let outcome = tools
            .map_err(|error| Halt::Failed(failed(error)))
            .and_then(|tools| prepare::prepare(run, target, tools, cache));
        prepared.push(match outcome {
            Ok(prepared) => Ok(prepared),
            Err(Halt::Failed(why)) => Err(unusable(run, &target.label, why)),
            Err(halt) => return Err(halt),
        });
    }
    Ok(prepared)
}

/// Reports that a target cannot run.
fn unusable(run: &RunContext, target: &str, why: Failure) -> Failure {
    run.report(Event::Unusable {
        target: target.to_owned(),
        why: why.clone(),
    });
    why
}

/// Starts and fills the services that a target which can run needs; a target whose service is not
/// up cannot run either.
///
/// After all builds: a database would else lie idle, or be disturbed, while others are made.
///
/// # Errors
/// Halts if the user wishes so.
pub(super) fn start_services(
    run: &mut RunContext,
    found: Vec<Result<Found, service::Error>>,
    mut prepared: Vec<prepare::Outcome>,
) -> Result<Vec<prepare::Outcome>, Halt> {
    // Beside the logs; each service's folder goes with it, and the last one takes this one along.
    let dir = run.logs.with_file_name(store::SERVICES);
    if !run.plan.services.is_empty() {
        // What a run that was killed has left there, if this one resumes it.
        service::clear(&dir);
    }
    for (service, found) in run.plan.services.iter().zip(found) {
        let mut targets = run.plan.targets.iter().zip(&prepared);
        if !targets.any(|(target, prepared)| service.is_for(&target.label) && prepared.is_ok()) {
            continue;
        }
        let report = |phase| {
            let service = service.name.clone();
            run.report(Event::Service { service, phase });
        };
        let interrupted = || run.interrupted();
        let stage = Stage {
            host: run.host,
            dir: &dir,
            logs: &run.logs,
            cpus: &run.cpu_sets.server,
            interrupted: &interrupted,
        };
        let up = found.and_then(|found| {
            report(ServicePhase::Starting {
                title: service.kind.title(),
                version: found.version.clone(),
                origin: found.origin.clone(),
            });
            Instance::start(&stage, service, &found)
        });
        run.go_on()?;
        if up.is_ok() {
            report(ServicePhase::Up);
        }
        run.services.add(service.clone(), up);
    }
    for (target, outcome) in run.plan.targets.iter().zip(&mut prepared) {
        if outcome.is_ok()
            && let Some(why) = run.services.why_not(&target.label)
        {
            *outcome = Err(unusable(run, &target.label, why));
        }
    }
    Ok(prepared)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use photofinish_model::version::VersionReq;
    use photofinish_study::plan::{Image, Service, ServiceKind};

    use super::*;

    #[test]
    fn servers_are_not_alone_with_containers_or_databases() {
        let plan = crate::fake::plan(&["a", "b"], 1);
        assert!(are_alone(&plan));
        let mut contained = plan.clone();
        contained.targets[1].start.image = Some(Image::Named("nginx".to_owned()));
        assert!(!are_alone(&contained));
        let database = Service {
            name: "db".to_owned(),
            kind: ServiceKind::Postgresql,
            version: VersionReq::any(),
            url: None,
            schema: Vec::new(),
            rows: BTreeMap::new(),
            targets: Vec::new(),
        };
        let beside = Plan {
            services: vec![database],
            ..plan
        };
        assert!(!are_alone(&beside));
    }
}
